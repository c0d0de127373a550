package broker

import "time"

// write watches over the one write of a session that goes on, under the mutex of
// its outbound queue. Its timer is set only when it is not set yet, so that a busy
// session does not set it for each frame.
type write struct {
	out *outbound
	// going says that the send loop writes; bytes are those of the frame it writes.
	going bool
	bytes int
	// deadline is when it must be done; stalls are the clock's when it began.
	deadline time.Time
	stalls   time.Duration

	timer *time.Timer
	armed bool
}

// begin notes that an item is being written.
func (w *write) begin(out Output) {
	w.going = true
	if out.Frame != nil {
		w.bytes, w.deadline = out.Frame.Bytes, out.Frame.deadline
	} else {
		w.deadline = time.Now().Add(writeGrace)
	}
	w.stalls = w.out.clock.stalls()
	if !w.armed {
		w.arm(time.Until(w.deadline))
	}
}

// end notes that nothing is being written, and returns the bytes that were.
func (w *write) end() int {
	bytes := w.bytes
	w.going, w.bytes = false, 0
	return bytes
}

// stop stops the timer for good.
func (w *write) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *write) arm(wait time.Duration) {
	w.armed = true
	if w.timer == nil {
		w.timer = time.AfterFunc(wait, w.check)
		return
	}
	w.timer.Reset(wait)
}

// check runs when the timer fires: it fails the session when a write took too long,
// not counting time in which the process did not run.
func (w *write) check() {
	stalls := w.out.clock.look()
	w.out.locked(func() {
		w.armed = false
		if !w.going || w.out.ended {
			return
		}
		left := time.Until(w.deadline) + stalls - w.stalls
		if left > 0 {
			w.arm(left)
			return
		}
		w.out.failNow(ErrSlowReader)
	})
}
