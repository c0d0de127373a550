package delivery

// redelivery is a range of messages that were delivered and came back. It is in
// one place at a time and moves on in this order, skipping what does not apply:
//
//	held      its counts are not committed yet
//	waiting   it is not due yet
//	absent    the segment of its first message is not at hand
//	behind    it is not the next of its key
//	shunned   one session is avoided, the others may have it
//	own       one session may have it
//	ready     anybody may have it
//
// A message that does not fit the session it was offered to is kept aside.
type redelivery struct {
	p           *partition
	first, last uint64
	due         Instant
	// avoid is not offered it before avoidUntil; if prefer is set only while there
	// is another session.
	avoid      *session
	avoidUntil Instant
	prefer     bool
	// key is the key that it is the next of, or waits for; only the session that may
	// have it, nil for any.
	key  *orderKey
	only *session

	// again says that it was delivered before.
	again bool
	where place
	at    Instant  // when timers moves it on: waiting or shunned
	seg   *segment // what it holds while shunned or ready
	order int      // place in a heap by offset
	timer int      // place in pool.timers

	// Of a message aside:
	size   uint64
	holder *session // keeps itself empty for it
	wants  bool     // its segment is to be loaded: somebody can take it
}

type place uint8

const (
	nowhere place = iota
	held
	waiting
	absent
	behind
	shunned
	own
	ready
	aside
)

func (e *redelivery) messages() uint64 { return e.last - e.first + 1 }

// before orders by offset: what has waited longest goes first.
func (e *redelivery) before(other *redelivery) bool {
	if e.first != other.first {
		return e.first < other.first
	}
	return e.p.id < other.p.id
}

// pool holds all redeliveries.
type pool struct {
	timers   heap[*redelivery] // waiting and shunned ones by at
	ready    heap[*redelivery]
	shunners heap[*session] // sessions with shunned ones, by their first
	// messages counts all; later those held, waiting or behind; absent the absent
	// ones; own those that one session may have.
	messages uint64
	later    uint64
	absent   uint64
	own      uint64
	spare    []*redelivery
	// last is the one made last in this operation: its neighbour may join it.
	last *redelivery
}

// maxSpareRedeliveries bounds the records kept for reuse.
const maxSpareRedeliveries = 4096

func newOffsetHeap() heap[*redelivery] {
	return heap[*redelivery]{less: (*redelivery).before, place: func(e *redelivery) *int { return &e.order }}
}

func newPool() pool {
	return pool{
		timers: heap[*redelivery]{
			less:  func(a, b *redelivery) bool { return a.at < b.at },
			place: func(e *redelivery) *int { return &e.timer },
		},
		ready: newOffsetHeap(),
		shunners: heap[*session]{
			less:  func(a, b *session) bool { return a.shunned.top().before(b.shunned.top()) },
			place: func(x *session) *int { return &x.shunnerAt },
		},
	}
}

// add makes a redelivery like the given one, or lets the last one grow when it
// continues it.
func (s *State) add(like redelivery) *redelivery {
	s.pool.messages += like.messages()
	if e := s.pool.last; e != nil && e.continuedBy(&like) {
		switch e.where {
		case held, waiting:
			s.pool.later += like.messages()
		case absent:
			s.countAbsent(e.p, like.messages())
		default:
		}
		e.last = like.last
		return nil
	}
	e := s.newRedelivery()
	*e = like
	e.again = true
	s.pool.last = e
	return e
}

func (e *redelivery) continuedBy(o *redelivery) bool {
	return e.p == o.p && e.key == nil && o.key == nil && e.last+1 == o.first && e.due == o.due && e.avoid == o.avoid &&
		e.avoidUntil == o.avoidUntil && e.prefer == o.prefer &&
		(e.where == held) == (o.where == held) && (e.where != held || e.first/ChunkOffsets == o.first/ChunkOffsets)
}

func (s *State) newRedelivery() *redelivery {
	n := len(s.pool.spare)
	if n == 0 {
		return &redelivery{}
	}
	e := s.pool.spare[n-1]
	s.pool.spare = s.pool.spare[:n-1]
	return e
}

func (s *State) countAbsent(p *partition, n uint64) {
	p.absentMessages += n
	s.pool.absent += n
}

// route puts a redelivery where it belongs now.
func (s *State) route(e *redelivery) {
	if !s.clip(e) {
		return
	}
	switch {
	case e.key != nil && e.key.exposed != e:
		e.where = behind
		s.pool.later++
	case e.due > s.now:
		e.where, e.at = waiting, e.due
		s.pool.timers.put(e)
		s.pool.later += e.messages()
	case !e.pin():
		s.putAbsent(e)
	case s.avoided(e):
		e.where, e.at = shunned, e.avoidUntil
		s.pool.timers.put(e)
		e.avoid.shunned.put(e)
		s.pool.shunners.put(e.avoid)
	case e.only != nil:
		e.where = own
		e.only.own.put(e)
		s.pool.own++
	default:
		e.where = ready
		s.pool.ready.put(e)
	}
	s.changed = true
}

// clip drops what a hole has settled at the front; it says whether anything is
// left, and frees the record when not.
func (s *State) clip(e *redelivery) bool {
	for e.first <= e.last && e.p.settled(e.first) {
		e.first++
		s.pool.messages--
	}
	if e.first > e.last {
		s.free(e)
		return false
	}
	return true
}

func (s *State) free(e *redelivery) {
	if s.pool.last == e {
		s.pool.last = nil
	}
	s.leaveKey(e)
	*e = redelivery{}
	if len(s.pool.spare) < maxSpareRedeliveries {
		s.pool.spare = append(s.pool.spare, e)
	}
}

func (s *State) putAbsent(e *redelivery) {
	e.where = absent
	e.p.absent.put(e)
	s.countAbsent(e.p, e.messages())
}

// pin holds the segment of the first message, if it is at hand.
func (e *redelivery) pin() bool {
	e.seg = e.p.at(e.first)
	if e.seg == nil {
		return false
	}
	e.seg.wanted++
	return true
}

func (s *State) unpin(g *segment) {
	if g != nil {
		g.wanted--
		s.letGo(g)
	}
}

// avoided says whether a session is to be avoided now.
func (s *State) avoided(e *redelivery) bool {
	return e.avoid != nil && !e.avoid.gone && e.avoidUntil > s.now && (!e.prefer || s.openSessions > 1)
}

// toAvoid is the session that is to be avoided now, nil when there is none.
func (s *State) toAvoid(e *redelivery) *session {
	if s.avoided(e) {
		return e.avoid
	}
	return nil
}

// unplace takes a redelivery out of its place. The caller unpins what is returned.
func (s *State) unplace(e *redelivery) *segment {
	switch e.where {
	case held, waiting, behind:
		s.pool.timers.remove(e)
		s.pool.later -= e.messages()
	case absent:
		e.p.absent.remove(e)
		s.countAbsent(e.p, -e.messages())
	case shunned:
		s.pool.timers.remove(e)
		s.unshun(e)
	case own:
		e.only.own.remove(e)
		s.pool.own--
	case ready:
		s.pool.ready.remove(e)
	case aside:
		s.pool.timers.remove(e)
		s.misfits.remove(e)
	default:
	}
	seg := e.seg
	e.where, e.seg = nowhere, nil
	return seg
}

func (s *State) unshun(e *redelivery) {
	x := e.avoid
	s.pool.shunners.remove(x)
	x.shunned.remove(e)
	if x.shunned.len() > 0 {
		s.pool.shunners.put(x)
	}
}

// reroute moves a redelivery to where it belongs now.
func (s *State) reroute(e *redelivery) {
	seg := s.unplace(e)
	s.route(e)
	s.unpin(seg)
}

// toAbsent gives up the segment of a redelivery.
func (s *State) toAbsent(e *redelivery) {
	seg := s.unplace(e)
	s.putAbsent(e)
	s.unpin(seg)
}

// arrived moves on the redeliveries that waited for a segment.
func (s *State) arrived(g *segment) {
	for g.p.absent.len() > 0 && g.holds(g.p.absent.top().first) {
		s.reroute(g.p.absent.top())
	}
	for _, e := range s.misfits.aside {
		if e.wants && e.seg == nil && e.p == g.p && g.holds(e.first) {
			e.pin()
		}
	}
}

// ripen moves on what has become due, or need not avoid a session any more.
func (s *State) ripen() {
	for s.pool.timers.len() > 0 && s.pool.timers.top().at <= s.now {
		e := s.pool.timers.top()
		if e.where == aside {
			s.pool.timers.remove(e)
			s.changed = true
			continue
		}
		s.reroute(e)
	}
}

// consume takes the first n messages out of a redelivery.
func (s *State) consume(e *redelivery, n uint64) {
	s.pool.messages -= n
	if n == e.messages() {
		seg := s.unplace(e)
		s.free(e)
		s.unpin(seg)
		return
	}
	e.first += n
	if e.p.settled(e.first) || !e.seg.holds(e.first) {
		s.reroute(e)
		return
	}
	s.reorder(e)
}

// reorder puts a redelivery back in order after its first offset has grown.
func (s *State) reorder(e *redelivery) {
	if e.where == ready {
		s.pool.ready.put(e)
		return
	}
	e.avoid.shunned.put(e)
	s.pool.shunners.put(e.avoid)
}

// candidate returns the redelivery that a session would get first.
func (s *State) candidate(x *session) *redelivery {
	var best *redelivery
	if s.pool.ready.len() > 0 {
		best = s.pool.ready.top()
	}
	if y := s.shunner(x); y != nil && (best == nil || y.shunned.top().before(best)) {
		best = y.shunned.top()
	}
	if x.own.len() > 0 && (best == nil || x.own.top().before(best)) {
		best = x.own.top()
	}
	return best
}

// shunner returns the session, other than x, with the first of the shunned ones.
func (s *State) shunner(x *session) *session {
	items := s.pool.shunners.items
	switch {
	case len(items) == 0:
		return nil
	case items[0] != x:
		return items[0]
	case len(items) == 1:
		return nil
	case len(items) == 2 || items[1].shunned.top().before(items[2].shunned.top()):
		return items[1]
	default:
		return items[2]
	}
}

// unavoid lets everybody have what a session that left was not to get.
func (s *State) unavoid(x *session) {
	for x.shunned.len() > 0 {
		s.reroute(x.shunned.top())
	}
}
