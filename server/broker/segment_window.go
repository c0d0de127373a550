package broker

import (
	"slices"
	"sort"

	"github.com/headrace/headrace/storage"
)

// segmentWindow holds the segments that a subscription's state machine has asked
// for and not yet given back, by partition and ascending by base. It is bounded by
// what the state machine loads ahead and by what its sessions may hold. Owner loop
// only.
type segmentWindow struct {
	route *route
	// places are the segments by the partitions' places.
	places [][]*storage.Segment
}

func newSegmentWindow(r *route) *segmentWindow {
	return &segmentWindow{route: r, places: make([][]*storage.Segment, r.places())}
}

// add takes over a reference and says whether the segment is new. One that is held
// already is given back: the state machine has it, or is about to hear of it.
func (w *segmentWindow) add(s *storage.Segment) (isNew bool) {
	place := w.route.place(w.route.of(s.Partition))
	held := w.places[place]
	i := atOrAfter(held, s.Base)
	if i < len(held) && held[i].Base == s.Base {
		s.Release()
		return false
	}
	w.places[place] = slices.Insert(held, i, s)
	return true
}

// find returns the segment that holds the messages [first, end) of a partition, or
// nil. The window keeps its reference.
func (w *segmentWindow) find(partition uint32, first, end storage.Offset) *storage.Segment {
	held := w.places[w.route.place(partition)]
	i := atOrAfter(held, first+1) - 1
	if i < 0 || held[i].End() < end {
		return nil
	}
	return held[i]
}

// remove gives a segment back.
func (w *segmentWindow) remove(partition uint32, base storage.Offset) {
	place := w.route.place(partition)
	held := w.places[place]
	i := atOrAfter(held, base)
	if i == len(held) || held[i].Base != base {
		return
	}
	held[i].Release()
	w.places[place] = slices.Delete(held, i, i+1)
}

// clear gives every segment back.
func (w *segmentWindow) clear() {
	for place, held := range w.places {
		for _, s := range held {
			s.Release()
		}
		w.places[place] = nil
	}
}

// atOrAfter is the index of the first segment whose base is at least offset.
func atOrAfter(held []*storage.Segment, offset storage.Offset) int {
	return sort.Search(len(held), func(i int) bool { return held[i].Base >= offset })
}
