package model

import (
	"fmt"
	"time"
)

// Within patience of being delivered, what is not started is asked back, but not
// before it is old enough.
const (
	recallAge = 250 * time.Millisecond
	patience  = 500 * time.Millisecond
	// recallPause may pass before anybody looks again who starves.
	recallPause = 150 * time.Millisecond
)

// starves says whether a session could take messages and holds none. What others hold
// of the subscription's ceiling does not matter: it comes back with their messages.
func (m *Model) starves(x *Session) bool {
	if !m.takes(x) || x.usage.Messages > 0 {
		return false
	}
	for i, c := range m.ceilings(x) {
		if i != ofSubscription && (c.held.Messages >= c.limit.Messages || c.held.Bytes >= c.limit.Bytes) {
			return false
		}
	}
	return true
}

// Recalled judges a request to give deliveries back.
func (m *Model) Recalled(id, first, last uint64) error {
	x := m.sessions[id]
	if x == nil || !x.answersRecall {
		return fmt.Errorf("session %d was asked for deliveries, but does not answer", id)
	}
	x.told = m.now
	starving := false
	for _, y := range m.sessions {
		starving = starving || m.starves(y)
	}
	for sequence := first; sequence <= last; sequence++ {
		msg := x.held[sequence]
		switch {
		case !starving:
			return fmt.Errorf("session %d was asked for deliveries, but nobody starves", id)
		case msg == nil || msg.started || msg.unsent():
			return fmt.Errorf("session %d was asked for sequence %d, which it started or does not hold", id, sequence)
		case msg.recalled:
			return fmt.Errorf("session %d was asked for sequence %d twice", id, sequence)
		case msg.sentAt+recallAge > m.leaseClock(m.now):
			return fmt.Errorf("session %d was asked for sequence %d too soon", id, sequence)
		}
		msg.recalled = true
	}
	return nil
}

// noteHoarded remembers since when somebody starves while something could be asked back.
func (m *Model) noteHoarded() {
	starving := false
	for _, x := range m.sessions {
		starving = starving || m.starves(x)
	}
	var old *message
	if starving {
		old = m.hoarded()
	}
	if old != nil && m.hoard == nil {
		m.hoardSince = m.now
	}
	m.hoard = old
}

// hoarded returns a message that should be asked back, nil if there is none, or if
// something was asked for, or waits.
func (m *Model) hoarded() (old *message) {
	excused := false
	m.each(func(msg *message) {
		switch {
		case msg.state == outstanding && msg.recalled:
			excused = true
		case msg.gone() || msg.state == settled:
		case msg.state != outstanding:
			excused = true
		case msg.holder.answersRecall && !msg.holder.absent && !msg.started && !msg.unsent() && msg.sentAt+patience < m.leaseClock(m.now):
			old = msg
		}
	})
	if excused {
		return nil
	}
	return old
}
