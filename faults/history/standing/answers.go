package standing

import (
	"slices"

	"github.com/headrace/headrace/faults/history"
)

// answering takes what is about to be said of a delivery.
func (a *Account) answering(h *hand, e *history.Event) {
	h.verdict, h.answering = e.Verdict, e.At
	m := h.message
	if e.Verdict == history.Retry {
		m.charges.failed++
	}
	to := placeOf(e.Verdict)
	if to == 0 || a.operator.isBefore(h) {
		return
	}
	h.version, m.asker = m.version, h
	m.ask(h, to)
	a.operator.note(h)
}

// answered takes that it is durable.
func (a *Account) answered(h *hand, e *history.Event) {
	m := h.message
	if a.operator.isBefore(h) {
		if h.answering > a.operator.told {
			a.brokenf(history.StaleConfirmed, "%s at %s of %s, after a seek", m.id, m.at, h.session)
		}
		return
	}
	if a.rules.Guarantee != AtMostOnce && a.effective(m)&live == 0 && m.since < h.answering {
		a.brokenf(history.StaleConfirmed, "%s at %s of %s, though it was settled before", m.id, m.at, h.session)
	}
	if h.thief != "" {
		a.brokenf(history.Disturbed, "%s at %s was held by %s, and came to %s", m.id, m.at, h.session, h.thief)
	}
	a.count(h.verdict)
	switch to := placeOf(h.verdict); {
	case h.verdict == history.Retry && h.at > a.operator.told:
		m.charges.confirmed(h)
	case to == 0:
	case m.asker != h: // It was told late: others have gone on from there.
	default:
		m.narrow(to, e.At, h.session)
		if to == dead {
			a.parked(h, e.At)
		}
	}
}

func (a *Account) count(verdict uint64) {
	switch verdict {
	case history.Ack:
		a.counts.Acked++
	case history.Retry:
		a.counts.Retried++
	case history.Reject:
		a.counts.Rejected++
	}
}

// answerFailed takes that it reached nothing: what it would have done it did not.
func (a *Account) answerFailed(h *hand) {
	a.counts.Stale++
	m := h.message
	if h.version == m.version {
		m.unask(h)
		a.reopen(m)
	}
	h.thief = ""
	m.charges.lost(h)
	m.hands = slices.DeleteFunc(m.hands, func(other *hand) bool { return other == h })
}
