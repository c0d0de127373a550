package headrace_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/server/servertest"
)

// dialCut makes a client of a real server whose connection can be cut.
func dialCut(t *testing.T, s *servertest.Server, opts ...headrace.DialOption) (*cutter, *headrace.Client) {
	t.Helper()
	line := &cutter{dial: s.DialContext}
	c, err := headrace.Dial(t.Context(), "real", append(opts, headrace.WithDialer(line.connect))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return line, c
}

func TestRealCutConnectionsDisturbNoHandlerAndChargeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := startReal(t)
		resumed := make(chan headrace.Event, 100)
		line, cut := dialCut(t, s, headrace.WithEvents(func(e headrace.Event) {
			if e.Kind == headrace.SessionResumed {
				resumed <- e
			}
		}))
		const n = 200
		publishReal(t, c, n)
		var mu sync.Mutex
		handled := map[string]int{}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- cut.Subscription("billing").Receive(ctx, func(ctx context.Context, d *headrace.Delivery) error {
				pass(50 * time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				if ctx.Err() != nil || d.Attempt() != 1 {
					t.Errorf("message %s, attempt %d: %v", d.Data, d.Attempt(), context.Cause(ctx))
				}
				handled[string(d.Data)]++
				return nil
			}, headrace.WithConcurrency(4), headrace.WithWindow(50, 1<<20))
		}()
		for range 4 {
			pass(400 * time.Millisecond)
			line.cut()
			<-resumed
		}
		for statsOf(t, c).GetBacklog().GetMessages() > 0 {
			pass(100 * time.Millisecond)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		for i := range n {
			if times := handled[strconv.Itoa(i)]; times != 1 {
				t.Errorf("message %d was handled %d times", i, times)
			}
		}
		if stats := statsOf(t, c); stats.GetExpired() != 0 || stats.GetRetried() != 0 {
			t.Errorf("charged: %v", stats)
		}
	})
}

func TestRealWhoHoardsGivesBackToLateJoiners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := startReal(t)
		publishReal(t, c, 100)
		release := make(chan struct{})
		defer close(release)
		receive(t, c, func(context.Context, *headrace.Delivery) error { <-release; return nil })
		pass(time.Second) // It holds everything.
		const joiners = 10
		got := make(chan int, 100)
		began := time.Now()
		for i := range joiners {
			first := true
			receive(t, dialReal(t, s), func(context.Context, *headrace.Delivery) error {
				if first {
					got <- i
				}
				first = false
				<-release
				return nil
			})
		}
		joined := map[int]bool{}
		for len(joined) < joiners {
			joined[<-got] = true
		}
		if waited := time.Since(began); waited > time.Second {
			t.Errorf("the last of %d late joiners waited %v", joiners, waited)
		}
	})
}

func TestRealKeysKeepTheirOrderThroughRetriesAndCuts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		s.CreateTopic("orders")
		line, cut := dialCut(t, s)
		c := dialReal(t, s)
		if _, err := c.Subscriptions().Create(t.Context(), &headracev1.Subscription{
			Name: "billing", Topic: "orders", Order: headracev1.DeliveryOrder_DELIVERY_ORDER_KEY,
		}); err != nil {
			t.Fatal(err)
		}
		const keys, each = 8, 30
		for i := range each {
			for k := range keys {
				key := fmt.Sprintf("key %d", k)
				c.Topic("orders").PublishAsync(t.Context(), headrace.Message{Data: strconv.AppendInt(nil, int64(i), 10), OrderingKey: key})
			}
		}
		if err := c.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		order, working, calls := map[string][]string{}, map[string]bool{}, 0
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- cut.Subscription("billing").Receive(ctx, func(ctx context.Context, d *headrace.Delivery) error {
				mu.Lock()
				if working[d.OrderingKey] {
					t.Errorf("%s is worked on twice", d.OrderingKey)
				}
				working[d.OrderingKey] = true
				calls++
				failed := calls%7 == 0
				mu.Unlock()
				pass(10 * time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				working[d.OrderingKey] = false
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if failed {
					return headrace.RetryIn(100*time.Millisecond, errors.New("failed"))
				}
				order[d.OrderingKey] = append(order[d.OrderingKey], string(d.Data))
				return nil
			}, headrace.WithConcurrency(5))
		}()
		for range 3 {
			pass(200 * time.Millisecond)
			line.cut()
		}
		for statsOf(t, c).GetBacklog().GetMessages() > 0 {
			pass(100 * time.Millisecond)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		for key, got := range order {
			if !slices.Equal(got, texts(each)) {
				t.Errorf("%s came in the order %v", key, got)
			}
		}
		if len(order) != keys {
			t.Errorf("%d keys came", len(order))
		}
	})
}
