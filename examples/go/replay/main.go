// Command replay handles bookings with a mistake, moves its subscription back to
// the first of them, and handles them again without it. For that the topic keeps
// what is settled.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
	"google.golang.org/protobuf/types/known/durationpb"
)

var amounts = []int{50, 20, -30, 10}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
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
	first, err := publish(ctx, client.Topic("bookings"))
	if err != nil {
		return err
	}
	mistaken := func(total, amount int) int { return total + max(amount, -amount) }
	if err := receive(ctx, client, "with the mistake", mistaken); err != nil {
		return err
	}
	moved, err := client.Subscriptions().Seek(ctx, "balance", headrace.ToPositions(first))
	if err != nil {
		return err
	}
	fmt.Println(moved.Unacked, "bookings come again")
	mended := func(total, amount int) int { return total + amount }
	return receive(ctx, client, "without it", mended)
}

// setUp creates a topic that keeps for a day what is settled.
func setUp(ctx context.Context, client *headrace.Client) error {
	_, err := client.Topics().Create(ctx, &headracev1.Topic{
		Name:      "bookings",
		Retention: &headracev1.Retention{KeepSettled: durationpb.New(24 * time.Hour)},
	})
	if err != nil && !errors.Is(err, headrace.ErrTopicExists) {
		return err
	}
	_, err = client.Subscriptions().Create(ctx, &headracev1.Subscription{Name: "balance", Topic: "bookings"})
	if err != nil && !errors.Is(err, headrace.ErrSubscriptionExists) {
		return err
	}
	return nil
}

// publish sends the bookings and returns where the first one stands.
func publish(ctx context.Context, bookings *headrace.Topic) (headrace.Position, error) {
	var results []*headrace.PublishResult
	for _, amount := range amounts {
		results = append(results, bookings.PublishAsync(ctx, headrace.Message{Data: []byte(strconv.Itoa(amount))}))
	}
	if err := bookings.Flush(ctx); err != nil {
		return headrace.Position{}, err
	}
	return results[0].Position(ctx)
}

// receive adds all bookings up.
func receive(ctx context.Context, client *headrace.Client, how string, add func(total, amount int) int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	total, count := 0, 0
	err := client.Subscription("balance").Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
		amount, err := strconv.Atoi(string(d.Data))
		if err != nil {
			return headrace.Reject("NOT_A_NUMBER", err)
		}
		total = add(total, amount)
		count++
		if count == len(amounts) {
			stop()
		}
		return nil
	})
	fmt.Println("the balance", how, "is", total)
	return err
}
