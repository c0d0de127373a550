package shardlog

import "sync"

// inbox is where work for the committer waits: queues that have publishes, slots
// with a change set, changes. Each queue and slot is in it once at most, so it is
// bounded by their number; changes are bounded by their callers, which wait.
type inbox struct {
	mu     sync.Mutex
	work   work
	closed bool

	// wake has capacity 1: there is work.
	wake chan struct{}
	// down is closed when the inbox takes no more work.
	down chan struct{}
}

// work is what the committer takes out of its inbox at once.
type work struct {
	queues  []*publishQueue
	slots   []*stateSlot
	changes []*change
}

func (w *work) reset() {
	clear(w.queues)
	clear(w.slots)
	clear(w.changes)
	w.queues, w.slots, w.changes = w.queues[:0], w.slots[:0], w.changes[:0]
}

func newInbox() *inbox {
	return &inbox{wake: make(chan struct{}, 1), down: make(chan struct{})}
}

// addQueue lists a queue; false when the inbox is closed.
func (in *inbox) addQueue(q *publishQueue) bool {
	return in.add(func(w *work) { w.queues = append(w.queues, q) })
}

// addSlot lists a slot; false when the inbox is closed.
func (in *inbox) addSlot(s *stateSlot) bool {
	return in.add(func(w *work) { w.slots = append(w.slots, s) })
}

// addChange lists a change; false when the inbox is closed.
func (in *inbox) addChange(c *change) bool {
	return in.add(func(w *work) { w.changes = append(w.changes, c) })
}

func (in *inbox) add(put func(*work)) bool {
	in.mu.Lock()
	closed := in.closed
	if !closed {
		put(&in.work)
	}
	in.mu.Unlock()
	if !closed {
		signal(in.wake)
	}
	return !closed
}

// takeInto moves all work into w, whose memory the inbox keeps on using. w must be
// empty.
func (in *inbox) takeInto(w *work) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.work, *w = *w, in.work
}

// close takes no more work; what is in it stays. It is safe to call twice.
func (in *inbox) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.closed {
		in.closed = true
		close(in.down)
	}
}

func (in *inbox) isClosed() bool {
	select {
	case <-in.down:
		return true
	default:
		return false
	}
}
