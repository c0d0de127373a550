package delivery

const (
	// sharedTurnMessages is what a session gets in a turn while others wait.
	sharedTurnMessages = 64
	// maxTurnMessages bounds a frame when nobody else waits.
	maxTurnMessages = 1024
	// maxFreshLead is by how many messages fresh ones may get ahead before as many
	// redeliveries go first; so redeliveries take at most half, and get it.
	maxFreshLead = sharedTurnMessages / 2
)

// dispatch serves each session that can be served once.
func (s *State) dispatch() {
	s.more, s.capped, s.cap.limited = false, false, false
	if s.openSessions == 0 || s.config.Paused || s.holding {
		return
	}
	if s.cap.on {
		s.cap.fill(s.now)
	}
	s.revive()
	progress, alone := false, s.picker.eligible.len() <= 1
	backlog := s.readyMessages()
	for s.hasWork() && s.ceiling.room().some() && !s.capped && s.unsent.bytes < maxUnsentBytes && !s.rated() {
		x := s.pick()
		if x == nil {
			break
		}
		before := x.sent
		share := uint64(maxTurnMessages)
		if !alone {
			share = s.share(backlog)
		}
		progress = s.serve(x, share) || progress
		backlog -= min(backlog, x.sent-before)
	}
	s.endTurn()
	s.changed = s.changed || progress
	s.cap.limited = s.rated() && s.hasWork() && s.picker.eligible.len() > 0
	s.more = progress && !s.cap.limited && s.canGoOn()
}

// canGoOn says whether another turn could dispatch more at once.
func (s *State) canGoOn() bool {
	if !s.hasWork() || s.capped || !s.ceiling.room().some() {
		return false
	}
	if s.picker.eligible.len() > 0 {
		return true
	}
	return s.picker.short.len() > 0 && s.picker.short.top().shortLeft >= s.smallest()
}

// hasWork says whether there is a message that somebody might get.
func (s *State) hasWork() bool {
	return len(s.open) > 0 && s.freshAllowed() || s.pool.ready.len() > 0 ||
		s.pool.shunners.len() > 0 || s.pool.own > 0 || len(s.misfits.aside) > 0
}

// freshAllowed is false while too much waits for its retry.
func (s *State) freshAllowed() bool {
	return s.pool.messages-uint64(s.misfits.len()) < s.config.MaxWaiting
}

// readyMessages is how many messages could be dispatched now.
func (s *State) readyMessages() uint64 {
	n := s.pool.messages - s.pool.later - s.pool.absent
	for _, p := range s.open {
		n += p.fresh()
	}
	return n
}

// share is how many messages of the backlog the session that was just picked gets,
// as many as each of those that were not picked yet.
func (s *State) share(backlog uint64) uint64 {
	sessions := uint64(s.picker.eligible.len()) + 1
	return min(max((backlog+sessions-1)/sessions, 1), sharedTurnMessages)
}

// serve fills one frame for a session and says whether anything went in.
func (s *State) serve(x *session, share uint64) bool {
	f := &s.frame
	waited := x.waitsFor > 0
	x.waitsFor = 0
	s.begin(f, x, share)
	s.fillMisfits(f)
	if s.config.Mode != Shared || s.config.Order != OrderNone {
		s.fillRedeliveries(f, f.slots)
	}
	s.fillShared(f)
	s.fillFresh(f, f.slots)
	s.fillRedeliveries(f, f.slots)
	f.progress = f.progress || x.waitsFor > 0 && !waited
	return s.finishFrame(f)
}

// fillShared fills a frame while there are both: redeliveries get the slots by
// which fresh messages are ahead, and fresh ones go on.
func (s *State) fillShared(f *frame) {
	for !f.done && len(s.open) > 0 && s.freshAllowed() && s.candidate(f.x) != nil {
		s.freshLead -= s.fillRedeliveries(f, min(s.freshLead, f.slots))
		if s.fillFresh(f, maxFreshLead-s.freshLead) == 0 {
			return
		}
	}
}

// fillFresh takes up to limit messages that were never delivered, a run of each
// partition in turn, and returns how many it took.
func (s *State) fillFresh(f *frame, limit uint64) (taken uint64) {
	for tries := len(s.open); tries > 0 && len(s.open) > 0 && taken < limit && !f.done && s.freshAllowed(); tries-- {
		i := s.rotor % len(s.open)
		p := s.open[i]
		taken += s.fillFrom(f, p, limit-taken)
		s.rotor = i
		if p.openAt != 0 {
			s.rotor++
		}
	}
	s.freshLead = min(s.freshLead+taken, maxFreshLead)
	return taken
}

// fillFrom takes up to limit of a partition's fresh messages, and returns how many
// it took.
func (s *State) fillFrom(f *frame, p *partition, limit uint64) (taken uint64) {
	if p.order != OrderNone {
		return s.fillOrdered(f, p, limit)
	}
	return s.fillPlain(f, p, limit)
}

// fillPlain takes them as they come, as long as they are of one kind.
func (s *State) fillPlain(f *frame, p *partition, limit uint64) (taken uint64) {
	for !f.done && p.openAt != 0 && taken < limit && (p.order == OrderNone || !p.front.keyed()) {
		g := p.front
		n := p.freshRun(min(p.head-p.next, g.end()-p.next, limit-taken))
		f.avoid = nil
		n, fit := s.fit(f, g, p.next, n, 1)
		if n == 0 {
			s.declined(f, fit, g, p.next, nil)
			continue
		}
		s.put(f, g, p.next, n, 1)
		taken += n
		p.take(n)
		s.moved(p)
	}
	return taken
}

// fillRedeliveries takes up to limit messages that came back, and returns how
// many it took.
func (s *State) fillRedeliveries(f *frame, limit uint64) (taken uint64) {
	for !f.done && taken < limit && !s.redrivenUnknown() {
		e := s.candidate(f.x)
		if e == nil {
			break
		}
		if e.only != nil && !e.key.takesMore(e.only) {
			s.withdraw(e.key)
			continue
		}
		f.avoid = s.toAvoid(e)
		p, g := e.p, e.seg
		through, settled := p.clash(e.first, min(e.last, g.end()-1))
		if settled {
			s.reroute(e)
			continue
		}
		attempt, through := p.attempt(e.first, through)
		n, fit := s.fit(f, g, e.first, min(through-e.first+1, limit-taken), attempt)
		switch {
		case n == 0 && e.only != nil && (fit == oversize || fit == tooLarge):
			s.withdraw(e.key)
			continue
		case n == 0:
			s.declined(f, fit, g, e.first, e)
			continue
		case e.again:
			p.counters.Redelivered += n
		}
		s.put(f, g, e.first, n, attempt)
		taken += n
		s.consume(e, n)
		s.settleKeys()
	}
	return taken
}

// openPartition puts a partition among those with something to dispatch.
func (s *State) openPartition(p *partition) {
	if p.openAt == 0 {
		s.open = append(s.open, p)
		p.openAt = len(s.open)
	}
}

func (s *State) closePartition(p *partition) {
	if p.openAt == 0 {
		return
	}
	end := len(s.open) - 1
	last := s.open[end]
	s.open[p.openAt-1], last.openAt = last, p.openAt
	p.openAt = 0
	s.open[end] = nil
	s.open = s.open[:end]
}
