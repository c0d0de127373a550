package history

import "time"

// deliveriesOf calls each for the session's deliveries first to last, with their
// sequences.
func (s *session) deliveriesOf(e *Event, each func(sequence uint64, d *delivery)) {
	for n := max(e.Sequence, 1); n <= min(e.Last, uint64(len(s.deliveries))); n++ {
		each(n, &s.deliveries[n-1])
	}
}

// settling takes what a client is about to settle.
func (c *Checker) settling(s *session, e *Event) {
	s.sent = max(s.sent, e.Settle)
	s.settles = append(s.settles, settle{e.Settle, e.Sequence, e.Last})
	s.deliveriesOf(e, func(_ uint64, d *delivery) {
		if d.verdict != 0 {
			return // The first one counts.
		}
		d.verdict, d.settled, d.delay = e.Verdict, c.now, time.Duration(e.Delay)-1
		if e.Verdict == Ack {
			c.ackSent(s, d.place)
		}
		if !d.over {
			s.credit.gave(d.bytes)
		}
		if m := s.subscription.message(d.place); s.over && m.isNotNewer(s) && !m.acked {
			// Who is about to die may still be heard.
			m.mayBeAcked = m.mayBeAcked || e.Verdict == Ack
			m.maybe++
		}
	})
}

// settleFailed takes what a settle did not reach.
func (c *Checker) settleFailed(s *session, e *Event) {
	s.deliveriesOf(e, func(_ uint64, d *delivery) { d.failed, d.thief = true, "" })
}

// confirmed takes that all settles up to a number are durable.
func (c *Checker) confirmed(s *session, number uint64) {
	s.credit.confirmed(number, s.frames)
	n := 0
	for ; n < len(s.settles) && s.settles[n].number <= number; n++ {
		part := &s.settles[n]
		for sequence := part.first; sequence <= min(part.last, uint64(len(s.deliveries))); sequence++ {
			c.confirmedOne(s, sequence, &s.deliveries[sequence-1])
		}
	}
	s.settles = s.settles[n:]
}

func (c *Checker) confirmedOne(s *session, sequence uint64, d *delivery) {
	if d.failed || d.verdict == 0 {
		return
	}
	m := s.subscription.message(d.place)
	last := m.of(s, sequence)
	wasOver := d.over
	d.over = true
	switch d.verdict {
	case Ack:
		c.counts.Confirmed++
		if !last && m.session != nil && m.session.life > s.life {
			c.brokenf(Resurrected, "%s was acked in life %d, and had come in life %d: %s", d.place, s.life, m.session.life, s)
			return
		}
		c.checkThief(s, d)
		m.acked, m.ackedLife, m.mayBeAcked, m.isReady = true, s.life, false, false
		m.held = m.held && !last
	case Retry:
		c.counts.Failed++
		if last && (m.held || wasOver) {
			c.failedFor(m, s, d)
			m.chargedLife, m.maybe = 0, 0
		}
	default:
		c.counts.Released++
		if last && m.held {
			m.held = false
			m.ready(s.subscription.credit.reading(c.now) + releaseAvoids)
		}
	}
}

// revoked takes what a session lost.
func (c *Checker) revoked(s *session, e *Event) {
	s.deliveriesOf(e, func(n uint64, d *delivery) {
		if d.over {
			return
		}
		d.over, d.thief = true, ""
		if d.verdict == 0 {
			s.credit.gave(d.bytes)
		}
		m := s.subscription.message(d.place)
		if !m.of(s, n) || !m.held {
			return
		}
		m.held = false
		if e.Charged == 1 {
			c.counts.Failed++
			m.chargedLife = s.life
			_, most := s.subscription.backoff(d.attempt, -1)
			m.ready(s.subscription.credit.reading(c.now) + most)
			return
		}
		m.ready(s.subscription.credit.reading(c.now))
	})
}
