package history

import "time"

// clockSlack is how much earlier a retry may come after a restart: its time was kept
// by the wall clock, which is not the one of a history.
const clockSlack = 5 * time.Millisecond

// came counts a delivery in its session, and compares it with the credit.
func (c *Checker) came(s *session, e *Event) *delivery {
	c.counts.Deliveries++
	if e.Frame == e.Sequence {
		s.frames++
	}
	if want := uint64(len(s.deliveries)) + 1; e.Sequence != want {
		c.brokenf(Miscounted, "sequence %d came where %d was due: %s", e.Sequence, want, s)
	}
	if want := s.charged + e.Bytes; e.Charged != want {
		c.brokenf(Miscounted, "%d bytes charged with sequence %d, where it is %d: %s", e.Charged, e.Sequence, want, s)
	}
	c.checkCredit(s, e)
	s.charged = e.Charged
	s.credit.took(e.Bytes)
	s.deliveries = append(s.deliveries, delivery{
		at: c.now, bytes: e.Bytes, attempt: e.Attempt,
		place: Place{s.subscription.topic.id, e.Partition, e.Offset},
	})
	return &s.deliveries[len(s.deliveries)-1]
}

// delivered takes a delivery.
func (c *Checker) delivered(s *session, e *Event) {
	d := c.came(s, e)
	id := MessageID{e.Publisher, e.Number}
	if !c.belongs(s, e, id) {
		return
	}
	c.place(id, c.fate(id), d.place)
	m := s.subscription.message(d.place)
	c.checkOrder(s, m, d)
	c.checkAcked(s, m, d)
	if s.over {
		return // It was on its way: what it says of now is old.
	}
	c.checkLine(s, id, d)
	c.checkHeld(s, m)
	c.checkAttempt(s, m, d, c.fate(id))
	c.checkTime(s, m, d)
	if m.faulted {
		c.counts.Repeated++
	}
	*m = message{
		session: s, sequence: uint64(len(s.deliveries)), came: m.came + 1, held: true,
		attempt: e.Attempt, losses: c.losses.noticed(c.now), acked: m.acked, ackedLife: m.ackedLife,
	}
}

// belongs says whether a message may come to a session at all.
func (c *Checker) belongs(s *session, e *Event, id MessageID) bool {
	sub := s.subscription
	switch {
	case id.Number == 0:
		c.brokenf(Unreadable, "a delivery without a message: %s", s)
		return false
	case !c.fate(id).attempted:
		c.brokenf(Invented, "%s, as sequence %d: %s", id, e.Sequence, s)
		return false
	case sub.deleted && sub.deletedAt < s.began:
		c.brokenf(Resurrected, "%s of a deleted subscription: %s", id, s)
		return false
	case e.Topic == sub.topic.id:
		return true
	case c.topic(e.Topic).deleted:
		c.brokenf(Resurrected, "%s of the deleted topic %d: %s", id, e.Topic, s)
	default:
		c.brokenf(Invented, "%s of topic %d, on one of topic %d: %s", id, e.Topic, sub.topic.id, s)
	}
	return false
}

// checkOrder: what comes for the first time in this life of the server comes to an
// exclusive session in the order of offsets. An earlier client may have been sent
// something and never wrote it down.
func (c *Checker) checkOrder(s *session, m *message, d *delivery) {
	if !s.subscription.exclusive {
		return
	}
	again := d.attempt > 1 || m.session != nil && m.session.life >= s.life || s.subscription.brokenIn == s.life
	if again {
		return // It may stand anywhere, also before what never came.
	}
	highest, some := s.highest[d.place.Partition]
	if some && d.place.Offset <= highest {
		c.brokenf(Reordered, "%s after offset %d: %s", d.place, highest, s)
	}
	s.highest[d.place.Partition] = max(highest, d.place.Offset)
}

// checkAcked: what was acked, and confirmed, never comes again. What an older life of
// the server sent may be read late.
func (c *Checker) checkAcked(s *session, m *message, d *delivery) {
	switch {
	case !m.acked || s.life < m.ackedLife:
	case s.life > m.ackedLife:
		c.brokenf(Resurrected, "%s was acked in life %d, and came in life %d: %s", d.place, m.ackedLife, s.life, s)
	case !s.over:
		c.brokenf(Duplicated, "%s was acked, and came again: %s", d.place, s)
	}
}

// checkHeld: a message comes again only when its delivery has ended.
func (c *Checker) checkHeld(s *session, m *message) {
	if !m.held {
		return
	}
	holder := m.session
	d := &holder.deliveries[m.sequence-1]
	switch {
	case d.verdict == Release && !d.failed:
		m.held = false
	case d.verdict == Retry && !d.failed:
		c.failedFor(m, holder, d)
		m.chargedLife, m.sure = holder.life, 0
	case d.failed || d.leaseMayBeOver(holder, c.now) || s.subscription.exclusive && holder != s:
		m.maybe++
	default:
		// Its end may be told yet.
		d.thief = s.String()
		m.maybe++
	}
}

// failedFor notes that a delivery failed for certain.
func (c *Checker) failedFor(m *message, s *session, d *delivery) {
	least, most := s.subscription.backoff(d.attempt, d.delay)
	m.held, m.sure = false, 1
	m.notBefore = d.settled + Instant(least)
	m.ready(s.subscription.credit.reading(c.now) + most)
}

// checkAttempt: attempt = 1 + failed + expired.
func (c *Checker) checkAttempt(s *session, m *message, d *delivery, f *fate) {
	attempt, losses := m.attempt, m.losses
	if m.came == 0 {
		attempt, losses = 1, f.losses
	}
	least := attempt + m.sure
	most := least + m.maybe + c.losses.total() - losses
	if m.chargedLife > 0 {
		most++
		if m.chargedLife == s.life {
			least++
		}
	}
	if d.attempt < least || d.attempt > most {
		c.brokenf(WrongAttempt, "%s as attempt %d, where it is %d to %d: %s", d.place, d.attempt, least, most, s)
	}
}

// checkTime: a retry does not come before its time, a ready message not too late.
func (c *Checker) checkTime(s *session, m *message, d *delivery) {
	slack := Instant(0)
	if m.session != nil && m.session.life != s.life {
		slack = Instant(clockSlack)
	}
	if c.now+slack < m.notBefore {
		c.brokenf(Early, "%s came %v before its retry was due: %s", d.place, m.notBefore.Sub(c.now), s)
	}
	c.checkLate(s.subscription, m, d.place)
}

func (c *Checker) checkLate(s *subscription, m *message, at Place) {
	if c.bounds.Late == 0 || !m.isReady || s.ordered { // There it waits for others.
		return
	}
	if waited := s.credit.reading(c.now) - m.readyAt; waited > c.bounds.Late {
		c.brokenf(Late, "%s was ready for %v while subscription %d had credit", at, waited, s.id)
	}
}

// handed takes what a user got who does not see frames: whether it is what was published,
// and where it stands. When it comes package standing looks at.
func (c *Checker) handed(e *Event) {
	c.counts.Handed++
	id := MessageID{e.Publisher, e.Number}
	switch {
	case id.Number == 0:
		c.brokenf(Changed, "what was handed out as %d of session %d", e.Sequence, e.Session)
	case !c.fate(id).attempted || c.fate(id).place.Topic != e.Topic:
		c.brokenf(Invented, "%s of topic %d, handed out as %d of session %d", id, e.Topic, e.Sequence, e.Session)
	case e.Partition != ReplayPartition:
		c.place(id, c.fate(id), Place{e.Topic, e.Partition, e.Offset})
	}
}

// ReplayPartition is where redriven messages come from.
const ReplayPartition = 65_535
