package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/sdk/go"
)

// pendingResults is how many messages `pub` sends ahead of their results.
const pendingResults = 10_000

func (a *App) pub() *cobra.Command {
	var flags pubFlags
	c := &cobra.Command{
		Use:   "pub TOPIC [MESSAGE...]",
		Short: "Publish messages",
		Long: "Publish messages: each argument is one, else each line of --file, else each\n" +
			"line of standard input.\n\n" +
			"With --input jsonl a line is an object with data (or data_base64) and, where\n" +
			"wanted, ordering_key, attributes and content_type: what `tail -o jsonl` writes.",
		Args: cobra.MinimumNArgs(1),
	}
	flags.add(c)
	a.addAddr(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		source, err := flags.source(a, args[1:])
		if err != nil {
			return err
		}
		defer source.close()
		client, err := a.dial(ctx, headrace.WithProducer(flags.producer))
		if err != nil {
			return err
		}
		defer func() { _ = client.Close() }()
		return a.publish(ctx, client.Topic(args[0]), source)
	}
	return c
}

// pendingPublish is a message on its way.
type pendingPublish struct {
	line   int
	result *headrace.PublishResult
}

// publish sends every message of the source and reports every result, in order.
func (a *App) publish(ctx context.Context, topic *headrace.Topic, source *messageSource) error {
	// The capacity bounds what is sent ahead of its result.
	pending := make(chan pendingPublish, pendingResults)
	report := newPubReport(a, topic.Name(), source.progress)
	done := make(chan error, 1) // one report
	go func() { done <- report.collect(ctx, pending) }()
	readErr := send(ctx, topic, source, pending)
	close(pending)
	return errors.Join(readErr, <-done)
}

// send reads the source to its end and hands each message to the topic.
func send(ctx context.Context, topic *headrace.Topic, source *messageSource, pending chan<- pendingPublish) error {
	for ctx.Err() == nil {
		m, ok, err := source.next()
		if err != nil {
			return fmt.Errorf("%s %d: %w", source.unit, source.line, err)
		}
		if !ok {
			return nil
		}
		pending <- pendingPublish{source.line, topic.PublishAsync(ctx, m)}
	}
	return ctx.Err()
}
