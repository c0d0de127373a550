package standing

import (
	"fmt"
	"slices"
	"time"

	"github.com/headrace/headrace/faults/history"
)

// settling is how long the word that a delivery was begun may be on its way.
const settling = 2 * time.Second

// session is who gets deliveries: a program's handlers, or one pull.
type session struct {
	id, client uint64
	opened     history.Instant
}

func (s *session) String() string { return fmt.Sprintf("session %d of client %d", s.id, s.client) }

type handID struct{ session, sequence uint64 }

// hand is one delivery that was handed out.
type hand struct {
	session *session
	message *message
	at      history.Instant
	attempt uint64
	// verdict was about to be sent at answering; 0: none was.
	verdict   uint64
	answering history.Instant
	// version was the message's when the verdict was about to be sent.
	version int
	// thief got the message meanwhile.
	thief string
}

// user takes what a session got or said.
func (a *Account) user(s *session, e *history.Event) {
	if e.Kind == history.Handed {
		a.handed(s, e)
		return
	}
	if e.Kind == history.HandsEnding {
		a.giveUp(func(other *session) bool { return other == s })
		return
	}
	h := a.hands[handID{s.id, e.Sequence}]
	if h == nil {
		a.brokenf(history.Unreadable, "an answer for %d, which was never handed out: %s", e.Sequence, s)
		return
	}
	switch e.Kind {
	case history.Answering:
		a.answering(h, e)
	case history.Answered:
		a.answered(h, e)
	default:
		a.answerFailed(h)
	}
}

// handed takes a delivery.
func (a *Account) handed(s *session, e *history.Event) {
	if e.Number == 0 {
		return // It is no message; the history's checker says so.
	}
	a.counts.Handed++
	m := a.message(history.MessageID{Publisher: e.Publisher, Number: e.Number})
	if e.Partition != history.ReplayPartition {
		a.stored(m, history.Place{Topic: e.Topic, Partition: e.Partition, Offset: e.Offset}, e.At)
	}
	h := &hand{session: s, message: m, at: e.At, attempt: e.Attempt}
	a.checkWhere(h)
	a.checkPaused(h)
	a.checkKey(h, e.Partition == history.ReplayPartition)
	a.checkAttempt(h)
	a.checkHolders(h)
	if m.charges.came {
		a.counts.Again++
	}
	m.charges.hand(h, a.deaths)
	m.hands = append(m.hands, h)
	a.hands[handID{s.id, e.Sequence}] = h
	if a.rules.Guarantee == AtMostOnce {
		m.narrow(done, e.At, s)
	}
}

// checkWhere: what is surely not live is not delivered.
func (a *Account) checkWhere(h *hand) {
	m := h.message
	if a.effective(m)&live != 0 {
		return
	}
	switch {
	case a.rules.Guarantee == AtMostOnce:
		a.brokenf(history.Duplicated, "%s at %s, at most once, to %s", m.id, m.at, h.session)
	case m.by != h.session && m.since >= h.session.opened:
	case m.where == dead:
		a.brokenf(history.Resurrected, "%s at %s is a dead letter that nobody redrove, and came to %s", m.id, m.at, h.session)
	case m.by == nil:
		a.brokenf(history.Skipped, "%s at %s is before where a seek went, and came to %s", m.id, m.at, h.session)
	default:
		a.brokenf(history.Resurrected, "%s at %s was acked by %s, and came to %s", m.id, m.at, m.by, h.session)
	}
}

// checkHolders: where exactly once is promised, nobody else gets what somebody holds.
func (a *Account) checkHolders(h *hand) {
	m := h.message
	if a.rules.Guarantee != ExactlyOnce {
		m.hands = m.hands[:0]
		return
	}
	for _, other := range m.hands {
		age := h.at.Sub(other.at)
		switch {
		case other.verdict == history.Retry || other.verdict == history.Release || 2*age > a.rules.Lease:
		case age > settling:
			a.brokenf(history.Disturbed, "%s at %s came to %s, %v after it had come to %s", m.id, m.at, h.session, age, other.session)
		default:
			other.thief = h.session.String()
		}
	}
	m.hands = slices.DeleteFunc(m.hands, func(other *hand) bool { return other.thief == "" })
}

// clientKilled: what a client held may come again, and may be charged.
func (a *Account) clientKilled(e *history.Event) {
	a.giveUp(func(s *session) bool { return s.client == e.Client })
}

// giveUp lets go of what some sessions hold.
func (a *Account) giveUp(which func(*session) bool) {
	found := false
	for _, s := range a.sessions {
		found = found || which(s)
	}
	if !found {
		return
	}
	a.deaths++
	for _, m := range a.messages {
		m.hands = slices.DeleteFunc(m.hands, func(h *hand) bool { return which(h.session) })
	}
}
