package badgerlog

import "sync"

// gate counts who is inside an engine, so that closing waits for them.
type gate struct {
	mu     sync.Mutex
	inside int
	closed bool
	// empty has capacity 0: it is closed when the gate is closed and nobody inside.
	empty chan struct{}
}

func newGate() *gate { return &gate{empty: make(chan struct{})} }

// enter lets a call in, unless the gate is closed. Who was let in leaves.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.inside++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.check()
}

// close lets nobody in any more, and says whether it was open. empty tells when
// the last one has left.
func (g *gate) close() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.closed = true
	g.check()
	return true
}

func (g *gate) check() {
	if g.closed && g.inside == 0 {
		close(g.empty)
	}
}
