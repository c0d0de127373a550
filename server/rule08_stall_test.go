package server_test

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage/storagetest"
)

// ownStall is how long the server itself stands still.
const ownStall = 40 * time.Second

// stalledClock is a wall clock that holds up the loop of a subscription once, when it is
// asked by it.
type stalledClock struct {
	armed   atomic.Bool
	stalled chan struct{} // closed when it has
}

func (c *stalledClock) now() time.Time {
	stack := make([]byte, 8<<10)
	if c.armed.Load() && strings.Contains(string(stack[:runtime.Stack(stack, false)]), "broker.(*loop).") && c.armed.CompareAndSwap(true, false) {
		time.Sleep(ownStall) //nolint:forbidigo // in a bubble
		close(c.stalled)
	}
	return time.Now()
}

// A server whose disk, or whose loop, stands still for 40 s charges nobody: neither for
// what a client started, with leases of 5 s that it keeps extending, nor for what waits in
// its buffer.
func TestRule08AStallOfTheServerBurnsNoAttempt(t *testing.T) {
	// Each is ready for what is published next, and gives what waits until it is over.
	for name, stall := range map[string]func(*servertest.Server, *stalledClock) (over func()){
		"the disk": func(s *servertest.Server, _ *stalledClock) func() {
			reached, release := s.Store.Engine.(*storagetest.Memory).Block()
			return func() {
				<-reached
				time.Sleep(ownStall) //nolint:forbidigo // in a bubble
				release()
			}
		},
		"the loop": func(_ *servertest.Server, c *stalledClock) func() {
			c.armed.Store(true)
			return func() { <-c.stalled }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock := &stalledClock{stalled: make(chan struct{})}
				s := servertest.Start(t, servertest.Options{Broker: broker.Config{Clock: clock.now}})
				session := hoard(t, s, 100, tells(headracev1.Feature_FEATURE_RECALL))
				session.send(started(sequences(1, 10)...))
				var ended sync.WaitGroup
				ended.Go(stall(s, clock))
				ended.Go(func() { // Something to commit, and to tell of.
					_, err := s.Publisher.Publish(t.Context(), &headracev1.PublishRequest{Topic: "orders", Messages: numberedMessages(101, 1)})
					if err != nil {
						t.Error(err)
					}
				})
				number := uint64(0)
				for began := time.Now(); time.Since(began) < ownStall+10*time.Second; {
					number++
					session.send(extend(number, 5*time.Second, 10))
					time.Sleep(2 * time.Second) //nolint:forbidigo // in a bubble
				}
				ended.Wait()
				session.send(ack(number+1, 1, 100))
				session.awaitConfirmed(number + 1)
				if stats := subscriptionStats(t, s, "workers"); len(session.failures) > 0 || stats.GetExpired() != 0 ||
					stats.GetRedelivered() != 0 || stats.GetAcked() != 100 {
					t.Errorf("failures %v, stats %v", session.failures, stats)
				}
				session.finish()
			})
		})
	}
}
