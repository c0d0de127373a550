// Command burst publishes in a moment what its consumer needs ten times as long
// for. The server keeps what the consumer has no room for: the publisher is not
// held up, the consumer holds no more than its window and works at its own pace.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
	"golang.org/x/sync/errgroup"
)

const (
	requests = 300
	window   = 10
	// workTime is how long the consumer takes for a request, burstTime how often
	// one comes: ten times as often.
	workTime  = 5 * time.Millisecond
	burstTime = workTime / 10
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "burst:", err)
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
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return consume(ctx, client.Subscription("consumer")) })
	all.Go(func() error {
		if err := publish(ctx, client.Topic("requests")); err != nil {
			return err
		}
		return watch(ctx, client)
	})
	return all.Wait()
}

func setUp(ctx context.Context, client *headrace.Client) error {
	_, err := client.Topics().Create(ctx, &headracev1.Topic{Name: "requests"})
	if err != nil && !errors.Is(err, headrace.ErrTopicExists) {
		return err
	}
	_, err = client.Subscriptions().Create(ctx, &headracev1.Subscription{
		Name:  "consumer",
		Topic: "requests",
		Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
	})
	if err != nil && !errors.Is(err, headrace.ErrSubscriptionExists) {
		return err
	}
	return nil
}

// publish sends the burst.
func publish(ctx context.Context, topic *headrace.Topic) error {
	tick := time.NewTicker(burstTime)
	defer tick.Stop()
	for range requests {
		topic.PublishAsync(ctx, headrace.Message{Data: []byte("request")})
		<-tick.C
	}
	if err := topic.Flush(ctx); err != nil {
		return err
	}
	fmt.Println("published", requests, "requests, all of them stored")
	return nil
}

// consume takes its time for each request.
func consume(ctx context.Context, consumer *headrace.Subscription) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	left := requests
	handler := func(ctx context.Context, _ *headrace.Delivery) error {
		select {
		case <-time.After(workTime): // the work
		case <-ctx.Done(): // it is no longer ours
			return context.Cause(ctx)
		}
		left--
		if left == 0 {
			stop()
		}
		return nil
	}
	return consumer.Receive(ctx, handler, headrace.WithWindow(window, 1<<20))
}

// watch looks at the subscription until its backlog is gone.
func watch(ctx context.Context, client *headrace.Client) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	held := uint64(0)
	for range tick.C {
		stats, err := client.Subscriptions().Stats(ctx, "consumer")
		if err != nil {
			return err
		}
		held = max(held, stats.GetOutstanding().GetMessages())
		if stats.GetBacklog().GetMessages() == 0 {
			break
		}
	}
	fmt.Println("the backlog is gone; the consumer never held more than its window:", held <= window)
	return nil
}
