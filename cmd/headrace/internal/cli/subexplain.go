package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	"github.com/headrace/headrace/sdk/go"
)

// explainFlags say what is explained; none: the subscription.
type explainFlags struct {
	message, key, session string
}

// one says whether at most one of them is given.
func (f explainFlags) one() bool {
	set := 0
	for _, flag := range []string{f.message, f.key, f.session} {
		if flag != "" {
			set++
		}
	}
	return set <= 1
}

func (a *App) subExplain() *cobra.Command {
	var flags explainFlags
	c := &cobra.Command{
		Use:   "explain NAME [--message PARTITION-OFFSET | --key KEY | --session SESSION]",
		Short: "Say why deliveries flow or do not, and where a message, a key or a session stands",
		Args:  cobra.ExactArgs(1),
	}
	c.Flags().StringVar(&flags.message, "message", "", "the message with this id, such as 0-17")
	c.Flags().StringVar(&flags.key, "key", "", "this ordering key")
	c.Flags().StringVar(&flags.session, "session", "", "this session, by its name in `sub info -o json`")
	c.RunE = func(c *cobra.Command, args []string) error {
		if !flags.one() {
			return usagef("give one of --message, --key and --session, or none")
		}
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			return a.explainTo(ctx, client.Subscriptions(), args[0], flags)
		})
	}
	return c
}

// explainTo shows one explanation.
func (a *App) explainTo(ctx context.Context, subs *headrace.Subscriptions, name string, flags explainFlags) error {
	switch {
	case flags.message != "":
		e, err := subs.ExplainMessageID(ctx, name, headrace.MessageID(flags.message))
		if err != nil {
			return err
		}
		return output.One(a.printer(), viewMessageExplanation(e), messageExplanationColumns)
	case flags.key != "":
		all, err := subs.ExplainKey(ctx, name, flags.key)
		if err != nil {
			return err
		}
		var views []keyExplanationView
		for _, e := range all {
			views = append(views, viewKeyExplanation(e))
		}
		return output.List(a.printer(), views, keyExplanationColumns)
	case flags.session != "":
		e, err := subs.ExplainSession(ctx, name, flags.session)
		if err != nil {
			return err
		}
		return output.One(a.printer(), viewSessionExplanation(e), sessionExplanationColumns)
	}
	e, err := subs.Explain(ctx, name)
	if err != nil {
		return err
	}
	return output.One(a.printer(), viewFlowExplanation(e), flowExplanationColumns)
}
