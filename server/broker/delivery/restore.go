package delivery

import (
	"cmp"
	"slices"
	"sort"
)

// Recover makes the state of a subscription from what recovery read, as New does, and
// with the sessions of an exactly-once subscription: each waits from now on to be taken
// up again, and what it holds is held for as long as its leases are, at least for the
// resume window.
func Recover(config Config, cursors []Cursor, now Instant, sessions []StoredSession) *State {
	s := newState(config, cursors)
	s.now = now
	s.restoreSessions(sessions)
	for _, p := range s.order {
		s.recover(p)
		p.advance()
		p.aheadEnd = p.next
		if len(s.sessions) > 0 {
			s.moved(p)
		}
	}
	return s
}

func (s *State) restoreSessions(all []StoredSession) {
	var blocks []restoredBlock
	for i := range all {
		x := s.restoreSession(&all[i])
		for j := range all[i].Blocks {
			blocks = append(blocks, restoredBlock{x, &all[i].Blocks[j]})
		}
	}
	slices.SortStableFunc(blocks, func(a, b restoredBlock) int { return cmp.Compare(b.Version, a.Version) })
	for _, b := range blocks {
		s.restoreBlock(b)
	}
	for _, x := range s.sessions {
		x.book.findSpare()
		slices.SortFunc(x.blocks, func(a, b *block) int { return cmp.Compare(a.first, b.first) })
		s.leave(x, s.leaseClock(s.now)+s.config.resumeWindow())
	}
}

// restoredBlock is a block with its session.
type restoredBlock struct {
	x *session
	*StoredBlock
}

// restoreSession makes a session that is absent. One of which there is nothing but
// blocks holds nothing.
func (s *State) restoreSession(in *StoredSession) *session {
	r := &in.Record
	x := s.newSession(&Attach{Stamp: Stamp{Session: in.Session, At: s.now}, ClientID: r.ClientID, Features: Resumes})
	x.serving = false
	x.sent, x.charged = r.Sent, r.Charged
	x.applied, x.confirmed = r.Applied, r.Applied // what failed is told again when it comes back
	x.failures = append(x.failures, r.Failures...)
	k := &x.book
	k.stamped, k.written, k.durable, k.failures = r.Applied, r.Applied, r.Applied, len(r.Failures)
	k.self.stored = in.Stored
	s.sessions = append(s.sessions, x)
	s.byID[x.id] = x
	if !in.Stored {
		x.sent = 0
	}
	return x
}

// restoreBlock gives a session back what it holds of a block. The page of one of which
// nothing is left goes.
func (s *State) restoreBlock(in restoredBlock) {
	p := in.x.book.pageAt(in.x, in.Slot)
	p.stored = true
	in.x.book.kept++
	b := s.rebuild(in)
	if b.live == 0 {
		s.ledger.touch(p)
		return
	}
	b.page, p.b, p.until = p, b, in.Until
	in.x.blocks = append(in.x.blocks, b)
}

// rebuild makes a block of what is still the session's of a stored one.
func (s *State) rebuild(in restoredBlock) *block {
	now := s.leaseClock(s.now)
	b := &block{x: in.x, first: in.First, n: in.Messages, started: in.Started, sent: now, began: now, ends: in.Until}
	at := uint8(0)
	for _, r := range in.Runs {
		n := min(r.Count, b.n-at)
		if p := s.partitions[r.Partition]; p != nil && p.generation == r.Generation && n > 0 {
			g := heldSegment(p, r.First, in.Sizes[at:at+n])
			if len(in.Keys) > 0 {
				keys := in.Keys[at : at+n]
				g.keys = &keys
			}
			b.runs = append(b.runs, run{seg: g, first: r.First, at: at, n: n})
			s.reclaim(b, &b.runs[len(b.runs)-1], in.Live)
		}
		at += n
	}
	return b
}

// heldSegment describes messages that are held and not at hand.
func heldSegment(p *partition, first uint64, sizes []uint32) *segment {
	g := &segment{p: p, base: first, ends: make([]uint32, len(sizes))}
	end := uint32(0)
	for i, size := range sizes {
		end += size
		g.ends[i] = end
	}
	return g
}

// reclaim gives a block the messages of a run that were live and are the session's.
func (s *State) reclaim(b *block, r *run, live uint64) {
	for i := range uint64(r.n) {
		sequence := b.first + uint64(r.at) + i
		if live>>(uint64(r.at)+i)&1 == 0 || sequence > b.x.sent {
			continue
		}
		switch offset := r.first + i; {
		case r.seg.p.settled(offset):
			b.x.book.acked.add(sequence, sequence)
		case s.holdable(b.x, r.seg, offset):
			b.live |= 1 << (uint64(r.at) + i)
			s.reclaimOne(b.x, r.seg, offset, sequence)
		}
	}
}

// holdable says whether a message, or its key, is not somebody else's by a later page,
// nor given up.
func (s *State) holdable(x *session, g *segment, offset uint64) bool {
	count := g.p.count(offset)
	if _, held := g.p.held.find(offset); held || offset >= g.p.head || count != nil && count.Dead != 0 {
		return false
	}
	if hash, present := g.keyOf(offset); present && g.keyed() {
		k := s.keys.byID[keyID{g.p, hash}]
		return k == nil || len(k.out) == 0 || k.holder == x
	}
	return true
}

func (s *State) reclaimOne(x *session, g *segment, offset, sequence uint64) {
	g.p.hold(offset)
	size := g.bytes(offset, 1)
	x.stream.charge(1, size)
	s.ceiling.charge(1, size)
	if x.client != nil {
		x.client.ceiling.charge(1, size)
	}
	if !g.keyed() {
		return
	}
	if k := s.keyAt(g, offset); k != nil {
		attempt, _ := g.p.attempt(offset, offset)
		i := sort.Search(len(k.out), func(i int) bool { return k.out[i].offset >= offset })
		k.out = slices.Insert(k.out, i, sentKey{offset, sequence})
		k.holder, k.solo = x, k.solo || attempt > 1
	}
}

// findSpare collects the slots without a block.
func (k *book) findSpare() {
	for _, p := range k.slots {
		if p.b == nil && !p.queued {
			k.spare = append(k.spare, p)
		}
	}
}

// pageAt is the page of a slot, made when it is not there.
func (k *book) pageAt(x *session, slot uint32) *page {
	for uint32(len(k.slots)) < slot {
		k.slots = append(k.slots, &page{x: x, slot: uint32(len(k.slots) + 1)})
	}
	return k.slots[slot-1]
}
