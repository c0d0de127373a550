package delivery

import "math"

// What is written down of an exactly-once session: a page for the session itself, and
// one for each of its blocks.
//
//	page 0   what was sent and charged, the number applied, the failures to repeat
//	page n   one block: sequences, offsets, sizes, keys, until when
//
// A page is written whole, in place of what it held before; that of a block that ended
// is used again. Acks do not touch the page of a block that goes on: what is acked
// stands in the chunks.
const (
	// pageBytes is a generous size of a page with its key, beside the bytes of each
	// message, run and failure.
	pageBytes        = 128
	runBytes         = 40
	messageBytes     = 10
	keptFailureBytes = 32
	// maxQueuedPages is the backlog of changed pages that saturates a State.
	maxQueuedPages = MaxChangeSetKeys / 2
	// maxExactFailures bounds the failures that an exactly-once session keeps.
	maxExactFailures = 1000
	// leaseSlack is by how much a lease is written longer than it is, so that it need
	// not be written again when its commit was not slow.
	leaseSlack = 1e9
)

// page is one record of a session.
type page struct {
	x    *session
	slot uint32
	b    *block // nil: of no block any more
	// until is how long its leases are written to last.
	until  Instant
	queued bool
	// stored: the store has it, or will.
	stored bool
}

// book has the pages of a session.
type book struct {
	self  page
	slots []*page // from slot 1 on
	spare []*page
	// stamped is the number applied that may be written, written the one in the set in
	// flight or before, durable the one that is committed.
	stamped, written, durable uint64
	// stampedIn is the last change set that was stamped with its number; change is its
	// place in the set changeIn.
	stampedIn, changeIn uint64
	change              int
	// failures is how many were written last, heard what State.said was then.
	failures int
	heard    uint64
	// kept counts the pages of blocks that are stored.
	kept int
	// keep says that the session may be taken up again after a restart.
	keep bool
	// acked are sequences that were acked before a restart, as far as their settle might
	// come again.
	acked ranges
}

// ledger collects the pages that must be written, in the order of their first change.
// Positions are as in a journal.
type ledger struct {
	queue []*page
	base  uint64
	// Of the set in flight: the position up to which it covers, and its sessions.
	through uint64
	wrote   []*session
	// covered is the through of the last committed set.
	covered uint64
	// limit bounds the keys of pages in a set.
	limit int
	// stamped is how many of State.pending are written or may be; stamping are sessions
	// that are stamped in this set.
	stamped  int
	stamping []*session
}

func (l *ledger) position() uint64 { return l.base + uint64(len(l.queue)) }

// touch notes that a page changed.
func (l *ledger) touch(p *page) {
	if !p.queued {
		p.queued = true
		l.queue = append(l.queue, p)
	}
}

// dirty says whether there is anything to write.
func (l *ledger) dirty(s *State) bool {
	return len(l.queue) > 0 || l.stamped < s.pending.len() && s.pending.at(l.stamped).letter <= s.letters.written
}

// openPage gives a block a page.
func (s *State) openPage(b *block) {
	k := &b.x.book
	s.ledger.touch(&k.self)
	if n := len(k.spare); n > 0 {
		b.page = k.spare[n-1]
		k.spare = k.spare[:n-1]
	} else {
		b.page = &page{x: b.x, slot: uint32(len(k.slots) + 1)}
		k.slots = append(k.slots, b.page)
	}
	b.page.b = b
	s.ledger.touch(b.page)
}

// closePage takes the page from a block that ended.
func (s *State) closePage(b *block) {
	p := b.page
	p.b, b.page = nil, nil
	s.ledger.touch(p)
}

// struck notes that deliveries of a block ended.
func (s *State) struck(o *outcome, b *block) {
	switch {
	case b.page == nil:
	case b.live == 0:
		s.closePage(b)
	case o.kind != acked:
		s.ledger.touch(b.page)
	}
}

// closeBook has what is stored of a session deleted, unless it may be taken up again
// after a restart: then only this State is done with it.
func (s *State) closeBook(x *session) {
	if !x.book.keep && len(x.blocks) == 0 {
		s.ledger.touch(&x.book.self)
		return
	}
	for _, b := range x.blocks {
		s.leases.remove(b)
		for i := range b.runs {
			if r := &b.runs[i]; r.seg.keyed() {
				s.endedOf(r.seg, r.first, uint64(r.n), s.now)
			}
		}
	}
	s.discharge(x, x.stream.held.Messages, x.stream.held.Bytes)
}

// saturated says that too much waits to be written.
func (l *ledger) saturated() bool { return len(l.queue) >= maxQueuedPages }

// takePages writes what is durable of sessions into the change set: first the sessions
// whose settles it, or one before it, holds, then other pages, first come first.
func (s *State) takePages(left *budget) {
	l := &s.ledger
	l.wrote = l.wrote[:0]
	s.stamp(left)
	done := 0
	for _, p := range l.queue {
		if p.queued {
			if !left.take(p.bytes(), 1+p.failureKeys()) && len(s.journal.set.Sessions) > 0 {
				break
			}
			s.writePage(p)
		}
		done++
	}
	l.base += uint64(done)
	l.queue = l.queue[:copy(l.queue, l.queue[done:])]
	l.through = l.base
}

// stamp raises the numbers applied of the sessions whose settles are covered by the set
// being built, and writes them.
func (s *State) stamp(left *budget) {
	j, l := &s.journal, &s.ledger
	for ; l.stamped < s.pending.len(); l.stamped++ {
		p := s.pending.at(l.stamped)
		if p.position > j.base || p.letter > s.letters.written {
			break
		}
		k := &p.x.book
		if p.x.gone {
			continue
		}
		if k.stampedIn != j.set.Number {
			if !left.take(k.self.bytes(), 1+k.self.failureKeys()) && len(l.stamping) > 0 {
				break
			}
			k.stampedIn = j.set.Number
			l.stamping = append(l.stamping, p.x)
		}
		k.stamped = p.number
	}
	for _, x := range l.stamping {
		s.writePage(&x.book.self)
	}
	clear(l.stamping)
	l.stamping = l.stamping[:0]
}

// bytes is what a page takes in the store.
func (p *page) bytes() int {
	switch {
	case p.slot == 0:
		return pageBytes + len(p.x.clientID) + len(p.x.failures)*keptFailureBytes
	case p.b == nil:
		return pageBytes
	default:
		return pageBytes + len(p.b.runs)*runBytes + int(p.b.n)*messageBytes
	}
}

// failureKeys is how many more keys the failures of a session take.
func (p *page) failureKeys() int {
	if p.slot != 0 {
		return 0
	}
	return len(p.x.failures) * keptFailureBytes / partBytes
}

// writePage writes a page into the set being built.
func (s *State) writePage(p *page) {
	p.queued = false
	keeps := p.b != nil || p.slot == 0 && !p.x.ended()
	if p.b == nil && p.slot > 0 {
		// Not before: a block that is new must not be written ahead of those before it.
		p.x.book.spare = append(p.x.book.spare, p)
	}
	switch k := &p.x.book; {
	case !keeps && !p.stored:
		return
	case p.slot == 0 && !keeps && k.kept > 0:
		s.ledger.touch(p) // it goes last
		return
	case p.slot > 0 && p.stored != keeps:
		k.kept += 1 - 2*int(bitOf(p.stored))
	}
	change := s.changeOf(p.x)
	switch {
	case !keeps:
		change.Freed = append(change.Freed, p.slot)
	case p.slot == 0:
		s.writeSession(change, p.x)
	default:
		p.writeBlock(extend(&change.Blocks), s)
	}
	p.stored = keeps
}

func bitOf(set bool) byte {
	if set {
		return 1
	}
	return 0
}

// ended says that nothing of a session is to be kept.
func (x *session) ended() bool { return x.gone && !x.book.keep && len(x.blocks) == 0 }

// changeOf is the session's part of the set being built.
func (s *State) changeOf(x *session) *SessionChange {
	j, k := &s.journal, &x.book
	if k.changeIn != j.set.Number {
		c := extend(&j.set.Sessions)
		*c = SessionChange{Session: x.id, Blocks: c.Blocks[:0], Freed: c.Freed[:0]}
		k.changeIn, k.change = j.set.Number, len(j.set.Sessions)-1
		s.ledger.wrote = append(s.ledger.wrote, x)
	}
	return &j.set.Sessions[k.change]
}

func (s *State) writeSession(change *SessionChange, x *session) {
	k, r := &x.book, &change.Record
	k.written = k.stamped
	*r = SessionRecord{ClientID: x.clientID, Sent: x.sent, Charged: x.charged, Applied: k.stamped}
	change.Written = true
	failures := x.failuresOf(0, k.stamped)
	if len(failures) != k.failures || k.heard != x.said {
		k.failures, k.heard = len(failures), x.said
		change.FailuresChanged = true
		r.Failures = append([]Failure(nil), failures...)
	}
}

// writeBlock writes what a session holds of a block.
func (p *page) writeBlock(into *HeldBlock, s *State) {
	b := p.b
	p.until = b.leasesEnd(b.live) + leaseSlack
	*into = HeldBlock{
		Slot: p.slot, First: b.first, Messages: b.n, Live: b.live, Started: b.started & b.live, Until: p.until + s.stalled,
		Runs: into.Runs[:0], Sizes: into.Sizes[:0], Keys: into.Keys[:0],
	}
	for i := range b.runs {
		r := &b.runs[i]
		into.Runs = append(into.Runs, HeldRun{Partition: r.seg.p.id, Generation: r.seg.p.generation, First: r.first, Count: r.n})
		for j := range uint64(r.n) {
			into.Sizes = append(into.Sizes, uint32(r.seg.bytes(r.first+j, 1)))
			if r.seg.p.order == OrderKey {
				into.Keys = append(into.Keys, r.seg.keyHash(r.first+j))
			}
		}
	}
}

// keyHash is what is written of the key of a message.
func (g *segment) keyHash(offset uint64) (k KeyHash) {
	if hash, present := g.keyOf(offset); present {
		k = KeyHash{Hash: hash, Present: true}
	}
	return k
}

// leasesEnd is when the last work lease of some deliveries of a block ends; of one that
// is not started, as if it were started when it is sent.
func (b *block) leasesEnd(mask uint64) Instant {
	if b.clocks == nil {
		return b.ends
	}
	end := Instant(math.MinInt64)
	for mask != 0 {
		from, to := firstRun(mask)
		mask &^= bitsOf(from, to)
		for i := from; i < to; i++ {
			end = max(end, b.clocks.ends[i])
		}
	}
	return end
}

// commit takes note that the set in flight is durable.
func (l *ledger) commit() {
	l.covered = l.through
	for _, x := range l.wrote {
		x.book.durable = x.book.written
	}
}

// covers says whether the number of a settle, and what it changed of its session, are
// durable.
func (l *ledger) covers(p *pendingSettle) bool {
	return p.x.gone || p.pages <= l.covered && p.x.book.durable >= p.number
}
