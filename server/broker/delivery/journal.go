package delivery

// Estimates of what a change set costs in the store, and bounds that follow.
const (
	// cursorBytes, chunkBytes and countBytes are generous sizes of a cursor, of a
	// chunk without counts, and of one count; a key is included.
	cursorBytes = 160
	chunkBytes  = 576
	countBytes  = 40
	// partBytes is the size of one part of a chunk's counts and failures, countsPerKey
	// how many counts surely fit into one.
	partBytes    = 3 << 10
	countsPerKey = 64
	// maxQueuedChunks is the backlog of changed chunks that saturates a State:
	// what one change set takes without counts.
	maxQueuedChunks = MaxChangeSetBytes / chunkBytes
	// maxSpareChunks bounds the chunks kept for reuse.
	maxSpareChunks = 64
)

// journal collects what must be written down. Changed chunks queue up in the
// order of their first change; each has a position in that queue, and a set that
// covers a position holds every change that was made while the queue ended there.
type journal struct {
	queue   []chunkID
	base    uint64 // position of queue[0]
	unsaved []*partition

	set      ChangeSet
	next     uint64 // number of the next set
	inFlight bool
	// Of the set in flight:
	through uint64        // the position up to which it covers
	cut     []chunkID     // its chunks
	freed   []*redelivery // what its commit sets free
	// Of the last committed set:
	committed uint64 // its number
	covered   uint64 // its through

	// orphans are redeliveries whose chunk went away; the next set frees them.
	orphans []*redelivery
	spare   []*chunk
	// forced are chunks that the next set must hold.
	forced []chunkID
	// parks are keys that were parked or released, to be written with the next set.
	parks []*orderKey
	// history is the size of all failures remembered.
	history int
}

// chunkID names a chunk, which may be gone by the time it is looked at.
type chunkID struct {
	p     *partition
	index uint64
}

// save notes that a partition's floor or counters changed.
func (j *journal) save(p *partition) {
	if !p.unsaved {
		p.unsaved = true
		j.unsaved = append(j.unsaved, p)
	}
}

// touch notes that a chunk changed.
func (j *journal) touch(p *partition, c *chunk) {
	j.save(p)
	if !c.queued {
		c.queued = true
		p.queuedChunks++
		j.queue = append(j.queue, chunkID{p, c.index})
	}
}

// position is where the queue ends.
func (j *journal) position() uint64 { return j.base + uint64(len(j.queue)) }

// dirty says whether there is anything to write.
func (j *journal) dirty() bool { return len(j.unsaved) > 0 }

func (j *journal) newChunk(index uint64) *chunk {
	n := len(j.spare)
	if n == 0 {
		return &chunk{index: index}
	}
	c := j.spare[n-1]
	j.spare = j.spare[:n-1]
	clear(c.counts)
	*c = chunk{index: index, counts: c.counts[:0], held: c.held[:0]}
	return c
}

// retire takes back a chunk that its partition let go.
func (j *journal) retire(c *chunk) {
	j.orphans = append(j.orphans, c.held...)
	j.history -= c.history
	clear(c.held)
	if len(j.spare) < maxSpareChunks {
		j.spare = append(j.spare, c)
	}
}

// budget is what is left of a change set.
type budget struct{ bytes, keys int }

func (b *budget) take(bytes, keys int) bool {
	if b.bytes < bytes || b.keys < keys {
		return false
	}
	b.bytes -= bytes
	b.keys -= keys
	return true
}

// halve parts a budget.
func (b budget) halve() (one, other budget) {
	other = budget{b.bytes / 2, b.keys / 2}
	return budget{b.bytes - other.bytes, b.keys - other.keys}, other
}

// write makes the next change set, if there is anything to write and none is in
// flight.
func (s *State) write() {
	j := &s.journal
	if j.inFlight || s.held || !s.mustWrite() {
		return
	}
	left := j.open()
	pages := budget{}
	if s.exact {
		left, pages = left.halve()
		pages.keys = min(pages.keys, s.ledger.limit)
	}
	s.takeLetters(&left)
	set := j.build(left)
	if s.exact {
		s.takePages(&pages)
	}
	s.out.effects = append(s.out.effects, set)
}

// open begins the next change set.
func (j *journal) open() budget {
	j.set.Number = j.next
	j.set.Partitions, j.set.DeadLetters = j.set.Partitions[:0], j.set.DeadLetters[:0]
	j.set.Sessions = j.set.Sessions[:0]
	j.cut = j.cut[:0]
	return budget{MaxChangeSetBytes, MaxChangeSetKeys}
}

// build ends the next change set.
func (j *journal) build(left budget) *ChangeSet {
	j.freed = append(j.freed[:0], j.orphans...)
	clear(j.orphans)
	j.orphans = j.orphans[:0]
	j.takeCursors(&left)
	j.takeParks()
	j.takeForced()
	j.takeChunks(&left)
	j.takeDropped(&left)
	j.through = j.base
	j.inFlight = true
	j.next++
	return &j.set
}

// takeCursors opens the change of every partition that changed. A subscription has
// at most 256 partitions, so they always fit.
func (j *journal) takeCursors(left *budget) {
	for _, p := range j.unsaved {
		left.take(cursorBytes, 1)
		p.change = len(j.set.Partitions)
		change := extend(&j.set.Partitions)
		*change = PartitionChange{
			Partition: p.id, Generation: p.generation, Floor: p.floor, Counters: p.counters,
			Chunks: change.Chunks[:0], Dropped: change.Dropped[:0], Keys: change.Keys[:0],
		}
	}
}

// bytes and keys are what a chunk takes in the store.
func (c *chunk) bytes() int { return chunkBytes + len(c.counts)*countBytes + c.history }
func (c *chunk) keys() int  { return 1 + len(c.counts)/countsPerKey + c.history/partBytes }

// force has a chunk written with the next set, whatever its place in the queue. The
// caller took care that there is room.
func (j *journal) force(p *partition, c *chunk) {
	if !c.forced {
		c.forced = true
		j.forced = append(j.forced, chunkID{p, c.index})
	}
}

// takeParks writes which keys were parked or released.
func (j *journal) takeParks() {
	for _, k := range j.parks {
		change := &j.set.Partitions[k.id.p.change]
		change.Keys = append(change.Keys, KeyChange{Hash: k.id.hash, Parked: k.parked})
	}
	clear(j.parks)
	j.parks = j.parks[:0]
}

// takeForced writes the chunks that the set must hold, unless the floor covers them.
func (j *journal) takeForced() {
	for _, id := range j.forced {
		if c := id.p.chunks[id.index]; c != nil && c.forced {
			c.forced = false
			j.write(id, c)
		}
	}
	j.forced = j.forced[:0]
}

// takeChunks writes queued chunks whole, first come first, while there is room.
func (j *journal) takeChunks(left *budget) {
	done := 0
	for _, id := range j.queue {
		if c := id.p.chunks[id.index]; c != nil && c.queued {
			if !left.take(c.bytes(), c.keys()) {
				break
			}
			j.write(id, c)
		}
		id.p.queuedChunks--
		done++
	}
	j.base += uint64(done)
	j.queue = j.queue[:copy(j.queue, j.queue[done:])]
}

// write copies what a chunk holds above the floor into the set. A chunk with
// nothing there is not written: the floor covers it.
func (j *journal) write(id chunkID, c *chunk) {
	c.queued = false
	j.freed = append(j.freed, c.held...)
	clear(c.held)
	c.held = c.held[:0]
	change := &j.set.Partitions[id.p.change]
	into := extend(&change.Chunks)
	into.Index, into.Acked = id.index, c.acked
	if id.p.floor > c.base() {
		into.Acked.clearBelow(bit(id.p.floor))
	}
	into.Counts = append(into.Counts[:0], c.counts[c.lowerBound(id.p.floor):]...)
	if len(into.Counts) == 0 && into.Acked == (Bitmap{}) {
		change.Chunks = change.Chunks[:len(change.Chunks)-1]
		return
	}
	id.p.stored.add(id.index, id.index)
	j.cut = append(j.cut, id)
}

// takeDropped names stored chunks that the floor has passed, while there is room,
// and keeps the partitions that have more to write.
func (j *journal) takeDropped(left *budget) {
	more := j.unsaved[:0]
	for _, p := range j.unsaved {
		n := min(p.droppable(), uint64(left.keys))
		left.keys -= int(n)
		change := &j.set.Partitions[p.change]
		for n > 0 {
			r := p.stored[0]
			r.Last = min(r.Last, r.First+n-1)
			change.Dropped = append(change.Dropped, r)
			n -= r.Last - r.First + 1
			p.stored.dropBelow(r.Last + 1)
		}
		p.unsaved = p.queuedChunks > 0 || p.droppable() > 0
		if p.unsaved {
			more = append(more, p)
		}
	}
	j.unsaved = more
}

// droppable counts the stored chunks that are wholly below the floor.
func (p *partition) droppable() uint64 {
	if len(p.stored) == 0 || p.stored[0].First >= p.floor/ChunkOffsets {
		return 0
	}
	return p.stored.count(0, p.floor/ChunkOffsets-1)
}

// carries says whether the set with this number is in flight.
func (j *journal) carries(number uint64) bool { return j.inFlight && number == j.set.Number }

// commit takes note that the set in flight is durable, and returns what it frees.
func (j *journal) commit() []*redelivery {
	j.inFlight = false
	j.committed, j.covered = j.set.Number, j.through
	for _, id := range j.cut {
		if c := id.p.chunks[id.index]; c != nil {
			id.p.fold(c)
		}
	}
	return j.freed
}

// covers says whether the change set that holds a change is committed: the change
// was made when the queue ended at position and the set to come was number.
func (j *journal) covers(number, position uint64) bool {
	return number <= j.committed && position <= j.covered
}

// extend grows a slice by one element and returns it, with what its memory held
// before, whose inner slices may be used again.
func extend[T any](slice *[]T) *T {
	s := *slice
	if len(s) < cap(s) {
		s = s[:len(s)+1]
	} else {
		var zero T
		s = append(s, zero)
	}
	*slice = s
	return &s[len(s)-1]
}
