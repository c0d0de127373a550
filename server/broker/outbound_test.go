package broker

import (
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// queue is an outbound queue under test; notices counts what its loop was told.
type queue struct {
	*outbound

	t       *testing.T
	notices atomic.Int32
}

func newQueue(t *testing.T) *queue {
	t.Helper()
	q := &queue{t: t}
	q.outbound = newOutbound(newClock(time.Now), &outboundMemory{limit: 1 << 30}, func() { q.notices.Add(1) })
	t.Cleanup(func() { q.fail(ErrSessionClosed) })
	return q
}

// watched has the queue's clock know that the process runs.
func (q *queue) watched() *queue {
	q.t.Helper()
	stop := make(chan struct{})
	q.t.Cleanup(func() { close(stop) })
	go q.clock.watch(stop)
	return q
}

// frameOf makes a frame that counts as so many bytes.
func frameOf(sequence uint64, bytes int) *Frame {
	return &Frame{FirstSequence: sequence, Messages: 1, Bytes: bytes}
}

// kinds takes all there is and says what it was.
func (q *queue) kinds() (kinds string) {
	for {
		out, err := q.take()
		switch {
		case errors.Is(err, errNothing):
			return kinds
		case err != nil:
			return kinds + "!"
		case out.Frame != nil:
			kinds += string(rune('0' + out.Frame.FirstSequence))
		case out.SettleResult != nil:
			kinds += "s"
		case out.Flow != nil:
			kinds += "f"
		case out.Revoked != nil:
			kinds += "r"
		case out.Recall != nil:
			kinds += "c"
		case out.GoAway != nil:
			kinds += "g"
		case out.Drained:
			kinds += "d"
		}
	}
}

func TestControlItemsMergeAndFramesGoBetween(t *testing.T) {
	q := newQueue(t)
	for i := range 3 {
		q.push(frameOf(uint64(i+1), 10))
		q.settled(SettleResult{ConfirmedThrough: uint64(i + 1), Failures: []SettleFailure{{Number: uint64(i + 1)}}})
		q.flow(FlowState{})
	}
	out, err := q.take()
	if err != nil || out.SettleResult == nil || out.SettleResult.ConfirmedThrough != 3 || len(out.SettleResult.Failures) != 3 {
		t.Fatalf("first came %+v, %v", out, err)
	}
	if got := q.kinds(); got != "1f23" {
		t.Errorf("then came %s", got)
	}
}

// A client must not hear that it lost a delivery before it got it.
func TestRevokedDoesNotOvertakeItsFrame(t *testing.T) {
	q := newQueue(t)
	q.push(frameOf(1, 10))
	q.push(frameOf(2, 10))
	q.revoke(Revoked{Ranges: []SequenceRange{{First: 1, Last: 2}}, Reason: delivery.LeaseExpired})
	q.push(frameOf(3, 10))
	if got := q.kinds(); got != "12r3" {
		t.Errorf("came %s", got)
	}
	q.revoke(Revoked{Ranges: []SequenceRange{{First: 3, Last: 3}}, Reason: delivery.LeaseExpired})
	q.revoke(Revoked{Ranges: []SequenceRange{{First: 4, Last: 4}}, Reason: delivery.LeaseExpired})
	q.revoke(Revoked{Ranges: []SequenceRange{{First: 5, Last: 5}}, Reason: delivery.TakenOver})
	if got := q.kinds(); got != "rr" {
		t.Errorf("revocations of two reasons came as %s", got)
	}
}

// A client that keeps the order of keys takes the confirmation of a retry for the end of
// what was taken back because of it.
func TestAResultDoesNotOvertakeTheRevokedBeforeIt(t *testing.T) {
	q := newQueue(t)
	q.push(frameOf(1, 10))
	q.revoke(Revoked{Ranges: []SequenceRange{{First: 1, Last: 1}}, Reason: delivery.KeyOrder})
	q.settled(SettleResult{ConfirmedThrough: 1})
	q.push(frameOf(2, 10))
	q.revoke(Revoked{Ranges: []SequenceRange{{First: 2, Last: 2}}, Reason: delivery.KeyOrder})
	if got := q.kinds(); got != "1r2sr" && got != "1rs2r" {
		t.Errorf("came %s", got)
	}
}

// A client must not be asked for a delivery before it got it; what it is asked for at
// one time comes together.
func TestRecallDoesNotOvertakeItsFrame(t *testing.T) {
	q := newQueue(t)
	q.push(frameOf(1, 10))
	q.recall(Recall{Ranges: []SequenceRange{{First: 1, Last: 1}}})
	q.push(frameOf(2, 10))
	q.recall(Recall{Ranges: []SequenceRange{{First: 2, Last: 2}}})
	q.recall(Recall{Ranges: []SequenceRange{{First: 3, Last: 3}}})
	if got := q.kinds(); got != "1c2c" {
		t.Errorf("came %s", got)
	}
}

// A stream that breaks while a frame is written takes no next one: what it wrote must
// not count against the memory of all for ever.
func TestSendLoopThatEndsGivesItsFrameBack(t *testing.T) {
	q := newQueue(t)
	q.push(frameOf(1, 100))
	q.push(frameOf(2, 100))
	if _, err := q.take(); err != nil {
		t.Fatal(err)
	}
	q.fail(ErrSessionClosed)
	if used := q.memory.used.Load(); used != 100 {
		t.Errorf("%d bytes while a frame of 100 is being written", used)
	}
	q.leave()
	q.leave()
	if used := q.memory.used.Load(); used != 0 {
		t.Errorf("%d bytes when the send loop has ended", used)
	}
}

// While memory is short who reads gets one frame after another, and who does not
// keeps the one that it has.
func TestQueueHasRoomForOneFrameWhileMemoryIsShort(t *testing.T) {
	q := newQueue(t)
	q.memory.add(q.memory.limit/2 + 1)
	if !q.room() {
		t.Error("an empty queue has no room")
	}
	if q.push(frameOf(1, 10)) {
		t.Error("there is room behind a frame")
	}
	for sequence := uint64(2); sequence < 5; sequence++ {
		if _, err := q.take(); err != nil {
			t.Fatal(err)
		}
		if q.room() {
			t.Error("there is room while a frame is being written")
		}
		q.leave()
		if got := q.notices.Load(); got != int32(sequence-1) {
			t.Errorf("%d notices after %d frames were written", got, sequence-1)
		}
		q.push(frameOf(sequence, 10))
	}
}

// A loop that finds no room is told when there is room again, also when it was memory
// that became short between the last frame and the look.
func TestLoopThatFoundNoRoomIsToldOfRoom(t *testing.T) {
	q := newQueue(t)
	if !q.push(frameOf(1, 10)) {
		t.Fatal("no room for a second frame")
	}
	q.memory.add(q.memory.limit/2 + 1)
	if q.room() {
		t.Fatal("room for a second frame while memory is short")
	}
	if _, err := q.take(); err != nil {
		t.Fatal(err)
	}
	q.leave()
	if got := q.notices.Load(); got != 1 {
		t.Errorf("%d notices after the frame was written, want 1", got)
	}
}

func TestEndComesAfterAllElse(t *testing.T) {
	q := newQueue(t)
	q.end(io.EOF)
	q.drain()
	q.goAway(GoAway{})
	q.push(frameOf(1, 10))
	q.settled(SettleResult{ConfirmedThrough: 1})
	if got := q.kinds(); got != "g1sd!" {
		t.Errorf("came %s", got)
	}
	if err := q.err(); !errors.Is(err, io.EOF) {
		t.Errorf("ended with %v", err)
	}
	select {
	case <-q.done:
	default:
		t.Error("done is not closed")
	}
}

func TestFlowKeepsLimitsNotYetTold(t *testing.T) {
	q := newQueue(t)
	q.flow(FlowState{Limits: &SessionLimits{MaxFrameBytes: 7}})
	q.flow(FlowState{NeedsBytes: 5})
	out, err := q.take()
	if err != nil || out.Flow.Limits == nil || out.Flow.Limits.MaxFrameBytes != 7 || out.Flow.NeedsBytes != 5 {
		t.Errorf("came %+v, %v", out.Flow, err)
	}
}

func TestQueueIsBoundedByFramesAndBytes(t *testing.T) {
	for name, c := range map[string]struct{ frames, bytes int }{
		"frames": {maxQueuedFrames, 10},
		"bytes":  {2, maxQueuedBytes / 2},
		"one":    {1, 3 * maxQueuedBytes},
	} {
		q := newQueue(t)
		for i := range c.frames {
			if room := q.push(frameOf(uint64(i), c.bytes)); room != (i < c.frames-1) {
				t.Errorf("%s: after frame %d room is %v", name, i, room)
			}
		}
		if _, err := q.take(); err != nil {
			t.Fatal(err)
		}
		if q.room() || q.notices.Load() != 0 {
			t.Errorf("%s: a frame that is being written does not count", name)
		}
		if _, err := q.take(); err != nil && !errors.Is(err, errNothing) {
			t.Fatal(err)
		}
		if !q.room() || q.notices.Load() != 1 {
			t.Errorf("%s: after a write room is %v, notices %d", name, q.room(), q.notices.Load())
		}
	}
}

func TestUnreadResultsEndTheSession(t *testing.T) {
	for name, put := range map[string]func(q *queue, i uint64){
		"failures": func(q *queue, i uint64) {
			q.settled(SettleResult{ConfirmedThrough: i, Failures: make([]SettleFailure, 100)})
		},
		"revocations": func(q *queue, i uint64) {
			q.revoke(Revoked{Ranges: make([]SequenceRange, 100), Reason: RevokeReason(i%2 + 1)})
		},
	} {
		q := newQueue(t)
		for i := range uint64(maxSlotItems / 100) {
			put(q, i)
		}
		if err := q.err(); err != nil {
			t.Errorf("%s: ended at the limit: %v", name, err)
		}
		put(q, 0)
		if err := q.err(); !errors.Is(err, ErrResultsUnread) || q.notices.Load() != 1 {
			t.Errorf("%s: above the limit: %v, %d notices", name, err, q.notices.Load())
		}
		if _, err := q.take(); !errors.Is(err, ErrResultsUnread) {
			t.Errorf("%s: take: %v", name, err)
		}
	}
}

func TestRevokedNamesAtMostMaxRanges(t *testing.T) {
	q := newQueue(t)
	for range 2 {
		q.revoke(Revoked{Ranges: make([]SequenceRange, MaxRanges/2), Reason: delivery.LeaseExpired})
	}
	out, err := q.take()
	if err != nil || len(out.Revoked.Ranges) != MaxRanges {
		t.Errorf("came %d ranges, %v", len(out.Revoked.Ranges), err)
	}
}

func TestSlowReaderIsEnded(t *testing.T) {
	const size = 10 * writeBytesPerSecond
	for name, c := range map[string]struct {
		frames int
		want   time.Duration
	}{
		"one frame":        {1, writeGrace + 10*time.Second},
		"the second frame": {2, writeGrace + 20*time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t).watched()
			begin := time.Now()
			for i := range c.frames {
				q.push(frameOf(uint64(i), size))
			}
			for range c.frames {
				if _, err := q.take(); err != nil {
					t.Fatal(err)
				}
			}
			<-q.done
			if got := time.Since(begin); got != c.want || !errors.Is(q.err(), ErrSlowReader) {
				t.Errorf("%s: ended after %v with %v, want %v", name, got, q.err(), c.want)
			}
		})
	}
}

func TestStuckHeartbeatIsASlowReaderToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t).watched()
		q.flow(FlowState{})
		begin := time.Now()
		if _, err := q.take(); err != nil {
			t.Fatal(err)
		}
		<-q.done
		if got := time.Since(begin); got != writeGrace {
			t.Errorf("ended after %v", got)
		}
	})
}

func TestReaderThatKeepsUpIsNotEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t).watched()
		for i := range 1000 {
			q.push(frameOf(uint64(i), 10))
			if _, err := q.take(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(writeGrace - time.Second) //nolint:forbidigo // in a bubble
		}
		if _, err := q.take(); !errors.Is(err, errNothing) {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) //nolint:forbidigo // in a bubble
		if err := q.err(); err != nil {
			t.Errorf("an idle session ended with %v", err)
		}
	})
}

// Time in which the server stood still is not the reader's.
func TestStallExtendsAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		q.push(frameOf(1, 0))
		if _, err := q.take(); err != nil {
			t.Fatal(err)
		}
		q.clock.watched.Store(true)
		time.Sleep(10 * time.Second) //nolint:forbidigo // in a bubble
		q.clock.look()
		q.watched()
		begin := time.Now()
		<-q.done
		if got := time.Since(begin); got != 20*time.Second {
			t.Errorf("ended %v after a stall of 10 s, which came 10 s before its deadline", got)
		}
	})
}

func TestOutboundMemoryHoldsLoopsBack(t *testing.T) {
	memory := &outboundMemory{limit: 800}
	loop := &orders{wake: make(chan struct{}, 1)}
	q := newOutbound(newClock(time.Now), memory, func() {})
	for i := range 3 {
		q.push(frameOf(uint64(i), 300))
	}
	if !memory.full() {
		t.Fatal("900 bytes do not fill 800")
	}
	memory.await(loop)
	for range 2 {
		if _, err := q.take(); err != nil {
			t.Fatal(err)
		}
	}
	if memory.full() || !loop.take(orderSlot{}).memory {
		t.Errorf("at %d bytes the loop is not told", memory.used.Load())
	}
	q.fail(ErrSessionClosed)
	if _, err := q.take(); !errors.Is(err, ErrSessionClosed) {
		t.Fatal(err)
	}
	if got := memory.used.Load(); got != 0 {
		t.Errorf("%d bytes are never given back", got)
	}
	memory.await(loop)
	if !loop.take(orderSlot{}).memory {
		t.Error("a loop that awaits what is there already is not told")
	}
}
