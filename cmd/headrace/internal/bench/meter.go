package bench

import (
	"sync"
	"sync/atomic"
	"time"
)

// meter counts what happens while it is open. It is safe for concurrent use.
type meter struct {
	// countsAcks says what a message counts by: its ack, else its result.
	countsAcks bool
	// flows is closed when the first message counts, open or not.
	flows chan struct{}
	first sync.Once

	open      atomic.Bool
	published atomic.Uint64
	acked     atomic.Uint64
	latency   Histogram
}

func newMeter(mode Mode) *meter {
	return &meter{countsAcks: mode == EndToEnd, flows: make(chan struct{})}
}

// publishDone counts one message whose result is there.
func (m *meter) publishDone() {
	if !m.countsAcks {
		m.flow()
	}
	if m.open.Load() {
		m.published.Add(1)
	}
}

// ackDone counts messages whose acks are confirmed.
func (m *meter) ackDone(n uint64) {
	m.flow()
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

// counted is how many messages count.
func (m *meter) counted() uint64 {
	if m.countsAcks {
		return m.acked.Load()
	}
	return m.published.Load()
}

func (m *meter) flow() { m.first.Do(func() { close(m.flows) }) }
