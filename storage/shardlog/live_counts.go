package shardlog

// segmentID names a commit segment.
type segmentID struct {
	batch uint64
	chunk uint16
}

// liveCounts knows how many pointers each commit segment still has, so that it is
// deleted with its last one. A segment that is not in the map has one: most have.
// Loop only.
//
// After an opening nothing is known of older segments: they are counted in the
// background, and until that ends none of them is deleted.
type liveCounts struct {
	counts map[segmentID]uint32
	// old is the last batch before the opening, counted false until the segments up
	// to it are.
	old     uint64
	counted bool
	// rebuilt holds the counts of old segments while they are made.
	rebuilt map[segmentID]uint32
}

func newLiveCounts() liveCounts {
	return liveCounts{counts: map[segmentID]uint32{}, counted: true}
}

// add notes a new segment with its pointers.
func (l *liveCounts) add(s segmentID, pointers int) {
	if pointers > 1 {
		l.counts[s] = uint32(pointers)
	}
}

// drop takes a pointer away and says whether the segment is to be deleted with it.
func (l *liveCounts) drop(s segmentID) (last bool) {
	if !l.counted && s.batch <= l.old {
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
