package shardlog

import "github.com/headrace/headrace/storage"

// segmentID names a commit segment.
type segmentID struct {
	batch uint64
	chunk uint16
}

func (s segmentID) before(t segmentID) bool {
	return s.batch < t.batch || s.batch == t.batch && s.chunk < t.chunk
}

// pointerID names a pointer.
type pointerID struct {
	partition storage.PartitionID
	base      storage.Offset
}

func (p pointerID) before(q pointerID) bool {
	switch {
	case p.partition.Topic != q.partition.Topic:
		return p.partition.Topic < q.partition.Topic
	case p.partition.Partition != q.partition.Partition:
		return p.partition.Partition < q.partition.Partition
	default:
		return p.base < q.base
	}
}

// liveCounts knows how many pointers each commit segment still has, so that it is
// deleted with its last one. A segment that is not in the map has one: most have.
// Loop only.
//
// After an opening nothing is known of older segments. They are counted in the
// background: first every pointer, then every segment is looked at, in order of
// their keys. A segment that was not looked at yet is not deleted; when its turn
// comes it is, if no pointer is left.
type liveCounts struct {
	counts map[segmentID]uint32
	// old is the last batch before the opening.
	old   uint64
	phase countPhase
	// pointers and segments say how far the counting has come: what is before them
	// was looked at.
	pointers pointerID
	segments segmentID
	// found counts the pointers of segments that were not looked at yet.
	found map[segmentID]uint32
}

// countPhase is how far the counting of old segments has come.
type countPhase uint8

const (
	counted countPhase = iota
	countingPointers
	countingSegments
)

func newLiveCounts() liveCounts {
	return liveCounts{counts: map[segmentID]uint32{}, found: map[segmentID]uint32{}}
}

// begin says that the segments up to a batch are to be counted.
func (l *liveCounts) begin(old uint64) {
	l.old, l.phase = old, countingPointers
}

// add notes a new segment with its pointers.
func (l *liveCounts) add(s segmentID, pointers int) {
	if pointers > 1 {
		l.counts[s] = uint32(pointers)
	}
}

// drop takes a pointer away and says whether the segment is to be deleted with it.
func (l *liveCounts) drop(id storage.PartitionID, base storage.Offset, s segmentID) (last bool) {
	if !l.known(s) {
		if l.phase == countingSegments || (pointerID{id, base}).before(l.pointers) {
			l.found[s]--
		}
		return false
	}
	switch n := l.counts[s]; {
	case n > 2:
		l.counts[s] = n - 1
		return false
	case n == 2:
		delete(l.counts, s)
		return false
	default:
		return true
	}
}

// known says whether a segment's count is.
func (l *liveCounts) known(s segmentID) bool {
	switch {
	case s.batch > l.old || l.phase == counted:
		return true
	case l.phase == countingPointers:
		return false
	default:
		return s.before(l.segments)
	}
}

// countPointers takes in the segments of pointers that were read, up to next; nil
// next means that it was the last part.
func (l *liveCounts) countPointers(segments []segmentID, next *pointerID) {
	for _, s := range segments {
		if s.batch <= l.old {
			l.found[s]++
		}
	}
	if next == nil {
		l.phase = countingSegments
		return
	}
	l.pointers = *next
}

// countSegments takes in segments that were read, up to next, and gives those that
// have no pointer; nil next means that it was the last part.
func (l *liveCounts) countSegments(segments []segmentID, next *segmentID) (orphans []segmentID) {
	for _, s := range segments {
		n := l.found[s]
		delete(l.found, s)
		if n == 0 {
			orphans = append(orphans, s)
		}
		l.add(s, int(n))
	}
	if next == nil || next.batch > l.old {
		l.phase = counted
		clear(l.found)
	} else {
		l.segments = *next
	}
	return orphans
}
