package delivery_test

import (
	"testing"

	"github.com/headrace/headrace/server/broker/delivery"
)

// What is dropped is settled durably from the floor on, and counted by its cause: what
// was settled before is not.
func TestWhatIsDroppedIsSettledAndCounted(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 4, 1<<20)
	w.settle(1, 1, delivery.Ack, 2, 3)
	w.do(&delivery.Drop{Partition: 0, Below: 4, Cause: delivery.ByRetention})
	want(t, "floor", w.store.partitions[0].floor, 4)
	want(t, "removed", w.store.partitions[0].counters.Removed, 2)
	w.do(&delivery.Drop{Partition: 0, Below: 7, Cause: delivery.ByBacklogCap})
	want(t, "dropped", w.store.partitions[0].counters.Dropped, 3)
	want(t, "removed since", w.store.partitions[0].counters.Removed, 2)
	w.restart()
	want(t, "backlog after a restart", w.stats().Backlog, 3)
}

// A floor never goes back, nor past the head.
func TestADropBelowTheFloorOrPastTheHead(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 5, 10)
	w.do(&delivery.Drop{Partition: 0, Below: 3}, &delivery.Drop{Partition: 0, Below: 2}, &delivery.Drop{Partition: 7, Below: 2})
	want(t, "floor", w.store.partitions[0].floor, 3)
	w.do(&delivery.Drop{Partition: 0, Below: 100})
	want(t, "floor at the head", w.store.partitions[0].floor, 5)
	want(t, "removed", w.store.partitions[0].counters.Removed, 5)
	w.publish(0, 1, 10)
	want(t, "backlog", w.stats().Backlog, 1)
}

// Whatever a session says of a delivery whose message is dropped is taken, and changes
// nothing.
func TestASettleOfWhatWasDroppedChangesNothing(t *testing.T) {
	w := newWorld(t, delivery.Config{DeadLetters: true, MaxAttempts: 1}, 1)
	w.publish(0, 4, 10)
	w.attach(1, 4, 1<<20)
	w.do(&delivery.Drop{Partition: 0, Below: 4})
	w.settle(1, 1, delivery.Retry, 1, 1)
	w.settle(1, 2, delivery.Ack, 2, 2)
	w.settle(1, 3, delivery.Reject, 3, 3)
	w.settle(1, 4, delivery.Release, 4, 4)
	want(t, "confirmed", w.results[len(w.results)-1].ConfirmedThrough, 4)
	for _, r := range w.results {
		want(t, "failures", len(r.Failures), 0)
	}
	want(t, "outstanding", w.stats().Outstanding, 0)
	want(t, "waiting", w.stats().Waiting, 0)
	want(t, "dead letters", len(w.dead), 0)
	want(t, "floor", w.store.partitions[0].floor, 4)
}
