package shardlog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/storage"
)

func topicPointer(topic storage.TopicID, base storage.Offset) pointerID {
	return pointerID{storage.PartitionID{Topic: topic}, base}
}

// drop takes the pointer of a topic at an offset away.
func drop(l *liveCounts, p pointerID, s segmentID) bool { return l.drop(p, s, 1) }

// pointersTo are pointers to a byte each.
func pointersTo(segments ...segmentID) (pointers []countedPointer) {
	for i, s := range segments {
		pointers = append(pointers, countedPointer{s, 1, uint32(i + 1)})
	}
	return pointers
}

func TestASegmentGoesWithItsLastPointer(t *testing.T) {
	l := newLiveCounts()
	one, three := segmentID{1, 0}, segmentID{2, 0}
	l.add(one, 1, 1)
	l.add(three, 3, 3)
	for i, want := range []bool{false, false, true} {
		if got := drop(&l, topicPointer(1, storage.Offset(i)), three); got != want {
			t.Errorf("pointer %d: %v", i, got)
		}
	}
	if !drop(&l, topicPointer(1, 9), one) {
		t.Error("the only pointer went")
	}
	if len(l.counts) != 0 {
		t.Errorf("still counted: %v", l.counts)
	}
}

// TestOldSegmentsAreCountedWhilePointersGo drops pointers before, between and behind
// the places that the counting has come to.
func TestOldSegmentsAreCountedWhilePointersGo(t *testing.T) {
	l := newLiveCounts()
	l.begin(10)
	shared, emptied, late, orphan, fresh := segmentID{1, 0}, segmentID{2, 0}, segmentID{5, 0}, segmentID{6, 0}, segmentID{11, 0}
	next := topicPointer(2, 0)
	// Topic 1 is counted: two pointers to shared, one to emptied.
	l.countPointers(pointersTo(shared, shared, emptied, fresh), &next)
	if drop(&l, topicPointer(1, 2), emptied) || drop(&l, topicPointer(3, 0), orphan) {
		t.Error("deleted before it is counted")
	}
	// What was dropped from topic 3 is not seen any more; two pointers to late are.
	l.countPointers(pointersTo(late, late), nil)
	at := late
	if got := l.countSegments([]segmentID{shared, emptied}, &at); !cmp.Equal(got, []segmentID{emptied}, cmp.AllowUnexported(segmentID{})) {
		t.Errorf("without a pointer: %v", got)
	}
	if drop(&l, topicPointer(3, 1), late) {
		t.Error("deleted before it was looked at")
	}
	if drop(&l, topicPointer(1, 0), shared) || !drop(&l, topicPointer(1, 1), shared) {
		t.Error("what was looked at goes with its last pointer")
	}
	if got := l.countSegments([]segmentID{late, orphan}, nil); !cmp.Equal(got, []segmentID{orphan}, cmp.AllowUnexported(segmentID{})) {
		t.Errorf("without a pointer: %v", got)
	}
	if !drop(&l, topicPointer(3, 2), late) {
		t.Error("the last pointer of a counted segment went")
	}
	if !drop(&l, topicPointer(1, 3), fresh) {
		t.Error("new segments count themselves")
	}
}
