package delivery

// Guarantee says how often a message may come.
type Guarantee uint8

const (
	// AtLeastOnce delivers a message until it is acked. The default.
	AtLeastOnce Guarantee = iota
	// AtMostOnce settles a message, durably, before it is sent. Its sessions are Manual,
	// and it keeps no order of keys: who has a message, and whether it is done, nobody
	// knows.
	AtMostOnce
	// ExactlyOnce delivers a message to nobody else while it is leased, nor after a
	// confirmed ack, across restarts too: who holds what until when, and which settles
	// were applied, is committed before it counts.
	ExactlyOnce
)

// guarantee is what a State remembers of its Config.Guarantee, for the branches that
// the plain path takes.
type guarantee struct {
	// guarded: frames wait for a commit; exact: sessions are written down; forgets:
	// messages are settled as they are sent.
	guarded, exact, forgets bool
}

func newGuarantee(g Guarantee) guarantee {
	return guarantee{guarded: g != AtLeastOnce, exact: g == ExactlyOnce, forgets: g == AtMostOnce}
}

// mustWrite says whether there is something to be committed now.
func (s *State) mustWrite() bool {
	return s.journal.dirty() || s.letters.ready() || s.exact && s.ledger.dirty(s)
}
