package standing

import (
	"slices"

	"github.com/headrace/headrace/faults/history"
)

// where is a set of places: those in which a message may be.
type where uint8

const (
	// live: it is to be delivered, or is.
	live where = 1 << iota
	// dead: it is a dead letter.
	dead
	// done: it is acked, or counts as that.
	done
)

// placeOf is where a verdict takes a message; 0: it stays.
func placeOf(verdict uint64) where {
	switch verdict {
	case history.Ack:
		return done
	case history.Reject:
		return dead
	default:
		return 0
	}
}

// message is what is known of one message.
type message struct {
	id history.MessageID
	at history.Place
	// stored is when it was known to be stored; 0: it may not be.
	stored history.Instant
	where  where
	// since is when where became smaller, which by did: a session, or nil. Each time it is
	// another version: what an older one had added does not count.
	since   history.Instant
	by      *session
	version int
	// redriven: it came back from the dead letters.
	redriven bool
	// asked are those who asked in this version for a place that was not one of its own; one
	// that reached nothing is not there any more.
	asked []*hand
	// asker is who asked for something last: an answer is told late when another one has
	// asked since. Nil is an operator.
	asker *hand
	// surelyDead: it was a dead letter when somebody was about to redrive it.
	surelyDead bool
	charges    charges
	// hands are those that nothing has ended for certain.
	hands []*hand
}

// narrow leaves one place, as something said at a time.
func (m *message) narrow(to where, at history.Instant, by *session) {
	m.where, m.since, m.by = to, at, by
	m.version++
	m.asked = nil
}

// ask adds the place that somebody asks for.
func (m *message) ask(h *hand, to where) {
	if m.where&to == 0 || m.isAsked(to) {
		m.asked = append(m.asked, h)
	}
	m.where |= to
}

// unask takes back what somebody asked for in vain, unless another one asks for it too.
func (m *message) unask(h *hand) {
	if i := slices.Index(m.asked, h); i >= 0 {
		m.asked = slices.Delete(m.asked, i, i+1)
		if to := placeOf(h.verdict); !m.isAsked(to) {
			m.where &^= to
		}
	}
}

func (m *message) isAsked(to where) bool {
	return slices.ContainsFunc(m.asked, func(h *hand) bool { return placeOf(h.verdict) == to })
}

// surely says that the message was in one place from before a time on.
func (m *message) surely(w where, before history.Instant) bool {
	return m.where == w && m.since < before
}

// is says whether a message is known to be stored since before a time.
func (m *message) isStored(before history.Instant) bool { return m.stored > 0 && m.stored < before }
