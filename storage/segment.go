package storage

import (
	"sync/atomic"
	"time"
)

// Segment is a run of consecutive messages of one partition as they were
// committed: an immutable piece of a commit segment. It is shared by reference
// count: who is handed one owns a reference and calls Release once.
type Segment struct {
	Partition PartitionID
	// Base is the offset of the first message.
	Base Offset
	// LogTime is when the committer took the messages in; it never goes back
	// within a partition.
	LogTime time.Time
	// Bytes are the messages' wire bytes, as in Append.Messages.
	Bytes []byte
	// Ends holds for each message where its wire bytes end in Bytes.
	Ends []uint32
	// KeyHashes holds for each message its key's hash; nil when none has a key.
	KeyHashes []KeyHash

	refs atomic.Int32
	free func(*Segment)
}

// Share makes s shareable: it gets one reference, the caller's. free, when not
// nil, is called when the last reference is released: it may reuse the memory.
func (s *Segment) Share(free func(*Segment)) *Segment {
	s.free = free
	s.refs.Store(1)
	return s
}

// End is the offset after the last message.
func (s *Segment) End() Offset { return s.Base + Offset(len(s.Ends)) }

// Range gives the wire bytes of the messages [first, end), which must lie in the
// segment. The slice is valid while the caller holds a reference.
func (s *Segment) Range(first, end Offset) []byte {
	return s.Bytes[s.start(first):s.start(end)]
}

// Retain takes another reference.
func (s *Segment) Retain() *Segment {
	s.refs.Add(1)
	return s
}

// Release gives a reference back.
func (s *Segment) Release() {
	switch n := s.refs.Add(-1); {
	case n == 0 && s.free != nil:
		s.free(s)
	case n < 0:
		panic("storage: segment released twice")
	}
}

// TryRetain takes a reference unless the last one is gone already; a lookup that
// races with eviction uses it.
func (s *Segment) TryRetain() bool {
	for {
		n := s.refs.Load()
		if n <= 0 {
			return false
		}
		if s.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// start is where the message at offset o begins in Bytes.
func (s *Segment) start(o Offset) uint32 {
	if o == s.Base {
		return 0
	}
	return s.Ends[o-s.Base-1]
}
