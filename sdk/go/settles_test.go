package headrace

import (
	"testing"
	"time"
)

func TestASettleFrameHasNoMoreRangesThanTheServerTakes(t *testing.T) {
	q := newSettleQueue()
	q.resize(windowSize{10_000, 1 << 30})
	now := time.Now()
	late := make(chan error, 1)
	for sequence := uint64(2); sequence <= 20; sequence += 2 { // 10 ranges.
		var result chan error
		if sequence == 16 {
			result = late
		}
		q.add(sequence, 1, ackVerdict, result, now)
	}
	for i, want := range []struct{ ranges, waiters int }{{4, 0}, {4, 1}, {2, 0}} {
		g := q.take(4)
		if len(g.spans) != want.ranges || len(g.waiters) != want.waiters {
			t.Errorf("frame %d has %d ranges and %d waiters, want %v", i, len(g.spans), len(g.waiters), want)
		}
		if last := i == 2; q.empty() != last || q.due(now) == last {
			t.Errorf("after frame %d: empty %v, due %v", i, q.empty(), q.due(now))
		}
	}
}

func TestTheQueueIsDueByMessagesBytesOrTime(t *testing.T) {
	now := time.Now()
	q := newSettleQueue()
	q.resize(windowSize{8, 100}) // Half: 4 messages, 50 bytes.
	for sequence := uint64(1); sequence < 4; sequence++ {
		if look := q.add(sequence, 1, ackVerdict, nil, now); look != (sequence == 1) {
			t.Errorf("settle %d: look %v", sequence, look)
		}
	}
	if q.due(now) || !q.due(now.Add(settleDelay)) || q.wait(now.Add(time.Millisecond)) != settleDelay-time.Millisecond {
		t.Error("three of four are due by time only")
	}
	if !q.add(4, 1, ackVerdict, nil, now) || !q.due(now) {
		t.Error("four of four are due")
	}
	q.take(10)
	if q.wait(now) != never || q.due(now.Add(time.Hour)) {
		t.Error("an empty queue is never due")
	}
	if !q.add(5, 50, retryVerdict(nil), nil, now) || !q.due(now) {
		t.Error("half of the bytes are due")
	}
}

func TestConfirmationsFindWhatIsNotConfirmed(t *testing.T) {
	var c confirmations
	if c.find(1) != nil {
		t.Error("found what was never sent")
	}
	for range 3 {
		c.next()
		c.keep(subscribeHeartbeat, settleGroup{})
	}
	c.confirm(1)
	for number, want := range map[uint64]bool{0: false, 1: false, 2: true, 3: true, 4: false} {
		if found := c.find(number); (found != nil) != want || found != nil && found.number != number {
			t.Errorf("find(%d) = %v", number, found)
		}
	}
}
