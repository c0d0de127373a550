package standing

import (
	"slices"

	"github.com/headrace/headrace/faults/history"
)

// charges are what may have been charged of a message's attempts.
type charges struct {
	// came: it was handed out, last as attempt.
	came    bool
	attempt uint64
	// failed are failures that were asked for since, sure those that were confirmed.
	failed, sure uint64
	// deaths had happened by then.
	deaths uint64
	last   *hand
	// stale are those whose answers reached nothing: their leases may run on without them.
	stale []*hand
}

// begin begins at the first attempt.
func (c *charges) begin(deaths uint64) { *c = charges{attempt: 1, deaths: deaths} }

// hand takes that it was handed out.
func (c *charges) hand(h *hand, deaths uint64) {
	*c = charges{came: true, attempt: h.attempt, deaths: deaths, last: h}
}

// confirmed takes that a failure is durable.
func (c *charges) confirmed(h *hand) {
	if c.last == h {
		c.sure = 1
	}
}

// lost takes that an answer reached nothing.
func (c *charges) lost(h *hand) {
	if c.last == h {
		c.stale = append(c.stale, h)
	}
}

// checkAttempt: an attempt is charged by a failure, by the end of a lease, and by the
// death of a client that had begun; not by the death of a server or of a connection.
func (a *Account) checkAttempt(h *hand) {
	if a.operator.seek != nil {
		return // It lets attempts begin again.
	}
	c := &h.message.charges
	least := c.attempt + c.sure
	if c.sure > 0 && h.attempt < least && !h.message.redriven {
		a.brokenf(history.WrongAttempt, "%s came as attempt %d, where it is at least %d: %s", h.message.id, h.attempt, least, h.session)
	}
	if !a.rules.Resumes || a.rules.Guarantee == AtMostOnce {
		return
	}
	most := c.attempt + c.failed + a.deaths - c.deaths
	for _, other := range slices.Concat(c.stale, h.message.hands) {
		if 2*h.at.Sub(other.at) > a.rules.Lease {
			most++
		}
	}
	if h.attempt > most {
		a.brokenf(history.WrongAttempt, "%s came as attempt %d, where it is at most %d: %s", h.message.id, h.attempt, most, h.session)
	}
}
