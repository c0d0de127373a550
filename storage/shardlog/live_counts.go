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
	counts map[segmentID]liveSegment
	// thin are the segments that became mostly dead.
	thin thinSegments
	// old is the last batch before the opening.
	old   uint64
	phase countPhase
	// pointers and segments say how far the counting has come: what is before them
	// was looked at.
	pointers pointerID
	segments segmentID
	// found counts the pointers of segments that were not looked at yet.
	found map[segmentID]liveSegment
}

// liveSegment is what a commit segment has left.
type liveSegment struct {
	pointers uint32
	// live is the size of what they point to, total that of all bodies that are known
	// of, in bytes.
	live, total uint32
}

// countedPointer is what counting needs of a pointer.
type countedPointer struct {
	segment segmentID
	// bytes is the size of what it points to, end where that ends in the segment.
	bytes, end uint32
}

// countPhase is how far the counting of old segments has come.
type countPhase uint8

const (
	counted countPhase = iota
	countingPointers
	countingSegments
)

func newLiveCounts() liveCounts {
	return liveCounts{
		counts: map[segmentID]liveSegment{}, found: map[segmentID]liveSegment{},
		thin: thinSegments{set: map[segmentID]struct{}{}},
	}
}

// begin says that the segments up to a batch are to be counted.
func (l *liveCounts) begin(old uint64) {
	l.old, l.phase = old, countingPointers
}

// add notes a new segment with its pointers, and the size of its bodies in bytes.
func (l *liveCounts) add(s segmentID, pointers, bytes int) {
	if pointers > 1 {
		l.counts[s] = liveSegment{uint32(pointers), uint32(bytes), uint32(bytes)}
	}
}

// move notes that all that a segment had left is in a new one.
func (l *liveCounts) move(from, to segmentID, pointers, bytes int) {
	delete(l.counts, from)
	l.thin.remove(from)
	l.add(to, pointers, bytes)
}

// pointers is how many pointers a segment has, once that is known; else 0.
func (l *liveCounts) pointersOf(s segmentID) int {
	if !l.known(s) {
		return 0
	}
	return max(1, int(l.counts[s].pointers))
}

// drop takes a pointer to a number of bytes away and says whether the segment is to
// be deleted with it.
func (l *liveCounts) drop(p pointerID, s segmentID, bytes uint64) (last bool) {
	if !l.known(s) {
		if l.phase == countingSegments || p.before(l.pointers) {
			x := l.found[s]
			l.found[s] = liveSegment{x.pointers - 1, x.live - uint32(bytes), x.total}
		}
		return false
	}
	x, many := l.counts[s]
	if !many {
		l.thin.remove(s)
		return true
	}
	x.pointers--
	x.live -= uint32(bytes)
	l.thin.note(s, x)
	if x.pointers == 1 {
		delete(l.counts, s)
	} else {
		l.counts[s] = x
	}
	return false
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

// countPointers takes in pointers that were read, up to next; nil
// next means that it was the last part.
func (l *liveCounts) countPointers(pointers []countedPointer, next *pointerID) {
	for _, p := range pointers {
		if p.segment.batch <= l.old {
			x := l.found[p.segment]
			l.found[p.segment] = liveSegment{x.pointers + 1, x.live + p.bytes, max(x.total, p.end)}
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
		x := l.found[s]
		delete(l.found, s)
		switch {
		case x.pointers == 0:
			orphans = append(orphans, s)
		case x.pointers > 1:
			l.counts[s] = x
		}
		l.thin.note(s, x)
	}
	if next == nil || next.batch > l.old {
		l.phase = counted
		clear(l.found)
	} else {
		l.segments = *next
	}
	return orphans
}
