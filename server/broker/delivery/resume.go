package delivery

import "time"

// Resume names what a client still has of a session whose stream broke.
type Resume struct {
	// ReceivedThrough is the last sequence that it received.
	ReceivedThrough uint64
	// Holding is all of that whose settles are not confirmed.
	Holding []SequenceRange
}

// Resumed tells what a session still has after it was taken up again.
type Resumed struct {
	Kept         []SequenceRange
	NextSequence uint64
	ChargedBytes uint64
	// Applied is the number of the last settle that was applied.
	Applied uint64
}

const (
	// maxAbsences bounds the sessions that wait to be taken up again: who opens and
	// breaks streams takes no memory for ever.
	maxAbsences = 10_000
	// maxKeptRanges bounds what a session is told to have kept; the rest is released.
	maxKeptRanges = 10_000
)

func newAbsences() heap[*session] {
	return heap[*session]{
		less:  func(a, b *session) bool { return a.endBy < b.endBy },
		place: func(x *session) *int { return &x.absentTimer },
	}
}

// resumeWindow is how long a broken session waits; 0: not at all.
func (c *Config) resumeWindow() time.Duration {
	switch {
	case c.ResumeWindow > 0:
		return c.ResumeWindow
	case c.ResumeWindow < 0 || c.Mode != Shared:
		return 0
	default:
		return DefaultResumeWindow
	}
}

// lose takes note that a session's stream broke: it waits to be taken up again, or
// ends at once.
func (s *State) lose(x *session, at Instant) {
	window := s.config.resumeWindow()
	s.dropUnsent(x, at)
	switch {
	case s.exact && x.stream.held.Messages > 0 && !x.closing:
		if window = max(window, 0); !x.resumes {
			window = 0 // what it did not start comes back at once, the rest is leased
		}
	case !x.resumes || window == 0 || x.closing || s.closing || s.absences.len() >= maxAbsences:
		s.endAll(x, x.lostKind(), at)
		s.remove(x)
		return
	}
	s.stopServing(x)
	s.silences.remove(x)
	s.beats.remove(x)
	s.drains.remove(x)
	s.leave(x, s.leaseClock(at)+window)
	if s.exact && s.closing {
		s.abandon(x)
	}
}

// leave has a session wait until a time to be taken up again. Leases do not end
// meanwhile; those of an exactly-once session not before their time either.
func (s *State) leave(x *session, until Instant) {
	x.absent, x.resumeBy, x.endBy = true, until, until
	for _, b := range x.blocks {
		if s.exact {
			s.outlive(b, until)
		} else {
			s.leases.remove(b)
		}
	}
	s.absences.put(x)
}

// Knows says whether there is a session, with a stream or waiting to be taken up again.
func (s *State) Knows(id SessionID) bool { return s.byID[id] != nil }

// endAbsences ends the sessions that were not taken up again in time.
func (s *State) endAbsences() {
	for s.absences.len() > 0 && s.absences.top().endBy <= s.leaseClock(s.now) {
		if x := s.absences.top(); !s.exact || !s.stillLeased(x) {
			s.endAll(x, x.lostKind(), s.now)
			s.sayEnd(x, EndNotResumed)
		}
	}
}

// stillLeased says whether leases of an absent session go on, and has it looked at again
// when the last of them ends.
func (s *State) stillLeased(x *session) bool {
	end := x.endBy
	for _, b := range x.blocks {
		if started := b.live & b.started; started != 0 {
			end = max(end, b.leasesEnd(started))
		}
	}
	if end <= s.leaseClock(s.now) {
		return false
	}
	x.endBy = end
	s.absences.put(x)
	return true
}

// abandon forgets a session that is to be there again after a restart.
func (s *State) abandon(x *session) {
	x.book.keep = true
	s.sayEnd(x, EndShutdown)
}

// resume takes a session up again on a new stream, which takes the place of the old
// one if that still looks alive.
func (s *State) resume(x *session, e *Attach) {
	until := x.resumeBy
	if !x.absent {
		until = s.leaseClock(e.At) + s.config.resumeWindow()
		end := s.out.endSession()
		end.Session, end.Incarnation, end.Reason, end.Served = x.id, x.incarnation, EndSuperseded, true
	}
	s.dropUnsent(x, e.At)
	x.absent = true // nothing of this is told: it is in what it kept
	s.releaseOthers(x, e)
	s.settleKeys()
	s.comeAlive(x, e)
	s.touchHeldBy(x, e.At)
	for _, b := range x.blocks {
		if !x.tellsStarted {
			s.startWork(b, b.live, s.leaseClock(e.At))
		}
		s.outlive(b, until)
	}
	attached := s.out.attached()
	attached.Session, attached.Incarnation, attached.Lease, attached.Ceilings = x.id, x.incarnation, x.lease, s.ceilings(x)
	attached.Resumed = &Resumed{Kept: x.kept(), NextSequence: x.sent + 1, ChargedBytes: x.charged, Applied: x.applied}
	if x.applied > 0 {
		s.owe(x)
	}
	if x.pulls {
		s.pullOn(x)
	}
	s.replan()
	s.refreshAfter(x)
}

// releaseOthers gives back what a client that comes back does not hold.
func (s *State) releaseOthers(x *session, e *Attach) {
	o := outcome{x: x, kind: returned, at: e.At, delay: -1}
	next := uint64(1)
	for _, r := range s.disjoint(e.Resume.Holding) {
		if r.First > e.Resume.ReceivedThrough || r.First > r.Last {
			continue
		}
		s.releaseRange(&o, next, r.First-min(r.First, 1))
		next = max(next, min(r.Last, e.Resume.ReceivedThrough, x.sent)+1)
	}
	s.releaseRange(&o, next, x.sent)
	if kept := x.kept(); len(kept) > maxKeptRanges {
		s.releaseRange(&o, kept[maxKeptRanges].First, x.sent)
	}
	s.pool.last = nil
	s.tidy(x)
}

func (s *State) releaseRange(o *outcome, first, last uint64) {
	x := o.x
	last = min(last, x.sent)
	for i := x.find(first); first <= last && i < len(x.blocks) && x.blocks[i].first <= last; i++ {
		b := x.blocks[i]
		for mask := b.mask(first, last) & b.live; mask != 0; {
			from, to := firstRun(mask)
			mask &^= bitsOf(from, to)
			s.strike(o, b, from, to)
		}
	}
}

// comeAlive sets a session to what its new stream asked for. Credit begins anew.
func (s *State) comeAlive(x *session, e *Attach) {
	if !x.serving && !e.Pull {
		x.serving = true
		s.openSessions++
		s.standBy(x)
	}
	s.absences.remove(x)
	s.drains.remove(x)
	s.unhold(x)
	x.absent, x.draining, x.drainTold, x.writable = false, false, false, true
	x.moving, x.forgiven = false, false
	x.incarnation, x.since, x.waitsFor = e.Incarnation, e.At, 0
	x.features(e.Features)
	x.lease, x.ownLease = orDefault(e.Lease, s.config.Lease), e.Lease != 0
	x.frames(e.MaxFrameBytes)
	x.replenish, x.window, x.granted = e.Replenish, e.Window, Credit{}
	if e.Pull {
		x.pull(e)
	}
	x.stream.limit = x.streamLimit(s.config.Stream)
	s.startReporting(x)
	s.recount(x)
}

// recount counts anew what could be asked back of a session: what it was asked for may
// not have reached it.
func (s *State) recount(x *session) {
	s.recalls.unstarted -= x.unstarted
	x.unstarted = 0
	for _, b := range x.blocks {
		s.recalls.asked -= b.askedBack()
		b.recalled = 0
		if x.answersRecall {
			x.unstarted += b.notStarted()
		}
	}
	s.recalls.unstarted += x.unstarted
}

// outlive prolongs the work leases of a block to a time, and arms its timer.
func (s *State) outlive(b *block, until Instant) {
	if b.live == 0 {
		return
	}
	b.ends = max(b.ends, until)
	if b.clocks != nil {
		for i := range b.clocks.ends {
			b.clocks.ends[i] = max(b.clocks.ends[i], until)
		}
	}
	s.rearm(b)
}

// kept lists what a session holds.
func (x *session) kept() (all []SequenceRange) {
	for _, b := range x.blocks {
		for live := b.live; live != 0; {
			from, to := firstRun(live)
			live &^= bitsOf(from, to)
			first, last := b.first+uint64(from), b.first+uint64(to)-1
			if n := len(all); n > 0 && all[n-1].Last+1 == first {
				all[n-1].Last = last
				continue
			}
			all = append(all, SequenceRange{first, last})
		}
	}
	return all
}
