package delivery

import "sort"

// segment is a Segment that the caller has at hand.
type segment struct {
	p    *partition
	base uint64
	ends []uint32
	time int64
	// keys are those of the messages, nil when none has one. One is made for each
	// segment, so every word counts.
	keys  *[]KeyHash
	start uint32
	// wanted counts the redeliveries and dead letters that hold it, pinned the latter:
	// they need it even when there is no session.
	wanted, pinned int32
	// ahead says that it reaches beyond next and is counted in aheadBytes.
	ahead bool
}

// end is the offset behind the last message.
func (g *segment) end() uint64 { return g.base + uint64(len(g.ends)) }

// bytes is the size of the n messages from first on.
func (g *segment) bytes(first, n uint64) uint64 {
	if n == 0 {
		return 0
	}
	return uint64(g.ends[first-g.base+n-1] - g.startOf(first))
}

func (g *segment) startOf(offset uint64) uint32 {
	if offset == g.base {
		return g.start
	}
	return g.ends[offset-g.base-1]
}

// fit returns how many of the n messages from first on are within limit bytes.
func (g *segment) fit(first, n, limit uint64) uint64 {
	if g.bytes(first, n) <= limit {
		return n
	}
	return uint64(sort.Search(int(n), func(i int) bool { return g.bytes(first, uint64(i)+1) > limit }))
}

// segments are those of a partition that are at hand, ascending by base. Those
// ahead continue each other from next up to aheadEnd; the others are there
// because a redelivery needs them.
type segments struct {
	loaded     []*segment
	front      *segment // the one that held next when it was last looked up
	aheadEnd   uint64
	aheadBytes uint64
	aheadCount int
	// loading is the offset that was asked for to go on at aheadEnd; asked the one
	// for redeliveries.
	loading, asked     uint64
	isLoading, isAsked bool
	queuedLoad         bool // in State.toLoad
	times              timeline
}

// at returns the loaded segment that holds an offset, or nil.
func (s *segments) at(offset uint64) *segment {
	i := sort.Search(len(s.loaded), func(i int) bool { return s.loaded[i].end() > offset })
	if i == len(s.loaded) || s.loaded[i].base > offset {
		return nil
	}
	return s.loaded[i]
}

// insert adds a segment unless it overlaps one that is there.
func (s *segments) insert(g *segment) bool {
	i := sort.Search(len(s.loaded), func(i int) bool { return s.loaded[i].end() > g.base })
	if i < len(s.loaded) && s.loaded[i].base < g.end() {
		return false
	}
	s.loaded = append(s.loaded, nil)
	copy(s.loaded[i+1:], s.loaded[i:])
	s.loaded[i] = g
	return true
}

func (s *segments) drop(g *segment) {
	i := sort.Search(len(s.loaded), func(i int) bool { return s.loaded[i].end() > g.base })
	s.loaded = append(s.loaded[:i], s.loaded[i+1:]...)
}

// timeline remembers when messages entered the log, at a few offsets: each mark
// holds from its offset up to the next one's.
type timeline struct {
	marks []mark
	end   uint64 // the last mark holds up to here
	// stride is how many segments share a mark, less one; left how many more will.
	stride, left int
}

type mark struct {
	offset uint64
	time   int64
}

// maxMarks bounds a timeline; when it is reached every second mark goes, and from
// then on twice as many segments share one: messages look a little older than
// they are.
const maxMarks = 128

// note adds a segment's time.
func (t *timeline) note(base, end uint64, time int64) {
	if base < t.end {
		return
	}
	t.end = end
	t.left--
	if t.left >= 0 && len(t.marks) > 0 {
		return
	}
	if len(t.marks) == maxMarks {
		for i := 1; i < maxMarks/2; i++ {
			t.marks[i] = t.marks[2*i]
		}
		t.marks = t.marks[:maxMarks/2]
		t.stride = 2*t.stride + 1
	}
	if len(t.marks) < maxMarks/8 {
		t.stride = 0
	}
	t.left = t.stride
	t.marks = append(t.marks, mark{base, time})
}

// at returns the time of the message at the floor, 0 when it is not known, and
// drops the marks that the floor has passed.
func (t *timeline) at(floor uint64) int64 {
	passed := 0
	for passed+1 < len(t.marks) && t.marks[passed+1].offset <= floor {
		passed++
	}
	t.marks = t.marks[:copy(t.marks, t.marks[passed:])]
	if len(t.marks) == 0 || floor >= t.end || floor < t.marks[0].offset {
		return 0
	}
	return t.marks[0].time
}
