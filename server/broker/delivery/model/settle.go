package model

import (
	"fmt"
	"slices"
	"time"
)

// Range is a range of sequences, both ends included.
type Range struct{ First, Last uint64 }

// Verdict is how a client settles.
type Verdict uint8

// Verdicts. Extension shares their numbers.
const (
	Ack Verdict = iota
	Retry
	Release
	Reject
	Extension
)

// Settle is a numbered frame of a client.
type Settle struct {
	Session uint64
	At      Instant
	Number  uint64
	Ranges  []Range
	Verdict Verdict
	// Delay is a retry's own, negative for none; Duration an extension's.
	Delay    time.Duration
	Duration time.Duration
	// Code is what was said of the failure.
	Code string
}

// Failure is one sequence of a settle that came to nothing.
type Failure struct {
	Sequence uint64
	Reason   string
}

// settle is what one number did.
type settle struct {
	failures []Failure
	claims   []claim
	// extended are leases that it prolonged.
	extended []extension
	// back are sequences that came back by it.
	back []uint64
}

// claim is what must be durable before a settle is confirmed.
type claim struct {
	message *message
	failed  uint32 // 0: it must be settled
	stored  bool   // as a dead letter: it must be settled, too
}

func (c claim) holds() bool {
	d := c.message.durable
	return d.settled || !c.stored && c.failed > 0 && d.counts.failed >= c.failed
}

// Settle tells of a numbered frame. Its ranges may name at most a few thousand
// sequences; they do not overlap.
func (m *Model) Settle(e Settle) {
	x := m.hear(e.Session, e.At)
	switch {
	case x == nil:
		return
	case e.Number > x.applied+1:
		m.endCharged(x, "settle gap", e.At)
		return
	case e.Number <= x.applied:
		if e.Number <= x.confirmed && e.Number+repeatedSpan > x.applied {
			x.repeats[e.Number] = true
		}
		return
	}
	x.applied = e.Number
	s := &settle{}
	x.settles[e.Number] = s
	delete(x.settles, e.Number-min(e.Number, repeatedSpan+1))
	ranges := slices.Clone(e.Ranges)
	slices.SortFunc(ranges, func(a, b Range) int { return int(int64(a.First) - int64(b.First)) })
	for _, r := range ranges {
		for sequence := r.First; sequence <= r.Last; sequence++ {
			if reason := m.settleOne(x, s, sequence, e); reason != "" {
				s.failures = append(s.failures, Failure{sequence, reason})
			}
		}
	}
	m.keepOrder(e.At)
}

// settleOne applies a frame to one sequence and says why it came to nothing.
func (m *Model) settleOne(x *Session, s *settle, sequence uint64, e Settle) string {
	if e.Verdict == Reject && !m.rules.DeadLetters {
		return "not served"
	}
	if sequence == 0 || sequence > x.given {
		return "unknown"
	}
	msg := x.held[sequence]
	switch {
	case m.rules.Forgets && (e.Verdict == Ack || e.Verdict == Extension), e.Verdict == Ack && x.known[sequence]:
		return ""
	case msg == nil:
		return "stale"
	}
	m.judge(msg, e.At)
	if msg.holder == nil {
		return "stale"
	}
	if e.Verdict == Retry || e.Verdict == Release {
		s.back = append(s.back, sequence)
	}
	switch e.Verdict {
	case Ack:
		msg.leave()
		msg.state = settled
		m.totals.Acked++
		s.claims = append(s.claims, claim{message: msg})
	case Retry:
		msg.leave()
		goesOn := m.fail(msg, "retried", e.Code)
		m.totals.Retried++
		s.claims = append(s.claims, claim{msg, msg.counts.failed, !goesOn && msg.state == dying})
		if goesOn {
			m.retryDue(msg, x, e)
		}
	case Reject:
		msg.leave()
		m.fail(msg, "rejected", e.Code)
		m.totals.Rejected++
		s.claims = append(s.claims, claim{message: msg})
	case Release:
		msg.leave()
		m.totals.Released++
		msg.due(e.At, e.At, x, false)
	case Extension:
		reason := m.extendOne(x, msg, e)
		s.extended = append(s.extended, extension{msg, sequence, msg.deadline})
		return reason
	default:
	}
	return ""
}

// Started tells what a client began to work on.
func (m *Model) Started(id uint64, at Instant, ranges []Range) {
	x := m.hear(id, at)
	if x == nil {
		return
	}
	for _, r := range ranges {
		for sequence := r.First; sequence <= r.Last; sequence++ {
			if msg := x.held[sequence]; msg != nil && !msg.started && !msg.unsent() {
				msg.start(m.leaseClock(at))
			}
		}
	}
}

// start begins the work lease of a delivery.
func (msg *message) start(at Instant) {
	msg.started, msg.startedAt, msg.deadline = true, at, at+msg.holder.lease
}

func (m *Model) retryDue(msg *message, x *Session, e Settle) {
	if e.Delay < 0 {
		m.backOff(msg, x, e.At, e.At)
		return
	}
	due := e.At + min(max(e.Delay, minDelay), maxDelay)
	msg.due(due, due, x, true)
}

func (m *Model) extendOne(x *Session, msg *message, e Settle) string {
	duration := e.Duration
	if duration == 0 {
		duration = x.lease
	}
	if !msg.started {
		msg.start(m.leaseClock(e.At))
	}
	until := m.leaseClock(e.At) + min(duration, maxLease)
	limit := msg.startedAt + max(m.rules.LeaseCap, x.lease)
	msg.deadline = max(msg.deadline, min(until, limit))
	if until > limit {
		return "capped"
	}
	return ""
}

// ResultFailure is a failed range of a number, as the session was told.
type ResultFailure struct {
	Number      uint64
	First, Last uint64
	Reason      string
}

// Confirmed notes that a session was told that its settles up to through are
// durable, with these failures.
func (m *Model) Confirmed(session, through uint64, failures []ResultFailure) error {
	x := m.sessions[session]
	if x == nil {
		return fmt.Errorf("a result for session %d, which is not there", session)
	}
	x.told = m.now
	if through < x.confirmed || through > x.applied {
		return fmt.Errorf("session %d: confirmed through %d after %d, with %d applied", session, through, x.confirmed, x.applied)
	}
	want := make(map[uint64][]Failure)
	for number := range x.repeats {
		want[number] = x.settles[number].failures
	}
	for number := x.confirmed + 1; number <= through; number++ {
		if err := x.settles[number].durable(); err != nil {
			return fmt.Errorf("session %d: settle %d confirmed: %w", session, number, err)
		}
		if err := m.written(x, number); err != nil {
			return fmt.Errorf("session %d: settle %d confirmed: %w", session, number, err)
		}
		want[number] = x.settles[number].failures
	}
	clear(x.repeats)
	x.confirmed = through
	return compareFailures(session, want, failures)
}

func (s *settle) durable() error {
	for _, c := range s.claims {
		if !c.holds() {
			return fmt.Errorf("%v is not durably settled or counted", c.message)
		}
	}
	return nil
}

func compareFailures(session uint64, want map[uint64][]Failure, got []ResultFailure) error {
	seen := make(map[uint64][]Failure)
	last := uint64(0)
	for _, f := range got {
		if f.Number < last {
			return fmt.Errorf("session %d: failures of %d after those of %d", session, f.Number, last)
		}
		last = f.Number
		for sequence := f.First; sequence <= f.Last; sequence++ {
			seen[f.Number] = append(seen[f.Number], Failure{sequence, f.Reason})
		}
	}
	for number, failures := range want {
		if !slices.Equal(failures, seen[number]) {
			return fmt.Errorf("session %d: settle %d failed for %v, expected %v", session, number, seen[number], failures)
		}
		delete(seen, number)
	}
	for number := range seen {
		return fmt.Errorf("session %d: failures of settle %d, which was not confirmed now", session, number)
	}
	return nil
}
