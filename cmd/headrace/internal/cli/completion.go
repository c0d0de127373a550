package cli

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

const (
	// completionTimeout is how long a shell waits for names of the server.
	completionTimeout = time.Second
	// defaultNamespace begins the names that people write without it.
	defaultNamespace = "default/"
)

// completer lists what an argument or flag may be.
type completer func(c *cobra.Command) []string

// complete tells the shells what the arguments and flags of each command may be.
func (a *App) complete(root *cobra.Command) {
	flags := map[string]completer{
		"output":  func(*cobra.Command) []string { return output.Formats() },
		"topic":   a.topicNames,
		"sub":     a.subNames,
		"context": a.contextNames,
	}
	visit(root, func(c *cobra.Command) {
		for name, names := range flags {
			if c.Flag(name) != nil && c.LocalFlags().Lookup(name) != nil {
				// It fails for a flag that has one already: the same.
				_ = c.RegisterFlagCompletionFunc(name, names.flag)
			}
		}
		if names := a.argumentNames(c); names != nil {
			c.ValidArgsFunction = names.argument(strings.Contains(c.Use, "..."))
		}
	})
}

// argumentNames says what a command's first argument names, nil when that is nothing
// that there is already.
func (a *App) argumentNames(c *cobra.Command) completer {
	words := strings.Fields(c.Use)
	if len(words) < 2 || words[0] == "create" || words[0] == "set" {
		return nil
	}
	kind := strings.Trim(words[1], "[].…")
	if kind == "NAME" && c.HasParent() {
		kind = c.Parent().Name()
	}
	return map[string]completer{
		"TOPIC": a.topicNames, "topic": a.topicNames,
		"SUBSCRIPTION": a.subNames, "sub": a.subNames,
		"snapshot": a.snapshotNames, "context": a.contextNames,
	}[kind]
}

func (n completer) flag(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return n(c), cobra.ShellCompDirectiveNoFileComp
}

// argument completes the first argument, or every one of many, with those that are not
// there yet.
func (n completer) argument(many bool) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 && !many {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names := slices.DeleteFunc(n(c), func(name string) bool { return slices.Contains(args, name) })
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func (a *App) topicNames(c *cobra.Command) []string {
	return a.namesOf(c, func(ctx context.Context, client *headrace.Client) ([]string, error) {
		return collect(client.Topics().List(ctx, headrace.InNamespace("-")), (*headracev1.Topic).GetName)
	})
}

func (a *App) subNames(c *cobra.Command) []string {
	return a.namesOf(c, func(ctx context.Context, client *headrace.Client) ([]string, error) {
		return collect(client.Subscriptions().List(ctx, headrace.InNamespace("-")), (*headracev1.Subscription).GetName)
	})
}

func (a *App) snapshotNames(c *cobra.Command) []string {
	return a.namesOf(c, func(ctx context.Context, client *headrace.Client) ([]string, error) {
		return collect(client.Subscriptions().Snapshots(ctx, headrace.InNamespace("-")), (*headracev1.Snapshot).GetName)
	})
}

// contextNames needs no server.
func (a *App) contextNames(*cobra.Command) []string {
	book, err := a.contexts()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(book.Contexts))
}

// namesOf asks the server for names, in the form in which people write them. A shell
// cannot show what goes wrong: then there are none.
func (a *App) namesOf(c *cobra.Command, list func(context.Context, *headrace.Client) ([]string, error)) []string {
	ctx, cancel := context.WithTimeout(c.Context(), completionTimeout)
	defer cancel()
	client, err := a.dial(ctx, headrace.WithConnectTimeout(completionTimeout))
	if err != nil {
		return nil
	}
	defer func() { _ = client.Close() }()
	names, err := list(ctx, client)
	if err != nil {
		return nil
	}
	for i, name := range names {
		names[i] = strings.TrimPrefix(name, defaultNamespace)
	}
	return names
}
