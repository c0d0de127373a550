package broker

import (
	"sync"
	"time"
)

// life is whether a broker drains or is closed, and waits for its goroutines.
type life struct {
	// draining and closed are closed, in this order, when that begins.
	draining chan struct{}
	closed   chan struct{}

	mu sync.Mutex
	// drainEnd is when the grace of the drain ends; zero before it begins.
	drainEnd time.Time
	isClosed bool
	running  sync.WaitGroup
}

func newLife() *life {
	return &life{draining: make(chan struct{}), closed: make(chan struct{})}
}

// start runs fn in a goroutine of its own; false when the broker is closed.
func (l *life) start(fn func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isClosed {
		return false
	}
	l.running.Go(fn)
	return true
}

// drain begins to drain; false when it had begun before.
func (l *life) drain(grace time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.drainEnd.IsZero() {
		return false
	}
	l.drainEnd = time.Now().Add(grace)
	close(l.draining)
	return true
}

// grace is what is left of the drain's grace.
func (l *life) grace() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, time.Until(l.drainEnd))
}

// drains says whether the broker takes nothing new any more.
func (l *life) drains() bool {
	select {
	case <-l.draining:
		return true
	default:
		return false
	}
}

// close ends everything and waits for every goroutine.
func (l *life) close() {
	l.drain(0)
	l.mu.Lock()
	if !l.isClosed {
		l.isClosed = true
		close(l.closed)
	}
	l.mu.Unlock()
	l.running.Wait()
}

// census counts what is open, up to a limit.
type census struct {
	mu    sync.Mutex
	limit int
	open  int
	// empty is closed when nothing is open; it is replaced when something opens.
	empty chan struct{}
}

// newCensus makes a census; a limit of 0 means none.
func newCensus(limit int) *census {
	c := &census{limit: limit, empty: make(chan struct{})}
	close(c.empty)
	return c
}

// enter counts one more; false at the limit.
func (c *census) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limit > 0 && c.open >= c.limit {
		return false
	}
	if c.open == 0 {
		c.empty = make(chan struct{})
	}
	c.open++
	return true
}

// leave counts one less.
func (c *census) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	if c.open == 0 {
		close(c.empty)
	}
}

// vacated is closed once nothing is open.
func (c *census) vacated() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.empty
}
