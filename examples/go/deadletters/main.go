// Command deadletters has a message that fails every time. After its second
// attempt the subscription gives it up and keeps it as a dead letter; when the
// cause is mended it is redriven, and handled like any other.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
	"google.golang.org/protobuf/types/known/durationpb"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "deadletters:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	client, err := headrace.DialEnv(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := setUp(ctx, client); err != nil {
		return err
	}
	for _, parcel := range []string{"bread", "piano", "milk"} {
		client.Topic("parcels").PublishAsync(ctx, headrace.Message{Data: []byte(parcel)})
	}
	if err := client.Flush(ctx); err != nil {
		return err
	}
	if err := deliver(ctx, client, "bicycle", 4); err != nil { // bread, milk, and the piano twice
		return err
	}
	if err := redrive(ctx, client); err != nil {
		return err
	}
	return deliver(ctx, client, "lorry", 1)
}

// setUp creates the topic and a subscription that gives up after two attempts.
func setUp(ctx context.Context, client *headrace.Client) error {
	_, err := client.Topics().Create(ctx, &headracev1.Topic{Name: "parcels"})
	if err != nil && !errors.Is(err, headrace.ErrTopicExists) {
		return err
	}
	attempts := uint32(2)
	_, err = client.Subscriptions().Create(ctx, &headracev1.Subscription{
		Name:  "courier",
		Topic: "parcels",
		Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
		Retry: &headracev1.RetryPolicy{MinBackoff: durationpb.New(100 * time.Millisecond), MaxAttempts: &attempts},
	})
	if err != nil && !errors.Is(err, headrace.ErrSubscriptionExists) {
		return err
	}
	return nil
}

// deliver makes a number of attempts. What a handler's error says is kept with
// the failure.
func deliver(ctx context.Context, client *headrace.Client, vehicle string, attempts int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	return client.Subscription("courier").Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
		attempts--
		if attempts == 0 {
			stop() // this handler may finish
		}
		parcel := string(d.Data)
		if parcel == "piano" && vehicle == "bicycle" {
			fmt.Printf("failed with the %s, attempt %d: %s\n", vehicle, d.Attempt(), parcel)
			return errors.New("too heavy for a " + vehicle)
		}
		fmt.Printf("delivered with the %s: %s\n", vehicle, parcel)
		return nil
	})
}

// redrive shows every dead letter of the subscription and has it delivered again.
func redrive(ctx context.Context, client *headrace.Client) error {
	for letter, err := range client.Subscriptions().DeadLetters(ctx, "courier", nil) {
		if err != nil {
			return err
		}
		failures := letter.GetFailures()
		fmt.Printf("dead letter: %s, %s: %s\n", letter.GetMessage().GetData(), letter.GetReason(), failures[len(failures)-1].GetReason())
		if _, err := client.Subscriptions().RedriveDeadLetters(ctx, "courier", letter.GetSequence()); err != nil {
			return err
		}
	}
	return nil
}
