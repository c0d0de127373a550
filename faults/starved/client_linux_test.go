package starved

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

const (
	topicName = "orders"
	// workersName is the subscription whose deliveries are acked.
	workersName = "workers"
	// auditName is the subscription that at the end reads everything.
	auditName = "audit"
)

// clients are those of one test: they publish, ack, and look at everything at the
// end, through all lives of the server.
type clients struct {
	*witness

	t      *testing.T
	client *headrace.Client
	topic  *headrace.Topic
	// publisher is a generated client, for single calls.
	publisher headracev1.PublisherServiceClient
	// stop ends the load, where there is one.
	stop func()
}

// newClients connects to the running server, and makes a topic with a subscription.
func newClients(h *host, topic *headracev1.Topic) *clients {
	h.t.Helper()
	conn, err := grpc.NewClient(h.Address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = conn.Close() }) // Nothing is under way.
	c := &clients{witness: newWitness(h.t), t: h.t, client: h.dial(), publisher: headracev1.NewPublisherServiceClient(conn)}
	topic.Name = topicName
	c.must(c.client.Topics().Create(h.t.Context(), topic))
	c.subscribe(workersName)
	c.topic = c.client.Topic(topicName)
	return c
}

// must fails the test with an error.
func (c *clients) must(_ any, err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// subscribe makes a subscription that begins at the first message.
func (c *clients) subscribe(name string) {
	c.t.Helper()
	c.must(c.client.Subscriptions().Create(c.t.Context(), &headracev1.Subscription{
		Name: name, Topic: topicName, Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
	}, headrace.FromEarliest()))
}

// publish publishes messages of a size, some at a time, until there were as many or
// one fails; it returns the first failure.
func (c *clients) publish(ctx context.Context, messages, size int) error {
	const inFlight = 64
	type flight struct {
		n      number
		result *headrace.PublishResult
	}
	var flying []flight
	var failure error
	land := func(left int) {
		for len(flying) > left {
			f := flying[0]
			flying = flying[1:]
			p, err := f.result.Position(ctx)
			if err == nil {
				c.acknowledged(f.n, p)
				continue
			}
			if !errors.Is(err, headrace.ErrUnknownOutcome) {
				c.notStored(f.n)
			}
			if failure == nil {
				failure = err
			}
		}
	}
	for i := 0; i < messages && failure == nil; i++ {
		n := c.next()
		flying = append(flying, flight{n, c.topic.PublishAsync(ctx, headrace.Message{Data: n.body(size)})})
		land(inFlight)
	}
	land(0)
	return failure
}

// load publishes and acks, whatever becomes of the server, until stop is called.
func (c *clients) load(size int) (stop func()) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_ = c.publish(ctx, math.MaxInt, size) // The witness has heard of it.
		}
	}()
	stopConsumer := c.consume(64)
	return func() {
		cancel()
		<-done
		stopConsumer()
	}
}

// consume acks what comes to the workers, and waits for each confirmation, until stop
// is called.
func (c *clients) consume(workers int) (stop func()) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	done := make(chan error, 1) // the one result
	go func() {
		done <- c.client.Subscription(workersName).Receive(ctx, func(ctx context.Context, d *headrace.Delivery) error {
			n := c.received(d)
			if err := d.AckConfirm(ctx); err == nil {
				c.ackConfirmed(n)
			}
			return nil
		}, headrace.WithConcurrency(workers), headrace.WithWindow(2*workers, 64<<20), headrace.WithDrainTimeout(time.Second))
	}()
	return func() {
		cancel()
		if err := <-done; err != nil {
			c.t.Errorf("receive: %v", err)
		}
	}
}

// awaitConfirmed waits until some more acks are confirmed.
func (c *clients) awaitConfirmed(more int) {
	c.t.Helper()
	before := c.confirmations()
	eventually(c.t, "confirmed acks", func() bool { return c.confirmations() >= before+more })
}

// peek reads some messages as a new reader does, and acks none.
func (c *clients) peek(messages int) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	got := 0
	for d, err := range c.client.Subscription(workersName).Deliveries(ctx, headrace.WithWindow(messages, 64<<20), headrace.WithReleaseOnStop()) {
		if err != nil {
			c.t.Fatalf("read: %v", err)
		}
		if _, whole := numberOf(d.Data); !whole {
			c.t.Errorf("the message at %s is not what was published", d.Position())
		}
		d.Release()
		got++
		if got == messages {
			return
		}
	}
	c.t.Fatalf("%d messages came, %d are wanted", got, messages)
}

// audit reads all that is stored, and compares it with every promise. It can be done
// once, and everything must still be there: auditName subscribed from the start.
func (c *clients) audit() {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 5*patience)
	defer cancel()
	stats, err := c.client.Topics().Stats(ctx, topicName)
	c.must(stats, err)
	want := uint64(0)
	for _, p := range stats.GetPartitions() {
		want += p.GetNextOffset() - p.GetFirstOffset()
	}
	found := map[number]headrace.Position{}
	for d, err := range c.client.Subscription(auditName).Deliveries(ctx) {
		if err != nil {
			c.t.Fatalf("read all: %v", err)
		}
		n, whole := numberOf(d.Data)
		if _, twice := found[n]; twice || !whole {
			c.t.Errorf("the message at %s is there twice (%v) or not what was published (%v)", d.Position(), twice, !whole)
		}
		found[n] = d.Position()
		d.Ack()
		if uint64(len(found)) == want {
			break
		}
	}
	if uint64(len(found)) < want {
		c.t.Errorf("%d messages came, there are %d", len(found), want)
	}
	c.compare(found)
}
