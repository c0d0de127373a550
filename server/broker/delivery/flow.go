package delivery

import (
	"math"
	"time"
)

const (
	// HeartbeatInterval is the silence after which a Flow is sent.
	HeartbeatInterval = 10 * time.Second
	// SilenceLimit is three missed heartbeats: a session that was not heard for so
	// long is dead.
	SilenceLimit = 3 * HeartbeatInterval
	// flowInterval is how often what holds a session back is told when it changes.
	flowInterval = time.Second
	// reportInterval, for each session, passes between two looks at all of them.
	reportInterval = time.Millisecond
	// loadingInterval passes between two looks while messages are being loaded.
	loadingInterval = 100 * time.Millisecond
)

// unreported is no set of reasons: the next look is told in any case.
const unreported = Blocked(math.MaxUint32)

// noCredit are the reasons that the session's client itself can end by granting more.
const noCredit = NoCreditMessages | NoCreditBytes

// reporting is what a session was told, and when.
type reporting struct {
	reported     Blocked
	blockedSince Instant
	// urgent: it is to be told in this turn, whatever it was told before.
	urgent bool
	// dry says that it was told of having no credit, for the first time in a row at
	// drySince.
	dry      bool
	drySince Instant
	lastFlow Instant
	lastSent Instant
	heard    Instant // on the lease clock
	// beatAt and silentAt are when to look again, at the earliest.
	beatAt    Instant
	silentAt  Instant // on the lease clock
	beatTimer int
	silTimer  int

	revoking     *Revoked
	revokingTurn uint64
}

func newBeats() heap[*session] {
	return heap[*session]{
		less:  func(a, b *session) bool { return a.beatAt < b.beatAt },
		place: func(x *session) *int { return &x.beatTimer },
	}
}

func newSilences() heap[*session] {
	return heap[*session]{
		less:  func(a, b *session) bool { return a.silentAt < b.silentAt },
		place: func(x *session) *int { return &x.silTimer },
	}
}

func (s *State) startReporting(x *session) {
	x.lastFlow, x.blockedSince, x.lastSent = s.now-flowInterval, x.since, s.now
	x.heard = s.leaseClock(x.since)
	x.beatAt, x.silentAt = s.now+HeartbeatInterval, x.heard+SilenceLimit
	if !x.pulls {
		s.beats.put(x)
		s.silences.put(x)
	}
}

// streamOf is the session of a stamp, nil when its stream is not the session's.
func (s *State) streamOf(stamp Stamp) *session {
	if x := s.byID[stamp.Session]; x != nil && x.incarnation == stamp.Incarnation && !x.absent {
		return x
	}
	return nil
}

// hear returns the session of a stamp, nil for a late frame, and notes that it is
// alive.
func (s *State) hear(stamp Stamp) *session {
	x := s.streamOf(stamp)
	if x == nil {
		return nil
	}
	at := s.leaseClock(stamp.At)
	if x.tellsStarted && x.heard+s.config.QueueLease <= at {
		s.judgeQueue(x, stamp.At)
	}
	x.heard = max(x.heard, at)
	return x
}

// sent notes that a frame goes to a session.
func (s *State) sent(x *session) { x.lastSent = s.now }

// endSilent ends the sessions that were not heard for too long.
func (s *State) endSilent() {
	now := s.leaseClock(s.now)
	for s.silences.len() > 0 && s.silences.top().silentAt <= now {
		x := s.silences.top()
		x.silentAt = x.heard + SilenceLimit
		if x.closing {
			x.silentAt = now + SilenceLimit // it has nothing more to say
		}
		if x.silentAt <= now {
			s.endStream(x)
			continue
		}
		s.silences.put(x)
	}
}

// endStream ends the stream of a session that is silent.
func (s *State) endStream(x *session) {
	end := s.out.endSession()
	end.Session, end.Incarnation, end.Reason, end.Served = x.id, x.incarnation, EndSilent, true
	s.lose(x, s.now)
	end.Waits = x.absent
}

// beat sends a Flow to every session to which nothing was sent for a while.
func (s *State) beat() {
	for s.beats.len() > 0 && s.beats.top().beatAt <= s.now {
		x := s.beats.top()
		if x.lastSent+HeartbeatInterval <= s.now {
			blocked, needs := s.blocked(x)
			s.tell(x, blocked, needs)
		}
		x.beatAt = x.lastSent + HeartbeatInterval
		s.beats.put(x)
	}
}

// report looks whether other reasons hold the sessions back than they know of.
// It looks the less often the more sessions there are, and while the next
// messages are being loaded it waits for them.
func (s *State) report() {
	due := s.urgent || s.changed && s.nextReport <= s.now || s.delayed && s.delayedReport <= s.now
	if !due || len(s.sessions) == 0 {
		return
	}
	if !s.urgent && s.loading() {
		s.nextReport = s.now + loadingInterval
		s.delayedReport = max(s.delayedReport, s.nextReport)
		return
	}
	s.nextReport = s.now + min(time.Duration(len(s.sessions))*reportInterval, flowInterval)
	s.changed, s.delayed, s.urgent = false, false, false
	for _, x := range s.sessions {
		if x.absent || x.pulls {
			continue
		}
		blocked, needs := s.blocked(x)
		switch again := x.lastFlow + flowInterval; {
		case blocked == x.reported && !x.urgent:
		case again <= s.now || x.urgent:
			s.tell(x, blocked, needs)
		case !s.delayed || again < s.delayedReport:
			s.delayed, s.delayedReport = true, again
		}
	}
}

// loading says that there are messages, but none at hand yet.
func (s *State) loading() bool {
	if len(s.open) > 0 || s.openSessions == 0 {
		return false
	}
	for _, p := range s.order {
		if p.isLoading && p.fresh() > 0 {
			return true
		}
	}
	return false
}

// tell sends a Flow.
func (s *State) tell(x *session, blocked Blocked, needs uint64) {
	if blocked != x.reported {
		x.reported, x.blockedSince = blocked, s.now
	}
	if dry := blocked&noCredit != 0; dry != x.dry {
		x.dry, x.drySince = dry, s.now
	}
	x.lastFlow, x.urgent = s.now, false
	s.sent(x)
	f := s.out.flow()
	f.Session, f.Blocked, f.NeedsBytes = x.id, blocked, needs
	f.Credit = x.left().least(s.ceiling.room())
	f.Outstanding = x.stream.held
	f.Backlog = s.backlog()
	f.OldestTime = s.oldest()
	f.Lease, f.Ceilings = x.lease, s.ceilings(x)
}

// blocked says what holds a session back, and the size of the message for which
// its bytes do not suffice.
func (s *State) blocked(x *session) (b Blocked, needs uint64) {
	if !x.serving {
		return Draining, 0
	}
	if !x.writable {
		b |= WriteStalled
	}
	if x.standby {
		b |= Standby
	}
	if s.config.Paused {
		b |= Paused
	}
	if s.cap.limited {
		b |= RateLimited
	}
	b |= s.blockedByCredit(x)
	b |= s.blockedByBacklog(x)
	switch {
	case x.holds != nil:
		b, needs = b|NoCreditBytes, x.holds.size
	case x.waitsFor > 0:
		needs = x.waitsFor
		b |= x.shortOf(needs)
	}
	return b, needs
}

// blockedByCredit names the limits that have nothing left.
func (s *State) blockedByCredit(x *session) (b Blocked) {
	own := x.stream.room().least(x.grantLeft())
	if own.Messages == 0 {
		b |= NoCreditMessages
	}
	if own.Bytes == 0 {
		b |= NoCreditBytes
	}
	if x.client != nil && (!x.client.ceiling.room().some() || x.client.ceiling.reserved != nil && x.client.ceiling.reserved != x) {
		b |= ClientCap
	}
	if !s.ceiling.room().some() || s.capped || s.ceiling.reserved != nil && s.ceiling.reserved != x {
		b |= s.ceilingReason()
	}
	return b
}

// shortOf names the limit that a message of some size does not fit into now.
func (x *session) shortOf(size uint64) Blocked {
	if size > x.stream.room().least(x.grantLeft()).Bytes {
		return NoCreditBytes
	}
	if x.client != nil && size > x.client.ceiling.room().Bytes {
		return ClientCap
	}
	return 0
}

// blockedByBacklog says why there is nothing to send.
func (s *State) blockedByBacklog(x *session) (b Blocked) {
	if s.misfits.largest > x.maxMessage {
		b |= MessageTooLarge
	}
	fresh := s.freshMessages()
	switch {
	case fresh == 0 && s.pool.messages == 0 && s.keys.queued == 0:
		b |= NoMessages
	case fresh > 0 && s.freshAllowed() && !s.keys.blocked || s.candidate(x) != nil:
	case s.keys.blocked || s.keys.queued+s.keys.behind > 0:
		b |= KeysBlocked
		if s.pool.later > s.keys.behind {
			b |= RetryBackoff
		}
	case s.pool.later > 0 || x.shunned.len() > 0 || fresh > 0:
		b |= RetryBackoff
	}
	return b
}

func (s *State) freshMessages() (n uint64) {
	for _, p := range s.order {
		n += p.fresh()
	}
	return n
}

func (s *State) backlog() (n uint64) {
	for _, p := range s.order {
		n += p.backlog()
	}
	return n
}

// oldest is the time of the oldest unsettled message whose time is known.
func (s *State) oldest() (first int64) {
	for _, p := range s.order {
		if t := p.times.at(p.floor); t != 0 && p.floor < p.head && (first == 0 || t < first) {
			first = t
		}
	}
	return first
}
