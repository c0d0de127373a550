package delivery

import (
	"math"
	"slices"
	"sort"
)

// maxMisfits bounds the messages kept aside. When it is reached, a session that
// meets another one waits.
const maxMisfits = 10_000

// misfits are messages that did not fit the session they were offered to, so that
// it may go on with others. They are larger than its frames, or larger than a
// ceiling: then one session keeps itself empty for the message, unless there is
// another session whose ceilings it fits.
type misfits struct {
	aside  []*redelivery // somebody may take them; by offset
	beyond []*redelivery // larger than the frames of every session
	// largest is the size of the largest of all, 0 when there is none.
	largest uint64
}

func (m *misfits) len() int { return len(m.aside) + len(m.beyond) }

func (m *misfits) remove(e *redelivery) {
	m.aside = without(m.aside, e)
	m.beyond = without(m.beyond, e)
	if e.size == m.largest {
		m.measure()
	}
}

func without(list []*redelivery, e *redelivery) []*redelivery {
	for i := range list {
		if list[i] == e {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

func (m *misfits) measure() {
	m.largest = 0
	for _, e := range m.aside {
		m.largest = max(m.largest, e.size)
	}
	for _, e := range m.beyond {
		m.largest = max(m.largest, e.size)
	}
}

func (m *misfits) insert(e *redelivery) {
	i := sort.Search(len(m.aside), func(i int) bool { return e.before(m.aside[i]) })
	m.aside = append(m.aside, nil)
	copy(m.aside[i+1:], m.aside[i:])
	m.aside[i] = e
	m.largest = max(m.largest, e.size)
}

// declined deals with a message that a frame could not take: of a redelivery, or
// the first fresh one when e is nil.
func (s *State) declined(f *frame, why fit, g *segment, offset uint64, e *redelivery) {
	size := g.bytes(offset, 1)
	misfit := why == oversize || why == tooLarge
	switch {
	case misfit && s.misfits.len() < maxMisfits:
		f.progress = true
		s.setAside(f, why, s.isolate(g, offset, size, e))
		return
	case why == short || misfit:
		f.x.waitsFor = size
	case why == capped:
		s.capped = true
	}
	f.done = true
}

// isolate takes one message out of where it waits.
func (s *State) isolate(g *segment, offset, size uint64, e *redelivery) *redelivery {
	m := s.newRedelivery()
	*m = redelivery{p: g.p, first: offset, last: offset, where: aside, size: size}
	m.again = e != nil && e.again || e == nil && g.p.count(offset) != nil
	s.asideOf(m, g, e)
	s.pool.messages++
	m.pin()
	if e != nil {
		m.avoid, m.avoidUntil, m.prefer = e.avoid, e.avoidUntil, e.prefer
		if s.avoided(m) {
			m.at = m.avoidUntil
			s.pool.timers.put(m)
		}
		s.consume(e, 1)
		return m
	}
	g.p.take(1)
	s.moved(g.p)
	return m
}

// asideOf makes a message that was taken out the exposed one of its key.
func (s *State) asideOf(m *redelivery, g *segment, e *redelivery) {
	if !g.keyed() {
		return
	}
	hash, present := g.keyOf(m.first)
	if !present {
		return
	}
	m.key = s.keyFor(g.p, hash)
	m.key.exposed = m
	if e != nil {
		e.key = nil
	}
}

// setAside keeps a message for another session, or for this one as soon as it is
// empty.
func (s *State) setAside(f *frame, why fit, m *redelivery) {
	if m.size > s.largestFrame() {
		s.misfits.beyond = append(s.misfits.beyond, m)
		s.misfits.largest = max(s.misfits.largest, m.size)
		s.unpinMisfit(m)
		return
	}
	s.misfits.insert(m)
	if why == oversize && !s.anotherMay(f.x, m.size) {
		s.hold(f.x, m)
		f.done = true
	}
	if s.wantedSegments > maxWantedSegments {
		s.unpinMisfit(m)
	}
}

func (s *State) unpinMisfit(m *redelivery) {
	seg := m.seg
	m.seg = nil
	s.unpin(seg)
}

func (s *State) largestFrame() (size uint64) {
	for _, x := range s.sessions {
		if x.serving && !x.standby {
			size = max(size, x.maxMessage)
		}
	}
	return size
}

// anotherMay says whether a session other than x has frames and ceilings that a
// message fits.
func (s *State) anotherMay(x *session, size uint64) bool {
	for _, y := range s.sessions {
		if y != x && y.serving && !y.standby && size <= y.maxMessage && size <= s.limitFor(y) {
			return true
		}
	}
	return false
}

// anotherCan says whether such a session could take it at once. One that is to be
// avoided cannot, nor one that waits for bytes for another message.
func (s *State) anotherCan(x *session, size uint64, avoid *session) bool {
	if size > s.ceiling.room().Bytes {
		return false
	}
	for _, y := range s.sessions {
		if y == x || y == avoid || y.waitsFor > 0 || size > y.maxMessage || size > s.limitFor(y) {
			continue
		}
		if s.servable(y) && size <= y.left().Bytes {
			return true
		}
	}
	return false
}

// limitFor is the largest message that fits every ceiling of a session.
func (s *State) limitFor(x *session) uint64 {
	limit := min(x.stream.limit.Bytes, s.ceiling.limit.Bytes)
	if x.client != nil {
		limit = min(limit, x.client.ceiling.limit.Bytes)
	}
	return limit
}

// emptyFor says whether nothing is outstanding against the ceilings of a session
// that a message exceeds.
func (s *State) emptyFor(x *session, size uint64) bool {
	return x.stream.emptyFor(size) && s.ceiling.emptyFor(size) && (x.client == nil || x.client.ceiling.emptyFor(size))
}

func (c *ceiling) emptyFor(size uint64) bool { return size <= c.limit.Bytes || c.held.Messages == 0 }

// hold keeps a session, and every ceiling that a message exceeds, empty for it.
func (s *State) hold(x *session, m *redelivery) {
	x.holds, m.holder, m.wants = m, x, true
	if m.size > s.ceiling.limit.Bytes {
		s.ceiling.reserved = x
	}
	if x.client != nil && m.size > x.client.ceiling.limit.Bytes {
		x.client.ceiling.reserved = x
		for _, y := range x.client.sessions {
			s.place(y)
		}
	}
}

// unhold gives up what a session keeps itself empty for.
func (s *State) unhold(x *session) {
	if x.holds == nil {
		return
	}
	x.holds.holder, x.holds = nil, nil
	if s.ceiling.reserved == x {
		s.ceiling.reserved = nil
	}
	if x.client != nil && x.client.ceiling.reserved == x {
		x.client.ceiling.reserved = nil
		for _, y := range x.client.sessions {
			s.refresh(y)
		}
	}
	s.refresh(x)
}

// fillMisfits offers a session what was kept aside, lowest offset first.
func (s *State) fillMisfits(f *frame) {
	for i := 0; i < len(s.misfits.aside) && !f.done && !s.redrivenUnknown(); {
		if !s.offer(f, s.misfits.aside[i]) {
			i++
		}
	}
}

// offer offers one message that was kept aside, and says whether it went.
func (s *State) offer(f *frame, m *redelivery) bool {
	x := f.x
	if m.avoid == x && s.avoided(m) {
		return false
	}
	if m.size > x.maxMessage || x.holds != nil && x.holds != m {
		return false
	}
	switch why := s.admit(x, m.size); {
	case m.holder != nil && m.holder != x && why != alone:
	case why == short:
		x.waitsFor, f.done = m.size, true
	case why == capped:
		s.capped, f.done = true, true
	case why == oversize && x.holds == m:
		f.done = true
	case why == oversize:
		if !s.anotherMay(x, m.size) {
			s.hold(x, m)
			f.done, f.progress = true, true
		}
	case why == alone && x.holds != m && s.anotherCan(x, m.size, s.toAvoid(m)):
	default:
		return s.takeMisfit(f, m)
	}
	return false
}

// takeMisfit delivers a message that was kept aside, if its segment is at hand.
func (s *State) takeMisfit(f *frame, m *redelivery) bool {
	m.wants = true
	if m.seg == nil && !m.pin() {
		s.changed = true
		f.done = f.x.holds == m
		return false
	}
	attempt, _ := m.p.attempt(m.first, m.first)
	f.avoid = s.toAvoid(m)
	n, _ := s.fit(f, m.seg, m.first, 1, attempt)
	if n == 0 {
		f.done = true // no room behind others in this frame
		return false
	}
	s.put(f, m.seg, m.first, 1, attempt)
	if m.again {
		m.p.counters.Redelivered++
	}
	s.pool.messages--
	s.dropMisfit(m)
	return true
}

// dropMisfit forgets a message that was delivered, or that a hole has settled.
func (s *State) dropMisfit(m *redelivery) {
	if m.holder != nil {
		s.unhold(m.holder)
	}
	seg := s.unplace(m)
	s.free(m)
	s.unpin(seg)
}

// dropSettledMisfits forgets those that a hole has settled.
func (s *State) dropSettledMisfits() {
	for _, list := range [][]*redelivery{s.misfits.aside, s.misfits.beyond} {
		for _, m := range slices.Clone(list) {
			if m.p.settled(m.first) {
				s.pool.messages--
				s.dropMisfit(m)
			}
		}
	}
}

// requestMisfits asks for the segments of what somebody can take. One that is at hand,
// for others, must not be asked for: it would not be given twice.
func (s *State) requestMisfits() {
	for _, m := range s.misfits.aside {
		if m.wants && m.seg == nil && !m.pin() {
			s.askFor(m.p, m.first, 0)
		}
	}
}

// replan forgets who keeps itself empty for what, and sorts out anew what nobody
// can take: sessions, or their limits, have changed.
func (s *State) replan() {
	s.limitKnown = false
	if s.misfits.len() == 0 {
		return
	}
	for _, x := range s.sessions {
		s.unhold(x)
	}
	largest := s.largestFrame()
	all := slices.Concat(s.misfits.aside, s.misfits.beyond)
	s.misfits.aside, s.misfits.beyond = nil, nil
	s.misfits.largest = math.MaxUint64
	for _, m := range all {
		if m.size > largest {
			s.unpinMisfit(m)
			m.wants = false
			s.misfits.beyond = append(s.misfits.beyond, m)
		} else {
			s.misfits.insert(m)
		}
	}
	s.misfits.measure()
}
