package record

import "slices"

// MaxSegmentBytes bounds the size of a segment's value, given the bytes of its
// bodies and how many runs and messages it has at most.
func MaxSegmentBytes(bodies, runs, messages int) int {
	trailer := runs*runBytes + messages*(4+4) + (messages+7)/8 + blocksOf(bodies)*crcBytes + segmentEndBytes
	return bodies + trailer
}

// Reserve makes room for a value of a number of bytes, so that nothing is copied
// twice while it grows. Only after Reset.
func (b *SegmentBuilder) Reserve(bytes int) { b.value = slices.Grow(b.value, bytes) }

// MemoryBytes is the size of all memory that the builder holds.
func (b *SegmentBuilder) MemoryBytes() int {
	const keyHashBytes, decodedRunBytes = 8, 64
	return cap(b.value) + 4*cap(b.ends) + keyHashBytes*cap(b.hashes) + decodedRunBytes*cap(b.runs)
}
