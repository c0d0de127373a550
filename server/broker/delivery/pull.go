package delivery

// A session that pulls has no stream. It is sent what is at hand, within the window
// that its Attach gave, or waits for something; then, or when a Leave comes, it has
// left: Drained says so, and nothing more is sent. What it holds stays its own until it
// is settled or its leases end, and with that the session ends. Nobody hears of it in
// between: it is told of nothing but its settles, and never silent.

// pull makes a session one that pulls.
func (x *session) pull(e *Attach) {
	x.pulls, x.replenish, x.granted = true, Manual, e.Window
	x.features(0)
}

// pullOn makes a session that was taken up again one that pulled: nothing more is sent to
// it, and its tokens settle what it holds.
func (s *State) pullOn(x *session) {
	x.hasLeft = true
	s.finishLater(x)
}

// waitNoMore takes note that who pulled waits no more.
func (s *State) waitNoMore(e *Leave) {
	if x := s.streamOf(e.Stamp); x != nil && x.pulls {
		x.leaving = true
	}
}

// harvest lets those sessions leave that pulled what there is. What they stood in the
// way of goes out in the next turn.
func (s *State) harvest() {
	kept, all := s.pulls[:0], len(s.pulls)
	for _, x := range s.pulls {
		switch {
		case x.gone || x.absent:
		case s.harvested(x):
			s.endPull(x)
		default:
			kept = append(kept, x)
		}
	}
	clear(s.pulls[len(kept):])
	s.pulls = kept
	s.more = s.more || len(kept) < all
}

// harvested says whether a session has got what it gets.
func (s *State) harvested(x *session) bool {
	switch {
	case x.given() < x.sent: // what was decided is still being written
		return false
	case x.leaving && !s.loading():
		return true
	case x.sent == 0:
		return false
	case !x.left().some():
		return true
	}
	return x.writable && (x.servedTurn != s.turn || !s.more)
}

// endPull says that nothing more comes, and of a pull in vain why nothing came.
func (s *State) endPull(x *session) {
	if x.sent == 0 {
		blocked, needs := s.blocked(x)
		s.tell(x, blocked, needs)
	}
	x.hasLeft = true
	s.stopServing(x)
	s.out.drained().Session = x.id
	s.finishLater(x)
}
