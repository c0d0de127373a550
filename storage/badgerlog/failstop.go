package badgerlog

import (
	"fmt"
	"log/slog"
	"sync"
)

// failStop is the one-way switch of an engine that can no longer vouch for what it
// stored.
type failStop struct {
	logger *slog.Logger
	// failed has capacity 0: it is only ever closed.
	failed chan struct{}

	mu  sync.Mutex
	err error
}

func newFailStop(logger *slog.Logger) *failStop {
	return &failStop{logger: logger, failed: make(chan struct{})}
}

// trip makes the engine fail. The first cause stays.
func (f *failStop) trip(format string, args ...any) error {
	first, err := f.set(fmt.Errorf(format, args...))
	if first {
		f.logger.Error("The store stops: it can no longer vouch for what it stored.", "cause", err)
	}
	return err
}

// set makes err the cause, unless there is one.
func (f *failStop) set(err error) (first bool, cause error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return false, f.err
	}
	f.err = err
	close(f.failed)
	return true, err
}

// cause is why the engine failed, else nil.
func (f *failStop) cause() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
