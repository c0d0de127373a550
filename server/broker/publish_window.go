package broker

import (
	"sync/atomic"
	"time"
)

const (
	// firstWindowMessages and firstWindowBytes are what a publisher may send before
	// it is told of a window; a window is not smaller unless memory is short.
	firstWindowMessages = 1000
	firstWindowBytes    = 4 << 20
	// maxWindowMessages and maxWindowBytes bound what a window grows to.
	maxWindowMessages = 32_000
	maxWindowBytes    = 16 << 20
	// minWindowMessages and minWindowBytes are what is left of it when memory is short.
	minWindowMessages = 64
	minWindowBytes    = 256 << 10
	// growBelow and shrinkAbove are the latencies, from receipt to durable, below
	// which a window that is used up grows, and above which it shrinks.
	growBelow   = 50 * time.Millisecond
	shrinkAbove = 250 * time.Millisecond
	// tellShare: a window is told anew when it has risen by this part of its size.
	tellShare = 4
)

// publishMemory counts the bytes of messages between receipt and result.
type publishMemory struct {
	limit int64
	used  atomic.Int64
}

// short says that windows must shrink.
func (m *publishMemory) short() bool { return m.used.Load() > m.limit }

// publishWindow is how much a publisher may send. All amounts but size are
// cumulative. Guarded by the publisher's mutex.
//
//	written ├──── in flight ────┤ sent         │
//	        ├────────────── size ──────────────┤ through
type publishWindow struct {
	sent, written, through, told Amount
	size                         Amount
	// peak is the most that was in flight since the last review, which is due when
	// written reaches review in one of its units: large messages are few.
	peak   Amount
	review Amount
	// latency is a moving mean of the time from receipt to durable.
	latency time.Duration
}

func newPublishWindow() publishWindow {
	first := Amount{Messages: firstWindowMessages, Bytes: firstWindowBytes}
	return publishWindow{through: first, told: first, size: first, review: first}
}

// take counts what was sent. The last message alone may pass the end of the bytes,
// if it begins before it.
func (w *publishWindow) take(sent Amount, lastBytes uint64) error {
	end := Amount{Messages: w.sent.Messages + sent.Messages, Bytes: w.sent.Bytes + sent.Bytes}
	if end.Messages > w.through.Messages || end.Bytes > w.through.Bytes && end.Bytes-lastBytes >= w.through.Bytes {
		return ErrPublishWindowExceeded
	}
	w.sent = end
	w.peak.Messages = max(w.peak.Messages, w.sent.Messages-w.written.Messages)
	w.peak.Bytes = max(w.peak.Bytes, w.sent.Bytes-w.written.Bytes)
	return nil
}

// took notes how long a batch took to become durable.
func (w *publishWindow) took(latency time.Duration) {
	const weight = 8 // of the past against the newest
	if w.latency == 0 {
		w.latency = latency
	}
	w.latency += (latency - w.latency) / weight
}

// wrote counts results that were written, and lets the window rise.
func (w *publishWindow) wrote(sent Amount, short bool) {
	w.written.Messages += sent.Messages
	w.written.Bytes += sent.Bytes
	if w.written.Messages >= w.review.Messages || w.written.Bytes >= w.review.Bytes {
		w.resize(short)
		w.peak = Amount{}
		w.review.Messages = w.written.Messages + max(w.size.Messages, firstWindowMessages)
		w.review.Bytes = w.written.Bytes + max(w.size.Bytes, firstWindowBytes)
	}
	w.through.Messages = max(w.through.Messages, w.written.Messages+w.size.Messages)
	w.through.Bytes = max(w.through.Bytes, w.written.Bytes+w.size.Bytes)
}

// resize grows a window that is used up while commits are quick, shrinks it while
// they are slow, and shrinks it below its first size while memory is short.
func (w *publishWindow) resize(short bool) {
	usedUp := w.peak.Messages*4 >= w.size.Messages*3 || w.peak.Bytes*4 >= w.size.Bytes*3
	switch {
	case short:
		w.size = Amount{
			Messages: max(w.size.Messages/2, minWindowMessages),
			Bytes:    max(w.size.Bytes/2, minWindowBytes),
		}
	case w.latency > shrinkAbove:
		w.size = Amount{
			Messages: max(w.size.Messages/2, min(w.size.Messages, firstWindowMessages)),
			Bytes:    max(w.size.Bytes/2, min(w.size.Bytes, firstWindowBytes)),
		}
	case usedUp && w.latency < growBelow, w.size.Messages < firstWindowMessages:
		w.size = Amount{
			Messages: min(w.size.Messages*2, maxWindowMessages),
			Bytes:    min(w.size.Bytes*2, maxWindowBytes),
		}
	}
}

// tell returns the window when it has risen enough to be told, or always.
func (w *publishWindow) tell(always bool) (Amount, bool) {
	rose := (w.through.Messages-w.told.Messages)*tellShare >= w.size.Messages ||
		(w.through.Bytes-w.told.Bytes)*tellShare >= w.size.Bytes
	if rose || always {
		w.told = w.through
	}
	return w.told, rose || always
}
