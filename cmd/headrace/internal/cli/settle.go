package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/sdk/go"
)

// tokenError says that delivery tokens reached nothing.
type tokenError struct {
	count int
	first headrace.TokenFailure
}

func (e tokenError) Error() string {
	return fmt.Sprintf("%d of the tokens reached nothing, the first one because of %v: %s", e.count, e.first.Err, e.first.Token)
}

func (e tokenError) Unwrap() error { return e.first.Err }

// settleFlags say what becomes of deliveries.
type settleFlags struct {
	retry, release bool
	reject         string
}

func (a *App) settle() *cobra.Command {
	var flags settleFlags
	c := &cobra.Command{
		Use:   "settle SUBSCRIPTION TOKEN…",
		Short: "Ack, retry, reject or release what was pulled, by its delivery tokens",
		Args:  cobra.MinimumNArgs(2),
	}
	c.Flags().BoolVar(&flags.retry, "retry", false, "they failed, and come again after the backoff; without this they are acked")
	c.Flags().StringVar(&flags.reject, "reject", "", "they go to the dead letters, with this reason")
	c.Flags().BoolVar(&flags.release, "release", false, "they are given back untouched")
	a.addAddr(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if flags.given() > 1 {
			return usagef("give one of --retry, --reject and --release, or none")
		}
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			return refusedTokens(flags.settle(ctx, client.Subscription(args[0]), args[1:]))
		})
	}
	return c
}

func (f settleFlags) given() (n int) {
	for _, set := range []bool{f.retry, f.release, f.reject != ""} {
		if set {
			n++
		}
	}
	return n
}

func (f settleFlags) settle(ctx context.Context, sub *headrace.Subscription, tokens []string) ([]headrace.TokenFailure, error) {
	switch {
	case f.retry:
		return sub.RetryTokens(ctx, tokens)
	case f.release:
		return sub.ReleaseTokens(ctx, tokens...)
	case f.reject != "":
		return sub.RejectTokens(ctx, tokens, "", f.reject)
	}
	return sub.AckTokens(ctx, tokens...)
}
