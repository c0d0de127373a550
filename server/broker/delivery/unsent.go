package delivery

// maxUnsentBytes bounds the messages in frames that wait for their commit: what they
// name stays at hand until then.
const maxUnsentBytes = 8 << 20

// unsentFrame is a frame that waits for a commit: of the acks of its messages, or of who
// holds them.
type unsentFrame struct {
	x   *session // nil: it is not to be sent any more
	out *Deliver
	// pins are the segments of its messages.
	pins []*segment
	// set, position and pages say which change set it waits for, see journal.covers and
	// ledger.covers.
	set, position, pages uint64
}

// unsent are the frames of a subscription that wait, in order.
type unsent struct {
	frames ring[unsentFrame]
	bytes  uint64
	left   uint64 // those that are not in line any more
}

// newDeliver makes a frame, which goes out at once unless it waits for a commit.
func (s *State) newDeliver() *Deliver {
	if s.guarded {
		return &Deliver{}
	}
	return s.out.deliver()
}

// pin keeps the segment of a message at hand until its frame is sent.
func (f *frame) pin(g *segment) {
	if n := len(f.pins); n > 0 && f.pins[n-1] == g {
		return
	}
	g.wanted++
	f.pins = append(f.pins, g)
}

// holdBack keeps a frame until what it depends on is committed.
func (s *State) holdBack(f *frame) {
	x, u := f.x, unsentFrame{x: f.x, out: f.out, pins: f.pins, set: s.journal.next, position: s.journal.position()}
	f.pins = nil
	x.unsent += uint64(f.out.Messages)
	s.unsent.bytes += f.out.Bytes
	if s.forgets {
		for _, r := range f.out.Runs {
			s.partitions[r.Partition].ack(r.First, r.First+uint64(r.Count)-1)
		}
		x.acked += uint64(f.out.Messages)
		u.position = s.journal.position()
	}
	if s.exact {
		u.pages = s.ledger.position()
	}
	s.unsent.frames.push(u)
}

// release sends the frames whose commit has come.
func (s *State) release() {
	for s.unsent.frames.len() > 0 {
		u := s.unsent.frames.front()
		if u.x != nil && (!s.journal.covers(u.set, u.position) || u.pages > s.ledger.covered) {
			return
		}
		if u.x != nil {
			s.send(u)
		}
		s.unsent.frames.pop()
		s.unsent.left++
	}
}

// given is the last sequence that has left.
func (x *session) given() uint64 { return x.sent - x.unsent }

// send lets a frame go. Its leases begin.
func (s *State) send(u *unsentFrame) {
	x := u.x
	s.letGoOf(u)
	s.out.effects = append(s.out.effects, u.out)
	s.sent(x)
	if s.exact {
		s.beginLeases(x, u.out)
		return
	}
	s.discharge(x, uint64(u.out.Messages), u.out.Bytes)
	s.refreshAfter(x)
}

// letGoOf gives back what a frame kept.
func (s *State) letGoOf(u *unsentFrame) {
	u.x.unsent -= uint64(u.out.Messages)
	s.unsent.bytes -= u.out.Bytes
	for _, g := range u.pins {
		s.unpin(g)
	}
}

// dropUnsent gives up what was not sent to a session yet, for its stream has ended. What
// was settled with it is lost, else it is given back.
func (s *State) dropUnsent(x *session, at Instant) {
	if x.unsent == 0 {
		return
	}
	given := x.given()
	for i := range s.unsent.frames.len() {
		u := s.unsent.frames.at(i)
		if u.x != x {
			continue
		}
		s.letGoOf(u)
		if s.forgets {
			s.discharge(x, uint64(u.out.Messages), u.out.Bytes)
		}
		u.x = nil
	}
	if s.exact {
		o := outcome{x: x, kind: returned, at: at, delay: -1}
		s.releaseRange(&o, given+1, x.sent)
		s.pool.last = nil
		s.tidy(x)
	}
	s.refreshAfter(x)
}

// beginLeases begins the leases of a frame that leaves now. What was taken back
// meanwhile is told behind it.
func (s *State) beginLeases(x *session, d *Deliver) {
	now, next, last := s.leaseClock(s.now), d.FirstSequence, d.FirstSequence+uint64(d.Messages)-1
	for i := x.find(next); i < len(x.blocks) && x.blocks[i].first <= last; i++ {
		b := x.blocks[i]
		if b.first > next {
			s.revoke(x, next, b.first-1, KeyOrder)
		}
		next = b.last() + 1
		for gone := ^b.live & bitsOf(0, b.n); gone != 0; {
			from, to := firstRun(gone)
			gone &^= bitsOf(from, to)
			s.revoke(x, b.first+uint64(from), b.first+uint64(to)-1, KeyOrder)
		}
		if b.live == 0 {
			continue
		}
		b.sent, b.began, b.ends = now, now, now+x.lease
		s.rearm(b)
		if b.ends > b.page.until && b.live&b.started != 0 {
			s.ledger.touch(b.page)
		}
	}
	if next <= last {
		s.revoke(x, next, last, KeyOrder)
	}
	if x.answersRecall {
		s.changed = true
	}
}

// isUnsent says that the frame of a block did not leave yet.
func (b *block) isUnsent() bool { return b.first > b.x.given() }
