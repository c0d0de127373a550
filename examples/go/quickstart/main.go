// Command quickstart publishes three messages and receives them: the least that
// a program needs.
//
// Start a server with `headrace dev`, then run it:
//
//	go run ./examples/go/quickstart
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	client, err := headrace.DialEnv(ctx) // of HEADRACE_ADDR, else localhost:7070
	if err != nil {
		return err
	}
	defer client.Close()
	if err := setUp(ctx, client); err != nil {
		return err
	}
	if err := publish(ctx, client.Topic("orders")); err != nil {
		return err
	}
	return receive(ctx, client.Subscription("billing"), 3)
}

// setUp creates the topic and its subscription, unless they are there.
func setUp(ctx context.Context, client *headrace.Client) error {
	_, err := client.Topics().Create(ctx, &headracev1.Topic{Name: "orders"})
	if err != nil && !errors.Is(err, headrace.ErrTopicExists) {
		return err
	}
	_, err = client.Subscriptions().Create(ctx, &headracev1.Subscription{Name: "billing", Topic: "orders"})
	if err != nil && !errors.Is(err, headrace.ErrSubscriptionExists) {
		return err
	}
	return nil
}

// publish sends three messages. When Publish returns, the message is on disk.
func publish(ctx context.Context, orders *headrace.Topic) error {
	for _, text := range []string{"first", "second", "third"} {
		if _, err := orders.Publish(ctx, headrace.Message{Data: []byte(text)}); err != nil {
			return err
		}
		fmt.Println("published", text)
	}
	return nil
}

// receive handles messages until it has seen a number of them. A handler that
// returns nil acks its message; an error brings the message back later.
func receive(ctx context.Context, billing *headrace.Subscription, count int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	return billing.Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
		fmt.Println("received", string(d.Data))
		count--
		if count == 0 {
			stop()
		}
		return nil
	})
}
