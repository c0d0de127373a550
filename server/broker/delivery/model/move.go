package model

import "time"

// Move tells that sessions are asked to leave their streams; 0: all.
func (m *Model) Move(id uint64, at Instant, grace time.Duration) {
	if m.closing {
		return
	}
	for _, x := range m.sessions {
		if (id == 0 || id == x.id) && !x.absent && !x.closing && !x.draining && !x.moving && !x.pulls {
			x.moving, x.drainAt = true, at+grace
			m.expected.goAway(x.id)
		}
	}
}

// canLeave says that a session goes on when its stream ends.
func (m *Model) canLeave(x *Session) bool {
	return m.rules.Exact && len(x.held) > 0 || x.resumes && m.rules.ResumeWindow > 0
}

// endGrace ends the grace of a session that drains, or was asked to leave its stream.
func (m *Model) endGrace(x *Session, now Instant) {
	if x.moving && !x.draining && m.canLeave(x) {
		m.expected.end(x.id, "moved")
		x.forgiven = true
		m.lose(x, now)
		return
	}
	x.drainOver = true
	m.takeBack(x, "drain ended")
}
