package tailring

import "github.com/headrace/headrace/storage"

// Tails bounds the memory of all rings of a shard. Its methods are for its one
// owner.
type Tails struct {
	maxBytes          int
	maxPartitionBytes int

	oldest, newest *Block
	bytes          int
}

// Block is a chunk of committed segments that share one buffer. It is reused by
// whoever made it once every segment is released.
type Block struct {
	// Bytes is the size of the buffer, which is what the block costs.
	Bytes int
	// Segments are the block's, each with one reference, which becomes the ring's;
	// Rings says for each where it goes.
	Segments []*storage.Segment
	Rings    []*Ring

	older, newer *Block
	// live counts the segments that are still in rings.
	live int
}

// New makes rings that hold at most maxBytes of blocks in all, and per partition
// at most maxPartitionBytes of messages, or one segment when that is larger.
func New(maxBytes, maxPartitionBytes int) *Tails {
	return &Tails{maxBytes: maxBytes, maxPartitionBytes: maxPartitionBytes}
}

// Bytes is the memory of all blocks that have a segment in a ring.
func (t *Tails) Bytes() int { return t.bytes }

// Admit puts the segments of a block into their rings, then evicts what is over
// the bounds. The references of the segments go over to the rings.
func (t *Tails) Admit(b *Block) {
	if len(b.Segments) == 0 {
		return
	}
	t.link(b)
	b.live = len(b.Segments)
	for i, s := range b.Segments {
		b.Rings[i].push(entry{s, b})
	}
	t.boundPartitions(b)
	t.boundAll()
}

// Clear empties a ring: its partition is going.
func (t *Tails) Clear(r *Ring) {
	for {
		e, ok := r.popAny()
		if !ok {
			return
		}
		t.drop(e)
	}
}

// Close empties all rings.
func (t *Tails) Close() {
	for t.oldest != nil {
		t.evict(t.oldest)
	}
}

// boundPartitions evicts from the rings that b's segments went into. The newest
// segment of a ring stays, so b itself does while this runs.
func (t *Tails) boundPartitions(b *Block) {
	for _, r := range b.Rings {
		for {
			e, ok := r.popOver(t.maxPartitionBytes)
			if !ok {
				break
			}
			t.drop(e)
		}
	}
}

// boundAll evicts the oldest blocks. The newest one stays.
func (t *Tails) boundAll() {
	for t.bytes > t.maxBytes && t.oldest != t.newest {
		t.evict(t.oldest)
	}
}

// evict takes every segment of a block, and whatever is older, out of the rings.
func (t *Tails) evict(b *Block) {
	// The block may be reused as soon as its last segment is dropped.
	for i := 0; b.live > 0; {
		e, ok := b.Rings[i].popThrough(b.Segments[i])
		if !ok {
			i++
			continue
		}
		last := e.block == b && b.live == 1
		t.drop(e)
		if last {
			return
		}
	}
}

// drop gives up a ring's reference. The block is not touched any more once the
// reference is gone.
func (t *Tails) drop(e entry) {
	e.block.live--
	if e.block.live == 0 {
		t.unlink(e.block)
	}
	e.segment.Release()
}

func (t *Tails) link(b *Block) {
	t.bytes += b.Bytes
	b.older, b.newer = t.newest, nil
	if t.newest != nil {
		t.newest.newer = b
	} else {
		t.oldest = b
	}
	t.newest = b
}

func (t *Tails) unlink(b *Block) {
	t.bytes -= b.Bytes
	if b.older != nil {
		b.older.newer = b.newer
	} else {
		t.oldest = b.newer
	}
	if b.newer != nil {
		b.newer.older = b.older
	} else {
		t.newest = b.older
	}
	b.older, b.newer = nil, nil
}
