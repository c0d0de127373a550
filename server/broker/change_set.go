package broker

import (
	"cmp"
	"slices"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// changeSet turns the change sets of the state machine into those of the store. Its
// memory is used again: only one is open at a time. Owner loop only.
type changeSet struct {
	stored    storage.ChangeSet
	histories writtenHistories
	// sessions are the names of the sessions of an exactly-once subscription in the
	// store; nil for another one.
	sessions map[delivery.SessionID]*storedName
}

// fill makes the store's form of a change set. It is valid until the next call; the
// dead letters' messages lie in segments, which are at hand until it is committed.
func (c *changeSet) fill(from *delivery.ChangeSet, due dueTimes, segments *segmentWindow) (*storage.ChangeSet, error) {
	old := c.stored.Cursors[:cap(c.stored.Cursors)]
	c.stored.Cursors = c.stored.Cursors[:0]
	for i := range from.Partitions {
		var reused storage.CursorChange
		if i < len(old) {
			reused = old[i]
		}
		change := storedCursor(&from.Partitions[i], due, reused.Chunks)
		change.Histories = c.histories.changed(&from.Partitions[i], due, reused.Histories[:0])
		change.DeadLetters = reused.DeadLetters[:0]
		if len(from.Partitions[i].Keys) > 0 {
			change.Keys = c.changedKeys(from, i, due, segments, reused.Keys[:0])
		}
		c.stored.Cursors = append(c.stored.Cursors, change)
	}
	for i := range from.DeadLetters {
		if err := c.addDeadLetter(&from.DeadLetters[i], due, segments); err != nil {
			return nil, err
		}
	}
	c.stored.Sessions = c.storedSessions(from.Sessions, due)
	return &c.stored, nil
}

// storedCursor makes the store's form of one partition's change.
func storedCursor(from *delivery.PartitionChange, due dueTimes, chunks []storage.Chunk) storage.CursorChange {
	old := chunks[:cap(chunks)]
	chunks = chunks[:0]
	for i := range from.Chunks {
		var reused storage.Chunk
		if i < len(old) {
			reused = old[i]
		}
		chunks = append(chunks, storedChunk(&from.Chunks[i], due, reused))
	}
	// They come in the order of their first change; the store wants them by index.
	slices.SortFunc(chunks, func(a, b storage.Chunk) int { return cmp.Compare(a.Index, b.Index) })
	return storage.CursorChange{
		Partition:  uint16(from.Partition),
		Generation: from.Generation,
		Floor:      storage.Offset(from.Floor),
		Counters:   storage.Counters(from.Counters),
		Chunks:     chunks,
	}
}

// storedChunk makes the store's form of one chunk.
func storedChunk(from *delivery.Chunk, due dueTimes, reused storage.Chunk) storage.Chunk {
	chunk := storage.Chunk{Index: from.Index, Acked: reused.Acked[:0], Attempts: reused.Attempts[:0]}
	base := storage.Offset(from.Index * delivery.ChunkOffsets)
	for first, last := from.Acked.Next(0); first < delivery.ChunkOffsets; first, last = from.Acked.Next(last + 1) {
		chunk.Acked = append(chunk.Acked, storage.OffsetRange{
			First: base + storage.Offset(first),
			End:   base + storage.Offset(last) + 1,
		})
	}
	for _, count := range from.Counts {
		chunk.Attempts = append(chunk.Attempts, storage.AttemptCount{
			Offset:    storage.Offset(count.Offset),
			Failed:    count.Failed,
			Expired:   count.Expired,
			Lost:      count.Lost,
			Charged:   count.Charged,
			Dead:      storage.DeadReason(count.Dead),
			NotBefore: due.stored(count.NotBefore),
		})
	}
	return chunk
}

// recovered turns a stored cursor into the state machine's. head is the partition's,
// due tells when what has failed is due again.
func recovered(from *storage.Cursor, head storage.Offset, due dueTimes) delivery.Cursor {
	cursor := delivery.Cursor{
		Partition:  uint32(from.Partition),
		Generation: from.Generation,
		Floor:      uint64(from.Floor),
		Head:       uint64(head),
		Counters:   delivery.Counters(from.Counters),
		Redriven:   from.Partition == storage.ReplayPartition,
	}
	for _, hole := range from.Holes {
		if hole.Len() > 0 {
			cursor.Holes = append(cursor.Holes, delivery.OffsetRange{First: uint64(hole.First), Last: uint64(hole.End) - 1})
		}
	}
	for i := range from.Chunks {
		cursor.Chunks = append(cursor.Chunks, recoveredChunk(&from.Chunks[i], due))
	}
	cursor.Parked = from.Parked
	recoverHistories(&cursor, from.Histories, due)
	return cursor
}

func recoveredChunk(from *storage.Chunk, due dueTimes) delivery.Chunk {
	chunk := delivery.Chunk{Index: from.Index}
	base := storage.Offset(from.Index * delivery.ChunkOffsets)
	for _, acked := range from.Acked {
		if acked.Len() > 0 {
			chunk.Acked.Set(int(acked.First-base), int(acked.End-base)-1)
		}
	}
	for _, a := range from.Attempts {
		chunk.Counts = append(chunk.Counts, delivery.Count{
			Offset: uint64(a.Offset), Failed: a.Failed, Expired: a.Expired, Lost: a.Lost, Charged: a.Charged,
			Dead: delivery.DeadReason(a.Dead), NotBefore: due.recovered(a.NotBefore),
		})
	}
	return chunk
}
