package storagetest

import (
	"maps"
	"time"

	"github.com/headrace/headrace/storage"
)

// snapshot takes a snapshot, or moves the subscription to the one that there is and ends
// it: what was unsettled when it was taken is so again, and is there.
func (m *deadLetterModel) snapshot() {
	if m.taken == nil {
		m.takeSnapshot()
		return
	}
	if _, err := m.h.Seek(m.h.t.Context(), m.id, storage.Target{Snapshot: m.taken.ID}); err != nil {
		m.h.t.Errorf("seek to a snapshot: %v", err)
		return
	}
	generation := uint64(0)
	for _, c := range m.cursors[:deadLetterPartitions] {
		generation = max(generation, c.generation+1)
	}
	for i, c := range m.cursors[:deadLetterPartitions] {
		c.forget()
		c.generation, c.floor, c.acked = generation, m.kept[i].floor, maps.Clone(m.kept[i].acked)
		m.wantUnsettled(c)
	}
	if err := m.h.DeleteSnapshot(m.h.t.Context(), m.taken.ID); err != nil {
		m.h.t.Errorf("delete a snapshot: %v", err)
	}
	m.taken = nil
}

func (m *deadLetterModel) takeSnapshot() {
	taken, err := m.h.CreateSnapshot(m.h.t.Context(), time.Now().String(), m.id, time.Now().Add(time.Hour))
	if err != nil {
		m.h.t.Errorf("take a snapshot: %v", err)
		return
	}
	m.taken, m.kept = &taken, nil
	for _, c := range m.cursors[:deadLetterPartitions] {
		m.kept = append(m.kept, deadCursor{floor: c.floor, acked: maps.Clone(c.acked)})
	}
}

// wantUnsettled looks that every message that is unsettled can be read.
func (m *deadLetterModel) wantUnsettled(c *deadCursor) {
	first, bodies := m.h.Contents(storage.PartitionID{Topic: m.topic.ID, Partition: c.partition})
	for at := c.floor; at < storage.Offset(len(c.messages)); at++ {
		if body, there := bodies[at]; !c.acked[at] && (!there || body != c.messages[at]) {
			m.h.t.Errorf("partition %d begins at %d: message %d of a snapshot is gone", c.partition, first, at)
		}
	}
}
