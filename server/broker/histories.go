package broker

import (
	"cmp"
	"slices"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// writtenHistories are the failure histories that the store has, by partition, chunk
// and offset: a chunk is written whole each time, a history only when it has changed.
// The state machine never writes to one, so that one and the same is unchanged.
type writtenHistories map[uint32]map[uint64]map[uint64]*delivery.History

// changed appends the histories that differ from what the store has, by offset. What
// is settled or below the floor the store drops by itself.
func (w *writtenHistories) changed(from *delivery.PartitionChange, due dueTimes, into []storage.History) []storage.History {
	for i := range from.Chunks {
		into = w.changedChunk(from, &from.Chunks[i], due, into)
	}
	chunks := (*w)[from.Partition]
	for index := range chunks {
		if index < from.Floor/delivery.ChunkOffsets {
			delete(chunks, index)
		}
	}
	slices.SortFunc(into, func(a, b storage.History) int { return cmp.Compare(a.Offset, b.Offset) })
	return into
}

func (w *writtenHistories) changedChunk(
	from *delivery.PartitionChange, chunk *delivery.Chunk, due dueTimes, into []storage.History,
) []storage.History {
	old := (*w)[from.Partition][chunk.Index]
	var all map[uint64]*delivery.History
	for i := range chunk.Counts {
		c := &chunk.Counts[i]
		if c.History == nil || c.Offset < from.Floor {
			continue
		}
		if all == nil {
			all = map[uint64]*delivery.History{}
		}
		all[c.Offset] = c.History
		if old[c.Offset] != c.History {
			into = append(into, storage.History{
				Offset: storage.Offset(c.Offset), Failures: storedFailures(c.History.Failures, due),
			})
		}
	}
	w.note(from.Partition, chunk.Index, all)
	return into
}

// note remembers what the store has of a chunk.
func (w *writtenHistories) note(partition uint32, chunk uint64, all map[uint64]*delivery.History) {
	switch {
	case all == nil:
		delete((*w)[partition], chunk)
		return
	case *w == nil:
		*w = writtenHistories{}
	}
	if (*w)[partition] == nil {
		(*w)[partition] = map[uint64]map[uint64]*delivery.History{}
	}
	(*w)[partition][chunk] = all
}

// recovered notes what a cursor was read with.
func (w *writtenHistories) recovered(c *delivery.Cursor) {
	for i := range c.Chunks {
		var all map[uint64]*delivery.History
		for j := range c.Chunks[i].Counts {
			if count := &c.Chunks[i].Counts[j]; count.History != nil {
				if all == nil {
					all = map[uint64]*delivery.History{}
				}
				all[count.Offset] = count.History
			}
		}
		w.note(c.Partition, c.Chunks[i].Index, all)
	}
}

// recoverHistories gives the messages of a cursor their failures. One that has failures
// and no attempts yet was redriven: it gets a count of nothing.
func recoverHistories(c *delivery.Cursor, all []storage.History, due dueTimes) {
	for i := range all {
		at := uint64(all[i].Offset)
		history := &delivery.History{Failures: pastFailures(all[i].Failures, due)}
		count := countOf(c, at)
		count.History = history
	}
}

// countOf finds or makes the count of an offset.
func countOf(c *delivery.Cursor, at uint64) *delivery.Count {
	index := at / delivery.ChunkOffsets
	i := slices.IndexFunc(c.Chunks, func(x delivery.Chunk) bool { return x.Index == index })
	if i < 0 {
		i = len(c.Chunks)
		c.Chunks = append(c.Chunks, delivery.Chunk{Index: index})
	}
	counts := &c.Chunks[i].Counts
	j, found := slices.BinarySearchFunc(*counts, at, func(x delivery.Count, at uint64) int { return cmp.Compare(x.Offset, at) })
	if !found {
		*counts = slices.Insert(*counts, j, delivery.Count{Offset: at})
	}
	return &(*counts)[j]
}

// remember tells the state machine of the failures of what was redriven.
func (l *loop) remember(all []storage.History) {
	due := l.clock.dueTimesNow()
	for i := range all {
		at, history := uint64(all[i].Offset), &delivery.History{Failures: pastFailures(all[i].Failures, due)}
		l.changes.histories.add(replayPartition, at, history)
		l.events = append(l.events, &delivery.Remembered{Partition: replayPartition, Offset: at, History: history})
	}
}

// add notes one history that the store has.
func (w *writtenHistories) add(partition uint32, at uint64, history *delivery.History) {
	index := at / delivery.ChunkOffsets
	all := (*w)[partition][index]
	if all == nil {
		all = map[uint64]*delivery.History{}
		w.note(partition, index, all)
	}
	all[at] = history
}

func storedFailures(all []delivery.PastFailure, due dueTimes) []storage.Failure {
	stored := make([]storage.Failure, 0, len(all))
	for i := range all {
		f := &all[i]
		stored = append(stored, storage.Failure{
			Time: due.wallAt(f.At), Client: f.Client, Kind: storage.FailureKind(f.Kind), Code: f.Code, Reason: f.Reason,
		})
	}
	return storage.BoundFailures(stored)
}

func pastFailures(all []storage.Failure, due dueTimes) []delivery.PastFailure {
	past := make([]delivery.PastFailure, 0, len(all))
	for i := range all {
		f := &all[i]
		past = append(past, delivery.PastFailure{
			At: due.instantAt(f.Time), Client: f.Client, Kind: delivery.FailureKind(f.Kind), Code: f.Code, Reason: f.Reason,
		})
	}
	return past
}

// wallAt is an instant by the wall clock.
func (d dueTimes) wallAt(at delivery.Instant) time.Time { return d.wall.Add(at - d.now).Round(0).UTC() }

// instantAt is the reverse of wallAt.
func (d dueTimes) instantAt(t time.Time) delivery.Instant { return d.now + t.Sub(d.wall) }
