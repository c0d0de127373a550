package delivery

import "math/bits"

// chunk holds what is known of ChunkOffsets offsets beyond the floor.
type chunk struct {
	index uint64
	acked Bitmap
	n     int // bits set in acked
	// counts are ascending by offset; no acked offset has one.
	counts []Count
	queued bool // waits in journal.queue
	forced bool // is in journal.forced
	// history is the size of the failures remembered in counts.
	history int
	// held waits for the commit that makes its counts durable.
	held []*redelivery
}

func (c *chunk) base() uint64 { return c.index * ChunkOffsets }
func (c *chunk) end() uint64  { return c.base() + ChunkOffsets }

// bit is an offset's place in its chunk.
func bit(offset uint64) int { return int(offset % ChunkOffsets) }

// chunk returns the chunk of an index, made when it is not there.
func (p *partition) chunk(index uint64) *chunk {
	c := p.chunks[index]
	if c == nil {
		c = p.journal.newChunk(index)
		p.chunks[index] = c
	}
	return c
}

// restore takes over a stored chunk.
func (p *partition) restore(stored *Chunk) {
	p.stored.add(stored.Index, stored.Index)
	first, last := stored.Index*ChunkOffsets, (stored.Index+1)*ChunkOffsets-1
	if last < p.floor {
		return
	}
	if stored.Acked.Len() == ChunkOffsets {
		p.above += p.skip.add(max(first, p.floor), last)
		p.ahead += last - max(first, p.floor) + 1
		return
	}
	c := p.chunk(stored.Index)
	c.acked = stored.Acked
	for i := first; i < min(p.floor, last+1); i++ {
		c.acked[bit(i)/64] &^= 1 << (bit(i) % 64)
	}
	c.n = c.acked.Len()
	for _, count := range stored.Counts {
		if count.Offset >= p.floor && !c.acked.Has(bit(count.Offset)) {
			c.counts = append(c.counts, count)
			p.journal.account(c, count.History.bytes())
		}
	}
	p.counted += len(c.counts)
	p.above += uint64(c.n)
	p.ahead += uint64(c.n)
	if p.order == OrderNone {
		p.ahead += uint64(len(c.counts))
	}
}

// ack settles first..last, which a session held.
func (p *partition) ack(first, last uint64) {
	p.journal.save(p)
	p.counters.Acked += last - first + 1
	p.settle(first, last)
}

// settle settles first..last. The plain path, where nothing above the floor is
// settled, only moves the floor.
func (p *partition) settle(first, last uint64) {
	if first = max(first, p.floor); first > last {
		return
	}
	p.forget(first, last)
	if first == p.floor && p.above == 0 {
		p.raise(last + 1)
		return
	}
	p.mark(first, last)
	p.climb()
}

// mark sets the bits of first..last, chunk by chunk, but for those in a hole.
func (p *partition) mark(first, last uint64) {
	for first <= last {
		if r, ok := p.skip.find(first); ok {
			first = r.Last + 1
			continue
		}
		c := p.chunk(first / ChunkOffsets)
		end := min(last, c.end()-1)
		if i := p.skip.search(first); i < len(p.skip) {
			end = min(end, p.skip[i].First-1)
		}
		added := c.mark(bit(first), bit(end))
		p.above += uint64(added)
		p.journal.touch(p, c)
		first = end + 1
	}
}

// mark sets bits and returns how many were not set.
func (c *chunk) mark(first, last int) (added int) {
	for word := first / 64; word <= last/64; word++ {
		mask := wordMask(word, first, last) &^ c.acked[word]
		added += bits.OnesCount64(mask)
		c.acked[word] |= mask
	}
	c.n += added
	return added
}

// climb moves the floor over what is settled right above it.
func (p *partition) climb() {
	for p.above > 0 {
		n := p.settledRun(p.floor)
		if n == 0 {
			return
		}
		p.above -= n
		p.raise(p.floor + n)
	}
}

// settledRun returns how many offsets from the given one on are settled, as far
// as one range or one chunk tells.
func (p *partition) settledRun(offset uint64) uint64 {
	if r, ok := p.skip.find(offset); ok {
		return r.Last - offset + 1
	}
	c := p.chunks[offset/ChunkOffsets]
	if c == nil {
		return 0
	}
	first, last := c.acked.Next(bit(offset))
	if first != bit(offset) {
		return 0
	}
	end := c.base() + uint64(last)
	if i := p.skip.search(offset); i < len(p.skip) {
		end = min(end, p.skip[i].First-1)
	}
	return end - offset + 1
}

// raise sets the floor and lets go of the chunks that it passed.
func (p *partition) raise(floor uint64) {
	from, to := p.floor/ChunkOffsets, floor/ChunkOffsets
	p.floor = floor
	if len(p.skip) > 0 && p.skip[0].First < floor {
		p.skip.dropBelow(floor)
	}
	if from == to || len(p.chunks) == 0 {
		return
	}
	p.eachChunk(from*ChunkOffsets, to*ChunkOffsets-1, func(c *chunk, _, _ uint64) {
		delete(p.chunks, c.index)
		p.counted -= len(c.counts)
		p.journal.retire(c)
	})
}

// fold turns a chunk that is acked whole, and committed so, into a skip range.
func (p *partition) fold(c *chunk) {
	if p.chunks[c.index] != c || c.n < ChunkOffsets || c.queued {
		return
	}
	delete(p.chunks, c.index)
	p.skip.add(c.base(), c.end()-1)
	p.journal.retire(c)
}
