package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

func (a *App) subPause() *cobra.Command {
	return a.eachSub("pause NAME…", "Stop deliveries until resumed; what subscribers hold stays theirs",
		func(ctx context.Context, client *headrace.Client, name string) (*headracev1.Subscription, error) {
			return client.Subscriptions().Pause(ctx, name)
		})
}

func (a *App) subResume() *cobra.Command {
	return a.eachSub("resume NAME…", "Let deliveries go on after a pause",
		func(ctx context.Context, client *headrace.Client, name string) (*headracev1.Subscription, error) {
			return client.Subscriptions().Resume(ctx, name)
		})
}

// eachSub makes a command that does one thing to each subscription that is named, and
// shows them as they are then.
func (a *App) eachSub(
	use, short string, do func(context.Context, *headrace.Client, string) (*headracev1.Subscription, error),
) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.MinimumNArgs(1)}
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			var views []subView
			for _, name := range args {
				sub, err := do(ctx, client, name)
				if err != nil {
					return err
				}
				views = append(views, viewSub(sub))
			}
			return output.List(a.printer(), views, subColumns)
		})
	}
	return c
}
