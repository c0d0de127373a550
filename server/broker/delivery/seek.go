package delivery

import (
	"cmp"
	"slices"
)

// standStill begins or ends a Hold.
func (s *State) standStill(e *Hold) {
	s.holding, s.held = !e.End, false
	s.changed = true
}

// StandsStill says that a Hold has come to its end: everything up to it is durable, and
// nothing more is written.
func (s *State) StandsStill() bool { return s.held }

// quiet says that nothing waits to be committed, and nothing is on its way.
func (s *State) quiet() bool {
	return !s.journal.inFlight && !s.mustWrite() && s.letters.waiting.len() == 0 && s.pending.len() == 0 && s.unsent.frames.len() == 0
}

// seek moves partitions to where their cursors stand now: what was out is revoked, what
// came back or was to be written of the earlier generation is forgotten.
func (s *State) seek(e *Seek) {
	s.holding, s.held = false, false
	moved := make(map[*partition]bool, len(e.Cursors))
	for i := range e.Cursors {
		if p := s.partitions[e.Cursors[i].Partition]; p != nil {
			moved[p] = true
		}
	}
	for _, x := range s.sessions {
		s.takeSought(x, moved, e.At)
	}
	s.dropLetters(moved)
	for _, e := range s.returnedOf(moved) {
		s.discard(e)
	}
	s.pool.last = nil
	s.dropKeys(moved, e.At)
	for i := range e.Cursors {
		s.moveTo(&e.Cursors[i])
	}
	s.replan()
	s.changed = true
}

// takeSought takes back what a session holds of some partitions.
func (s *State) takeSought(x *session, moved map[*partition]bool, at Instant) {
	for _, b := range x.blocks {
		mask := uint64(0)
		for i := range b.runs {
			if r := &b.runs[i]; moved[r.seg.p] {
				mask |= bitsOf(r.at, r.at+r.n)
			}
		}
		s.takeAway(b, mask&b.live, returned, Sought, at)
	}
	s.tidy(x)
	s.refreshAfter(x)
}

// dropLetters forgets what was given up in some partitions and is not stored away yet.
func (s *State) dropLetters(moved map[*partition]bool) {
	for n := s.letters.waiting.len(); n > 0; n-- {
		l := *s.letters.waiting.front()
		s.letters.waiting.pop()
		if !moved[l.p] {
			s.letters.waiting.push(l)
			continue
		}
		if l.key != nil {
			l.key.dying--
		}
		if l.seg != nil {
			l.seg.pinned--
			s.unpin(l.seg)
		}
	}
	// Nobody waits for the tickets of those that are gone: no settle is pending.
	s.letters.taken = s.letters.written + uint64(s.letters.waiting.len())
}

// returnedOf lists what came back of some partitions, wherever it is.
func (s *State) returnedOf(moved map[*partition]bool) (all []*redelivery) {
	seen := make(map[*redelivery]bool)
	note := func(items ...*redelivery) {
		for _, e := range items {
			if e != nil && moved[e.p] && !seen[e] {
				seen[e] = true
				all = append(all, e)
			}
		}
	}
	note(s.pool.timers.items...)
	note(s.pool.ready.items...)
	note(s.misfits.aside...)
	note(s.misfits.beyond...)
	note(s.journal.orphans...)
	for _, x := range s.sessions {
		note(x.shunned.items...)
		note(x.own.items...)
	}
	for p := range moved {
		note(p.absent.items...)
		for _, c := range p.chunks {
			note(c.held...)
		}
	}
	for id, k := range s.keys.byID {
		if moved[id.p] {
			note(k.returned...)
			note(k.exposed)
		}
	}
	return all
}

// discard forgets a redelivery.
func (s *State) discard(e *redelivery) {
	s.pool.messages -= e.messages()
	if e.holder != nil {
		s.unhold(e.holder)
	}
	seg := s.unplace(e)
	s.free(e)
	s.unpin(seg)
}

// dropKeys forgets the busy keys of some partitions; those that are parked go on.
func (s *State) dropKeys(moved map[*partition]bool, at Instant) {
	for _, k := range s.keysOf(moved) {
		s.keys.queued -= uint64(k.queue.len())
		s.keys.bytes -= k.queue.bytes()
		k.queue, k.holder, k.solo = offsetQueue{}, nil, false
		if k.parked {
			k.parked = false
			s.keys.parked--
		}
		s.touch(k, at)
	}
	s.keys.blocked = false
	s.journal.parks = slices.DeleteFunc(s.journal.parks, func(k *orderKey) bool { return moved[k.id.p] })
}

// keysOf are the keys of some partitions, in an order that is always the same: a
// simulation is played again by its seed.
func (s *State) keysOf(partitions map[*partition]bool) []*orderKey {
	var all []*orderKey
	for id, k := range s.keys.byID {
		if partitions[id.p] {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b *orderKey) int {
		return cmp.Or(cmp.Compare(a.id.p.id, b.id.p.id), cmp.Compare(a.id.hash, b.id.hash))
	})
	return all
}

// moveTo makes the state of a partition that of a cursor. Its counters go on.
func (s *State) moveTo(c *Cursor) {
	p := s.partitions[c.Partition]
	if p == nil {
		return
	}
	s.closePartition(p)
	for _, g := range p.loaded {
		if !g.ahead {
			s.wantedSegments--
		}
		s.unloaded(p, g.base)
	}
	s.journal.abandon(p)
	at := *c
	at.Counters, at.Head = p.counters, max(c.Head, p.head)
	p.reset(&at, &s.journal, p.order)
	s.recover(p)
	s.moved(p)
}

// abandon forgets what was to be written of a partition's chunks.
func (j *journal) abandon(p *partition) {
	gone := func(id chunkID) bool { return id.p == p }
	j.queue = slices.DeleteFunc(j.queue, gone)
	j.forced = slices.DeleteFunc(j.forced, gone)
	j.orphans = slices.DeleteFunc(j.orphans, func(e *redelivery) bool { return e.p == nil })
	p.queuedChunks = 0
	for _, c := range p.chunks {
		clear(c.held)
		c.held = c.held[:0]
		j.retire(c)
	}
}
