package delivery

// partition keeps the offsets of one partition apart:
//
//	      floor            next              head
//	settled | acked, waiting, | fresh, but for    | not yet
//	        | or outstanding  | `ahead` offsets   | published
//
// Next always rests on a fresh offset or at head, so the floor cannot pass it.
type partition struct {
	id         uint32
	generation uint64
	floor      uint64
	next       uint64
	head       uint64
	// ahead counts the offsets at or above next that are not fresh: settled or
	// failed before this State was made, or part of a hole. Where an order is kept,
	// what failed is fresh until next has reached it, and its key is known.
	ahead uint64
	// above counts the settled offsets above the floor.
	above uint64

	chunks map[uint64]*chunk
	// skip holds settled offsets above the floor that need no bitmap: holes, and
	// chunks that are acked whole and committed so.
	skip ranges
	// held are offsets that sessions held before this State was made and that next has
	// not reached: they are not fresh, see Recover.
	held ranges
	// stored holds the indexes of the chunks that the store has.
	stored ranges
	// counted is the number of offsets that have a Count.
	counted int

	// dying counts the messages that were given up and are not in a change set yet.
	dying uint64

	order    Order
	counters Counters
	journal  *journal
	// unsaved says that it is in journal.unsaved; queuedChunks is how often it is in
	// journal.queue; change is its place in the set being built.
	unsaved      bool
	queuedChunks int
	change       int

	segments
	// absent holds the redeliveries whose first segment is not at hand.
	absent         heap[*redelivery]
	absentMessages uint64

	openAt int // place in State.open, from 1; 0 = not dispatchable
}

func newPartition(c *Cursor, j *journal, order Order) *partition {
	p := &partition{}
	p.reset(c, j, order)
	return p
}

// reset makes a partition what its cursor says. Its places in lists stay.
func (p *partition) reset(c *Cursor, j *journal, order Order) {
	*p = partition{
		id: c.Partition, order: order, generation: c.Generation, counters: c.Counters,
		floor: c.Floor, next: c.Floor, head: max(c.Head, c.Floor),
		chunks: make(map[uint64]*chunk), journal: j, absent: newOffsetHeap(),
		unsaved: p.unsaved, segments: segments{queuedLoad: p.queuedLoad},
	}
	for i := range c.Chunks {
		p.restore(&c.Chunks[i])
	}
	for _, hole := range c.Holes {
		p.addHole(hole.First, hole.Last)
	}
	p.advance()
	p.climb()
	p.aheadEnd = p.next
	if p.floor != c.Floor || p.droppable() > 0 {
		j.save(p)
	}
}

// fresh is the number of messages that were never delivered.
func (p *partition) fresh() uint64 { return p.head - p.next - p.ahead }

// backlog is the number of unsettled messages.
func (p *partition) backlog() uint64 { return p.head - p.floor - p.above }

// settled says whether an offset is acked or in a hole.
func (p *partition) settled(offset uint64) bool {
	if offset < p.floor {
		return true
	}
	if c := p.chunks[offset/ChunkOffsets]; c != nil && c.acked.Has(bit(offset)) {
		return true
	}
	_, skipped := p.skip.find(offset)
	return skipped
}

// advance moves next over what is not fresh.
func (p *partition) advance() {
	for p.ahead > 0 && p.next < p.head {
		n := p.staleRun(p.next)
		if n == 0 {
			break
		}
		p.next += n
		p.ahead -= n
	}
	if len(p.held) > 0 {
		p.held.dropBelow(p.next)
	}
}

// hold notes that a session holds an offset that next has not reached.
func (p *partition) hold(offset uint64) {
	p.held.add(offset, offset)
	if offset >= p.next && !p.countedFresh(offset) {
		p.ahead++
	}
}

// countedFresh says that an offset is not fresh already for what is counted of it.
func (p *partition) countedFresh(offset uint64) bool {
	return p.order == OrderNone && p.count(offset) != nil
}

// heldIn counts the offsets of first..last that are not fresh only because they are held.
func (p *partition) heldIn(first, last uint64) (n uint64) {
	for i := p.held.search(first); i < len(p.held) && p.held[i].First <= last; i++ {
		for offset := max(first, p.held[i].First); offset <= min(last, p.held[i].Last); offset++ {
			if !p.settled(offset) && !p.countedFresh(offset) {
				n++
			}
		}
	}
	return n
}

// staleRun returns how many offsets from the given one on are known not to be
// fresh; more may follow, but 0 means that this one is fresh.
func (p *partition) staleRun(offset uint64) uint64 {
	if r, ok := p.skip.find(offset); ok {
		return min(r.Last, p.head-1) - offset + 1
	}
	c := p.chunks[offset/ChunkOffsets]
	if c == nil {
		return p.heldRun(offset)
	}
	if first, last := c.acked.Next(bit(offset)); first == bit(offset) {
		return uint64(last - first + 1)
	}
	if p.order == OrderNone && c.find(offset) != nil {
		return 1
	}
	return p.heldRun(offset)
}

// heldRun is the part of staleRun that is held.
func (p *partition) heldRun(offset uint64) uint64 {
	if r, ok := p.held.find(offset); ok {
		return r.Last - offset + 1
	}
	return 0
}

// freshRun returns how many offsets from next on are fresh, at most limit.
func (p *partition) freshRun(limit uint64) uint64 {
	if p.ahead == 0 {
		return limit
	}
	end := min(p.next+limit, (p.next/ChunkOffsets+1)*ChunkOffsets)
	if i := p.skip.search(p.next); i < len(p.skip) {
		end = min(end, p.skip[i].First)
	}
	if i := p.held.search(p.next); i < len(p.held) {
		end = min(end, p.held[i].First)
	}
	if c := p.chunks[p.next/ChunkOffsets]; c != nil {
		first, _ := c.acked.Next(bit(p.next))
		end = min(end, c.base()+uint64(first), c.nextCount(p.next))
	}
	return end - p.next
}

// take moves next over n fresh messages that were delivered or set aside.
func (p *partition) take(n uint64) {
	p.next += n
	p.advance()
}

// addHole settles first..last without an ack.
func (p *partition) addHole(first, last uint64) {
	first = max(first, p.floor)
	if first > last {
		return
	}
	p.head = max(p.head, last+1)
	p.above += last - first + 1 - p.settledIn(first, last)
	if low := max(first, p.next); low <= last {
		p.ahead += last - low + 1 - p.settledIn(low, last) - p.heldIn(low, last)
		if p.order == OrderNone {
			p.ahead -= p.countedIn(low, last)
		}
	}
	p.forget(first, last)
	p.skip.add(first, last)
	p.advance()
	p.climb()
	p.journal.save(p)
}

// settledIn counts the settled offsets of first..last, all at or above the
// floor. No offset is both in skip and set in a bitmap twice counted: bits under
// a skip range do not count.
func (p *partition) settledIn(first, last uint64) (n uint64) {
	n = p.skip.count(first, last)
	p.eachChunk(first, last, func(c *chunk, low, high uint64) {
		for at := bit(low); at <= bit(high); {
			from, to := c.acked.Next(at)
			if from > bit(high) {
				break
			}
			to = min(to, bit(high))
			a, b := c.base()+uint64(from), c.base()+uint64(to)
			n += b - a + 1 - p.skip.count(a, b)
			at = to + 1
		}
	})
	return n
}

// countedIn counts the offsets of first..last that have a Count.
func (p *partition) countedIn(first, last uint64) (n uint64) {
	if p.counted == 0 {
		return 0
	}
	p.eachChunk(first, last, func(c *chunk, low, high uint64) {
		n += uint64(c.lowerBound(high+1) - c.lowerBound(low))
	})
	return n
}

// eachChunk calls visit for every chunk that exists within first..last, with the
// part of the range that falls into it.
func (p *partition) eachChunk(first, last uint64, visit func(c *chunk, low, high uint64)) {
	from, to := first/ChunkOffsets, last/ChunkOffsets
	within := func(c *chunk) { visit(c, max(first, c.base()), min(last, c.end()-1)) }
	if to-from < uint64(len(p.chunks)) {
		for index := from; index <= to; index++ {
			if c := p.chunks[index]; c != nil {
				within(c)
			}
		}
		return
	}
	for index, c := range p.chunks {
		if from <= index && index <= to {
			within(c)
		}
	}
}
