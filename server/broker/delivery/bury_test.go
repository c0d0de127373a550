package delivery_test

import (
	"testing"

	"github.com/headrace/headrace/server/broker/delivery"
)

// The oldest messages that nobody got are given up, with a reason of their own, and
// settled with their letters; what is out goes its own way.
func TestTheOldestMessagesThatNobodyGotAreBuried(t *testing.T) {
	w := newWorld(t, delivery.Config{DeadLetters: true}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 2, 1<<20)
	wantOffsets(t, "delivered", w.got(1), 0, 1)
	w.do(&delivery.Bury{Partition: 0, Messages: 3}, &delivery.Bury{Partition: 9, Messages: 3})
	want(t, "dead letters", len(w.dead), 3)
	for i, d := range w.dead {
		want(t, "offset", d.Offset, uint64(2+i))
		want(t, "reason", d.Reason, delivery.DeadByBacklog)
		want(t, "failures", len(d.Failures), 0)
	}
	want(t, "dead-lettered", w.stats().DeadLettered, 3)
	want(t, "backlog", w.stats().Backlog, 7)
	w.settle(1, 1, delivery.Ack, 1, 2)
	want(t, "floor", w.store.partitions[0].floor, 5)
}

// Without a session, and across a crash before the commit, each is given up once.
func TestBurialsWithoutSessionsSurviveARestart(t *testing.T) {
	w := newWorld(t, delivery.Config{DeadLetters: true}, 1)
	w.publish(0, 10, 10)
	w.holdCommits = true
	w.do(&delivery.Bury{Partition: 0, Messages: 4})
	want(t, "dying", w.state.Dying(), 4)
	w.restart()
	w.holdCommits = false
	w.do(&delivery.Head{Partition: 0, Next: 10})
	want(t, "dead letters of a crash", len(w.dead), 0)
	w.do(&delivery.Bury{Partition: 0, Messages: 100})
	want(t, "dead letters", len(w.dead), 10)
	want(t, "floor", w.store.partitions[0].floor, 10)
}

// Where an order is kept, or nothing may be given up, a burial changes nothing.
func TestNothingIsBuriedWhereAnOrderIsKept(t *testing.T) {
	for _, c := range []delivery.Config{{DeadLetters: true, Order: delivery.OrderKey}, {}} {
		w := newWorld(t, c, 1)
		w.publish(0, 5, 10)
		w.do(&delivery.Bury{Partition: 0, Messages: 3})
		want(t, "dead letters", len(w.dead), 0)
		want(t, "backlog", w.stats().Backlog, 5)
	}
}
