package headrace_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/server/servertest"
	"google.golang.org/protobuf/types/known/durationpb"
)

func TestRealWorkersShareASubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		const n, workers = 2_000, 4
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var mu sync.Mutex
		seen := make(map[string]int)
		var running sync.WaitGroup
		for range workers {
			running.Go(func() {
				err := c.Subscription("billing").Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
					mu.Lock()
					defer mu.Unlock()
					seen[string(d.Data)]++
					if len(seen) == n {
						stop()
					}
					return nil
				}, headrace.WithConcurrency(3), headrace.WithWindow(50, 1<<20))
				if err != nil {
					t.Error(err)
				}
			})
		}
		publishReal(t, c, n)
		running.Wait()
		for text, times := range seen {
			if times != 1 {
				t.Errorf("message %s came %d times", text, times)
			}
		}
		if stats := statsOf(t, c); stats.GetAcked() != n || stats.GetBacklog().GetMessages() != 0 {
			t.Errorf("stats %v", stats)
		}
	})
}

func TestRealARetryComesAgainAndAReleaseIsNoAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		publishReal(t, c, 1)
		began := time.Now()
		var attempts []int
		for d, err := range c.Subscription("billing").Deliveries(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			attempts = append(attempts, d.Attempt())
			switch len(attempts) {
			case 1:
				d.Release()
				continue
			case 2:
				d.Retry(headrace.RetryAfter(time.Minute))
				continue
			}
			d.Ack()
			break
		}
		if fmt.Sprint(attempts) != "[1 1 2]" || time.Since(began) < time.Minute {
			t.Errorf("attempts %v after %v", attempts, time.Since(began))
		}
	})
}

func TestRealAHandlerMayTakeManyLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		publishReal(t, c, 20)
		ctx, stop := context.WithCancel(t.Context())
		handled := 0
		err := c.Subscription("billing").Receive(ctx, func(ctx context.Context, d *headrace.Delivery) error {
			if handled == 0 {
				pass(5 * time.Minute) // Ten leases; the other deliveries wait for theirs.
			}
			if d.Attempt() != 1 || ctx.Err() != nil {
				t.Errorf("delivery %d: attempt %d, context %v", d.Sequence(), d.Attempt(), ctx.Err())
			}
			handled++
			if handled == 20 {
				stop()
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if stats := statsOf(t, c); stats.GetExpired() != 0 || stats.GetDelivered() != 20 {
			t.Errorf("stats %v", stats)
		}
	})
}

func TestRealALeaseThatIsNotExtendedEndsAndIsCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		publishReal(t, c, 1)
		var lost error
		for d, err := range c.Subscription("billing").Deliveries(t.Context(), headrace.WithMaxExtension(time.Second)) {
			if err != nil {
				t.Fatal(err)
			}
			if d.Attempt() == 1 {
				<-d.Context().Done()
				lost = context.Cause(d.Context())
				continue
			}
			d.Ack()
			break
		}
		if !errors.Is(lost, headrace.ErrDeliveryLost) {
			t.Errorf("the first attempt ended because of %v", lost)
		}
		if stats := statsOf(t, c); stats.GetExpired() != 1 || stats.GetRedelivered() != 1 {
			t.Errorf("stats %v", stats)
		}
	})
}

func TestRealAStopOfABusySubscriberChargesNothing(t *testing.T) {
	for name, option := range map[string]headrace.ReceiveOption{
		"drain": headrace.WithDrainTimeout(time.Minute), "release": headrace.WithReleaseOnStop(),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, c := startReal(t)
				publishReal(t, c, 100)
				ctx, stop := context.WithCancel(t.Context())
				err := c.Subscription("billing").Receive(ctx, func(ctx context.Context, _ *headrace.Delivery) error {
					stop()
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-time.After(time.Second):
						return nil
					}
				}, option, headrace.WithConcurrency(10))
				if err != nil {
					t.Error(err)
				}
				stats := statsOf(t, c)
				if stats.GetExpired() != 0 || stats.GetRetried() != 0 || stats.GetOutstanding().GetMessages() != 0 {
					t.Errorf("stats %v", stats)
				}
				ctx, stop = context.WithCancel(t.Context())
				left := stats.GetBacklog().GetMessages()
				if err := c.Subscription("billing").Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
					if d.Attempt() != 1 {
						t.Errorf("attempt %d", d.Attempt())
					}
					left--
					if left == 0 {
						stop()
					}
					return nil
				}); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestRealAnExclusiveSubscriptionIsRefusedOrTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := startReal(t)
		s.CreateSubscriptionWith(&headracev1.Subscription{
			Name: "archive", Topic: "orders", Mode: headracev1.SubscriptionMode_SUBSCRIPTION_MODE_EXCLUSIVE,
		})
		archive := c.Subscription("archive")
		first := make(chan error, 1)
		go func() { first <- archive.Receive(context.Background(), ack) }()
		synctest.Wait()
		if err := archive.Receive(t.Context(), ack); !errors.Is(err, headrace.ErrExclusiveSessionExists) {
			t.Errorf("a second session: %v", err)
		}
		ctx, stop := context.WithCancel(t.Context())
		second := make(chan error, 1)
		go func() { second <- archive.Receive(ctx, ack, headrace.WithTakeover()) }()
		if err := <-first; !errors.Is(err, headrace.ErrTakenOver) {
			t.Errorf("the first session: %v", err)
		}
		synctest.Wait()
		stop()
		if err := <-second; err != nil {
			t.Errorf("the second session: %v", err)
		}
	})
}

func TestRealAServerThatStopsLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := startReal(t)
		publishReal(t, c, 10)
		h := make(chan struct{})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		ended := make(chan error, 1)
		handled := 0
		go func() {
			ended <- c.Subscription("billing").Receive(ctx, func(context.Context, *headrace.Delivery) error {
				handled++
				if handled == 1 {
					close(h)
					pass(3 * time.Second)
				}
				return nil
			})
		}()
		<-h
		s.BeginDrain()
		if err := s.Wait(); err != nil {
			t.Errorf("the server stopped with %v", err)
		}
		if handled != 10 {
			t.Errorf("%d of 10 deliveries were worked off", handled)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestRealTheLeaseIsTheSubscribersWish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := startReal(t)
		s.CreateSubscriptionWith(&headracev1.Subscription{Name: "slow", Topic: "orders", Lease: durationpb.New(10 * time.Minute)})
		publishReal(t, c, 1)
		for d, err := range c.Subscription("slow").Deliveries(t.Context(), headrace.WithLease(2*time.Second), headrace.WithMaxExtension(time.Millisecond)) {
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if d.Attempt() == 1 {
				<-d.Context().Done()
				if took := time.Since(began); took < time.Second || took > 3*time.Second {
					t.Errorf("the lease took %v", took)
				}
				continue
			}
			d.Ack()
			break
		}
	})
}

func TestRealIdleStreamsStayOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		s.CreateTopic("orders")
		s.CreateSubscription("billing", "orders")
		c := dialReal(t, s, headrace.WithClientID("idle"))
		ctx, stop := context.WithCancel(t.Context())
		received := make(chan string, 2)
		ended := make(chan error, 1)
		go func() {
			ended <- c.Subscription("billing").Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
				received <- fmt.Sprint(string(d.Data), d.Sequence())
				return nil
			})
		}()
		for i, want := range []string{"01", "02"} { // The sequence goes on: it is one session.
			publishReal(t, c, 1)
			if got := <-received; got != want {
				t.Errorf("message %d is %s, want %s", i, got, want)
			}
			pass(10 * time.Minute)
		}
		if p, err := c.Topic("orders").PublishAsync(t.Context(), message("m")).Position(t.Context()); err != nil || p.Offset != 2 {
			t.Errorf("after ten minutes: %v, %v", p, err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestRealARejectedMessageIsADeadLetterUntilItIsRedriven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		publishReal(t, c, 2)
		subs := c.Subscriptions()
		ids := map[headrace.MessageID]int{}
		for d, err := range c.Subscription("billing").Deliveries(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			ids[d.ID()]++
			if len(ids) == 2 && ids[d.ID()] == 2 {
				d.Ack()
				break
			}
			if err := d.RejectConfirm(t.Context(), "BAD", "cannot be read"); err != nil {
				t.Fatal(err)
			}
			if len(ids) < 2 {
				continue
			}
			var sequences []uint64
			for dead, err := range subs.DeadLetters(t.Context(), "billing", nil) {
				if err != nil || dead.GetFailures()[0].GetCode() != "BAD" {
					t.Fatal(dead, err)
				}
				sequences = append(sequences, dead.GetSequence())
			}
			if gone, err := subs.DiscardDeadLetters(t.Context(), "billing", sequences[0]); err != nil || len(gone) != 1 {
				t.Errorf("discarded %v, %v", gone, err)
			}
			if again, err := subs.RedriveDeadLetters(t.Context(), "billing", sequences...); err != nil || len(again) != 1 {
				t.Errorf("redriven %v, %v", again, err)
			}
		}
		for dead, err := range subs.DeadLetters(t.Context(), "billing", nil) {
			t.Error("left: ", dead, err)
		}
	})
}
