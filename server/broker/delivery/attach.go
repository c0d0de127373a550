package delivery

// attach admits a session or refuses it.
func (s *State) attach(e *Attach) {
	switch x := s.byID[e.Session]; {
	case x == nil:
	case e.Resume == nil || e.Incarnation == x.incarnation:
		s.end(x, EndAttachedTwice, e.At)
		return
	case e.badLease(), s.forgets && e.Replenish != Manual: // the session goes on without it
	case s.closing && s.exact:
		s.dropUnsent(x, e.At)
		s.abandon(x)
	case s.closing:
		s.endAll(x, returned, e.At)
		s.sayEnd(x, EndShutdown)
	case x.closing:
		s.sayEnd(x, EndClosed)
	default:
		s.resume(x, e)
		return
	}
	if reason := s.refusal(e); reason != 0 {
		end := s.out.endSession()
		end.Session, end.Incarnation, end.Reason = e.Session, e.Incarnation, reason
		return
	}
	x := s.newSession(e)
	s.sessions = append(s.sessions, x)
	s.byID[x.id] = x
	s.openSessions++
	s.startReporting(x)
	s.standBy(x)
	if e.Takeover {
		s.usurp(x)
	}
	attached := s.out.attached()
	attached.Session, attached.Incarnation, attached.Lease, attached.Ceilings = x.id, x.incarnation, x.lease, s.ceilings(x)
	attached.Resumed = nil
	if len(s.sessions) == 1 {
		for _, p := range s.order {
			s.moved(p)
		}
	}
	if x.pulls {
		s.pulls = append(s.pulls, x)
	}
	s.replan()
	s.refresh(x)
}

// refusal says why a session is not admitted, 0 if it is; a session that it takes
// over is ended.
func (s *State) refusal(e *Attach) EndReason {
	switch {
	case s.closing:
		return EndShutdown
	case e.badLease():
		return EndBadAttach
	case s.forgets && e.Replenish != Manual:
		return EndNeedsManual
	case s.exact && e.Resume != nil:
		return EndNotResumed // what is stored of it may not be gone yet
	case s.config.Mode == Failover && e.Takeover && s.active != nil:
		s.takeOver(s.active, e.At)
		return 0
	case s.config.Mode != Exclusive:
		return 0
	}
	var former []*session
	for _, x := range s.sessions {
		if x.closing || x.absent && x.endBy > x.resumeBy {
			continue // it holds what is leased, and nothing else
		}
		if e.Pull && x.pulls && e.ClientID != "" && e.ClientID == x.clientID {
			continue // they are one client, and none takes the other's place
		}
		if e.Pull || !e.Takeover && (e.ClientID == "" || e.ClientID != x.clientID) {
			return EndRefused
		}
		former = append(former, x)
	}
	for _, x := range former {
		s.takeOver(x, e.At)
	}
	return 0
}

// badLease says that a lease out of bounds was asked for.
func (e *Attach) badLease() bool { return e.Lease != 0 && (e.Lease < MinLease || e.Lease > MaxLease) }

// takeOver ends the session that held an exclusive subscription, uncharged.
func (s *State) takeOver(x *session, at Instant) {
	s.dropUnsent(x, at)
	s.revokeAll(x, TakenOver)
	s.endAll(x, returned, at)
	s.sayEnd(x, EndTakenOver)
}

// end ends a session for a failure of its client: charged.
func (s *State) end(x *session, reason EndReason, at Instant) {
	if s.exact && !x.absent && x.stream.held.Messages > 0 {
		end := s.out.endSession()
		end.Session, end.Incarnation, end.Reason, end.Served = x.id, x.incarnation, reason, true
		s.lose(x, at) // what it holds is leased
		end.Waits = x.absent
		return
	}
	s.endAll(x, lost, at)
	s.sayEnd(x, reason)
}

func (s *State) sayEnd(x *session, reason EndReason) {
	end := s.out.endSession()
	end.Session, end.Incarnation, end.Reason, end.Served = x.id, x.incarnation, reason, true
	s.remove(x)
}

// detach takes note that a stream ended.
func (s *State) detach(e *Detach) {
	x := s.streamOf(e.Stamp)
	if x == nil {
		return
	}
	switch e.How {
	case Clean:
		x.closing = true
		s.stopServing(x)
		s.endAll(x, returned, e.At)
		s.finishLater(x)
	case Gone:
		if s.exact && x.stream.held.Messages > 0 {
			s.lose(x, e.At)
			return
		}
		s.endAll(x, returned, e.At)
		s.remove(x)
	default:
		s.lose(x, e.At)
	}
}

// revoke tells that first..last are no longer the session's.
func (s *State) revoke(x *session, first, last uint64, reason RevokeReason) {
	if x.absent || x.hasLeft || first > x.given() { // what was not sent is told behind its frame
		return
	}
	r := x.revoking
	if r == nil || x.revokingTurn != s.turn || r.Reason != reason {
		r = s.out.revoked()
		r.Session, r.Reason = x.id, reason
		x.revoking, x.revokingTurn = r, s.turn
		s.sent(x)
	}
	if n := len(r.Ranges); n > 0 && r.Ranges[n-1].Last+1 == first {
		r.Ranges[n-1].Last = last
		return
	}
	r.Ranges = append(r.Ranges, SequenceRange{first, last})
}

// revokeAll tells that a session holds nothing any more.
func (s *State) revokeAll(x *session, reason RevokeReason) {
	for _, b := range x.blocks {
		for live := b.live; live != 0; {
			from, to := firstRun(live)
			live &^= bitsOf(from, to)
			s.revoke(x, b.first+uint64(from), b.first+uint64(to)-1, reason)
		}
	}
}
