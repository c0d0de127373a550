package delivery

import "math"

// ceiling is a limit on what is outstanding and what is held against it.
type ceiling struct {
	limit Credit
	held  Credit
	// reserved is the session for which nothing else may be charged here, until a
	// message larger than the ceiling has gone to it alone.
	reserved *session
}

// credit turns the zero fields of a Ceiling, which mean none, into the largest
// amount.
func (c Ceiling) credit() Credit {
	return Credit{orDefault(c.Messages, math.MaxUint64), orDefault(c.Bytes, math.MaxUint64)}
}

// ceiling is the inverse of credit.
func (c Credit) ceiling() Ceiling {
	if c.Messages == math.MaxUint64 {
		c.Messages = 0
	}
	if c.Bytes == math.MaxUint64 {
		c.Bytes = 0
	}
	return Ceiling(c)
}

func (c Credit) least(o Credit) Credit {
	return Credit{min(c.Messages, o.Messages), min(c.Bytes, o.Bytes)}
}

// minus is what is left of c after o, nothing when o is more.
func (c Credit) minus(o Credit) Credit {
	return Credit{c.Messages - min(c.Messages, o.Messages), c.Bytes - min(c.Bytes, o.Bytes)}
}

func (c Credit) some() bool { return c.Messages > 0 && c.Bytes > 0 }

func (c *ceiling) room() Credit { return c.limit.minus(c.held) }

func (c *ceiling) charge(messages, bytes uint64) {
	c.held.Messages += messages
	c.held.Bytes += bytes
}

func (c *ceiling) discharge(messages, bytes uint64) {
	c.held.Messages -= messages
	c.held.Bytes -= bytes
}

// credit is what a session may be sent.
type credit struct {
	window Credit  // OnSettle
	stream ceiling // the window or the server's ceiling, whichever is less
	// granted are Manual's cumulative limits; sent is the last sequence given and
	// charged the bytes of all of them.
	granted Credit
	sent    uint64
	charged uint64
	// unsent counts the last sequences of those given, whose frames wait for a commit.
	unsent uint64
	// raisedAt is what was charged when a grant last raised the bytes.
	raisedAt uint64
}

// streamLimit is the effective ceiling of the stream.
func (x *session) streamLimit(server Ceiling) Credit {
	if x.replenish == Manual {
		return server.credit()
	}
	return x.window.least(server.credit())
}

// grantLeft is what is left of a Manual session's grants; the other mode has none.
func (x *session) grantLeft() Credit {
	if x.replenish == OnSettle {
		return Credit{math.MaxUint64, math.MaxUint64}
	}
	return x.granted.minus(Credit{x.sent, x.charged})
}

// left is what the session may still be sent, but for the subscription's ceiling.
func (x *session) left() Credit {
	left := x.stream.room().least(x.grantLeft())
	if x.client != nil {
		left = left.least(x.client.ceiling.room())
	}
	return left
}

// charge books a delivery.
func (s *State) chargeDelivery(x *session, messages, bytes uint64) {
	x.sent += messages
	x.charged += bytes
	x.stream.charge(messages, bytes)
	s.ceiling.charge(messages, bytes)
	if x.client != nil {
		x.client.ceiling.charge(messages, bytes)
	}
}

// discharge frees what a delivery held. The caller refreshes the picker.
func (s *State) discharge(x *session, messages, bytes uint64) {
	x.stream.discharge(messages, bytes)
	s.ceiling.discharge(messages, bytes)
	if x.client != nil {
		x.client.ceiling.discharge(messages, bytes)
	}
}

// setWindow applies a Window.
func (s *State) setWindow(e *Window) {
	x := s.hear(e.Stamp)
	switch {
	case x == nil:
	case x.replenish != OnSettle:
		s.end(x, EndWrongCredit, e.At)
	default:
		most := x.mostOfKey()
		x.window = e.Credit
		x.stream.limit = x.streamLimit(s.config.Stream)
		if x.keyBatches && x.mostOfKey() > most {
			s.touchHeldBy(x, e.At)
		}
		s.replan()
		s.refresh(x)
	}
}

// grant applies a Grant.
func (s *State) grant(e *Grant) {
	x := s.hear(e.Stamp)
	switch {
	case x == nil:
	case x.replenish != Manual:
		s.end(x, EndWrongCredit, e.At)
	default:
		if e.ThroughBytes > x.granted.Bytes {
			x.raisedAt = x.charged
		}
		x.granted = Credit{e.ThroughSequence, e.ThroughBytes}
		if !x.grantLeft().some() {
			s.unhold(x)
		}
		s.refresh(x)
	}
}

// configure applies new limits; what is outstanding beyond them stays, and so do the
// leases that began.
func (s *State) configure(c Config) {
	c.Mode, c.Order, c.Guarantee = s.config.Mode, s.config.Order, s.config.Guarantee
	c.Seed = s.config.Seed
	shorter, paused, rates := s.config.QueueLease, s.config.Paused, s.config.Cap
	s.config = c.withDefaults()
	if s.config.QueueLease < shorter {
		s.rearmQueues()
	}
	s.ceiling.limit = s.config.ceiling()
	s.setCap(rates)
	for _, x := range s.sessions {
		x.stream.limit = x.streamLimit(s.config.Stream)
		if x.client != nil {
			x.client.ceiling.limit = s.config.Client.credit()
		}
		x.reported = unreported
	}
	s.replan()
	for _, x := range s.sessions {
		s.refresh(x)
		s.finishLater(x) // there may be no window any more for one that was told to go
		s.tellConfig(x, paused != s.config.Paused)
	}
}

// tellConfig has a session told at once of a lease that changed, since it must know how
// soon to extend what comes next, and of the beginning and the end of a pause.
func (s *State) tellConfig(x *session, now bool) {
	if !x.ownLease && x.lease != s.config.Lease {
		x.lease, now = s.config.Lease, true
	}
	x.urgent = x.urgent || now
	s.urgent = s.urgent || now
}

// ceilings are what the session is told about its limits.
func (s *State) ceilings(x *session) Ceilings {
	c := Ceilings{Stream: x.stream.limit.ceiling(), Subscription: s.ceiling.limit.ceiling()}
	if x.client != nil {
		c.Client = x.client.ceiling.limit.ceiling()
	}
	return c
}
