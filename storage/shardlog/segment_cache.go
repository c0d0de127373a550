package shardlog

import (
	"container/list"
	"slices"
	"sort"
	"sync"

	"github.com/headrace/headrace/storage"
)

// maxIdleSegments is how many evicted segments keep their memory for reuse.
const maxIdleSegments = 16

// segmentOverheadBytes is what a cached segment takes besides its messages.
const segmentOverheadBytes = 512

// segmentCache holds segments that were read from disk, least recently used ones
// going first, so that several subscriptions that lag read them once.
type segmentCache struct {
	mu       sync.Mutex
	maxBytes int
	bytes    int
	// shelves hold each partition's segments by base; order has the most recently
	// used one in front.
	shelves map[storage.PartitionID][]*list.Element
	order   *list.List
	idle    []*storage.Segment
}

func newSegmentCache(maxBytes int) *segmentCache {
	return &segmentCache{
		maxBytes: maxBytes,
		shelves:  map[storage.PartitionID][]*list.Element{},
		order:    list.New(),
	}
}

// find gives the segment that holds an offset, with a reference for the caller, or
// nil.
func (c *segmentCache) find(id storage.PartitionID, at storage.Offset) *storage.Segment {
	c.mu.Lock()
	defer c.mu.Unlock()
	shelf := c.shelves[id]
	i := sort.Search(len(shelf), func(i int) bool { return segmentOf(shelf[i]).End() > at })
	if i == len(shelf) || segmentOf(shelf[i]).Base > at {
		return nil
	}
	c.order.MoveToFront(shelf[i])
	return segmentOf(shelf[i]).Retain()
}

// blank gives a segment to read a number of bytes into, with old memory when there
// is some of about that size.
func (c *segmentCache) blank(bytes int) *storage.Segment {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, s := range c.idle {
		if n := cap(s.Bytes); n >= bytes && n <= 2*bytes+segmentOverheadBytes {
			c.idle = slices.Delete(c.idle, i, i+1)
			return s
		}
	}
	return &storage.Segment{}
}

// put takes over a segment that was read and gives it back with a reference for the
// caller.
func (c *segmentCache) put(s *storage.Segment) *storage.Segment {
	s.Share(c.reuse).Retain()
	gone := c.insert(s)
	for _, x := range gone {
		x.Release()
	}
	return s
}

// insert puts s on its shelf and gives what has to go for it, itself when another
// reader was faster.
func (c *segmentCache) insert(s *storage.Segment) (gone []*storage.Segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	shelf := c.shelves[s.Partition]
	i := sort.Search(len(shelf), func(i int) bool { return segmentOf(shelf[i]).Base >= s.Base })
	if i < len(shelf) && segmentOf(shelf[i]).Base == s.Base {
		return []*storage.Segment{s}
	}
	c.shelves[s.Partition] = slices.Insert(shelf, i, c.order.PushFront(s))
	c.bytes += memoryOf(s)
	for c.bytes > c.maxBytes && c.order.Len() > 1 {
		gone = append(gone, c.remove(c.order.Back()))
	}
	return gone
}

func (c *segmentCache) remove(e *list.Element) *storage.Segment {
	s := segmentOf(e)
	c.order.Remove(e)
	shelf := c.shelves[s.Partition]
	shelf = slices.DeleteFunc(shelf, func(x *list.Element) bool { return x == e })
	if len(shelf) == 0 {
		delete(c.shelves, s.Partition)
	} else {
		c.shelves[s.Partition] = shelf
	}
	c.bytes -= memoryOf(s)
	return s
}

// reuse keeps the memory of a segment that nobody holds any more.
func (c *segmentCache) reuse(s *storage.Segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.idle) == maxIdleSegments {
		// The oldest is of a size that nobody asked for lately.
		c.idle = slices.Delete(c.idle, 0, 1)
	}
	c.idle = append(c.idle, s)
}

func segmentOf(e *list.Element) *storage.Segment {
	s, _ := e.Value.(*storage.Segment) // Nothing else is put.
	return s
}

// memoryOf is what a segment costs, in bytes.
func memoryOf(s *storage.Segment) int {
	const keyHashBytes = 8
	return segmentOverheadBytes + cap(s.Bytes) + 4*cap(s.Ends) + keyHashBytes*cap(s.KeyHashes)
}
