package headrace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/server/servertest"
)

// startReal starts the real server, with the topic "orders" and the shared
// subscription "billing" on it, and a client, for a test in a bubble.
func startReal(t *testing.T) (*servertest.Server, *headrace.Client) {
	t.Helper()
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("billing", "orders")
	return s, dialReal(t, s)
}

func dialReal(t *testing.T, s *servertest.Server, opts ...headrace.DialOption) *headrace.Client {
	t.Helper()
	opts = append(opts, headrace.WithDialer(s.DialContext), headrace.WithEvents(func(e headrace.Event) {
		t.Log(e.Kind, e.Subscription, e.Err, e.Count, e.Detail)
	}))
	c, err := headrace.Dial(t.Context(), "real", opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}

func publishReal(t *testing.T, c *headrace.Client, n int) {
	t.Helper()
	for i, r := range publishAll(c, n) {
		if _, err := r.Get(t.Context()); err != nil {
			t.Fatalf("publish %d: %v", i, err)
		}
	}
}

func statsOf(t *testing.T, c *headrace.Client) *headracev1.SubscriptionStats {
	t.Helper()
	stats, err := c.Subscriptions().Stats(t.Context(), "billing")
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

func TestRealWhatIsPublishedIsReceivedInOrderAndOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		const n = 5_000
		publishReal(t, c, n)
		ctx, stop := context.WithCancel(t.Context())
		next := 0
		err := c.Subscription("billing").Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
			if string(d.Data) != strconv.Itoa(next) || d.Attempt() != 1 || d.PublishTime().IsZero() || d.Position().Offset != uint64(next) {
				t.Errorf("delivery %d is %q, attempt %d, at %v", next, d.Data, d.Attempt(), d.Position())
			}
			next++
			if next == n {
				stop()
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if stats := statsOf(t, c); stats.GetAcked() != n || stats.GetBacklog().GetMessages() != 0 || stats.GetDelivered() != n || len(stats.GetSessions()) != 0 {
			t.Errorf("stats %v", stats)
		}
	})
}

func TestRealEverythingOfAMessageArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		sent := headrace.Message{
			Data:        bytes.Repeat([]byte{0, 0xff}, 1000),
			Attributes:  map[string]string{"nul\x00": "\x00", "ü": "ß", "empty": "", "long": string(bytes.Repeat([]byte("v"), 1024))},
			OrderingKey: "key/ü", ContentType: "application/x-odd",
		}
		id, err := c.Topic("default/orders").Publish(t.Context(), sent)
		if err != nil {
			t.Fatal(err)
		}
		for d, err := range c.Subscription("billing").Deliveries(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(d.Data, sent.Data) || fmt.Sprint(d.Attributes) != fmt.Sprint(sent.Attributes) ||
				d.OrderingKey != sent.OrderingKey || d.ContentType != sent.ContentType || d.ID() != id {
				t.Errorf("got %+v", d.Message)
			}
			if err := d.AckConfirm(t.Context()); err != nil {
				t.Error(err)
			}
			break
		}
	})
}

func TestRealErrorsAreClear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		if _, err := c.Topic("nowhere").Publish(t.Context(), message("m")); !errors.Is(err, headrace.ErrTopicNotFound) {
			t.Errorf("publish to no topic: %v", err)
		}
		if _, err := c.Topic("no name!").Publish(t.Context(), message("m")); !errors.Is(err, headrace.ErrInvalidName) {
			t.Errorf("publish to an illegal name: %v", err)
		}
		if err := c.Subscription("nowhere").Receive(t.Context(), ack); !errors.Is(err, headrace.ErrSubscriptionNotFound) {
			t.Errorf("receive from no subscription: %v", err)
		}
		if _, err := c.Topics().Create(t.Context(), &headracev1.Topic{Name: "orders"}); !errors.Is(err, headrace.ErrTopicExists) {
			t.Errorf("create a topic again: %v", err)
		}
		if _, err := c.Topics().Create(t.Context(), &headracev1.Topic{Name: "spread", Spread: true}); !errors.Is(err, headrace.ErrNotServed) {
			t.Errorf("what is not served: %v", err)
		}
		if err := c.Topics().Delete(t.Context(), "orders"); !errors.Is(err, headrace.ErrTopicHasSubscriptions) {
			t.Errorf("delete a topic in use: %v", err)
		}
		if _, err := c.Topic("orders").Publish(t.Context(), headrace.Message{OrderingKey: string(make([]byte, 1025))}); !errors.Is(err, headrace.ErrInvalidField) {
			t.Errorf("a key that is too long: %v", err)
		}
		publishReal(t, c, 1) // None of it has harmed the stream.
	})
}

func TestRealAMessageAtTheLimitIsStoredAndOneByteMoreIsNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		const limit = 1 << 20
		data := bytes.Repeat([]byte("x"), limit-4) // A tag and a length of three bytes.
		if _, err := c.Topic("orders").Publish(t.Context(), headrace.Message{Data: data}); err != nil {
			t.Errorf("at the limit: %v", err)
		}
		var e *headrace.Error
		_, err := c.Topic("orders").Publish(t.Context(), headrace.Message{Data: append(data, "x"...)})
		if !errors.Is(err, headrace.ErrMessageTooLarge) || !errors.As(err, &e) || e.Limit != limit {
			t.Errorf("one byte more: %v", err)
		}
		for d, err := range c.Subscription("billing").Deliveries(t.Context(), headrace.WithWindow(10, 1000)) {
			if err != nil || len(d.Data) != len(data) {
				t.Fatalf("a message larger than the window: %v", err)
			}
			d.Ack()
			break
		}
	})
}

func TestRealOneWayMessagesArriveWhenTheClientCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := startReal(t)
		sender := dialReal(t, s)
		for range 3_000 {
			if err := sender.Topic("orders").PublishOneWay(t.Context(), message("m")); err != nil {
				t.Fatal(err)
			}
		}
		if err := sender.Close(); err != nil {
			t.Fatal(err)
		}
		if stats := statsOf(t, c); stats.GetBacklog().GetMessages() != 3_000 {
			t.Errorf("stats %v", stats)
		}
	})
}

func TestRealAOneWayMessageThatFailedDoesNotFailThoseBehindIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		c := dialReal(t, s)
		if err := c.Topic("returns").PublishOneWay(t.Context(), message("lost")); err != nil {
			t.Fatal(err)
		}
		if err := c.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // It has failed.
		s.CreateTopic("returns")
		for i := range 3 {
			r := c.Topic("returns").PublishAsync(t.Context(), message("m"))
			wantStored(t, r, headrace.MessageID(fmt.Sprintf("0-%d", i)))
		}
	})
}
