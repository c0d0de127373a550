package headrace_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	headrace "github.com/headrace/headrace/sdk/go"
)

// Every live instance gets every message, beside the workers that share them; one that
// stops leaves nothing behind.
func TestRealABroadcastReachesEveryLiveInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := startReal(t)
		const n, instances = 100, 3
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var mu sync.Mutex
		got := make([]int, instances)
		all := 0
		var running sync.WaitGroup
		for i := range instances {
			running.Go(func() {
				err := c.Topic("orders").Broadcast(ctx, func(context.Context, *headrace.Delivery) error {
					mu.Lock()
					defer mu.Unlock()
					got[i]++
					all++
					if all == n*instances {
						stop()
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		publishReal(t, c, n)
		running.Wait()
		for i, times := range got {
			if times != n {
				t.Errorf("instance %d got %d of %d messages", i, times, n)
			}
		}
		synctest.Wait() // What is deleted goes in the background.
		if left := s.Store.Subscriptions(); len(left) != 1 {
			t.Errorf("left behind: %+v", left)
		}
	})
}

// An instance that was away for longer than its subscription lives is told that it missed
// something.
func TestRealABroadcastThatEndedIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := startReal(t)
		ended := make(chan error, 1) // one result
		go func() {
			ended <- c.Topic("orders").Broadcast(t.Context(), func(context.Context, *headrace.Delivery) error { return nil })
		}()
		time.Sleep(time.Second) //nolint:forbidigo // the bubble has its own clock
		for _, x := range s.Store.Subscriptions() {
			if x.Name != "default/billing" {
				if err := c.Subscriptions().Delete(t.Context(), x.Name); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := <-ended; !errors.Is(err, headrace.ErrSubscriptionDeleted) && !errors.Is(err, headrace.ErrSubscriptionNotFound) {
			t.Error(err)
		}
	})
}
