package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	"github.com/headrace/headrace/sdk/go"
)

// moveView says how many sessions were asked to leave their streams.
type moveView struct {
	Subscription string `json:"subscription"`
	Sessions     uint64 `json:"sessions"`
}

var moveColumns = []output.Column[moveView]{
	{Head: "SUBSCRIPTION", Cell: func(v moveView) string { return v.Subscription }},
	{Head: "SESSIONS ASKED", Right: true, Cell: func(v moveView) string { return output.Count(v.Sessions) }},
}

func (a *App) subMove() *cobra.Command {
	var session string
	var grace time.Duration
	c := &cobra.Command{
		Use: "move NAME", Short: "Ask sessions to open their streams anew; what they hold goes along", Args: cobra.ExactArgs(1),
	}
	c.Flags().StringVar(&session, "session", "", "only the session with this name, as lag and sub info show it")
	c.Flags().DurationVar(&grace, "grace", 30*time.Second, "how long the old streams stay open")
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			n, err := client.Subscriptions().MoveSessions(ctx, args[0], session, grace)
			if err != nil {
				return err
			}
			return output.One(a.printer(), moveView{Subscription: args[0], Sessions: n}, moveColumns)
		})
	}
	return c
}
