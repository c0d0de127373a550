package delivery_test

import (
	"slices"
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestRule10TheOneWithTheFewestOutstandingIsServed(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 30, 10)
	w.attach(1, 30, 1<<20)
	w.attach(2, 100, 1<<20)
	for n := range 10 {
		w.publish(0, 1, 10)
		want(t, "to the busy one", w.count(1)-30*one(n == 0), 0)
		want(t, "to the idle one", w.count(2), 1)
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func TestRule10AtMost64ATurnWhileOthersWait(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	for id := range delivery.SessionID(3) {
		w.attach(id+1, 1000, 1<<20)
	}
	w.publish(0, 2000, 10)
	for _, d := range w.delivers {
		if d.Messages > 64 {
			t.Fatalf("a turn of %d messages", d.Messages)
		}
	}
	for id := range delivery.SessionID(3) {
		got := w.count(id + 1)
		if got < 600 || got > 730 {
			t.Fatalf("session %d got %d of 2000", id+1, got)
		}
	}
}

func TestRule10AShareOfASmallBacklog(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	for id := range delivery.SessionID(10) {
		w.attach(id+1, 1000, 1<<20)
	}
	w.publish(0, 25, 10)
	for id := range delivery.SessionID(10) {
		got := w.count(id + 1)
		if got < 1 || got > 3 {
			t.Fatalf("session %d got %d of 25", id+1, got)
		}
	}
}

func TestRule10AnEqualShareOfOneMessageEach(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	for id := range delivery.SessionID(10) {
		w.attach(id+1, 1000, 1<<20)
	}
	w.publish(0, 10, 10)
	for id := range delivery.SessionID(10) {
		want(t, "share", w.count(id+1), 1)
	}
}

func TestRule10LateJoinersGetTheNextMessages(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 100, 10)
	w.attach(1, 1000, 1<<20)
	want(t, "to the hoarder", w.count(1), 100)
	for id := range delivery.SessionID(10) {
		w.attach(id+2, 1000, 1<<20)
	}
	w.publish(0, 10, 10)
	for id := range delivery.SessionID(10) {
		want(t, "to a late joiner", w.count(id+2), 1)
	}
}

func TestRule10PartitionsTakeTurns(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 4)
	w.attach(1, 1000, 1<<20)
	w.attach(2, 1000, 1<<20)
	w.attach(3, 0, 0)
	for p := range 4 {
		w.store.partitions[p].publish(slices.Repeat([]uint64{10}, 1000), 0)
	}
	w.do(
		&delivery.Head{Partition: 0, Next: 1000}, &delivery.Head{Partition: 1, Next: 1000},
		&delivery.Head{Partition: 2, Next: 1000}, &delivery.Head{Partition: 3, Next: 1000},
	)
	seen := make(map[uint32]uint32)
	for _, d := range w.delivers {
		for _, r := range d.Runs {
			seen[r.Partition] += r.Count
		}
	}
	for p := range uint32(4) {
		if seen[p] < 300 {
			t.Fatalf("partition %d gave %d of 2000", p, seen[p])
		}
	}
}

func TestRule10AThousandIdleSessionsCostNothingATurn(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	for id := range delivery.SessionID(1000) {
		w.attach(id+1, 10, 1<<20)
	}
	w.wait(2 * time.Second)
	w.flows = nil
	before := w.now
	for n := range 1000 {
		w.publish(0, 1, 10)
		w.wait(time.Millisecond)
		want(t, "deliveries", len(w.delivers), n+1)
	}
	// A heartbeat each ten seconds is all that idle sessions get.
	if seconds := int((w.now - before) / time.Second); len(w.flows) > 100*(seconds+1)+1000 {
		t.Fatalf("%d flows in %d s", len(w.flows), seconds)
	}
}
