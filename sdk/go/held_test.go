package headrace

import (
	"testing"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

func TestHeldDeliveriesAreFoundByAnyRange(t *testing.T) {
	var h heldDeliveries
	var all []*Delivery
	for sequence := uint64(1); sequence <= 10; sequence++ {
		d := &Delivery{sequence: sequence}
		all = append(all, d)
		h.push(d)
	}
	for _, gone := range []int{1, 2, 3, 7} {
		h.remove(all[gone-1])
	}
	for _, c := range []struct {
		in   span
		want []uint64
	}{
		{span{1, 10}, []uint64{4, 5, 6, 8, 9, 10}},
		{span{1, 3}, nil},
		{span{3, 5}, []uint64{4, 5}},
		{span{7, 7}, nil},
		{span{10, 1<<64 - 1}, []uint64{10}},
		{span{11, 20}, nil},
		{span{0, 1<<64 - 1}, []uint64{4, 5, 6, 8, 9, 10}},
	} {
		found := h.within(c.in)
		if len(found) != len(c.want) {
			t.Errorf("within %v: %d deliveries, want %v", c.in, len(found), c.want)
			continue
		}
		for i, d := range found {
			if d.sequence != c.want[i] {
				t.Errorf("within %v: delivery %d, want %d", c.in, d.sequence, c.want[i])
			}
		}
	}
	if h.count != 6 || len(h.all()) != 6 {
		t.Errorf("count %d, all %d", h.count, len(h.all()))
	}
}

func TestRangesThatEndBeforeTheyBeginHoldNothing(t *testing.T) {
	s := spansOf([]*headracev1.SequenceRange{{First: 5, Last: 3}, nil, {First: 2, Last: 2}})
	var h heldDeliveries
	h.push(&Delivery{sequence: 1})
	if s.count() != 2 || h.within(s[0]) != nil { // An empty range is the sequence 0.
		t.Errorf("%v", s)
	}
}
