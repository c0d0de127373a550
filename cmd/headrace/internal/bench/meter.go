package bench

import (
	"sync/atomic"
	"time"
)

// meter counts what happens while it is open. It is safe for concurrent use.
type meter struct {
	open      atomic.Bool
	published atomic.Uint64
	acked     atomic.Uint64
	latency   Histogram
}

// publishDone counts one message whose result is there.
func (m *meter) publishDone() {
	if m.open.Load() {
		m.published.Add(1)
	}
}

// ackDone counts messages whose acks are confirmed.
func (m *meter) ackDone(n uint64) {
	if m.open.Load() {
		m.acked.Add(n)
	}
}

// took records how long a message took.
func (m *meter) took(d time.Duration) {
	if m.open.Load() {
		m.latency.Record(d)
	}
}
