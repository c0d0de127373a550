package broker

import (
	"sync"
	"sync/atomic"
)

// outboundMemory bounds what all sessions' outbound queues hold together. From half
// of it on, a queue has room for one frame, which keeps a reserve for sessions that
// read: those that do not cannot take it all. Above the bound loops hold all their
// sessions back; they are told when it is below again.
type outboundMemory struct {
	limit int64
	used  atomic.Int64
	// held says that some loop waits to be told.
	held atomic.Bool

	mu      sync.Mutex
	waiting []*orders
}

// add counts bytes that went into a queue, or out of it when negative.
func (m *outboundMemory) add(bytes int64) {
	used := m.used.Add(bytes)
	if bytes < 0 && used < m.enough() && m.held.Load() {
		m.tell()
	}
}

// short says whether each queue is to hold one frame at most.
func (m *outboundMemory) short() bool { return m.used.Load() > m.limit/2 }

// full says whether sessions are to be held back.
func (m *outboundMemory) full() bool { return m.used.Load() > m.limit }

// await arranges that a loop is told once there is enough again; it is told at
// once when there is already.
func (m *outboundMemory) await(o *orders) {
	m.mu.Lock()
	m.waiting = append(m.waiting, o)
	m.held.Store(true)
	m.mu.Unlock()
	if m.used.Load() < m.enough() {
		m.tell()
	}
}

// enough is where loops go on: a little below the bound, so that they do not flap.
func (m *outboundMemory) enough() int64 { return m.limit - m.limit/8 }

func (m *outboundMemory) tell() {
	m.mu.Lock()
	waiting := m.waiting
	m.waiting = nil
	m.held.Store(false)
	m.mu.Unlock()
	for _, o := range waiting {
		o.give(func(s *orderSlot) { s.memory = true })
	}
}
