package shardlog

import "sync"

// failure is why a store failed, once it has.
type failure struct {
	mu     sync.Mutex
	err    error
	failed chan struct{} // closed with the first error
}

func newFailure() *failure { return &failure{failed: make(chan struct{})} }

func (f *failure) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
		close(f.failed)
	}
}

func (f *failure) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
