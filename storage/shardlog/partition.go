package shardlog

import (
	"sync"
	"sync/atomic"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/tailring"
)

// partition is one partition of a topic: what the committer knows of it, and what
// it shows to readers.
type partition struct {
	id    storage.PartitionID
	topic *topic

	// What readers see, which is durable.
	ring     tailring.Ring
	watchers watchers
	marks    marks
	// damage is set once the partition is fenced.
	damage atomic.Pointer[damage]
	// listed: the janitor is going to look at the partition.
	listed atomic.Bool
	// retained is from which offset on unsettled messages are kept; the janitor's, as
	// outline is.
	retained atomic.Uint64
	outline  outline

	// Loop only, as of the open batch.
	generation  uint64
	first, next record.Mark
	holes       record.Holes
	dug         dug
	// openIn is the number of the last batch that has a run of the partition, open
	// the run's index there.
	openIn uint64
	open   int
	// dirtyIn is the last batch that rewrites the partition's record.
	dirtyIn uint64
	// recent are the newest pointers.
	recent fifo[recentPointer]
	// movedIn is the first batch that moved the head past its checkpoint; 0 when
	// none did.
	movedIn uint64
	// dedupe are the dedupe ids that count, nil until there were some.
	dedupe *dedupeWindow
}

// damage is why a partition or subscription is fenced.
type damage struct{ err error }

func newPartition(t *topic, number uint16) *partition {
	return &partition{id: storage.PartitionID{Topic: t.ID, Partition: number}, topic: t, generation: 1}
}

// fence ends the partition's service; the first reason stays.
func (p *partition) fence(err error) bool {
	return p.damage.CompareAndSwap(nil, &damage{err})
}

// err is ErrDataLoss when the partition is fenced.
func (p *partition) err() error {
	if d := p.damage.Load(); d != nil {
		return d.err
	}
	return nil
}

// record is the partition's own record with a checkpoint in a batch. Loop only.
func (p *partition) record(batch uint64) record.Partition {
	return record.Partition{Generation: p.generation, First: p.first, Head: p.next, HeadBatch: batch, Holes: p.holes}
}

// publishMarks shows what is durable to readers. Loop only.
func (p *partition) publishMarks() {
	p.marks.set(p.first, p.next, p.holes.Totals)
}

// marks are the durable first retained offset and head, and what the holes between
// them held.
type marks struct {
	head        atomic.Uint64
	mu          sync.Mutex
	first, next record.Mark
	holes       record.Totals
}

func (m *marks) set(first, next record.Mark, holes record.Totals) {
	m.mu.Lock()
	m.first, m.next, m.holes = first, next, holes
	m.mu.Unlock()
	m.head.Store(uint64(next.Offset))
}

func (m *marks) setNext(next record.Mark) {
	m.mu.Lock()
	m.next = next
	m.mu.Unlock()
	m.head.Store(uint64(next.Offset))
}

func (m *marks) setFirst(first record.Mark, holes record.Totals) {
	m.mu.Lock()
	m.first, m.holes = first, holes
	m.mu.Unlock()
}

func (m *marks) get() (first, next record.Mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.first, m.next
}

func (m *marks) stats() storage.PartitionStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return storage.PartitionStats{
		First:            m.first.Offset,
		Next:             m.next.Offset,
		FirstTime:        m.first.LogTime,
		NextTime:         m.next.LogTime,
		RetainedMessages: m.next.Before.Messages - m.first.Before.Messages - m.holes.Messages,
		RetainedBytes:    m.next.Before.Bytes - m.first.Before.Bytes - m.holes.Bytes,
		NextBytes:        m.next.Before.Bytes,
	}
}
