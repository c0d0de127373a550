package broker

import (
	"sync"
	"sync/atomic"
)

// fullBacklogs are the subscriptions of a topic that have no room for more, and want
// publishes refused. Publishers look without a lock.
type fullBacklogs struct {
	shown atomic.Pointer[BacklogFullError]

	mu  sync.Mutex
	all map[*loop]*BacklogFullError
}

// err is a *BacklogFullError while a backlog is full, else nil.
func (f *fullBacklogs) err() error {
	full := f.shown.Load()
	if full == nil {
		return nil // A nil pointer in an error would not be nil.
	}
	return full
}

// set notes whether a subscription's backlog is full.
func (f *fullBacklogs) set(l *loop, full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if full {
		if f.all == nil {
			f.all = map[*loop]*BacklogFullError{}
		}
		f.all[l] = &BacklogFullError{Subscription: l.name}
		f.shown.CompareAndSwap(nil, f.all[l])
		return
	}
	gone := f.all[l]
	delete(f.all, l)
	if gone == nil || f.shown.Load() != gone {
		return
	}
	f.shown.Store(nil)
	for _, other := range f.all {
		f.shown.Store(other)
		return
	}
}
