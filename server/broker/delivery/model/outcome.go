package model

// judge ends a delivery whose lease has ended at some time.
func (m *Model) judge(msg *message, at Instant) {
	if msg.holder.absent || msg.holder.gone || msg.unsent() {
		m.judgeAbsent(msg, at)
		return
	}
	if msg.started && msg.deadline <= m.leaseClock(at) {
		m.expire(msg, at)
	}
	if x := msg.holder; !msg.started && x != nil && max(msg.sentAt, x.heard)+m.rules.QueueLease <= m.leaseClock(at) {
		m.revoke(x, msg.sequence, "queue lease ended")
		msg.leave()
		m.totals.Released++
		msg.due(at, at, nil, false)
	}
}

// expire ends a delivery whose work lease has ended: charged.
func (m *Model) expire(msg *message, at Instant) {
	x := msg.holder
	m.revoke(x, msg.sequence, "lease expired")
	ended := min(msg.deadline+m.stalled, at)
	msg.leave()
	m.totals.Expired++
	if m.fail(msg, "expired", "") {
		m.backOff(msg, x, ended, at)
	}
}

// fail counts a failure, and says whether the message goes on.
func (m *Model) fail(msg *message, how, code string) bool {
	c, limit, reached := &msg.counts, m.rules.MaxAttempts, "attempts"
	n := &c.charged
	switch how {
	case "lost":
		limit, reached, n = m.rules.MaxDeliveries, "deliveries", &c.lost
	case "expired":
		c.expired++
	default:
		c.failed++
	}
	if limit > 0 {
		*n++
	}
	if msg.codes != nil && m.rules.DeadLetters {
		msg.codes = append(msg.codes, code)
	}
	switch {
	case msg.state == settled: // by a hole
	case how == "rejected":
		msg.state, c.dead = dying, how
	case m.rules.DeadLetters && limit > 0 && *n >= limit && (msg.key == 0 || m.rules.Policy != ""):
		msg.state, c.dead = dying, reached
	}
	if msg.state == dying && msg.key != 0 && m.rules.Policy == "park" {
		m.parkOf(msg).is = true
	}
	return msg.state != dying
}

// leave takes a message from its holder. One in a hole, or dropped, is settled then.
func (msg *message) leave() {
	delete(msg.holder.held, msg.sequence)
	msg.holder.usage.Messages--
	msg.holder.usage.Bytes -= msg.size
	msg.holder = nil
	msg.state = waiting
	if msg.gone() {
		msg.state = settled
	}
}

// backOff sets when a message is due that failed between two times.
func (m *Model) backOff(msg *message, x *Session, from, by Instant) {
	wait := m.rules.BackoffMin
	for n := msg.counts.failed + msg.counts.expired; n > 1 && wait < m.rules.BackoffMax; n-- {
		wait *= 2
	}
	wait = min(wait, m.rules.BackoffMax)
	low := from + max(wait*8/10, minDelay)
	msg.due(low, max(by, m.now)+max(wait*12/10, minDelay), x, true)
}

// due sets when a message may and must be ready, and who is not to get it first.
func (msg *message) due(from, by Instant, avoid *Session, prefer bool) {
	msg.dueFrom, msg.dueBy = from, by
	msg.avoid, msg.prefer, msg.avoidUntil = avoid, prefer, by+avoidTime
}

// chargeAll ends all deliveries of a session that failed: each counts as expired if
// it was started, else as lost, and is due at once.
func (m *Model) chargeAll(x *Session, at Instant) {
	m.giveBackUnsent(x, at)
	for _, msg := range x.held {
		m.chargeOne(msg, at)
	}
}

func (m *Model) chargeOne(msg *message, at Instant) {
	msg.leave()
	switch {
	case msg.started:
		m.totals.Expired++
		m.fail(msg, "expired", "")
	default:
		m.totals.Released++
		if m.rules.DeadLetters && m.rules.MaxDeliveries > 0 {
			m.fail(msg, "lost", "")
		}
	}
	msg.due(at, at, nil, false)
}

// returnAll ends all deliveries of a session uncharged; with a reason, they are
// revoked.
func (m *Model) returnAll(x *Session, at Instant, revoked string) {
	m.giveBackUnsent(x, at)
	for _, msg := range x.held {
		if revoked != "" {
			m.revoke(x, msg.sequence, revoked)
		}
		msg.leave()
		m.totals.Released++
		msg.due(at, at, nil, false)
	}
}

func (m *Model) takeBack(x *Session, revoked string) { m.returnAll(x, m.now, revoked) }

func (m *Model) endCharged(x *Session, reason string, at Instant) {
	if m.rules.Exact && !x.absent && len(x.held) > 0 {
		m.expected.end(x.id, reason)
		m.lose(x, at)
		return
	}
	if x.forgiven {
		m.returnAll(x, at, "")
	} else {
		m.chargeAll(x, at)
	}
	m.remove(x, reason)
}

// remove forgets a session; with a reason, its end is to be told.
func (m *Model) remove(x *Session, reason string) {
	x.gone = true
	delete(m.sessions, x.id)
	if reason != "" {
		m.expected.end(x.id, reason)
	}
}
