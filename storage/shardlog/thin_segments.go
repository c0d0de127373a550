package shardlog

const (
	// thinShare: a segment is mostly dead when less than one part in so many is left.
	thinShare = 4
	// maxThinSegments bounds the segments that are remembered as mostly dead; others
	// are found again by the next opening.
	maxThinSegments = 64 << 10
)

// thinSegments are the commit segments of which little is left. Loop only.
type thinSegments struct {
	set map[segmentID]struct{}
	// fresh are those that nobody was told of.
	fresh []segmentID
}

// note looks at a segment that lost something.
func (t *thinSegments) note(s segmentID, left liveSegment) {
	if left.pointers == 0 || uint64(left.live)*thinShare >= uint64(left.total) || len(t.set) >= maxThinSegments {
		return
	}
	if _, known := t.set[s]; !known {
		t.set[s] = struct{}{}
		t.fresh = append(t.fresh, s)
	}
}

func (t *thinSegments) remove(s segmentID) { delete(t.set, s) }

// take gives those that became thin since the last call.
func (t *thinSegments) take() []segmentID {
	fresh := t.fresh
	t.fresh = nil
	return fresh
}

func (t *thinSegments) holds(s segmentID) bool {
	_, thin := t.set[s]
	return thin
}
