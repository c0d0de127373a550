package proxy

import (
	"sync"
	"time"
)

// gate says when what waits may go on.
type gate struct {
	mu     sync.Mutex
	passes chan struct{} // closed while nothing is held.
	slow   time.Duration
}

func newGate() *gate {
	g := &gate{passes: make(chan struct{})}
	close(g.passes)
	return g
}

func (g *gate) hold() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.passes:
		g.passes = make(chan struct{})
	default:
	}
}

func (g *gate) delay(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.slow = d
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.slow = 0
	select {
	case <-g.passes:
	default:
		close(g.passes)
	}
}

// await waits until what was read at a time may pass; false when stop ends before.
func (g *gate) await(read time.Time, stop <-chan struct{}) bool {
	g.mu.Lock()
	passes, slow := g.passes, g.slow
	g.mu.Unlock()
	select {
	case <-passes:
	case <-stop:
		return false
	}
	left := time.Until(read.Add(slow))
	if slow == 0 || left <= 0 {
		return true
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-stop:
		return false
	}
}
