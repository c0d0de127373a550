package delivery_test

import (
	"math"
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// draining has session 1 hold ten messages and ask to be drained.
func draining(t *testing.T, grace time.Duration) *world {
	t.Helper()
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 20, 10)
	w.attach(1, 10, 1<<20)
	w.got(1)
	w.do(&delivery.Drain{Stamp: w.stamp(1), Grace: grace})
	return w
}

func TestRule14DrainStopsDeliveriesAndTakesSettles(t *testing.T) {
	w := draining(t, 10*time.Second)
	w.settle(1, 1, delivery.Ack, 1, 9)
	want(t, "delivered", w.count(1), 0)
	want(t, "acked", w.stats().Acked, 9)
	want(t, "drained with one outstanding", len(w.drained), 0)
	w.settle(1, 2, delivery.Ack, 10, 10)
	want(t, "drained", len(w.drained), 1)
	want(t, "confirmed", w.results[len(w.results)-1].ConfirmedThrough, 2)
	w.wait(20 * time.Second)
	want(t, "drained once", len(w.drained), 1)
}

func TestRule14DrainedWaitsForTheConfirmations(t *testing.T) {
	w := draining(t, 10*time.Second)
	w.holdCommits = true
	w.settle(1, 1, delivery.Ack, 1, 10)
	want(t, "drained before the commit", len(w.drained), 0)
	w.do(w.commit())
	want(t, "drained", len(w.drained), 1)
}

func TestRule14TheRestIsReleasedWhenTimeIsUp(t *testing.T) {
	w := draining(t, 10*time.Second)
	w.settle(1, 1, delivery.Ack, 1, 4)
	w.wait(10*time.Second - 1)
	want(t, "drained before", len(w.drained), 0)
	w.wait(1)
	want(t, "drained", len(w.drained), 1)
	s := w.stats()
	want(t, "released", s.Released, 6)
	want(t, "expired", s.Expired, 0)
	want(t, "revoked", w.revoked[0].Ranges[0], delivery.SequenceRange{First: 5, Last: 10})
	w.attach(2, 10, 1<<20)
	wantOffsets(t, "at once to another", w.got(2)[:6], 4, 5, 6, 7, 8, 9)
}

func TestRule14AnyGraceIsTaken(t *testing.T) {
	w := draining(t, math.MaxInt64)
	want(t, "drained", len(w.drained), 0)
	w = draining(t, math.MinInt64)
	want(t, "drained", len(w.drained), 1)
}

func TestRule14DrainOfAnIdleSession(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.attach(1, 10, 1<<20)
	w.do(&delivery.Drain{Stamp: w.stamp(1), Grace: time.Hour})
	want(t, "drained", len(w.drained), 1)
}

func TestRule14ShutdownSendsEverybodyAway(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 30, 10)
	w.attach(1, 10, 1<<20)
	w.attach(2, 10, 1<<20)
	w.attach(3, 0, 0)
	w.delivers = nil
	w.do(&delivery.Shutdown{At: w.now, Grace: 5 * time.Second})
	want(t, "sent away", len(w.goAways), 3)
	want(t, "grace", w.goAways[0].Grace, 5*time.Second)
	want(t, "the idle one ends", w.ended[0], delivery.EndSession{Session: 3, Reason: delivery.EndShutdown, Served: true})
	w.settle(1, 1, delivery.Ack, 1, 10)
	want(t, "ended when all is settled", len(w.ended), 2)
	want(t, "delivered", len(w.delivers), 0)
	w.wait(5 * time.Second)
	want(t, "ended at the end of the grace", len(w.ended), 3)
	s := w.stats()
	want(t, "released", s.Released, 10)
	want(t, "expired", s.Expired, 0)
	want(t, "idle", w.state.Idle(), true)
}

func TestRule14NobodyIsAdmittedDuringShutdown(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.do(&delivery.Shutdown{At: w.now, Grace: time.Second})
	w.attach(1, 10, 10)
	want(t, "refused", w.ended[0], delivery.EndSession{Session: 1, Reason: delivery.EndShutdown})
}

func TestRule14IdleWaitsForTheLastCommit(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.holdCommits = true
	w.settle(1, 1, delivery.Ack, 1, 10)
	w.detach(delivery.Gone)
	want(t, "idle before", w.state.Idle(), false)
	w.do(w.commit())
	want(t, "idle", w.state.Idle(), true)
}

func TestRule14ADrainIsToldAsAReason(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 5, 1<<20)
	w.window(1, 10, 1<<20)
	w.hear(2*time.Second, 1)
	w.flows = nil
	w.do(&delivery.Drain{Stamp: w.stamp(1), Grace: time.Minute})
	w.wait(time.Second)
	want(t, "flows", len(w.flows), 1)
	want(t, "blocked", w.flows[0].Blocked, delivery.Draining)
	want(t, "in the stats", w.stats().Sessions[0].Blocked, delivery.Draining)
}
