package cli

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	"github.com/headrace/headrace/sdk/go"
)

// pullFlags say how much is pulled, and what becomes of it.
type pullFlags struct {
	count       int
	wait, lease time.Duration
	clientID    string
	ack         bool
}

func (a *App) pull() *cobra.Command {
	var flags pullFlags
	c := &cobra.Command{
		Use:   "pull SUBSCRIPTION",
		Short: "Take messages without a stream",
		Long: "Take messages without a stream.\n\n" +
			"What is pulled is held until it is settled, by `headrace settle` and the delivery\n" +
			"token in `-o jsonl`, or until its lease ends. With --ack it is acked when it was shown.",
		Args: cobra.ExactArgs(1),
	}
	c.Flags().IntVarP(&flags.count, "count", "n", 100, "the most messages, up to 1,000")
	c.Flags().DurationVar(&flags.wait, "wait", 10*time.Second, "how long to wait for a first message, up to 60s")
	c.Flags().DurationVar(&flags.lease, "lease", 0, "the lease of what is pulled (default: the subscription's)")
	c.Flags().StringVar(&flags.clientID, "client-id", "", "a name for the client; pulls of one name share an exclusive subscription")
	c.Flags().BoolVar(&flags.ack, "ack", false, "ack what was shown")
	a.addAddr(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx, stop := untilStopped(c.Context())
		defer stop()
		client, err := a.dial(ctx, headrace.WithClientID(flags.clientID))
		if err != nil {
			return err
		}
		defer func() { _ = client.Close() }()
		return a.pullFrom(ctx, client.Subscription(args[0]), flags)
	}
	return c
}

func (a *App) pullFrom(ctx context.Context, sub *headrace.Subscription, flags pullFlags) error {
	opts := []headrace.PullOption{headrace.PullMessages(flags.count), headrace.PullWait(flags.wait)}
	if flags.lease != 0 {
		opts = append(opts, headrace.PullLease(flags.lease))
	}
	all, err := sub.Pull(ctx, opts...)
	if err != nil {
		return err
	}
	stream := output.NewStream(a.printer(), messageLine.text)
	var tokens []string
	for _, p := range all {
		if err := stream.Write(pulledLine(p)); err != nil {
			return err
		}
		tokens = append(tokens, p.Token)
	}
	if err := stream.Close(); err != nil {
		return err
	}
	if len(all) == 0 {
		a.sayf("pull: nothing came; `headrace sub explain %s` says why", sub.Name())
	}
	if !flags.ack {
		return nil
	}
	return refusedTokens(sub.AckTokens(context.WithoutCancel(ctx), tokens...))
}

// pulledLine is a pulled message's line.
func pulledLine(p *headrace.Pulled) messageLine {
	line := messageLine{
		MessageID: string(p.ID), Partition: &p.Position.Partition, Offset: &p.Position.Offset, Attempt: p.Attempt,
		OrderingKey: p.OrderingKey, Attributes: p.Attributes, ContentType: p.ContentType, DeliveryToken: p.Token,
	}
	if p.PublishTime.Unix() > 0 {
		line.PublishTime = &p.PublishTime
	}
	if utf8.Valid(p.Data) {
		text := string(p.Data)
		line.Data = &text
	} else {
		line.DataBase64 = p.Data
	}
	return line
}

// refusedTokens turns tokens that reached nothing into an error.
func refusedTokens(failures []headrace.TokenFailure, err error) error {
	if err != nil || len(failures) == 0 {
		return err
	}
	return tokenError{count: len(failures), first: failures[0]}
}
