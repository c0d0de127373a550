package record

import "slices"

// MaxSegmentBytes bounds the size of the value of a segment that has room for
// bodies bytes in at most runs runs and messages messages.
func MaxSegmentBytes(bodies, runs, messages int) int {
	trailer := runs*runBytes + messages*(4+4) + (messages+7)/8 + blocksOf(bodies)*crcBytes + segmentEndBytes
	return bodies + trailer
}

// Reserve makes room for a value of a number of bytes, so that nothing is copied
// twice while it grows. Only after Reset.
func (b *SegmentBuilder) Reserve(bytes int) { b.value = slices.Grow(b.value, bytes) }

// MemoryBytes is the size of the builder's buffer.
func (b *SegmentBuilder) MemoryBytes() int { return cap(b.value) }
