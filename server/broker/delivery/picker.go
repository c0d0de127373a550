package delivery

import "math"

// picker keeps the sessions that can be served in order.
type picker struct {
	// eligible: the one with the fewest outstanding first, then the one that was not
	// served for longest.
	eligible heap[*session]
	// short: those whose byte credit is too small for the message they were last
	// offered; the one with the most left first.
	short heap[*session]
}

func newPicker() picker {
	return picker{
		eligible: heap[*session]{less: servedBefore, place: func(x *session) *int { return &x.eligibleAt }},
		short: heap[*session]{
			less:  func(a, b *session) bool { return a.shortLeft > b.shortLeft },
			place: func(x *session) *int { return &x.shortAt },
		},
	}
}

func servedBefore(a, b *session) bool {
	if a.stream.held.Messages != b.stream.held.Messages {
		return a.stream.held.Messages < b.stream.held.Messages
	}
	if a.servedTurn != b.servedTurn {
		return a.servedTurn < b.servedTurn
	}
	return a.id < b.id
}

// place puts a session where it belongs; one that was picked waits for the end of
// the turn.
func (s *State) place(x *session) {
	switch {
	case x.inTurn:
	case !s.servable(x):
		s.picker.eligible.remove(x)
		s.picker.short.remove(x)
	case x.waitsFor > 0:
		s.picker.eligible.remove(x)
		x.shortLeft = x.left().Bytes
		s.picker.short.put(x)
	default:
		s.picker.short.remove(x)
		s.picker.eligible.put(x)
	}
}

// servable says whether a session could take a message, if there were one.
func (s *State) servable(x *session) bool {
	if !x.serving || !x.writable || x.standby || !x.left().some() {
		return false
	}
	if x.client != nil && x.client.ceiling.reserved != nil && x.client.ceiling.reserved != x {
		return false
	}
	return x.holds == nil || s.emptyFor(x, x.holds.size)
}

// refresh looks at a session again after its credit or standing changed.
func (s *State) refresh(x *session) {
	if x.gone {
		return
	}
	x.waitsFor = 0
	s.place(x)
	s.changed = true
}

// refreshAfter looks at everybody whom the end of a session's deliveries concerns.
func (s *State) refreshAfter(x *session) {
	if c := x.client; c != nil && c.ceiling.limit != (Credit{math.MaxUint64, math.MaxUint64}) {
		for _, y := range c.sessions {
			s.refresh(y)
		}
	}
	if holder := s.ceiling.reserved; holder != nil {
		s.refresh(holder)
	}
	s.refresh(x)
	if !x.gone && x.stream.held.Messages == 0 {
		s.finishLater(x)
	}
}

// revive gives those another try whose credit may suffice for what comes now.
func (s *State) revive() {
	if s.picker.short.len() == 0 {
		return
	}
	least := s.smallest()
	for s.picker.short.len() > 0 && s.picker.short.top().shortLeft >= least {
		s.picker.eligible.put(s.picker.short.pop())
	}
}

// smallest is how much byte credit makes it worth to try: the size of the smallest
// message that would be offered next, or nothing when that one is so large that
// some session would put it aside.
func (s *State) smallest() uint64 {
	if least := s.smallestNext(); least <= s.smallestLimit() {
		return least
	}
	return 0
}

// smallestLimit is the largest message that fits every session.
func (s *State) smallestLimit() uint64 {
	if s.limitKnown {
		return s.limit
	}
	s.limit, s.limitKnown = math.MaxUint64, true
	for _, x := range s.sessions {
		if x.serving {
			s.limit = min(s.limit, x.maxMessage, s.limitFor(x))
		}
	}
	return s.limit
}

func (s *State) smallestNext() uint64 {
	least := uint64(math.MaxUint64)
	for _, p := range s.open {
		if p.front.keyed() {
			return 0 // it may wait for its key, and the one behind it not
		}
		least = min(least, p.front.bytes(p.next, 1))
	}
	if s.pool.ready.len() > 0 {
		least = min(least, s.pool.ready.top().nextBytes())
	}
	if s.pool.shunners.len() > 0 {
		least = min(least, s.pool.shunners.top().shunned.top().nextBytes())
	}
	for _, e := range s.misfits.aside {
		least = min(least, e.size)
	}
	return least
}

func (e *redelivery) nextBytes() uint64 { return e.seg.bytes(e.first, 1) }

// pick takes the session out that is to be served next; nil when there is none.
func (s *State) pick() *session {
	if s.picker.eligible.len() == 0 {
		return nil
	}
	x := s.picker.eligible.top()
	if holder := s.ceiling.reserved; holder != nil {
		if holder.eligibleAt == 0 {
			return nil
		}
		x = holder
	}
	s.picker.eligible.remove(x)
	x.inTurn = true
	s.served = append(s.served, x)
	return x
}

// endTurn puts those that were picked back in line.
func (s *State) endTurn() {
	for _, x := range s.served {
		x.inTurn = false
		s.place(x)
	}
	clear(s.served)
	s.served = s.served[:0]
}
