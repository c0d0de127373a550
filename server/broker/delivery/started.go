package delivery

// start takes note of what a client began to work on.
func (s *State) start(e *Started) {
	x := s.hear(e.Stamp)
	if x == nil {
		return
	}
	at := s.leaseClock(e.At)
	for _, r := range s.disjoint(e.Ranges) {
		first, last := max(r.First, 1), min(r.Last, x.given())
		for i := x.find(first); i < len(x.blocks) && x.blocks[i].first <= last && first <= last; i++ {
			b := x.blocks[i]
			s.startWork(b, b.mask(first, last), at)
		}
	}
}

// startWork begins the work leases of those of some deliveries of a block that are
// live and have none.
func (s *State) startWork(b *block, named uint64, at Instant) {
	fresh := named & b.live &^ b.started
	if fresh == 0 {
		return
	}
	if b.clocks == nil && b.live&b.started == 0 {
		b.began, b.ends = at, at+b.x.lease
	} else {
		c := s.apart(b)
		for mask := fresh; mask != 0; {
			from, to := firstRun(mask)
			mask &^= bitsOf(from, to)
			for i := from; i < to; i++ {
				c.began[i], c.ends[i] = at, at+b.x.lease
			}
		}
	}
	if b.x.answersRecall {
		s.notRecallable(b, fresh)
	}
	b.started |= fresh
	if s.exact {
		s.ledger.touch(b.page)
	}
	s.rearm(b)
}

// splitLost sets an outcome to how the first of the live deliveries from..to-1 end
// with a broken stream, and cuts the range where others end otherwise.
func (s *State) splitLost(o *outcome, b *block, from uint8, to *uint8) {
	kind, same := lost, b.started>>from
	if same&1 == 0 {
		kind, same = mislaid, ^same
	}
	if _, end := firstRun(same); from+end < *to {
		*to = from + end
	}
	if kind != o.kind {
		o.kind = kind
		o.said = nil
	}
}
