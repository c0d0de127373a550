package history

import (
	"fmt"
	"time"
)

// session is one stream of a subscriber.
type session struct {
	id           uint64
	client       uint64
	subscription *subscription
	// life is that of the server in which it was opened, or an earlier one.
	life   uint64
	opened bool
	began  Instant
	// closing: its client closes it in order. over: nothing of it counts any more but
	// what was on its way.
	closing, over bool

	credit     credit
	deliveries []delivery // by sequence - 1
	charged    uint64
	frames     int
	settles    []settle
	sent       uint64 // the number of the last settle
	highest    map[uint64]uint64
}

// ending is how a session ended.
type ending uint8

const (
	// byServer: the server was killed. What is unsettled is not charged.
	byServer ending = iota + 1
	// byClient: the client was killed, or its stream broke. What is unsettled is charged,
	// if the server lives long enough.
	byClient
	// inOrder: the client closed it. What is unsettled is released.
	inOrder
)

// delivery is one of a session's.
type delivery struct {
	at      Instant
	place   Place
	bytes   uint64
	attempt uint64
	verdict uint64 // 0: none was sent
	delay   time.Duration
	settled Instant // when the verdict was about to be sent
	// failed: the settle did not reach it. over: it is not the session's any more.
	failed, over bool
	// thief: the message was delivered again meanwhile, and nothing has said why.
	thief string
}

// settle is a part of a settle that is not confirmed.
type settle struct{ number, first, last uint64 }

func (c *Checker) opening(e *Event) {
	sub := c.subscriptions[e.Subscription]
	if sub == nil {
		c.brokenf(Unreadable, "session %d on subscription %d, which was never made", e.Session, e.Subscription)
		return
	}
	s := &session{
		id: e.Session, client: e.Client, subscription: sub, life: c.launched, began: c.now,
		credit: newCredit(e), highest: map[uint64]uint64{},
	}
	c.sessions[e.Session], c.open[e.Session] = s, s
}

func (c *Checker) readSession(s *session, e *Event) {
	switch e.Kind {
	case SessionOpened:
		c.counts.Sessions++
		s.opened = true
	case WindowSet:
		s.credit.limit(e.Count, e.Bytes, s.sent)
	case Granted:
		s.credit.limit(e.Last, e.Bytes, s.sent)
	case Delivered:
		c.delivered(s, e)
	case Damaged:
		c.brokenf(Changed, "sequence %d of %s, at %d-%d", e.Sequence, s, e.Partition, e.Offset)
		c.came(s, e)
	case Settling:
		c.settling(s, e)
	case SettleFailed:
		c.settleFailed(s, e)
	case Confirmed:
		c.confirmed(s, e.Settle)
	case Revoked:
		c.revoked(s, e)
	case SessionClosing:
		s.closing = true
	case SessionEnded:
		c.sessionEnded(s)
	default:
		c.brokenf(Unreadable, "kind %d", e.Kind)
	}
	c.recredit(s)
}

func (s *session) String() string {
	return fmt.Sprintf("session %d of client %d on subscription %d", s.id, s.client, s.subscription.id)
}

// recredit starts or stops the subscription's credit clock.
func (c *Checker) recredit(s *session) {
	has := s.opened && !s.over && !s.closing && c.serving == s.life && s.credit.plenty(s, c.bounds.LargestBytes)
	if has == s.credit.counted {
		return
	}
	s.credit.counted = has
	sub := s.subscription
	if has {
		sub.credited++
	} else {
		sub.credited--
	}
	sub.credit.run(c.now, sub.credited > 0)
}

func (c *Checker) sessionEnded(s *session) {
	switch {
	case s.over:
	case s.closing || !s.opened:
		c.end(s, inOrder)
	default:
		c.end(s, byClient)
	}
	delete(c.open, s.id)
}

// end ends a session, and says of each of its deliveries what may have become of it.
func (c *Checker) end(s *session, how ending) {
	if how == byClient {
		c.losses.add(c.now)
		s.subscription.brokenIn = s.life
		if s.closing {
			how = byServer // released, or charged: that is left open below
		}
	}
	if lease := s.subscription.lease; how == byServer && lease > 0 && c.now.Sub(s.began) >= lease {
		// What was on its way to a client that did not read may have expired, too.
		c.losses.add(c.now)
	}
	s.over = true
	delete(c.open, s.id)
	for i := range s.deliveries {
		d := &s.deliveries[i]
		if d.over {
			continue
		}
		c.checkThief(s, d)
		d.over = true
		m := s.subscription.message(d.place)
		if !m.of(s, uint64(i+1)) || !m.held {
			continue
		}
		c.endHold(m, s, d, how)
	}
	c.recredit(s)
}

// endHold says what becomes of a message whose session ended.
func (c *Checker) endHold(m *message, s *session, d *delivery, how ending) {
	m.held, m.faulted = false, how != inOrder
	m.losses = c.losses.noticed(c.now)
	if how == byClient {
		m.losses++ // This one is charged below.
	}
	switch {
	case how == byClient && d.verdict == Release, how == byServer && d.verdict == Retry, d.leaseMayBeOver(s, c.now):
		m.maybe++
	case how == byClient, d.verdict == Retry:
		m.chargedLife = s.life
	default:
	}
	if s.closing && how == byServer {
		m.maybe++
	}
	if d.verdict == Ack {
		m.mayBeAcked = true
		return
	}
	if d.verdict == Retry {
		_, most := s.subscription.backoff(d.attempt, d.delay)
		m.ready(s.subscription.credit.reading(c.now) + most)
		return
	}
	m.ready(s.subscription.credit.reading(c.now))
}

// leaseMayBeOver says whether the lease of a delivery may have ended by now: it
// began before the client saw it.
func (d *delivery) leaseMayBeOver(s *session, now Instant) bool {
	lease := s.subscription.lease
	return lease > 0 && now.Sub(d.at) >= lease/2
}

// checkThief looks at the end of a delivery whether the message was given to somebody
// else before, without a reason.
func (c *Checker) checkThief(s *session, d *delivery) {
	if d.thief != "" {
		c.brokenf(Duplicated, "%s is held by %s, and came to %s", d.place, s, d.thief)
	}
}
