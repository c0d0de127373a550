package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

func (a *App) sub() *cobra.Command {
	c := &cobra.Command{Use: "sub", Short: "Create, list, show, change and remove subscriptions"}
	c.AddCommand(a.subCreate(), a.subList(), a.subInfo(), a.subEdit(), a.subSeek(), a.subRemove(),
		a.subPause(), a.subResume(), a.subExplain(), a.subMove(), a.subParked(), a.subReleaseKey())
	for _, child := range c.Commands() {
		a.addAddr(child)
	}
	return c
}

func (a *App) subCreate() *cobra.Command {
	var flags subFlags
	var fixed subFixedFlags
	c := &cobra.Command{Use: "create NAME --topic TOPIC", Short: "Create a subscription", Args: cobra.ExactArgs(1)}
	flags.add(c)
	fixed.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		sub := &headracev1.Subscription{Name: args[0]}
		start, err := fixed.apply(sub)
		if err != nil {
			return err
		}
		if _, err := flags.apply(c, sub); err != nil {
			return err
		}
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			created, err := client.Subscriptions().Create(ctx, sub, start)
			if err != nil {
				return err
			}
			return output.One(a.printer(), viewSub(created), subColumns)
		})
	}
	return c
}

func (a *App) subList() *cobra.Command {
	var namespace, topic string
	c := &cobra.Command{Use: "ls", Aliases: []string{"list"}, Short: "List subscriptions"}
	c.Flags().StringVar(&namespace, "namespace", "-", "only subscriptions of this namespace; - is all of them")
	c.Flags().StringVar(&topic, "topic", "", "only subscriptions of this topic")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			subs, err := collect(client.Subscriptions().List(ctx, headrace.InNamespace(namespace), headrace.OfTopic(topic)), viewSub)
			if err != nil {
				return err
			}
			return output.List(a.printer(), subs, subColumns)
		})
	}
	return c
}

func (a *App) subInfo() *cobra.Command {
	c := &cobra.Command{Use: "info NAME", Short: "Show a subscription, its figures and its sessions", Args: cobra.ExactArgs(1)}
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			sub, err := client.Subscriptions().Get(ctx, args[0])
			if err != nil {
				return err
			}
			stats, err := client.Subscriptions().Stats(ctx, args[0])
			if err != nil {
				return err
			}
			return output.One(a.printer(), viewSubInfo(sub, stats), subInfoColumns)
		})
	}
	return c
}

func (a *App) subEdit() *cobra.Command {
	var flags subFlags
	c := &cobra.Command{Use: "edit NAME", Short: "Change properties of a subscription", Args: cobra.ExactArgs(1)}
	flags.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		sub := &headracev1.Subscription{Name: args[0]}
		fields, err := flags.apply(c, sub)
		if err != nil {
			return err
		}
		if len(fields) == 0 {
			return usagef("nothing to change: give at least one property")
		}
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			updated, err := client.Subscriptions().Update(ctx, sub, fields...)
			if err != nil {
				return err
			}
			return output.One(a.printer(), viewSub(updated), subColumns)
		})
	}
	return c
}

func (a *App) subRemove() *cobra.Command {
	do := func(ctx context.Context, client *headrace.Client, name string, dryRun bool) error {
		if dryRun {
			_, err := client.Subscriptions().Get(ctx, name)
			return err
		}
		return client.Subscriptions().Delete(ctx, name)
	}
	return a.remove("subscription", "its delivery state", do)
}
