package model

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Session is the account of one session.
type Session struct {
	id       uint64
	client   string
	manual   bool
	window   Limit // messages and bytes; zero means no credit here
	granted  Limit
	maxFrame uint64
	lease    time.Duration
	// tellsStarted: work leases begin with Started, not at delivery.
	tellsStarted bool
	// keyBatches: several messages of a key may go out together.
	keyBatches bool
	// answersRecall: what it did not start may be asked back.
	answersRecall bool
	arrival       uint64
	// resumes: it may be taken up again; absent: it has no stream until then.
	resumes, absent bool
	resumeBy, endBy Instant // lease clock
	// given is the last sequence that left; notSent is what waits, at most once.
	given   uint64
	notSent Limit
	// late are sequences taken back before they left; known those acked before a
	// restart.
	late, known map[uint64]bool

	sent, charged uint64
	raisedAt      uint64
	held          map[uint64]*message // by sequence
	usage         Limit               // of held

	writable, draining, closing, gone bool
	// pulls: it has no stream; leaving: who pulled waits no more; left: it was told so.
	pulls, leaving, left bool
	drainAt              Instant
	drainOver, drainTold bool
	// moving: it was told to leave its stream; forgiven: it did, and is charged nothing.
	moving, forgiven bool

	heard Instant // lease clock
	told  Instant // when the last frame went to it

	applied, confirmed uint64
	settles            map[uint64]*settle
	repeats            map[uint64]bool
}

// Attach describes a session that wants to be admitted.
type Attach struct {
	Session  uint64
	At       Instant
	Client   string
	Manual   bool
	Window   Limit
	MaxFrame uint64
	Lease    time.Duration
	Takeover bool
	// Pull: it has no stream, and its window is granted once.
	Pull bool
	// TellsStarted: the client announced that it tells what it starts.
	TellsStarted bool
	// KeyBatches: it announced that it keeps the order of a key by itself.
	KeyBatches bool
	// AnswersRecall: it announced that what it did not start may be asked back.
	AnswersRecall bool
	// Resumes: it announced that it may take the session up again.
	Resumes bool
}

// Attach tells of a session that wants to be admitted.
func (m *Model) Attach(a Attach) {
	if x := m.sessions[a.Session]; x != nil {
		m.endCharged(x, "attached twice", a.At)
		return
	}
	if m.closing {
		m.expected.end(a.Session, "shutdown")
		return
	}
	if m.rules.Forgets && !a.Manual {
		m.expected.end(a.Session, "needs manual")
		return
	}
	if x := m.active(); m.rules.Failover && a.Takeover && x != nil {
		m.returnAll(x, a.At, "taken over")
		m.remove(x, "taken over")
		defer func() { m.sessions[a.Session].arrival = 0 }() // before all others
	}
	m.arrivals++
	if m.rules.Exclusive && !m.makesRoom(&a) {
		m.expected.end(a.Session, "refused")
		return
	}
	m.expected.attach(a.Session)
	m.sessions[a.Session] = &Session{
		id: a.Session, client: a.Client, manual: a.Manual, window: a.Window, maxFrame: a.MaxFrame, lease: a.Lease,
		held: make(map[uint64]*message), settles: make(map[uint64]*settle), repeats: make(map[uint64]bool),
		writable: true, heard: m.leaseClock(a.At), tellsStarted: a.TellsStarted,
		keyBatches: a.KeyBatches, answersRecall: a.AnswersRecall && a.TellsStarted, resumes: a.Resumes,
		arrival: m.arrivals, late: make(map[uint64]bool), pulls: a.Pull,
	}
	if a.Pull {
		m.sessions[a.Session].granted = a.Window
	}
}

// makesRoom ends the sessions of an exclusive subscription for another one, and says
// whether it may come.
func (m *Model) makesRoom(a *Attach) bool {
	var former []*Session
	for _, x := range m.sessions {
		sameClient := a.Client != "" && a.Client == x.client
		switch {
		case x.closing || x.absent && x.endBy > x.resumeBy, a.Pull && x.pulls && sameClient:
		case a.Pull || !a.Takeover && !sameClient:
			return false
		default:
			former = append(former, x)
		}
	}
	for _, x := range former {
		revoked := "taken over"
		if x.absent {
			revoked = ""
		}
		m.returnAll(x, a.At, revoked)
		m.remove(x, "taken over")
	}
	return true
}

// Leave tells that who pulled waits no more.
func (m *Model) Leave(id uint64) {
	if x := m.sessions[id]; x != nil && x.pulls {
		x.leaving = true
	}
}

// hear returns a session and notes that it is alive.
func (m *Model) hear(id uint64, at Instant) *Session {
	x := m.sessions[id]
	if x != nil && x.absent {
		return nil
	}
	if x != nil {
		for _, msg := range x.held {
			if !msg.started {
				m.judge(msg, at)
			}
		}
		m.keepOrder(at)
		x.heard = max(x.heard, m.leaseClock(at))
	}
	return x
}

// Heard tells of a frame without other meaning.
func (m *Model) Heard(id uint64, at Instant) { m.hear(id, at) }

// Window tells of a new window.
func (m *Model) Window(id uint64, at Instant, window Limit) {
	x := m.hear(id, at)
	if x == nil {
		return
	}
	if x.manual {
		m.endCharged(x, "wrong credit", at)
		return
	}
	x.window = window
}

// Grant tells of new cumulative limits.
func (m *Model) Grant(id uint64, at Instant, through Limit) {
	x := m.hear(id, at)
	if x == nil {
		return
	}
	if !x.manual {
		m.endCharged(x, "wrong credit", at)
		return
	}
	if through.Bytes > x.granted.Bytes {
		x.raisedAt = x.charged
	}
	x.granted = through
}

// Writable tells whether the outbound queue has room.
func (m *Model) Writable(id uint64, writable bool) {
	if x := m.sessions[id]; x != nil && !x.absent {
		x.writable = writable
	}
}

// Drain tells that a session wants no more.
func (m *Model) Drain(id uint64, at Instant, grace time.Duration) {
	x := m.hear(id, at)
	if x == nil || x.closing {
		return
	}
	until := at + grace
	if x.draining || x.moving {
		until = min(until, x.drainAt)
	}
	x.draining, x.drainAt = true, until
}

// Close tells that a client closed its side.
func (m *Model) Close(id uint64, at Instant) {
	if x := m.sessions[id]; x != nil && !x.absent {
		x.closing = true
		m.returnAll(x, at, "")
	}
}

// Break tells that a stream broke.
func (m *Model) Break(id uint64, at Instant) {
	if x := m.sessions[id]; x != nil && !x.absent {
		m.lose(x, at)
	}
}

// Gone tells that the server ended a stream for its own reasons.
func (m *Model) Gone(id uint64, at Instant) {
	x := m.sessions[id]
	switch {
	case x == nil || x.absent:
	case m.rules.Exact && len(x.held) > 0:
		m.lose(x, at)
	default:
		m.returnAll(x, at, "")
		m.remove(x, "")
	}
}

// Shutdown tells that the server stops.
func (m *Model) Shutdown(at Instant, grace time.Duration) {
	if m.closing {
		return
	}
	m.closing, m.closeAt = true, at+grace
	for id, x := range m.sessions {
		if x.absent {
			if !m.rules.Exact {
				m.returnAll(x, at, "")
			}
			m.remove(x, "shutdown")
			continue
		}
		m.expected.goAway(id)
	}
}

// active is the session that a failover subscription serves, nil for none: the first
// that came of those that may be.
func (m *Model) active() (first *Session) {
	for _, x := range m.sessions {
		if m.wants(x) && (first == nil || x.arrival < first.arrival) {
			first = x
		}
	}
	return first
}

// serving says whether a session may get deliveries at all.
func (m *Model) serving(x *Session) bool {
	return m.wants(x) && !m.rules.Paused && (!m.rules.Failover || m.active() == x)
}

// wants says whether a session could be served, if it were its turn.
func (m *Model) wants(x *Session) bool {
	return !x.draining && !x.moving && !x.closing && !x.left && !x.absent && !m.closing
}

// Attached notes that a session was admitted as a new one.
func (m *Model) Attached(id uint64) error {
	if !m.expected.attached[id] {
		return fmt.Errorf("session %d was admitted", id)
	}
	delete(m.expected.attached, id)
	m.touch(id)
	return nil
}

// Drained notes that a session was told that it is drained.
func (m *Model) Drained(id uint64) error {
	x := m.sessions[id]
	if x != nil && x.pulls && !x.left {
		return m.leftNow(x)
	}
	switch {
	case x == nil || !x.draining || x.drainTold:
		return fmt.Errorf("session %d drained though it did not ask", id)
	case x.usage.Messages > 0:
		return fmt.Errorf("session %d drained with %d outstanding", id, len(x.held))
	case x.confirmed != x.applied:
		return fmt.Errorf("session %d drained with unconfirmed settles", id)
	}
	x.drainTold, x.told = true, m.now
	return nil
}

// leftNow notes that nothing more comes to a session that pulls.
func (m *Model) leftNow(x *Session) error {
	if !x.leaving && x.sent == 0 || x.given < x.sent && m.guarded() {
		return fmt.Errorf("session %d left with %d of %d sent", x.id, x.given, x.sent)
	}
	x.left, x.told = true, m.now
	return nil
}

// Ended notes that a session was ended. A closed one ends, or one at shutdown,
// when it holds nothing and all is confirmed.
func (m *Model) Ended(id uint64, reason string) error {
	x := m.sessions[id]
	by := x != nil && (reason == "closed" && (x.closing || x.left) || reason == "shutdown" && m.closing ||
		reason == "moved" && x.moving && !m.canLeave(x))
	if by && !slices.Contains(m.expected.ends[id], reason) {
		if len(x.held) > 0 && (!m.rules.Exact || !m.closed) || x.confirmed != x.applied {
			return fmt.Errorf("session %d ended (%s) with %d outstanding, %d of %d confirmed",
				id, reason, len(x.held), x.confirmed, x.applied)
		}
		m.remove(x, "")
		return nil
	}
	return m.expected.ended(id, reason)
}

// WentAway notes that a session was told to go.
func (m *Model) WentAway(id uint64) error {
	if m.expected.goAways[id] == 0 {
		return fmt.Errorf("session %d was told to go away", id)
	}
	m.expected.goAways[id]--
	if m.expected.goAways[id] == 0 {
		delete(m.expected.goAways, id)
	}
	m.touch(id)
	return nil
}

// touch notes that a frame went to a session.
func (m *Model) touch(id uint64) {
	if x := m.sessions[id]; x != nil {
		x.told = m.now
	}
}

// usage is what is held against the three ceilings.
type usage struct{ stream, client, subscription Limit }

func (m *Model) usage(x *Session) (u usage) {
	for _, y := range m.sessions {
		h := y.usage
		u.subscription.plus(h)
		if y == x {
			u.stream.plus(h)
		}
		if x.client != "" && y.client == x.client {
			u.client.plus(h)
		}
	}
	return u
}

func (l *Limit) plus(o Limit) {
	l.Messages += o.Messages
	l.Bytes += o.Bytes
}

// ceiling is a limit with what is held against it.
type ceiling struct {
	limit, held Limit
}

func unlimited(l Limit) Limit {
	if l.Messages == 0 {
		l.Messages = math.MaxUint64
	}
	if l.Bytes == 0 {
		l.Bytes = math.MaxUint64
	}
	return l
}

// subscriptionLimit is the effective ceiling of the subscription.
func (m *Model) subscriptionLimit() Limit {
	l := unlimited(m.rules.Subscription)
	if n := m.rules.Concurrency; n > 0 {
		l.Messages = min(l.Messages, n)
	}
	return l
}

// ofSubscription is the place of the subscription's ceiling in ceilings.
const ofSubscription = 1

// ceilings lists those that apply to a session.
func (m *Model) ceilings(x *Session) []ceiling {
	u := m.usage(x)
	stream := unlimited(m.rules.Stream)
	if !x.manual {
		stream.Messages = min(stream.Messages, x.window.Messages)
		stream.Bytes = min(stream.Bytes, x.window.Bytes)
	}
	all := []ceiling{{stream, u.stream}, {m.subscriptionLimit(), u.subscription}}
	if x.client != "" {
		all = append(all, ceiling{unlimited(m.rules.Client), u.client})
	}
	return all
}

// left is what a session may still be sent.
func (m *Model) left(x *Session) Limit {
	left := Limit{math.MaxUint64, math.MaxUint64}
	take := func(limit, used Limit) {
		left.Messages = min(left.Messages, limit.Messages-min(limit.Messages, used.Messages))
		left.Bytes = min(left.Bytes, limit.Bytes-min(limit.Bytes, used.Bytes))
	}
	for _, c := range m.ceilings(x) {
		take(c.limit, c.held)
	}
	if x.manual {
		take(x.granted, Limit{x.sent, x.charged})
	}
	return left
}

// admits says whether one more message may go to a session by credit alone, and
// why not.
func (m *Model) admits(x *Session, size uint64) error {
	if x.manual {
		left := x.granted.Bytes - min(x.granted.Bytes, x.charged)
		switch {
		case x.sent >= x.granted.Messages:
			return fmt.Errorf("beyond the granted sequence %d", x.granted.Messages)
		case left == 0, size > left && x.charged != x.raisedAt:
			return fmt.Errorf("%d bytes with %d granted bytes left", size, left)
		}
	}
	for i, c := range m.ceilings(x) {
		switch {
		case c.held.Messages >= c.limit.Messages:
			return fmt.Errorf("ceiling %d is at %d messages", i, c.held.Messages)
		case c.limit.Bytes == 0:
			return fmt.Errorf("ceiling %d has no bytes", i)
		case c.held.Bytes+size > c.limit.Bytes && (size <= c.limit.Bytes || c.held.Messages > 0):
			return fmt.Errorf("%d bytes on top of %d in ceiling %d of %d", size, c.held.Bytes, i, c.limit.Bytes)
		}
	}
	return nil
}
