package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// SessionChange is what a change set says of a session of an exactly-once subscription.
type SessionChange struct {
	Session uint64
	// Written says that the record itself is in it.
	Written                bool
	Client                 string
	Sent, Charged, Applied uint64
	Pages                  []HeldPage
	// Freed are the slots of pages that go; 0: the session itself.
	Freed []uint32

	settles map[uint64]*settle // up to Applied
}

// HeldPage is what a session holds of some sequences that follow each other.
type HeldPage struct {
	Slot        uint32
	First, Last uint64
	Until       Instant // as the state machine gives it
	leased      Instant // the same on the lease clock as of then
	Held        []HeldMessage
}

// HeldMessage is one of them.
type HeldMessage struct {
	Sequence  uint64
	Partition uint32
	Offset    uint64
	Started   bool
}

// storedSession is what a store knows of a session.
type storedSession struct {
	written                bool
	client                 string
	sent, charged, applied uint64
	settles                map[uint64]*settle
	pages                  map[uint32]storedPage
}

type storedPage struct {
	HeldPage

	version uint64
}

// extension is a lease that was prolonged.
type extension struct {
	message  *message
	sequence uint64
	deadline Instant
}

func (m *Model) guarded() bool { return m.rules.Exact || m.rules.Forgets }

// unsent says that a delivery was decided and waits for a commit.
func (msg *message) unsent() bool { return msg.holder != nil && msg.sequence > msg.holder.given }

// forgetOne settles a message that is to be sent.
func (m *Model) forgetOne(x *Session, msg *message) {
	x.usage.plus(Limit{1, msg.size})
	x.notSent.plus(Limit{1, msg.size})
	msg.state, msg.delivered = settled, true
	m.totals.Acked++
}

// Sent judges a frame that leaves, of a subscription that does not send at least once:
// what it depends on must be durable.
func (m *Model) Sent(d *Delivery) error {
	x := m.sessions[d.Session]
	if x == nil || x.absent {
		return fmt.Errorf("session %d, which is not there, got a frame", d.Session)
	}
	if d.FirstSequence != x.given+1 {
		return fmt.Errorf("session %d: first sequence %d after %d", d.Session, d.FirstSequence, x.given)
	}
	for i, one := range d.Messages {
		msg, sequence := m.partitions[one.Partition].at(one.Offset), d.FirstSequence+uint64(i)
		x.given = sequence
		if err := m.sendOne(x, msg, sequence); err != nil {
			return fmt.Errorf("session %d: %v was sent: %w", d.Session, msg, err)
		}
	}
	x.told = m.now
	return nil
}

func (m *Model) sendOne(x *Session, msg *message, sequence uint64) error {
	if m.rules.Forgets {
		x.usage.Messages--
		x.usage.Bytes -= msg.size
		x.notSent.Messages--
		x.notSent.Bytes -= msg.size
		switch {
		case !msg.durable.settled:
			return fmt.Errorf("it is not settled")
		case msg.sent:
			return fmt.Errorf("it was sent before")
		}
		msg.sent = true
		return nil
	}
	if x.late[sequence] {
		delete(x.late, sequence)
		m.revoke(x, sequence, "key order")
		return nil
	}
	if st := m.stored[x.id]; st == nil || !st.written || st.sent < sequence {
		return fmt.Errorf("sequence %d is not stored as given", sequence)
	}
	if msg.holder != x || msg.sequence != sequence {
		return nil // a hole settled it, and it was taken back
	}
	if m.pageOf(x, sequence) == nil {
		return fmt.Errorf("it is not stored who holds it")
	}
	msg.sentAt = m.leaseClock(m.now)
	if msg.started {
		msg.start(msg.sentAt)
	}
	return nil
}

// pageOf is the stored page with a sequence, nil when there is none.
func (m *Model) pageOf(x *Session, sequence uint64) *storedPage {
	st := m.stored[x.id]
	if st == nil {
		return nil
	}
	for _, page := range st.pages {
		for _, h := range page.Held {
			if h.Sequence == sequence {
				return &page
			}
		}
	}
	return nil
}

// giveBackUnsent takes back what did not leave when a session ends or its stream does.
func (m *Model) giveBackUnsent(x *Session, at Instant) {
	if !m.guarded() {
		return
	}
	for sequence, msg := range x.held {
		if sequence > x.given {
			msg.leave()
			m.totals.Released++
			msg.due(at, at, nil, false)
		}
	}
	x.usage.Messages -= x.notSent.Messages
	x.usage.Bytes -= x.notSent.Bytes
	x.notSent, x.given = Limit{}, x.sent
	clear(x.late)
}

// leaveLeased has a session of an exactly-once subscription wait; its leases go on.
func (m *Model) leaveLeased(x *Session, at Instant) {
	x.absent, x.resumeBy = true, m.leaseClock(at)
	if x.resumes {
		x.resumeBy += m.rules.ResumeWindow
	}
	x.endBy = x.resumeBy
	for _, msg := range x.held {
		msg.deadline = max(msg.deadline, x.resumeBy)
	}
	if m.closing {
		m.remove(x, "shutdown")
	}
}

// stillLeased says whether an absent session waits on, for the last of its leases.
func (m *Model) stillLeased(x *Session) bool {
	if !m.rules.Exact {
		return false
	}
	for _, msg := range x.held {
		if msg.started {
			x.endBy = max(x.endBy, msg.deadline)
		}
	}
	return x.endBy > m.leaseClock(m.now)
}

// judgeAbsent ends a delivery of an absent session whose time is over.
func (m *Model) judgeAbsent(msg *message, at Instant) {
	x := msg.holder
	if !m.rules.Exact || !x.absent || x.gone {
		return
	}
	ends := x.resumeBy
	if msg.started {
		ends = max(msg.deadline, x.resumeBy)
	}
	if ends <= m.leaseClock(at) {
		m.chargeOne(msg, at)
	}
}

// written says why a settle of an exactly-once session may not be confirmed: its number,
// and the leases that it prolonged, must be stored.
func (m *Model) written(x *Session, number uint64) error {
	if !m.rules.Exact {
		return nil
	}
	if st := m.stored[x.id]; st == nil || st.applied < number {
		return fmt.Errorf("its number is not stored")
	}
	for _, sequence := range x.settles[number].back {
		if m.pageOf(x, sequence) != nil {
			return fmt.Errorf("sequence %d is still stored as held", sequence)
		}
	}
	for _, e := range x.settles[number].extended {
		if e.message.holder != x || e.message.sequence != e.sequence {
			continue
		}
		if page := m.pageOf(x, e.sequence); page == nil || page.leased < e.deadline {
			return fmt.Errorf("the lease of %v until %v is not stored", e.message, e.deadline)
		}
	}
	return nil
}

// ChangedSessions judges what the open change set says of sessions: that it is true.
func (m *Model) ChangedSessions(all []SessionChange) error {
	for i := range all {
		c := &all[i]
		x := m.sessions[c.Session]
		if x == nil {
			continue // it has ended, or waits for a restart
		}
		if c.Written && (c.Sent != x.sent || c.Charged != x.charged || c.Client != x.client || c.Applied > x.applied) {
			return fmt.Errorf("session %d is written as %+v", x.id, *c)
		}
		c.settles = maps.Clone(x.settles)
		for j := range c.Pages {
			c.Pages[j].leased = c.Pages[j].Until - m.stalled
			if err := m.changedPage(x, &c.Pages[j]); err != nil {
				return fmt.Errorf("session %d, page %d: %w", x.id, c.Pages[j].Slot, err)
			}
		}
	}
	m.open.sessions = all
	return nil
}

func (m *Model) changedPage(x *Session, page *HeldPage) error {
	seen := make(map[uint64]bool)
	for _, h := range page.Held {
		msg := m.partitions[h.Partition].at(h.Offset)
		seen[h.Sequence] = true
		switch {
		case msg.durable.settled: // a hole
		case msg.holder != x || msg.sequence != h.Sequence:
			return fmt.Errorf("%v is written as sequence %d", msg, h.Sequence)
		case msg.started != h.Started:
			return fmt.Errorf("%v is written as started %v", msg, h.Started)
		case !msg.unsent() && msg.started && page.leased < msg.deadline:
			return fmt.Errorf("%v is written until %v, expected %v", msg, page.leased, msg.deadline)
		}
	}
	for sequence, msg := range x.held {
		if page.First <= sequence && sequence <= page.Last && !seen[sequence] {
			return fmt.Errorf("%v, sequence %d, is not written", msg, sequence)
		}
	}
	return nil
}

// storeSessions takes over what a committed change set says of sessions.
func (m *Model) storeSessions(all []SessionChange) {
	m.version++
	for i := range all {
		c := &all[i]
		st := m.stored[c.Session]
		if st == nil {
			st = &storedSession{pages: make(map[uint32]storedPage)}
			m.stored[c.Session] = st
		}
		if c.Written {
			m.note(m.appliedIsDurable(c, st.applied))
			st.written, st.client, st.sent, st.charged, st.applied = true, c.Client, c.Sent, c.Charged, c.Applied
			if c.settles != nil {
				st.settles = c.settles
			}
		}
		for _, page := range c.Pages {
			st.pages[page.Slot] = storedPage{page, m.version}
		}
		for _, slot := range c.Freed {
			delete(st.pages, slot)
			if slot == 0 {
				*st = storedSession{pages: st.pages}
			}
		}
		if !st.written && len(st.pages) == 0 {
			delete(m.stored, c.Session)
		}
	}
}

// appliedIsDurable says why a session may not be stored with a number applied: what the
// settles up to there changed must be stored, too.
func (m *Model) appliedIsDurable(c *SessionChange, before uint64) error {
	for number := before + 1; number <= c.Applied; number++ {
		if s := c.settles[number]; s != nil {
			if err := s.durable(); err != nil {
				return fmt.Errorf("session %d is stored with settle %d applied: %w", c.Session, number, err)
			}
		}
	}
	return nil
}

// note keeps the first thing that is wrong for the end of the turn.
func (m *Model) note(err error) {
	if m.wrong == nil {
		m.wrong = err
	}
}

// restore brings the stored sessions back after a restart: absent, with what they held,
// for as long as they were to hold it, and at least for the resume window.
func (m *Model) restore() {
	var pages []restoredPage
	for id, st := range m.stored {
		x := m.restoreSession(id, st)
		for _, page := range st.pages {
			pages = append(pages, restoredPage{x, page})
		}
	}
	slices.SortFunc(pages, func(a, b restoredPage) int { return cmp.Compare(b.version, a.version) })
	for _, page := range pages {
		for _, h := range page.Held {
			m.restoreHeld(page.x, h, page.Until-m.stalled)
		}
	}
}

type restoredPage struct {
	x *Session
	storedPage
}

func (m *Model) restoreSession(id uint64, st *storedSession) *Session {
	x := &Session{
		id: id, client: st.client, sent: st.sent, charged: st.charged, applied: st.applied, confirmed: st.applied,
		held: make(map[uint64]*message), settles: make(map[uint64]*settle), repeats: make(map[uint64]bool),
		late: make(map[uint64]bool), known: make(map[uint64]bool), absent: true, resumes: true,
		resumeBy: m.leaseClock(m.now) + m.rules.ResumeWindow,
	}
	x.given, x.endBy = x.sent, x.resumeBy
	m.sessions[id] = x
	for number := max(1, st.applied-min(st.applied, repeatedSpan-1)); number <= st.applied; number++ {
		x.settles[number], x.repeats[number] = &settle{}, true
		if was := st.settles[number]; was != nil {
			x.settles[number] = was
		}
	}
	return x
}

func (m *Model) restoreHeld(x *Session, h HeldMessage, until Instant) {
	msg := m.partitions[h.Partition].at(h.Offset)
	switch {
	case h.Sequence > x.sent:
	case msg.durable.settled:
		x.known[h.Sequence] = true
	case msg.state == outstanding || msg.state == dying || m.keyHeldByOther(x, msg):
	default:
		msg.state, msg.holder, msg.sequence, msg.delivered = outstanding, x, h.Sequence, true
		msg.attempt, msg.started, msg.recalled = msg.counts.attempt(), h.Started, false
		msg.sentAt, msg.startedAt = m.leaseClock(m.now), m.leaseClock(m.now)
		msg.deadline = max(until, x.resumeBy)
		x.held[h.Sequence] = msg
		x.usage.plus(Limit{1, msg.size})
	}
}

func (m *Model) keyHeldByOther(x *Session, msg *message) bool {
	if msg.key == 0 {
		return false
	}
	for _, other := range msg.partition.live {
		if other.key == msg.key && other.state == outstanding && other.holder != x {
			return true
		}
	}
	return false
}

// Stored lists the sessions that come back after a restart.
func (m *Model) Stored() (all []uint64) {
	for id := range m.stored {
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}

// Now tells the time at which frames leave, before timers fire.
func (m *Model) Now(now Instant) { m.now = now }
