package delivery

// State is the delivery state of one subscription. Owner loop only.
type State struct {
	config Config
}

// New makes the state of a subscription from what recovery read. It starts
// without sessions, everything that is not settled is to be delivered, and
// what has failed before is due as its Count says. The config must be valid.
func New(config Config, cursors []Cursor) *State {
	return &State{config: config.withDefaults()}
}

// Apply applies events in order and then fires the timers up to now. Every
// event read before now must have been given in this call or earlier: a caller
// that leaves some in its mailbox gives the time of the last one it took. Now
// never goes back.
func (s *State) Apply(now Instant, events ...Event) {}

// Next decides one turn: it returns what must be done, in order. The effects
// stay valid until the next call of Next; the slice is used again. At most one
// frame is dispatched to a session in a turn; while more can go out at once,
// Deadline is not after now.
func (s *State) Next(now Instant) []Effect { return nil }

// Deadline is when Apply and Next are to be called again though no event came;
// ok is false when there is nothing to wait for.
func (s *State) Deadline() (deadline Instant, ok bool) { return 0, false }

// Saturated says that what waits to be committed has reached the bound of a
// change set: the owner stops draining its mailbox, but for Committed, until it is
// false again.
func (s *State) Saturated() bool { return false }

// Idle says that no session is attached and nothing waits to be committed: after
// a Shutdown the owner may stop.
func (s *State) Idle() bool { return true }

// Stats fills into, reusing its slices. It costs O(sessions + partitions).
func (s *State) Stats(into *Stats) {}
