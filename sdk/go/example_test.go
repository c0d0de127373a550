package headrace_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
)

// Publish to a topic and receive from a subscription of it.
func Example() {
	inMemory, stop := startServer() // Yours is started with `headrace dev`.
	defer stop()

	ctx, done := context.WithCancel(context.Background())
	c, err := headrace.Dial(ctx, "localhost:7070", inMemory)
	if err != nil {
		panic(err)
	}
	defer c.Close()

	id, err := c.Topic("orders").Publish(ctx, headrace.Message{Data: []byte("two loaves"), OrderingKey: "table 4"})
	if err != nil {
		panic(err)
	}
	fmt.Println("published", id)

	err = c.Subscription("billing").Receive(ctx, func(ctx context.Context, d *headrace.Delivery) error {
		fmt.Printf("received %s: %s for %s\n", d.ID(), d.Data, d.OrderingKey)
		done()     // Stops Receive; a service waits for a signal instead.
		return nil // Acks.
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// published 0-0
	// received 0-0: two loaves for table 4
}

// PublishAsync pipelines: results are asked for later, in any order.
func ExampleTopic_PublishAsync() {
	inMemory, stop := startServer()
	defer stop()
	ctx := context.Background()
	c, err := headrace.Dial(ctx, "localhost:7070", inMemory)
	if err != nil {
		panic(err)
	}
	defer c.Close()

	orders := c.Topic("orders")
	var results []*headrace.PublishResult
	for _, text := range []string{"one", "two", "three"} {
		results = append(results, orders.PublishAsync(ctx, headrace.Message{Data: []byte(text)}))
	}
	for _, r := range results {
		id, err := r.Get(ctx)
		if err != nil {
			panic(err)
		}
		fmt.Println(id)
	}
	// Output:
	// 0-0
	// 0-1
	// 0-2
}

// PublishOneWay asks for no result; Flush waits until everything is sent.
func ExampleTopic_PublishOneWay() {
	inMemory, stop := startServer()
	defer stop()
	ctx := context.Background()
	c, err := headrace.Dial(ctx, "localhost:7070", inMemory)
	if err != nil {
		panic(err)
	}

	for range 100 {
		if err := c.Topic("orders").PublishOneWay(ctx, headrace.Message{Data: []byte("a reading")}); err != nil {
			panic(err)
		}
	}
	fmt.Println(c.Topic("orders").Flush(ctx), c.Close())
	// Output: <nil> <nil>
}

// A handler that fails is called again, after the subscription's backoff or when
// it says.
func ExampleSubscription_Receive() {
	inMemory, stop := startTopic("sour milk", "bread")
	defer stop()
	ctx, done := context.WithCancel(context.Background())
	c, err := headrace.Dial(ctx, "localhost:7070", inMemory)
	if err != nil {
		panic(err)
	}
	defer c.Close()

	err = c.Subscription("billing").Receive(ctx, func(ctx context.Context, d *headrace.Delivery) error {
		fmt.Printf("%s, attempt %d\n", d.Data, d.Attempt())
		if d.Attempt() > 1 {
			done()
			return nil
		}
		if string(d.Data) == "sour milk" {
			return headrace.RetryIn(100*time.Millisecond, errors.New("the shop is closed"))
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// sour milk, attempt 1
	// bread, attempt 1
	// sour milk, attempt 2
	// <nil>
}

// A loop settles each delivery by itself; leaving it gives back the rest.
func ExampleSubscription_Deliveries() {
	inMemory, stop := startTopic("one", "two", "three")
	defer stop()
	ctx := context.Background()
	c, err := headrace.Dial(ctx, "localhost:7070", inMemory)
	if err != nil {
		panic(err)
	}
	defer c.Close()

	for d, err := range c.Subscription("billing").Deliveries(ctx) {
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", d.Data)
		if string(d.Data) == "two" {
			break // Not settled: it goes back, as the third does.
		}
		if err := d.AckConfirm(ctx); err != nil { // Or Ack, which does not wait.
			panic(err)
		}
	}
	stats, err := c.Subscriptions().Stats(ctx, "billing")
	if err != nil {
		panic(err)
	}
	fmt.Println("left:", stats.GetBacklog().GetMessages())
	// Output:
	// one
	// two
	// left: 2
}

// Topics and subscriptions are created by name.
func ExampleSubscriptions_Create() {
	inMemory, stop := startServer()
	defer stop()
	ctx := context.Background()
	c, err := headrace.Dial(ctx, "localhost:7070", inMemory)
	if err != nil {
		panic(err)
	}
	defer c.Close()

	topic, err := c.Topics().Create(ctx, &headracev1.Topic{Name: "shop/events", Partitions: 4})
	if err != nil {
		panic(err)
	}
	sub, err := c.Subscriptions().Create(ctx, &headracev1.Subscription{
		Name: "shop/audit", Topic: topic.GetName(), Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
	}, headrace.FromEarliest())
	if err != nil {
		panic(err)
	}
	fmt.Println(sub.GetName(), "of", sub.GetTopic(), "with a lease of", sub.GetLease().AsDuration())
	// Output: shop/audit of shop/events with a lease of 30s
}

// Errors are told apart by their reason.
func ExampleError() {
	inMemory, stop := startServer()
	defer stop()
	ctx := context.Background()
	c, err := headrace.Dial(ctx, "localhost:7070", inMemory)
	if err != nil {
		panic(err)
	}
	defer c.Close()

	_, err = c.Topic("nowhere").Publish(ctx, headrace.Message{Data: []byte("lost")})
	var e *headrace.Error
	switch {
	case errors.Is(err, headrace.ErrTopicNotFound):
		fmt.Println("create the topic first")
	case errors.As(err, &e) && e.Retryable:
		fmt.Println("try again in", e.RetryAfter)
	}
	// Output: create the topic first
}
