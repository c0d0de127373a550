package delivery

import "time"

// drain stops deliveries on the client's wish.
func (s *State) drain(e *Drain) {
	x := s.hear(e.Stamp)
	if x == nil || x.closing {
		return
	}
	at := e.At + grace(e.Grace)
	if x.draining || x.moving {
		at = min(at, x.drainAt)
	}
	x.draining, x.drainAt = true, at
	s.stopServing(x)
	s.drains.put(x)
	s.finishLater(x)
}

// shutdown stops deliveries to everybody.
func (s *State) shutdown(e *Shutdown) {
	if s.closing {
		return
	}
	s.closing = true
	s.closeAt = e.At + grace(e.Grace)
	for s.absences.len() > 0 {
		x := s.absences.top()
		if s.exact {
			s.abandon(x)
			continue
		}
		s.endAll(x, returned, e.At)
		s.sayEnd(x, EndShutdown)
	}
	for _, x := range s.sessions {
		g := s.out.goAway()
		g.Session, g.Grace, g.Reason = x.id, e.Grace, GoAwayShutdown
		s.sent(x)
		s.stopServing(x)
		s.finishLater(x)
	}
}

// grace bounds what a client or an operator asked for.
func grace(d time.Duration) time.Duration { return min(max(d, 0), MaxLease) }

// endGraces takes back what is unsettled at the end of a drain or a shutdown.
func (s *State) endGraces() {
	for s.drains.len() > 0 && s.drains.top().drainAt <= s.now {
		if x := s.drains.pop(); x.moving && !x.draining && s.canLeave(x) {
			s.depart(x)
		} else {
			s.takeBack(x)
		}
	}
	if !s.closing || s.closed || s.closeAt > s.now {
		return
	}
	s.closed = true
	for _, x := range s.sessions {
		if s.exact {
			s.keepHeld(x)
			continue
		}
		s.takeBack(x)
	}
}

// keepHeld leaves with a session what it holds when the subscription stops, for it may
// be taken up again after a restart.
func (s *State) keepHeld(x *session) {
	s.dropUnsent(x, s.now)
	x.book.keep = x.stream.held.Messages > 0
	s.finishLater(x)
}

func (s *State) takeBack(x *session) {
	s.dropUnsent(x, s.now)
	s.revokeAll(x, DrainEnded)
	s.endAll(x, returned, s.now)
	s.finishLater(x)
}

// finishLater has a session looked at in the next turn: it may have finished.
func (s *State) finishLater(x *session) {
	if !x.finishing && !x.absent && (x.draining || x.closing || x.hasLeft || s.closing || x.moving && !s.canLeave(x)) {
		x.finishing = true
		s.finishing = append(s.finishing, x)
	}
}

// finishAll tells the sessions that hold nothing, and know that all their settles
// are durable, that they are done.
func (s *State) finishAll() {
	for _, x := range s.finishing {
		x.finishing = false
		if x.gone || x.absent || x.stream.held.Messages > 0 && !x.book.keep || x.told != x.applied {
			continue
		}
		s.finished(x)
	}
	clear(s.finishing)
	s.finishing = s.finishing[:0]
}

func (s *State) finished(x *session) {
	if x.draining && !x.drainTold && x.stream.held.Messages == 0 {
		x.drainTold = true
		s.drains.remove(x)
		s.out.drained().Session = x.id
		s.sent(x)
	}
	switch {
	case x.closing || x.hasLeft:
		s.sayEnd(x, EndClosed)
	case s.closing:
		s.sayEnd(x, EndShutdown)
	case x.moving && !s.canLeave(x):
		s.sayEnd(x, EndMoved)
	}
}

func newDrains() heap[*session] {
	return heap[*session]{
		less:  func(a, b *session) bool { return a.drainAt < b.drainAt },
		place: func(x *session) *int { return &x.drainTimer },
	}
}
