package rules

import (
	"fmt"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/conformance/record"
)

// queuedBatches is how many batches a server may have decided on before it tells that it
// has read something, and sends after.
const queuedBatches = 4

// inForce is the windows, or the grants, of a stream of which the server may go by any:
// the latest one, and those before it until the server has shown that it read a later one.
// It shows that when it confirms a settle that came behind; what it had queued by then may
// still come.
type inForce []credit

type credit struct {
	amount
	// next is the number of the settle that comes behind it.
	next uint64
	// ends: one behind it was read; batches may still come by it.
	ends    bool
	batches int
}

// add adds one that the client sent, before the settle with a number.
func (f *inForce) add(a amount, next uint64) { *f = append(*f, credit{amount: a, next: next}) }

// read ends those before the last one that the server has shown to have read, by
// confirming settles.
func (f *inForce) read(confirmed uint64) {
	all := *f
	for n := len(all) - 1; n > 0; n-- {
		if all[n].next <= confirmed {
			for i := range all[:n] {
				if !all[i].ends {
					all[i].ends, all[i].batches = true, queuedBatches
				}
			}
			return
		}
	}
}

// batch counts a batch that came.
func (f *inForce) batch() {
	var kept inForce
	for _, c := range *f {
		c.batches--
		if !c.ends || c.batches > 0 {
			kept = append(kept, c)
		}
	}
	*f = kept
}

// allows reports whether something fits one of them.
func (f *inForce) allows(fits func(amount) bool) bool {
	for _, c := range *f {
		if fits(c.amount) {
			return true
		}
	}
	return false
}

// amounts are they, for people.
func (f *inForce) amounts() []amount {
	all := make([]amount, 0, len(*f))
	for _, c := range *f {
		all = append(all, c.amount)
	}
	return all
}

// withinCredit: a batch fits what is left of a window, or of a grant, that is in force. A
// settle is seen here before the server has it, so what is held is never more here than
// there. A message larger than the window, or than what is left of a grant, comes alone.
func withinCredit(events []record.Event) error {
	return walk(events, func(s *session, e *record.Event) error {
		batch, ok := e.Frame.(*headracev1.SubscribeResponse_Batch)
		if !ok {
			return nil
		}
		if s.manual {
			return s.withinGrants(e, batch)
		}
		return s.withinWindows(e, batch)
	})
}

func (s *session) withinWindows(e *record.Event, b *headracev1.SubscribeResponse_Batch) error {
	held := s.outstanding()
	after := amount{held.messages + uint64(len(b.GetMessages())), held.bytes + b.GetChargedBytes() - s.charged}
	fits := func(w amount) bool {
		return after.messages <= w.messages && (after.bytes <= w.bytes || after.messages == 1)
	}
	if s.windows.allows(fits) {
		return nil
	}
	return fmt.Errorf("event %d: after %d messages, %d bytes, %d and %d are held, in the windows %v",
		e.Number, held.messages, held.bytes, after.messages, after.bytes, s.windows.amounts())
}

func (s *session) withinGrants(e *record.Event, b *headracev1.SubscribeResponse_Batch) error {
	count := uint64(len(b.GetMessages()))
	last := b.GetFirstSequence() + count - 1
	fits := func(g amount) bool {
		alone := count == 1 && s.charged < g.bytes
		return last <= g.messages && (b.GetChargedBytes() <= g.bytes || alone)
	}
	if s.grants.allows(fits) {
		return nil
	}
	return fmt.Errorf("event %d: sent through %d, %d bytes, by the grants %v",
		e.Number, last, b.GetChargedBytes(), s.grants.amounts())
}
