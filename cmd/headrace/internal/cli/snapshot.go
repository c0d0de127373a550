package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

func (a *App) snapshot() *cobra.Command {
	c := &cobra.Command{Use: "snapshot", Short: "Take, list and remove snapshots of subscriptions"}
	c.AddCommand(a.snapshotCreate(), a.snapshotList(), a.snapshotRemove())
	for _, child := range c.Commands() {
		a.addAddr(child)
	}
	return c
}

func (a *App) snapshotCreate() *cobra.Command {
	var sub string
	var keep time.Duration
	c := &cobra.Command{
		Use: "create NAME --sub SUBSCRIPTION", Short: "Keep what a subscription has not acked, to come back to it",
		Args: cobra.ExactArgs(1),
	}
	c.Flags().StringVar(&sub, "sub", "", "the subscription")
	c.Flags().DurationVar(&keep, "keep", 0, "how long it is kept, at most 168h (server's default: 168h)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if sub == "" {
			return usagef("--sub is missing")
		}
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			taken, err := client.Subscriptions().CreateSnapshot(ctx, args[0], sub, keep)
			if err != nil {
				return err
			}
			return output.One(a.printer(), viewSnapshot(taken), snapshotColumns)
		})
	}
	return c
}

func (a *App) snapshotList() *cobra.Command {
	var namespace, topic string
	c := &cobra.Command{Use: "ls", Aliases: []string{"list"}, Short: "List snapshots"}
	c.Flags().StringVar(&namespace, "namespace", "-", "only snapshots of this namespace; - is all of them")
	c.Flags().StringVar(&topic, "topic", "", "only snapshots of this topic")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			all := client.Subscriptions().Snapshots(ctx, headrace.InNamespace(namespace), headrace.OfTopic(topic))
			views, err := collect(all, viewSnapshot)
			if err != nil {
				return err
			}
			return output.List(a.printer(), views, snapshotColumns)
		})
	}
	return c
}

func (a *App) snapshotRemove() *cobra.Command {
	do := func(ctx context.Context, client *headrace.Client, name string, dryRun bool) error {
		if dryRun {
			_, err := client.Subscriptions().Snapshot(ctx, name)
			return err
		}
		return client.Subscriptions().DeleteSnapshot(ctx, name)
	}
	return a.remove("snapshot", "what it keeps", do)
}

// snapshotView is a snapshot as the command line shows it.
type snapshotView struct {
	Name         string    `json:"name"`
	Subscription string    `json:"subscription"`
	Topic        string    `json:"topic"`
	Unacked      uint64    `json:"unacked"`
	CreateTime   time.Time `json:"create_time"`
	ExpireTime   time.Time `json:"expire_time"`
	State        string    `json:"state"`
}

func viewSnapshot(s *headracev1.Snapshot) snapshotView {
	return snapshotView{
		Name: s.GetName(), Subscription: s.GetSubscription(), Topic: s.GetTopic(), Unacked: s.GetUnacked(),
		CreateTime: s.GetCreateTime().AsTime(), ExpireTime: s.GetExpireTime().AsTime(),
		State: shortEnum(s.GetState().String(), "RESOURCE_STATE_"),
	}
}

var snapshotColumns = []output.Column[snapshotView]{
	{Head: "SNAPSHOT", Cell: func(v snapshotView) string { return v.Name }},
	{Head: "SUBSCRIPTION", Cell: func(v snapshotView) string { return v.Subscription }},
	{Head: "TOPIC", Cell: func(v snapshotView) string { return v.Topic }},
	{Head: "UNACKED", Right: true, Cell: func(v snapshotView) string { return output.Count(v.Unacked) }},
	{Head: "CREATED", Cell: func(v snapshotView) string { return timeText(v.CreateTime) }},
	{Head: "EXPIRES", Cell: func(v snapshotView) string { return timeText(v.ExpireTime) }},
	{Head: "STATE", Cell: func(v snapshotView) string { return v.State }},
}
