package broker

import (
	"sync"
	"time"
)

// resultEntryBytes bounds what one message adds to a result.
const resultEntryBytes = 64

// resultWrite watches over the one write of a publish stream that goes on: a
// publisher that does not read its results would count against the memory of all.
// Its timer is set only when it is not set yet, so that a busy stream does not set it
// for each write.
type resultWrite struct {
	clock *clock
	// late is closed when a write took too long.
	late chan struct{}

	mu sync.Mutex
	// going says that the send loop writes; over that the write was too late, or that
	// nobody watches any more.
	going, over bool
	// deadline is when it must be done; stalls are the clock's when it began.
	deadline time.Time
	stalls   time.Duration

	timer *time.Timer
	armed bool
}

func newResultWrite(clock *clock) *resultWrite {
	return &resultWrite{clock: clock, late: make(chan struct{})}
}

// begin notes that the results of so many messages are being written.
func (w *resultWrite) begin(messages uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.going = true
	w.deadline = time.Now().Add(writeGrace + writeTime(int(messages)*resultEntryBytes))
	w.stalls = w.clock.stalls()
	if !w.armed && !w.over {
		w.arm(time.Until(w.deadline))
	}
}

// end notes that nothing is being written.
func (w *resultWrite) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.going = false
}

// stop stops the timer for good.
func (w *resultWrite) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *resultWrite) arm(wait time.Duration) {
	w.armed = true
	if w.timer == nil {
		w.timer = time.AfterFunc(wait, w.check)
		return
	}
	w.timer.Reset(wait)
}

// check runs when the timer fires. Time in which the process did not run does not
// count.
func (w *resultWrite) check() {
	stalls := w.clock.look()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = false
	if !w.going || w.over {
		return
	}
	if left := time.Until(w.deadline) + stalls - w.stalls; left > 0 {
		w.arm(left)
		return
	}
	w.over = true
	close(w.late)
}
