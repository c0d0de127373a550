package model

import (
	"fmt"
	"slices"
)

// Resumption is what a client that comes back says that it has.
type Resumption struct {
	Attach

	ReceivedThrough uint64
	Holding         []Range
}

// resumed is what it must be told.
type resumed struct {
	kept          []Range
	next, charged uint64
}

// lose tells that a stream broke: the session waits, or ends.
func (m *Model) lose(x *Session, at Instant) {
	m.giveBackUnsent(x, at)
	if m.rules.Exact && len(x.held) > 0 && !x.closing {
		m.leaveLeased(x, at)
		return
	}
	if !x.resumes || m.rules.ResumeWindow == 0 || x.closing || m.closing {
		m.endCharged(x, "", at)
		return
	}
	x.absent, x.resumeBy = true, m.leaseClock(at)+m.rules.ResumeWindow
	x.endBy = x.resumeBy
}

// Waits says whether a session waits to be taken up again.
func (m *Model) Waits(id uint64) bool { return m.sessions[id] != nil && m.sessions[id].absent }

// Resume tells that a client takes a session up again, or wants to.
func (m *Model) Resume(r *Resumption) {
	x := m.sessions[r.Session]
	if x == nil {
		m.resumeNothing(r)
		return
	}
	if m.closing {
		m.giveBackUnsent(x, r.At)
		if !m.rules.Exact {
			m.returnAll(x, r.At, "")
		}
		m.remove(x, "shutdown")
		m.Attach(r.Attach)
		return
	}
	m.giveBackUnsent(x, r.At)
	until := x.resumeBy
	if !x.absent {
		until = m.leaseClock(r.At) + m.rules.ResumeWindow
		m.expected.end(x.id, "superseded")
	}
	wasServed := m.wants(x)
	x.absent = true
	for sequence, msg := range x.held {
		if sequence > r.ReceivedThrough || !within(r.Holding, sequence) {
			msg.leave()
			m.totals.Released++
			msg.due(r.At, r.At, nil, false)
		}
	}
	m.keepOrder(r.At)
	for _, msg := range x.held {
		if !r.TellsStarted && !msg.started {
			msg.start(m.leaseClock(r.At))
			msg.deadline += r.Lease - x.lease
		}
	}
	told := resumed{next: x.sent + 1, charged: x.charged}
	for sequence, msg := range x.held {
		msg.deadline = max(msg.deadline, until)
		msg.recalled = false
		told.kept = append(told.kept, Range{sequence, sequence})
	}
	slices.SortFunc(told.kept, func(a, b Range) int { return int(int64(a.First) - int64(b.First)) })
	m.expected.resume(x.id, told)
	a := r.Attach
	x.manual, x.window, x.granted, x.maxFrame, x.lease = a.Manual, a.Window, Limit{}, a.MaxFrame, a.Lease
	x.tellsStarted, x.keyBatches, x.resumes = a.TellsStarted, a.KeyBatches, a.Resumes
	x.answersRecall = a.AnswersRecall && a.TellsStarted
	if x.pulls, x.left = a.Pull, a.Pull; a.Pull { // it gets nothing more
		x.granted = a.Window
	} else if !wasServed {
		m.arrivals++
		x.arrival = m.arrivals
	}
	x.absent, x.draining, x.drainTold, x.drainOver, x.writable = false, false, false, false, true
	x.moving, x.forgiven = false, false
	x.heard, x.told = m.leaseClock(r.At), m.now
}

// resumeNothing begins a new session, or refuses to.
func (m *Model) resumeNothing(r *Resumption) {
	switch {
	case !m.rules.Exact:
		m.Attach(r.Attach)
	case m.closing:
		m.expected.end(r.Session, "shutdown")
	default:
		m.expected.end(r.Session, "not resumed")
	}
}

func within(all []Range, sequence uint64) bool {
	for _, r := range all {
		if r.First <= sequence && sequence <= r.Last {
			return true
		}
	}
	return false
}

// Resumed notes that a session was told what it still has.
func (m *Model) Resumed(id uint64, kept []Range, next, charged uint64) error {
	want, ok := m.expected.resumed[id]
	if !ok {
		return fmt.Errorf("session %d was taken up again", id)
	}
	delete(m.expected.resumed, id)
	var all []Range
	for _, r := range kept {
		for sequence := r.First; sequence <= r.Last; sequence++ {
			all = append(all, Range{sequence, sequence})
		}
	}
	if !slices.Equal(all, want.kept) || next != want.next || charged != want.charged {
		return fmt.Errorf("session %d resumed with %v, next %d, charged %d; expected %v, %d, %d",
			id, kept, next, charged, want.kept, want.next, want.charged)
	}
	m.touch(id)
	return nil
}
