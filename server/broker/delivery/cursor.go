package delivery

import "math/bits"

// ChunkOffsets is how many offsets a chunk of delivery state covers: chunk i
// holds the offsets i*ChunkOffsets up to (i+1)*ChunkOffsets - 1.
const ChunkOffsets = 4096

// Cursor is what recovery read for one partition of the subscription.
type Cursor struct {
	Partition uint32
	// Generation rises with each seek; it is handed back in every change.
	Generation uint64
	// Floor is the lowest offset that is not settled.
	Floor uint64
	// Head is the offset that the next published message will get.
	Head uint64
	// Chunks are all stored chunks, in any order. Those wholly below the floor are
	// dropped with the first change set.
	Chunks []Chunk
	// Holes are the ranges of offsets that count as settled without an ack.
	Holes []OffsetRange
	// Parked are the hashes of the keys that are parked.
	Parked []uint32
	// Redriven says that the partition holds messages that came back from the dead
	// letters: of a key they go first. One at most does.
	Redriven bool
	// Counters go on from here.
	Counters Counters
}

// OffsetRange is a range of offsets of a partition, both ends included.
type OffsetRange struct{ First, Last uint64 }

// Chunk is the whole state of ChunkOffsets consecutive offsets, above the floor.
type Chunk struct {
	Index uint64
	// Acked has bit i set when offset Index*ChunkOffsets + i is acked. Bits below
	// the floor are clear when the brain gives a chunk, and ignored when it gets one.
	Acked Bitmap
	// Counts lists the unacked offsets that failed, expired or were lost, ascending.
	Counts []Count
}

// Count is how often the delivery of one message came to nothing.
type Count struct {
	Offset  uint64
	Failed  uint32
	Expired uint32
	// Lost counts deliveries that a broken session took with it before they were
	// started; no attempts.
	Lost uint32
	// Charged counts the failed attempts since there is a bound on them.
	Charged uint32
	// Dead is set once the message was given up and is not stored away yet.
	Dead DeadReason
	// History holds its last failures; nil: none are remembered.
	History *History
	// NotBefore is when the message is due again; zero or past: at once. It is
	// written for stores that keep it; a restart without it retries sooner.
	NotBefore Instant
}

// Bitmap has one bit for each offset of a chunk: bit i%64 of word i/64.
type Bitmap [ChunkOffsets / 64]uint64

// Set sets the bits first..last.
func (b *Bitmap) Set(first, last int) {
	for word := first / 64; word <= last/64; word++ {
		b[word] |= wordMask(word, first, last)
	}
}

// clearBelow clears all bits below i.
func (b *Bitmap) clearBelow(i int) {
	clear(b[:i/64])
	if i < ChunkOffsets {
		b[i/64] &= ^uint64(0) << (i % 64)
	}
}

// Has says whether bit i is set.
func (b *Bitmap) Has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

// Len is the number of bits set.
func (b *Bitmap) Len() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// Next returns the first run of set bits at or after i as first..last;
// first is ChunkOffsets when there is none.
func (b *Bitmap) Next(i int) (first, last int) {
	first = b.seek(i, 0)
	if first == ChunkOffsets {
		return first, first
	}
	return first, b.seek(first, ^uint64(0)) - 1
}

// seek returns the first bit at or after i that is set (flip 0) or clear (flip all ones).
func (b *Bitmap) seek(i int, flip uint64) int {
	for word := i / 64; word < len(b); word++ {
		w := b[word] ^ flip
		if word == i/64 {
			w &= ^uint64(0) << (i % 64)
		}
		if w != 0 {
			return word*64 + bits.TrailingZeros64(w)
		}
	}
	return ChunkOffsets
}

// wordMask has the bits of first..last that fall into the given word.
func wordMask(word, first, last int) uint64 {
	mask := ^uint64(0)
	if low := first - word*64; low > 0 {
		mask <<= low
	}
	if high := last - word*64; high < 63 {
		mask &= 1<<(high+1) - 1
	}
	return mask
}

// Counters are a partition's statistics since the subscription was created.
// They survive a restart as of the last committed change set.
type Counters struct {
	// Delivered counts deliveries, the first ones and the repeated ones.
	Delivered uint64
	// Redelivered counts those deliveries that were not the message's first.
	Redelivered uint64
	// Acked counts messages acked; Retried, Released and Expired count deliveries
	// that ended so.
	Acked    uint64
	Retried  uint64
	Released uint64
	Expired  uint64
	// Rejected counts deliveries that ended so, DeadLettered messages put away.
	Rejected     uint64
	DeadLettered uint64
	// Removed and Dropped count messages that were not settled when they went: by the
	// topic's retention, and by the cap on the backlog.
	Removed uint64
	Dropped uint64
}
