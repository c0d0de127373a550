package model

import (
	"fmt"
)

// Delivery is one frame that went to a session.
type Delivery struct {
	Session       uint64
	FirstSequence uint64
	ChargedBytes  uint64
	Bytes         uint64
	Messages      []Delivered
	// Runs and AttemptRuns is how many entries the frame has of each.
	Runs, AttemptRuns int
}

// Delivered is one message of a frame.
type Delivered struct {
	Partition uint32
	Offset    uint64
	Attempt   uint32
}

// Delivered judges a frame, message by message.
func (m *Model) Delivered(d *Delivery) error {
	x := m.sessions[d.Session]
	switch {
	case x == nil || !m.serving(x):
		return fmt.Errorf("session %d got a frame, but is not served", d.Session)
	case !x.writable:
		return fmt.Errorf("session %d got a frame, but is write-stalled", d.Session)
	case d.FirstSequence != x.sent+1:
		return fmt.Errorf("session %d: first sequence %d after %d", d.Session, d.FirstSequence, x.sent)
	case len(d.Messages) == 0:
		return fmt.Errorf("session %d got an empty frame", d.Session)
	}
	if err := m.rateAllows(len(d.Messages), d.Bytes); err != nil {
		return fmt.Errorf("session %d got %w", d.Session, err)
	}
	bytes := uint64(0)
	for _, one := range d.Messages {
		size, err := m.deliverOne(x, one)
		if err != nil {
			return fmt.Errorf("session %d: %w", d.Session, err)
		}
		bytes += size
	}
	overhead := frameOverhead + runOverhead*d.Runs + attemptOverhead*d.AttemptRuns
	if bytes+uint64(overhead) > x.maxFrame {
		return fmt.Errorf("session %d: a frame of %d bytes and %d beside them, at most %d", d.Session, bytes, overhead, x.maxFrame)
	}
	if bytes != d.Bytes || x.charged != d.ChargedBytes {
		return fmt.Errorf("session %d: %d bytes, charged %d; expected %d, %d", d.Session, d.Bytes, d.ChargedBytes, bytes, x.charged)
	}
	if !m.guarded() {
		x.told, x.given = m.now, x.sent
	}
	return nil
}

func (m *Model) deliverOne(x *Session, one Delivered) (size uint64, err error) {
	p := m.partitions[one.Partition]
	if p == nil || p.at(one.Offset) == nil {
		return 0, fmt.Errorf("message %d/%d does not exist", one.Partition, one.Offset)
	}
	msg := p.at(one.Offset)
	if err := m.ready(msg, x, m.now >= msg.dueFrom); err != nil {
		return 0, fmt.Errorf("%v was delivered: %w", msg, err)
	}
	if err := m.inOrder(msg, x); err != nil {
		return 0, fmt.Errorf("%v was delivered: %w", msg, err)
	}
	if want := msg.counts.attempt(); one.Attempt != want {
		return 0, fmt.Errorf("%v: attempt %d, expected %d", msg, one.Attempt, want)
	}
	if err := m.admits(x, msg.size); err != nil {
		return 0, fmt.Errorf("%v of %d bytes overshoots: %w", msg, msg.size, err)
	}
	m.totals.Delivered++
	if msg.delivered || msg.state == waiting {
		m.totals.Redelivered++
	}
	x.sent++
	x.charged += msg.size
	if m.rules.Forgets {
		m.forgetOne(x, msg)
		return msg.size, nil
	}
	x.held[x.sent] = msg
	x.usage.plus(Limit{1, msg.size})
	msg.state, msg.delivered, msg.holder, msg.sequence = outstanding, true, x, x.sent
	msg.sentAt = m.leaseClock(m.now)
	msg.started, msg.recalled, msg.attempt = false, false, one.Attempt
	if !x.tellsStarted {
		msg.start(msg.sentAt)
	}
	return msg.size, nil
}

// ready says why a message may not go to a session now, whatever its credit.
func (m *Model) ready(msg *message, x *Session, due bool) error {
	switch {
	case msg.state == settled || msg.durable.settled:
		return fmt.Errorf("it is settled")
	case msg.state == dying:
		return fmt.Errorf("it was given up")
	case msg.state == outstanding:
		return fmt.Errorf("session %d holds it", msg.holder.id)
	case msg.state == waiting && !due:
		return fmt.Errorf("it is due at %v, not at %v", msg.dueFrom, m.now)
	case msg.counts != msg.durable.counts:
		return fmt.Errorf("its counts %v are not durable, but %v", msg.counts, msg.durable.counts)
	case msg.state == waiting && m.avoided(msg, x):
		return fmt.Errorf("the session is avoided until %v", msg.avoidUntil)
	}
	return nil
}

// avoided says whether a session is surely to be avoided. A preference holds only
// while there is another session; whether there was one when the message became
// due is not known here, so it is not judged.
func (m *Model) avoided(msg *message, x *Session) bool {
	return msg.avoid == x && !msg.prefer && m.now < msg.avoidUntil
}

// maybeAvoided says whether a session may be avoided now.
func (m *Model) maybeAvoided(msg *message, x *Session) bool {
	return msg.avoid == x && m.now < msg.avoidUntil
}

// Flow is what a session is told of its state.
type Flow struct {
	Session     uint64
	Credit      Limit
	Outstanding Limit
	Backlog     uint64
	// Reasons that this account can judge.
	NoMessages, NoCreditMessages, WriteStalled, MessageTooLarge, RateLimited bool
}

// Flowed judges a Flow.
func (m *Model) Flowed(f Flow) error {
	x := m.sessions[f.Session]
	if x == nil {
		return fmt.Errorf("a flow for session %d, which is not there", f.Session)
	}
	x.told = m.now
	left := m.left(x)
	if f.Credit != left || f.Outstanding != x.usage || f.Backlog != m.unsettled() {
		return fmt.Errorf("session %d: flow of credit %v, outstanding %v, backlog %d; expected %v, %v, %d",
			f.Session, f.Credit, f.Outstanding, f.Backlog, left, x.usage, m.unsettled())
	}
	if m.serving(x) && f.WriteStalled != !x.writable {
		return fmt.Errorf("session %d: flow says write-stalled %v", f.Session, f.WriteStalled)
	}
	if f.RateLimited && m.rules.Concurrency == 0 && !m.rateHolds() {
		return fmt.Errorf("session %d: flow says rate-limited", f.Session)
	}
	// What a hole has settled may still be in line.
	if none := m.nothingToSend(); m.serving(x) && f.NoMessages != none && (!none || !m.holes) {
		return fmt.Errorf("session %d: flow says no messages %v", f.Session, f.NoMessages)
	}
	return nil
}

// nothingToSend says whether every message is settled or outstanding.
func (m *Model) nothingToSend() bool {
	none := true
	m.each(func(msg *message) {
		if !msg.durable.settled && (msg.state == fresh || msg.state == waiting) {
			none = false
		}
	})
	return none
}

// EndTurn checks that nothing is missing in a turn.
func (m *Model) EndTurn() error {
	if m.wrong != nil {
		return m.wrong
	}
	if err := m.expected.missing(); err != nil {
		return err
	}
	if m.unproved != nil {
		return m.unproved
	}
	m.noteHoarded()
	for _, x := range m.sessions {
		if !x.absent && !x.pulls && m.now-x.told >= heartbeat {
			return fmt.Errorf("session %d heard nothing since %v", x.id, x.told)
		}
	}
	return nil
}

// Quiet checks that nobody stalls, after a turn after which nothing more was to be
// done at once and everything asked for was loaded: a session with credit has no
// ready message in front of it, unless it waits for credit for another one.
func (m *Model) Quiet() error {
	if msg := m.hoard; msg != nil && m.now >= m.hoardSince+recallPause {
		return fmt.Errorf("a session starves, but %v was not asked back", msg)
	}
	if err := m.pullsLeft(); err != nil {
		return err
	}
	rated := m.rateHolds()
	for _, x := range m.sessions {
		if x.moving && !x.absent && !m.canLeave(x) && x.usage.Messages == 0 && x.confirmed == x.applied {
			return fmt.Errorf("session %d has gone and was not ended", x.id)
		}
		if x.draining && !x.absent && !x.drainTold && x.usage.Messages == 0 && x.confirmed == x.applied {
			return fmt.Errorf("session %d was not told that it is drained", x.id)
		}
		if rated || !m.serving(x) || !x.writable {
			continue
		}
		if left := m.left(x); left.Messages == 0 || left.Bytes == 0 {
			continue
		}
		if stalled := m.stalledFor(x); stalled != nil {
			return fmt.Errorf("session %d has credit, but %v was not delivered", x.id, stalled)
		}
	}
	return nil
}

// pullsLeft checks that those that pulled, and have something or wait no more, have left.
func (m *Model) pullsLeft() error {
	for _, x := range m.sessions {
		given := !m.guarded() || x.given == x.sent
		if x.pulls && !x.left && !x.absent && given && (x.leaving || x.sent > 0 && x.writable) {
			return fmt.Errorf("session %d pulled %d, and was not told that this is all", x.id, x.sent)
		}
		if x.left && !x.absent && len(x.held) == 0 && x.confirmed == x.applied {
			return fmt.Errorf("session %d pulled and has settled all, and goes on", x.id)
		}
	}
	return nil
}

// stalledFor returns a message that a session should have got.
func (m *Model) stalledFor(x *Session) (stalled *message) {
	excused := false
	waits := uint64(0)
	m.held = Limit{}
	for _, y := range m.sessions {
		m.held.plus(y.notSent)
	}
	m.each(func(msg *message) {
		switch msg.state {
		case waiting:
			waits++
		case outstanding:
			m.held.plus(Limit{1, msg.size})
		default:
		}
	})
	m.each(func(msg *message) {
		fresh := msg.state == fresh
		switch {
		case m.reserved(msg, x):
			excused = true
		case m.ready(msg, x, m.now >= msg.dueFrom) != nil || !x.fits(msg) || m.inOrder(msg, x) != nil:
		case m.admits(x, msg.size) != nil:
			excused = true
		case !m.firstOfKey(msg):
			// More than one message of a key may go out, but need not.
		case msg.key != 0 && m.holes:
			// What a hole has settled may hold its key until the next commit.
		case fresh && (waits >= m.rules.MaxWaiting || m.holes && m.rules.MaxWaiting < manyMessages):
			// What a hole has settled counts as waiting until its time comes.
		case !fresh && (m.now < msg.dueBy || m.maybeAvoided(msg, x)):
		default:
			stalled = msg
		}
	})
	if excused {
		return nil
	}
	return stalled
}

// manyMessages is more than ever wait in a simulation.
const manyMessages = 1000

func (x *Session) fits(msg *message) bool {
	return msg.size+frameOverhead+runOverhead+attemptOverhead <= x.maxFrame
}

// reserved says whether a ceiling that a session shares may be kept free for a
// message that goes to another session: one that does not fit into what is left
// of the subscription's, or that is larger than the client's.
func (m *Model) reserved(msg *message, x *Session) bool {
	all := unlimited(m.rules.Subscription).Bytes - min(m.held.Bytes, unlimited(m.rules.Subscription).Bytes)
	ofClient := unlimited(m.rules.Client).Bytes
	if msg.size <= all && msg.size <= ofClient {
		return false
	}
	for _, y := range m.sessions {
		shared := msg.size > all || x.client != "" && x.client == y.client
		if y != x && shared && m.takes(y) && y.fits(msg) && m.ready(msg, y, m.now >= msg.dueFrom) == nil {
			return true
		}
	}
	return false
}

// takes says whether a session could take a message once it held nothing.
func (m *Model) takes(x *Session) bool {
	if !m.serving(x) || !x.writable {
		return false
	}
	if x.manual {
		return x.granted.Messages > x.sent && x.granted.Bytes > x.charged
	}
	return x.window.Messages > 0 && x.window.Bytes > 0
}
