package delivery

// move asks sessions to leave their streams.
func (s *State) move(e *Move) {
	if s.closing {
		return
	}
	for _, x := range s.sessions {
		if (e.Session == 0 || e.Session == x.id) && !x.absent && !x.closing && !x.draining && !x.moving && !x.pulls {
			s.sendAway(x, e)
		}
	}
}

// sendAway tells a session to go. It gets nothing new: what another stream of it takes
// up is complete then.
func (s *State) sendAway(x *session, e *Move) {
	x.moving, x.drainAt = true, e.At+grace(e.Grace)
	g := s.out.goAway()
	g.Session, g.Grace, g.Reason = x.id, e.Grace, e.Reason
	s.sent(x)
	s.stopServing(x)
	s.drains.put(x)
	s.finishLater(x)
}

// canLeave says that a session goes on when its stream ends.
func (s *State) canLeave(x *session) bool {
	return s.exact && x.stream.held.Messages > 0 || x.resumes && s.config.resumeWindow() > 0
}

// depart ends the stream of a session that was told to go and did not. Nothing of it
// is charged, also if nobody takes it up again.
func (s *State) depart(x *session) {
	end := s.out.endSession()
	end.Session, end.Incarnation, end.Reason, end.Served = x.id, x.incarnation, EndMoved, true
	x.forgiven = true
	s.lose(x, s.now)
	end.Waits = x.absent
}

// lostKind is how the deliveries of a session end whose stream is no more.
func (x *session) lostKind() outcomeKind {
	if x.forgiven {
		return returned
	}
	return lost
}
