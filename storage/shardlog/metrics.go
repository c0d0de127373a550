package shardlog

import (
	"sync/atomic"
	"time"
)

// Metrics are figures of a store since it was opened.
type Metrics struct {
	// Commits counts batches; CommittedMessages, CommittedBytes and CommittedKeys
	// what they held; CommitTime is how long they took in all, LastCommitTime the
	// last one.
	Commits, CommittedMessages, CommittedBytes, CommittedKeys uint64
	CommitTime, LastCommitTime                                time.Duration
	// WaitingQueues are the publish queues, WaitingSlots the change sets that wait
	// for a batch.
	WaitingQueues, WaitingSlots int64
	// RingHits and RingMisses count lookups in the tail rings, CacheHits reads that
	// found their segment in the cache, DiskReads those that went to the engine.
	RingHits, RingMisses, CacheHits, DiskReads uint64
	// TailBytes is the memory of the tail rings.
	TailBytes int64
	// TrimSteps counts the steps that trimmed, TrimmedMessages and TrimmedSegments
	// what they took away.
	TrimSteps, TrimmedMessages, TrimmedSegments uint64
	// HoledMessages counts the messages that holes took the place of.
	HoledMessages uint64
	// MovedSegments counts the mostly dead commit segments whose survivors were moved,
	// MovedBytes what the survivors were.
	MovedSegments, MovedBytes uint64
	// SegmentsCounted: what older commit segments hold is known, so they can go.
	SegmentsCounted bool
	// WaitsForSpace: the disk is below the low mark, and everything waits.
	WaitsForSpace bool
	// Damaged counts the partitions and subscriptions that were fenced.
	Damaged uint64
}

// metrics are the counters behind Metrics. Every field is written by the
// committer alone but for the reads', which anyone counts.
type metrics struct {
	commits, messages, bytes, keys          atomic.Uint64
	commitNanos, lastCommitNanos            atomic.Int64
	waitingQueues, waitingSlots             atomic.Int64
	ringHits, ringMisses                    atomic.Uint64
	cacheHits, diskReads                    atomic.Uint64
	tailBytes                               atomic.Int64
	trimSteps, trimmedMessages, trimmedSegs atomic.Uint64
	holedMessages                           atomic.Uint64
	movedSegments, movedBytes               atomic.Uint64
	segmentsCounted, waitsForSpace          atomic.Bool
	damaged                                 atomic.Uint64
}

func (m *metrics) committed(b *batch) {
	m.commits.Add(1)
	m.messages.Add(uint64(b.messages))
	m.bytes.Add(uint64(b.used.bodies))
	m.keys.Add(uint64(len(b.Ops)))
	m.commitNanos.Add(int64(b.took))
	m.lastCommitNanos.Store(int64(b.took))
}

// observe notes what waits. Loop only.
func (m *metrics) observe(c *committer) {
	m.waitingQueues.Store(int64(c.queues.queues.len()))
	m.waitingSlots.Store(int64(c.slots.len()))
	m.tailBytes.Store(int64(c.tails.Bytes()))
}

func (m *metrics) snapshot() Metrics {
	return Metrics{
		Commits:           m.commits.Load(),
		CommittedMessages: m.messages.Load(),
		CommittedBytes:    m.bytes.Load(),
		CommittedKeys:     m.keys.Load(),
		CommitTime:        time.Duration(m.commitNanos.Load()),
		LastCommitTime:    time.Duration(m.lastCommitNanos.Load()),
		WaitingQueues:     m.waitingQueues.Load(),
		WaitingSlots:      m.waitingSlots.Load(),
		RingHits:          m.ringHits.Load(),
		RingMisses:        m.ringMisses.Load(),
		CacheHits:         m.cacheHits.Load(),
		DiskReads:         m.diskReads.Load(),
		TailBytes:         m.tailBytes.Load(),
		TrimSteps:         m.trimSteps.Load(),
		TrimmedMessages:   m.trimmedMessages.Load(),
		TrimmedSegments:   m.trimmedSegs.Load(),
		HoledMessages:     m.holedMessages.Load(),
		MovedSegments:     m.movedSegments.Load(),
		MovedBytes:        m.movedBytes.Load(),
		SegmentsCounted:   m.segmentsCounted.Load(),
		WaitsForSpace:     m.waitsForSpace.Load(),
		Damaged:           m.damaged.Load(),
	}
}
