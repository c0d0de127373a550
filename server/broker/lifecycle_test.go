package broker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
)

// Close and Drain tolerate double, early and concurrent calls.
func TestCloseAndDrainTolerateEachOther(t *testing.T) {
	for range 50 {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		var calls sync.WaitGroup
		for range 3 {
			calls.Go(r.Close)
			calls.Go(func() {
				if err := r.Drain(context.Background(), time.Hour); err != nil {
					t.Errorf("drain: %v", err)
				}
			})
		}
		calls.Wait()
		if err := s.end(); !errors.Is(err, ErrDraining) && !errors.Is(err, io.EOF) {
			t.Errorf("the session ended with %v", err)
		}
	}
}

// Everything at once, ended in the middle: no goroutine, session or segment is left,
// and every end has a reason.
func TestStartStopStress(t *testing.T) {
	for round := range 10 {
		r := newRoom(t, 3, nil)
		var clients sync.WaitGroup
		for i := range 4 {
			clients.Go(func() { r.publishUntilClosed() })
			clients.Go(func() { r.consumeUntilClosed(i) })
			clients.Go(func() { r.manageUntilClosed(i) })
		}
		clients.Go(func() {
			for r.store.Head(r.partition()) < 200 {
				r.stats()
			}
			if round%2 == 0 {
				if err := r.Drain(context.Background(), 10*time.Millisecond); err != nil {
					t.Errorf("drain: %v", err)
				}
			}
			r.Close()
		})
		clients.Wait()
		if got := r.sessions.open; got != 0 {
			t.Errorf("%d sessions count as open", got)
		}
		if got := r.memory.used.Load(); got != 0 {
			t.Errorf("%d outbound bytes are never given back", got)
		}
	}
}

// isEnd says whether an error is one that a broker that ends may give.
func isEnd(err error) bool {
	for _, end := range []error{ErrDraining, ErrUnknownOutcome, io.EOF, ErrSessionClosed, ErrSubscriptionNotFound, ErrSubscriptionDeleted} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

func (r *room) publishUntilClosed() {
	for {
		b := r.batch("a", "b", "c")
		if err := r.Publish(context.Background(), b); err != nil {
			if !isEnd(err) {
				r.t.Errorf("publish: %v", err)
			}
			return
		}
		b.Release()
	}
}

// consumeUntilClosed opens sessions, settles a few deliveries in each and leaves it in
// one way or another.
func (r *room) consumeUntilClosed(n int) {
	for i := n; ; i++ {
		session, err := r.Subscribe(context.Background(), SubscribeParams{
			Subscription: billingSub, Window: Amount{Messages: 10, Bytes: 1 << 20},
		})
		if err != nil {
			if !isEnd(err) {
				r.t.Errorf("subscribe: %v", err)
			}
			return
		}
		s := &reader{Session: session, t: r.t}
		for len(s.received) < 20 && err == nil {
			before := len(s.received)
			switch err = s.step(); {
			case err != nil:
			case len(s.received) > before:
				s.settles++
				err = s.Settle(Settle{Number: s.settles, Ranges: []SequenceRange{{First: uint64(before) + 1, Last: uint64(len(s.received))}}, Verdict: Ack, Delay: -1})
			default:
				// However slow the machine is and however long nothing comes: a client that is
				// spoken to answers, or it is taken for dead after half a minute.
				err = s.Heartbeat()
			}
		}
		if err != nil && !isEnd(err) {
			r.t.Errorf("session %s of client %d, after %d deliveries: %v", session.PublicName(), n, len(s.received), err)
		}
		session.Close([]CloseHow{CloseClean, CloseBroken, CloseGone}[i%3])
		if err := s.end(); !isEnd(err) {
			r.t.Errorf("session ended with %v", err)
		}
		session.Close(CloseGone)
	}
}

// manageUntilClosed creates, changes and deletes a subscription of its own.
func (r *room) manageUntilClosed(n int) {
	name := Name(fmt.Sprintf("shop/managed%d", n))
	ctx := context.Background()
	for {
		_, err := r.CreateSubscription(ctx, NewSubscriptionConfig(name, ordersTopic), storage.Start{})
		if err == nil {
			_, err = r.UpdateSubscription(ctx, name, func(c *SubscriptionConfig) error { c.MaxOutstanding.Messages++; return nil })
		}
		if err == nil {
			err = r.DeleteSubscription(ctx, name)
		}
		if err != nil {
			if !isEnd(err) {
				r.t.Errorf("manage: %v", err)
			}
			return
		}
	}
}
