// Command workerpool gives 20 jobs to three workers that compete for them. Start
// as many as you like, in as many processes: a subscription is SHARED unless it
// says otherwise, and each job goes to one of them.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	jobs    = 20
	workers = 3
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "workerpool:", err)
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
	for n := 1; n <= jobs; n++ {
		client.Topic("jobs").PublishAsync(ctx, headrace.Message{Data: []byte(strconv.Itoa(n))})
	}
	if err := client.Flush(ctx); err != nil {
		return err
	}
	fmt.Println(jobs, "jobs for", workers, "workers")
	results, err := work(ctx, client)
	if err != nil {
		return err
	}
	for n := 1; n <= jobs; n++ {
		fmt.Println(n, "squared is", results[n])
	}
	return nil
}

// setUp creates the topic and its subscription. Jobs have no order, and one that
// fails comes again after a tenth of a second.
func setUp(ctx context.Context, client *headrace.Client) error {
	_, err := client.Topics().Create(ctx, &headracev1.Topic{Name: "jobs"})
	if err != nil && !errors.Is(err, headrace.ErrTopicExists) {
		return err
	}
	_, err = client.Subscriptions().Create(ctx, &headracev1.Subscription{
		Name:  "pool",
		Topic: "jobs",
		Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
		Retry: &headracev1.RetryPolicy{MinBackoff: durationpb.New(100 * time.Millisecond)},
	})
	if err != nil && !errors.Is(err, headrace.ErrSubscriptionExists) {
		return err
	}
	return nil
}

// work runs the workers until every job is done.
func work(ctx context.Context, client *headrace.Client) (map[int]int, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex
	results := map[int]int{}
	handler := func(_ context.Context, d *headrace.Delivery) error {
		n, err := strconv.Atoi(string(d.Data))
		if err != nil {
			return headrace.Reject("NOT_A_NUMBER", err) // hopeless: to the dead letters
		}
		if n%10 == 0 && d.Attempt() == 1 {
			return errors.New("out of luck") // it comes again, perhaps to another worker
		}
		mu.Lock()
		defer mu.Unlock()
		results[n] = n * n
		if len(results) == jobs {
			stop()
		}
		return nil
	}
	var pool errgroup.Group
	for range workers {
		pool.Go(func() error {
			// A small window: a worker that is busy leaves the rest to the others.
			return client.Subscription("pool").Receive(ctx, handler, headrace.WithWindow(2, 1<<20))
		})
	}
	return results, pool.Wait()
}
