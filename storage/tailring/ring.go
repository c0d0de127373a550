package tailring

import (
	"sort"
	"sync"

	"github.com/headrace/headrace/storage"
)

// Ring holds the newest segments of one partition. The zero value is empty and
// ready.
type Ring struct {
	mu sync.Mutex
	// entries are the segments from index first on, oldest first: what is before
	// it was evicted and is overwritten when the slice is full.
	entries []entry
	first   int
	bytes   int
}

// entry is a segment and the block whose memory it shares.
type entry struct {
	segment *storage.Segment
	block   *Block
}

// Find gives the segment that holds an offset, with a reference for the caller,
// or nil when it is not there.
func (r *Ring) Find(at storage.Offset) *storage.Segment {
	r.mu.Lock()
	defer r.mu.Unlock()
	live := r.entries[r.first:]
	i := sort.Search(len(live), func(i int) bool { return live[i].segment.End() > at })
	if i == len(live) || live[i].segment.Base > at {
		return nil
	}
	return live[i].segment.Retain()
}

// push adds the newest segment.
func (r *Ring) push(e entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first > 0 && len(r.entries) == cap(r.entries) {
		r.compact()
	}
	r.entries = append(r.entries, e)
	r.bytes += len(e.segment.Bytes)
}

// compact moves the live entries to the front of the slice.
func (r *Ring) compact() {
	n := copy(r.entries, r.entries[r.first:])
	clear(r.entries[n:])
	r.entries, r.first = r.entries[:n], 0
}

// popOver takes the oldest segment off when the ring holds more than maxBytes
// and more than one segment.
func (r *Ring) popOver(maxBytes int) (e entry, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes <= maxBytes || len(r.entries)-r.first < 2 {
		return entry{}, false
	}
	return r.pop(), true
}

// popThrough takes the oldest segment off when it is s or one before it.
func (r *Ring) popThrough(s *storage.Segment) (e entry, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == len(r.entries) || r.entries[r.first].segment.Base > s.Base {
		return entry{}, false
	}
	return r.pop(), true
}

// popAny takes the oldest segment off.
func (r *Ring) popAny() (e entry, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == len(r.entries) {
		return entry{}, false
	}
	return r.pop(), true
}

func (r *Ring) pop() entry {
	e := r.entries[r.first]
	r.entries[r.first] = entry{}
	r.first++
	r.bytes -= len(e.segment.Bytes)
	if r.first == len(r.entries) {
		r.entries, r.first = r.entries[:0], 0
	}
	return e
}
