// Command go publishes or receives messages with the Go SDK, for ../..: `go publish TOPIC
// COUNT WARMUP SIZE IN_FLIGHT`, `go receive SUBSCRIPTION COUNT WARMUP SIZE WINDOW`. It
// prints "begin" after the warm-up and "end" when all is done.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"

	"github.com/headrace/headrace/sdk/go"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, mode, name string, args []string) error {
	var n [4]int
	for i := range n {
		var err error
		if n[i], err = strconv.Atoi(args[i]); err != nil {
			return err
		}
	}
	client, err := headrace.DialEnv(ctx)
	if err != nil {
		return err
	}
	if mode == "publish" {
		err = publish(ctx, client.Topic(name), n[0], n[1], make([]byte, n[2]), n[3])
	} else {
		err = receive(ctx, client.Subscription(name), n[0], n[1], n[3])
	}
	if err == nil {
		say("end")
	}
	return errors.Join(err, client.Close())
}

// say tells who measures where this is.
func say(word string) { _, _ = fmt.Fprintln(os.Stdout, word) }

// publish has messages in flight, and waits for the oldest before it sends the next.
func publish(ctx context.Context, topic *headrace.Topic, count, warmup int, body []byte, inFlight int) error {
	results := make([]*headrace.PublishResult, inFlight)
	for i := range count + inFlight {
		if i == warmup {
			say("begin")
		}
		at := i % inFlight
		if results[at] != nil {
			if _, err := results[at].Get(ctx); err != nil {
				return err
			}
			results[at] = nil
		}
		if i < count {
			results[at] = topic.PublishAsync(ctx, headrace.Message{Data: body})
		}
	}
	return nil
}

// receive acks messages as they come; it ends when the acks are stored.
func receive(ctx context.Context, subscription *headrace.Subscription, count, warmup, window int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var received atomic.Int64
	handler := func(context.Context, *headrace.Delivery) error {
		switch received.Add(1) {
		case int64(warmup):
			say("begin")
		case int64(count):
			stop()
		}
		return nil
	}
	return subscription.Receive(ctx, handler, headrace.WithWindow(window, 64<<20))
}
