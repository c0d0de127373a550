package delivery_test

import (
	"testing"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestRule4FramesFit(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 100, 100)
	attach := w.session(1, 100, 1<<20)
	attach.MaxFrameBytes = 1000
	w.do(attach)
	for _, d := range w.delivers {
		size := delivery.FrameBytes + delivery.RunBytes*len(d.Runs) + int(d.Bytes)
		if size > 1000 {
			t.Fatalf("a frame of %d bytes", size)
		}
	}
	want(t, "delivered", w.count(1), 100)
}

func TestRule4AttemptsFitToo(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 40, 10)
	attach := w.session(1, 100, 1<<20)
	attach.MaxFrameBytes = 500
	w.do(attach)
	w.count(1)
	all := &delivery.Settle{Stamp: w.stamp(1), Number: 1, Verdict: delivery.Retry}
	for i := uint64(1); i <= 40; i += 2 {
		all.Ranges = append(all.Ranges, delivery.SequenceRange{First: i, Last: i})
	}
	w.do(all)
	w.settle(1, 2, delivery.Release, 1, 40)
	w.hear(delivery.MinRetryDelay*3, 1)
	for _, d := range w.delivers {
		size := delivery.FrameBytes + delivery.RunBytes*len(d.Runs) + delivery.AttemptBytes*len(d.Attempts) + int(d.Bytes)
		if size > 500 {
			t.Fatalf("a frame of %d bytes: %+v", size, d)
		}
	}
	want(t, "delivered", w.count(1), 40)
}

func TestRule4MessageTooLargeForASession(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publishSizes(0, 10, 5000, 10)
	small := w.session(1, 100, 1<<20)
	small.MaxFrameBytes = 1000
	w.do(small)
	wantOffsets(t, "around it", w.got(1), 0, 2)
	want(t, "blocked", w.blocked(1), delivery.MessageTooLarge)
	w.attach(2, 100, 1<<20)
	wantOffsets(t, "to a session whose frames it fits", w.got(2), 1)
	want(t, "blocked after", w.blocked(1), delivery.NoMessages)
}

func TestRule4BoundaryOfAFrame(t *testing.T) {
	const overhead = delivery.FrameBytes + delivery.RunBytes + delivery.AttemptBytes
	w := newWorld(t, delivery.Config{}, 1)
	w.publishSizes(0, 1000-overhead, 1001-overhead)
	attach := w.session(1, 100, 1<<20)
	attach.MaxFrameBytes = 1000
	w.do(attach)
	wantOffsets(t, "delivered", w.got(1), 0)
	want(t, "blocked", w.blocked(1), delivery.MessageTooLarge)
}

func TestRule4DefaultFrame(t *testing.T) {
	w := newWorld(t, delivery.Config{TurnBytes: 64 << 20, LoadBytes: 64 << 20}, 1)
	w.publish(0, 12, 1<<20)
	w.attach(1, 100, 64<<20)
	for _, d := range w.delivers {
		if d.Bytes > delivery.DefaultMaxFrameBytes {
			t.Fatalf("a frame of %d bytes", d.Bytes)
		}
	}
	want(t, "delivered", w.count(1), 12)
}
