package delivery_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestRule5SequencesAreDense(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 3)
	for p := range 3 {
		w.publish(p, 200, 10)
	}
	w.attach(1, 1000, 1<<20)
	next := uint64(1)
	for _, d := range w.delivers {
		want(t, "first sequence", d.FirstSequence, next)
		next += uint64(d.Messages)
	}
	want(t, "next sequence", next, 601)
}

func TestRule5EachSessionHasItsOwnSequences(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 5, 1<<20)
	w.attach(2, 5, 1<<20)
	want(t, "first of the second session", w.delivers[1].FirstSequence, 1)
}

// failures gives the failures of the latest result.
func (w *world) failures() []delivery.Failure { return w.results[len(w.results)-1].Failures }

func TestRule5UnknownAndStaleArePerItem(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.settle(1, 1, delivery.Ack, 3, 4)
	w.do(&delivery.Settle{
		Stamp: w.stamp(1), Number: 2, Verdict: delivery.Ack,
		Ranges: []delivery.SequenceRange{{First: 0, Last: 0}, {First: 2, Last: 6}, {First: 9, Last: 20}},
	})
	expected := []delivery.Failure{
		{Number: 2, Range: delivery.SequenceRange{First: 0, Last: 0}, Reason: delivery.Unknown},
		{Number: 2, Range: delivery.SequenceRange{First: 3, Last: 4}, Reason: delivery.Stale},
		{Number: 2, Range: delivery.SequenceRange{First: 11, Last: 20}, Reason: delivery.Unknown},
	}
	if diff := cmp.Diff(expected, w.failures()); diff != "" {
		t.Fatal(diff)
	}
	want(t, "sessions ended", len(w.ended), 0)
	want(t, "acked", w.stats().Acked, 7)
}

func TestRule5AnyRangeIsTaken(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.settle(1, 1, delivery.Ack, 0, math.MaxUint64)
	want(t, "acked", w.stats().Acked, 10)
	want(t, "failures", len(w.failures()), 2)
	w.settle(1, 2, delivery.Ack, 9, 2)
	want(t, "failures of an empty range", len(w.failures()), 0)
	w.settle(1, 3, delivery.Ack, math.MaxUint64, math.MaxUint64)
	want(t, "failures of the last sequence there is", len(w.failures()), 1)
}

func TestRule5RangesMayBeInAnyOrderAndOverlap(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.do(&delivery.Settle{
		Stamp: w.stamp(1), Number: 1, Verdict: delivery.Ack,
		Ranges: []delivery.SequenceRange{{First: 8, Last: 9}, {First: 1, Last: 3}, {First: 2, Last: 5}},
	})
	want(t, "acked", w.stats().Acked, 7)
	want(t, "failures", len(w.failures()), 0)
}
