package shardlog

import (
	"sync"

	"github.com/headrace/headrace/storage"
)

// stateSlot is one subscription's place in the committer's inbox.
type stateSlot struct {
	in *inbox
	id storage.SubscriptionID

	mu   sync.Mutex
	open *storage.ChangeSet
	err  error

	// ready has capacity 1: the change set is done.
	ready chan struct{}
}

var _ storage.StateSlot = (*stateSlot)(nil)

func newStateSlot(in *inbox, id storage.SubscriptionID) *stateSlot {
	return &stateSlot{in: in, id: id, ready: make(chan struct{}, 1)}
}

// Submit implements storage.StateSlot.
func (s *stateSlot) Submit(c *storage.ChangeSet) {
	s.set(c)
	if !s.in.addSlot(s) {
		s.finish(storage.ErrUnavailable)
	}
}

// Ready implements storage.StateSlot.
func (s *stateSlot) Ready() <-chan struct{} { return s.ready }

// Done implements storage.StateSlot.
func (s *stateSlot) Done() (idle bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open == nil, s.err
}

// Close implements storage.StateSlot. The committer holds an open change set for
// itself, so there is nothing to give up.
func (s *stateSlot) Close() {}

func (s *stateSlot) set(c *storage.ChangeSet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open != nil {
		panic("shardlog: change set submitted to a busy slot")
	}
	s.open, s.err = c, nil
}

// changeSet is the open change set. Loop only.
func (s *stateSlot) changeSet() *storage.ChangeSet {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// finish makes the slot idle.
func (s *stateSlot) finish(err error) {
	s.mu.Lock()
	s.open, s.err = nil, err
	s.mu.Unlock()
	signal(s.ready)
}
