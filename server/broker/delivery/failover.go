package delivery

// standBy has a new session of a failover subscription wait for its turn.
func (s *State) standBy(x *session) {
	if s.config.Mode != Failover {
		return
	}
	s.attached++
	x.order, x.standby = s.attached, true
	if s.active == nil {
		s.activate(x)
	}
}

// activate has a session of a failover subscription served, if it stands by.
func (s *State) activate(x *session) {
	if !x.standby || s.active != nil && s.active != x {
		return
	}
	s.active, x.standby = x, false
	x.reported = unreported
	s.replan()
	s.place(x)
	s.changed = true
}

// usurp has a session served in the place of the one that is.
func (s *State) usurp(x *session) {
	if y := s.active; x.standby && y != nil {
		s.active, y.standby = nil, true
		y.reported = unreported
		s.unhold(y)
		s.place(y)
	}
	s.activate(x)
}

// succeed has the session served that came next, when the one that was is not any more.
func (s *State) succeed(x *session) {
	if s.active != x {
		return
	}
	s.active, x.standby = nil, true
	var next *session
	for _, y := range s.sessions {
		if y.serving && y != x && (next == nil || y.order < next.order) {
			next = y
		}
	}
	if next != nil {
		s.activate(next)
	}
}
