package broker

import (
	"testing"

	"github.com/headrace/headrace/storage"
)

// Two loads of one turn may be answered by one segment: told twice, it would be
// given back twice.
func TestHeldSegmentIsToldOnce(t *testing.T) {
	freed := 0
	l := &loop{segments: newSegmentWindow(&route{partitions: 1})}
	l.loaded(0, []*storage.Segment{segmentOf(0, 10, 5, &freed)})
	l.loaded(0, []*storage.Segment{segmentOf(0, 10, 5, &freed)})
	l.loaded(0, []*storage.Segment{segmentOf(0, 10, 5, &freed), segmentOf(0, 15, 5, &freed)})
	if len(l.own) != 2 || freed != 2 {
		t.Errorf("told %d times, %d given back", len(l.own), freed)
	}
	l.segments.clear()
	if freed != 4 {
		t.Errorf("%d of 4 given back", freed)
	}
}

// segmentOf makes a segment of n messages; freed counts those whose last reference
// is gone.
func segmentOf(partition uint16, base storage.Offset, n int, freed *int) *storage.Segment {
	s := &storage.Segment{Partition: storage.PartitionID{Partition: partition}, Base: base, Ends: make([]uint32, n)}
	return s.Share(func(*storage.Segment) { *freed++ })
}

func TestSegmentIsFoundByItsMessages(t *testing.T) {
	freed := 0
	w := newSegmentWindow(&route{partitions: 2})
	for _, base := range []storage.Offset{30, 10, 20} {
		w.add(segmentOf(1, base, 5, &freed))
	}
	for _, c := range []struct {
		first, end, base storage.Offset
		found            bool
	}{
		{10, 15, 10, true}, {14, 15, 10, true}, {20, 21, 20, true}, {30, 35, 30, true},
		{9, 10, 0, false}, {15, 16, 0, false}, {14, 16, 0, false}, {34, 36, 0, false}, {99, 100, 0, false},
	} {
		s := w.find(1, c.first, c.end)
		if (s != nil) != c.found || s != nil && s.Base != c.base {
			t.Errorf("find %d..%d: %v", c.first, c.end, s)
		}
	}
	if w.find(0, 10, 11) != nil {
		t.Error("found in the other partition")
	}
	w.clear()
	if freed != 3 {
		t.Errorf("%d of 3 given back", freed)
	}
}

func TestSegmentIsHeldOnceAndGivenBackOnce(t *testing.T) {
	freed := 0
	w := newSegmentWindow(&route{partitions: 1})
	if !w.add(segmentOf(0, 10, 5, &freed)) || w.add(segmentOf(0, 10, 5, &freed)) || freed != 1 {
		t.Errorf("of two equal ones %d given back, want 1", freed)
	}
	w.remove(0, 11)
	w.remove(0, 10)
	w.remove(0, 10)
	w.clear()
	if freed != 2 {
		t.Errorf("%d given back, want 2", freed)
	}
}
