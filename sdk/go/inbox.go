package headrace

import "sync"

// inbox is the deliveries that nobody has begun, in order, for the workers of
// one Receive or the loop of one Deliveries. It outlives sessions. The window
// bounds it.
type inbox struct {
	mu     sync.Mutex
	filled *sync.Cond
	queue  fifo[*Delivery]
	closed bool
	// held: nothing is handed out, for nobody knows whether the session goes on.
	held    bool
	waiting int64 // those that wait for a delivery.
	// credit counts what was taken where credit is given by hand; nil: it is not. asked
	// tells the send loop then. Capacity 1: it looks at everything.
	credit *manualCredit
	asked  chan struct{}
}

func newInbox() *inbox {
	b := &inbox{}
	b.filled = sync.NewCond(&b.mu)
	return b
}

// push adds deliveries. After close they are dropped: their session releases
// them, if it can.
func (b *inbox) push(deliveries []Delivery) (added bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	for i := range deliveries {
		b.queue.push(&deliveries[i])
	}
	b.wake(len(deliveries))
	return true
}

// put adds deliveries that were set aside.
func (b *inbox) put(deliveries []*Delivery) {
	if len(deliveries) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	for _, d := range deliveries {
		b.queue.push(d)
		b.took(d, -1)
	}
	b.wake(len(deliveries))
}

// wake wakes as many as there is work for.
func (b *inbox) wake(n int) {
	if n == 1 {
		b.filled.Signal()
		return
	}
	b.filled.Broadcast()
}

// next waits for a delivery that is still this subscriber's and begins it; false
// means that there will be none.
func (b *inbox) next() (*Delivery, bool) {
	for {
		d, ok := b.pop()
		if !ok || d.session.start(d) {
			return d, ok
		}
	}
}

func (b *inbox) pop() (*Delivery, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for (b.held || b.queue.len() == 0) && !b.closed {
		b.waits(1)
		b.filled.Wait()
		b.waits(-1)
	}
	if b.closed {
		return nil, false
	}
	d := b.queue.pop()
	b.took(d, 1)
	return d, true
}

// hold hands out nothing from now on, or goes on.
func (b *inbox) hold(held bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held = held
	b.filled.Broadcast()
}

// clear drops what a session that is over left, and returns how many of them nobody
// will get again.
func (b *inbox) clear() (lost int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.queue.all() {
		lost += d.session.forget(1)
	}
	b.queue = fifo[*Delivery]{}
	return lost
}

// close ends every wait, now and later, and clears.
func (b *inbox) close() (lost int) {
	b.mu.Lock()
	b.closed = true
	b.filled.Broadcast()
	b.mu.Unlock()
	return b.clear()
}
