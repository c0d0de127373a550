package delivery

import (
	"slices"
	"sort"
)

// lowerBound returns the index of the first count at or above an offset.
func (c *chunk) lowerBound(offset uint64) int {
	if len(c.counts) == 0 {
		return 0
	}
	return sort.Search(len(c.counts), func(i int) bool { return c.counts[i].Offset >= offset })
}

// find returns the count of an offset, nil when it has none.
func (c *chunk) find(offset uint64) *Count {
	i := c.lowerBound(offset)
	if i == len(c.counts) || c.counts[i].Offset != offset {
		return nil
	}
	return &c.counts[i]
}

// count is what is counted of an offset, nil when nothing is.
func (p *partition) count(offset uint64) *Count {
	if p.counted == 0 {
		return nil
	}
	c := p.chunks[offset/ChunkOffsets]
	if c == nil {
		return nil
	}
	return c.find(offset)
}

// nextCount returns the lowest counted offset at or above the given one, or the
// end of the chunk.
func (c *chunk) nextCount(offset uint64) uint64 {
	if i := c.lowerBound(offset); i < len(c.counts) {
		return c.counts[i].Offset
	}
	return c.end()
}

// countsOf makes sure that first..last, all in this chunk, have a count each, and
// returns them, and how many are new. The slice is valid until the next change.
func (c *chunk) countsOf(first, last uint64) (all []Count, added int) {
	low, high := c.lowerBound(first), c.lowerBound(last+1)
	n := int(last - first + 1)
	added = n - (high - low)
	if added == 0 {
		return c.counts[low:high], 0
	}
	old := len(c.counts)
	c.counts = append(c.counts, make([]Count, added)...)
	copy(c.counts[high+added:], c.counts[high:old])
	c.spread(low, high, first, last)
	return c.counts[low : low+n], added
}

// spread moves the counts at low..high-1 to where their offsets belong within
// first..last, from the back, and fills the gaps with zero counts.
func (c *chunk) spread(low, high int, first, last uint64) {
	from := high - 1
	for offset := last; ; offset-- {
		to := low + int(offset-first)
		if from >= low && c.counts[from].Offset == offset {
			c.counts[to] = c.counts[from]
			from--
		} else {
			c.counts[to] = Count{Offset: offset}
		}
		if offset == first {
			return
		}
	}
}

// forget drops the counts of offsets that are settled now.
func (p *partition) forget(first, last uint64) {
	if p.counted == 0 {
		return
	}
	p.eachChunk(first, last, func(c *chunk, low, high uint64) {
		from, to := c.lowerBound(low), c.lowerBound(high+1)
		if from == to {
			return
		}
		for i := from; i < to; i++ {
			p.journal.account(c, -c.counts[i].History.bytes())
		}
		c.counts = slices.Delete(c.counts, from, to)
		p.counted -= to - from
		p.journal.touch(p, c)
	})
}

// attempt returns the attempt that a delivery of first is, and the last offset up
// to the given one that is at the same attempt, as far as one chunk tells.
func (p *partition) attempt(first, last uint64) (attempt uint32, through uint64) {
	if p.counted == 0 {
		return 1, last
	}
	c := p.chunks[first/ChunkOffsets]
	if c == nil {
		return 1, min(last, first|(ChunkOffsets-1))
	}
	last = min(last, c.end()-1)
	i := c.lowerBound(first)
	if i == len(c.counts) || c.counts[i].Offset > first {
		if i < len(c.counts) {
			last = min(last, c.counts[i].Offset-1)
		}
		return 1, last
	}
	attempt = c.counts[i].attempt()
	through = first
	for i++; through < last && i < len(c.counts); i++ {
		if c.counts[i].Offset != through+1 || c.counts[i].attempt() != attempt {
			break
		}
		through++
	}
	return attempt, through
}

// attempt is the number of the next delivery.
func (c *Count) attempt() uint32 { return 1 + c.Failed + c.Expired }
