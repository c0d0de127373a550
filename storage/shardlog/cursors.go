package shardlog

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// Cursors is a subscription's state as stored, one entry a partition, the replay
// partition last if there is one. It waits for what was handed to the committer
// before. Errors: ErrNotFound, ErrDataLoss.
func (s *Store) Cursors(ctx context.Context, id storage.SubscriptionID) ([]storage.Cursor, error) {
	stored, err := s.storedCursors(ctx, id)
	if err != nil {
		return nil, err
	}
	cursors := make([]storage.Cursor, 0, len(stored.holes)+1)
	for len(cursors) < len(stored.holes) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if cursors, err = s.readCursors(cursors, id, stored); err != nil {
			return nil, fmt.Errorf("subscription %d, partition %d: %w", id, len(cursors), err)
		}
	}
	if stored.replay {
		return s.readReplayCursor(cursors, id)
	}
	return cursors, nil
}

func (s *Store) readReplayCursor(cursors []storage.Cursor, id storage.SubscriptionID) ([]storage.Cursor, error) {
	err := s.engine.View(func(r storage.Reader) error {
		c, err := readCursor(r, id, storage.ReplayPartition)
		cursors = append(cursors, c)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("subscription %d, replay partition: %w", id, err)
	}
	return cursors, nil
}

// readCursors reads the next few cursors from one snapshot: each snapshot waits for
// a commit.
func (s *Store) readCursors(cursors []storage.Cursor, id storage.SubscriptionID, stored storedCursors) ([]storage.Cursor, error) {
	end := min(len(cursors)+cursorsAtOnce, len(stored.holes))
	err := s.engine.View(func(r storage.Reader) error {
		for read := 0; len(cursors) < end && read < scanAtOnce; {
			at := storage.PartitionID{Topic: stored.topic, Partition: uint16(len(cursors))}
			c, err := readCursor(r, id, at.Partition)
			if err != nil {
				return err
			}
			if c.Holes, err = readHoles(r, at, c.Floor, stored.holes[at.Partition]); err != nil {
				return err
			}
			cursors = append(cursors, c)
			read += len(c.Chunks) + len(c.Holes)
		}
		return nil
	})
	return cursors, err
}

// storedCursors is what the committer says of a subscription's cursors.
type storedCursors struct {
	topic storage.TopicID
	// replay: there is one on a replay partition, too.
	replay bool
	// holes is how many holes each partition has.
	holes []uint32
	err   error
}

// storedCursors asks for them once nothing before this call is open.
func (s *Store) storedCursors(ctx context.Context, id storage.SubscriptionID) (storedCursors, error) {
	answers := make(chan storedCursors, 1) // one answer, which nobody may wait for any more
	err := s.ask(ctx, func() {
		x := s.committer.shard.subscriptions[id]
		if x == nil || x.State == storage.Deleting {
			answers <- storedCursors{err: storage.ErrNotFound}
			return
		}
		a := storedCursors{topic: x.topic.ID, replay: x.replay != nil, err: x.damage, holes: make([]uint32, len(x.cursors))}
		for i, p := range x.topic.partitions {
			a.holes[i] = p.holes.Number
		}
		answers <- a
	})
	if err != nil {
		return storedCursors{}, err
	}
	a := <-answers
	return a, a.err
}

// readHoles reads a partition's holes at and above a floor; number is how many it
// has, so that one without any is not searched.
func readHoles(r storage.Reader, id storage.PartitionID, floor storage.Offset, number uint32) (holes []storage.OffsetRange, err error) {
	if number == 0 {
		return nil, nil
	}
	x, err := pointerAt(r, id, floor)
	switch {
	case errors.Is(err, errNoPointer):
		return nil, nil
	case err != nil:
		return nil, err
	}
	err = eachPointer(r, id, x.base, func(x pointer) (bool, error) {
		if x.Hole {
			holes = append(holes, storage.OffsetRange{First: max(x.base, floor), End: x.end()})
			number--
		}
		return number > 0, nil
	})
	return holes, err
}

// readCursor reads one cursor with its ack chunks.
func readCursor(r storage.Reader, id storage.SubscriptionID, partition uint16) (c storage.Cursor, err error) {
	key := record.AppendCursorKey(nil, id, partition)
	err = r.Get(key, func(value []byte) error {
		x, err := record.DecodeCursor(key, value)
		c = storage.Cursor{
			Partition: partition, Generation: x.Generation, Floor: x.Floor, Counters: x.Counters,
			Dead: x.Dead, DeadLast: x.DeadLast,
		}
		return err
	})
	if err != nil {
		return c, err
	}
	if c.Chunks, err = readChunks(r, id, &c, storage.ChunkOf(c.Floor), math.MaxUint64); err != nil {
		return c, err
	}
	if c.Histories, err = readHistories(r, id, &c); err != nil {
		return c, err
	}
	c.Parked, err = readParkedHashes(r, id, &c)
	return c, err
}

// readHistories reads the failure histories at and above a cursor's floor.
func readHistories(r storage.Reader, id storage.SubscriptionID, c *storage.Cursor) (all []storage.History, err error) {
	prefix := record.AppendHistoryPrefix(nil, id, c.Partition, c.Generation)
	from := record.AppendHistoryKey(nil, record.HistoryKey{
		Subscription: id, Partition: c.Partition, Generation: c.Generation, Offset: c.Floor,
	})
	err = r.Ascend(prefix, from, func(key []byte, value storage.Value) (bool, error) {
		return true, value.Read(func(value []byte) error {
			k, err := record.ParseHistoryKey(key)
			if err != nil {
				return err
			}
			h, err := record.DecodeHistory(key, value)
			all = append(all, storage.History{Offset: k.Offset, Failures: h.Failures})
			return err
		})
	})
	return all, err
}

// readChunks reads the ack chunks of the indexes from `from` up to end, without what
// is below the cursor's floor. The retention of that has its own pace.
func readChunks(r storage.Reader, id storage.SubscriptionID, c *storage.Cursor, from, end uint64) (chunks []storage.Chunk, err error) {
	var parts []record.AckPart
	join := func() error {
		if len(parts) == 0 {
			return nil
		}
		chunk, err := record.JoinChunk(parts)
		if err == nil {
			chunks = append(chunks, above(chunk, c.Floor))
		}
		parts = parts[:0]
		return err
	}
	prefix := record.AppendAckPrefix(nil, id, c.Partition, c.Generation)
	first := record.AppendAckKey(nil, record.AckKey{
		Subscription: id, Partition: c.Partition, Generation: c.Generation, Chunk: from,
	})
	err = r.Ascend(prefix, first, func(key []byte, value storage.Value) (bool, error) {
		if k, err := record.ParseAckKey(key); err != nil || k.Chunk >= end {
			return false, err
		}
		return true, value.Read(func(value []byte) error {
			part, err := record.DecodeAckPart(key, value)
			if err != nil {
				return err
			}
			if part.Part == 0 {
				if err := join(); err != nil {
					return err
				}
			}
			parts = append(parts, part)
			return nil
		})
	})
	if err == nil {
		err = join()
	}
	return chunks, err
}

// above is what a chunk holds at and above a floor: one that the floor came into
// since it was written holds more.
func above(c storage.Chunk, floor storage.Offset) storage.Chunk {
	for len(c.Acked) > 0 && c.Acked[0].End <= floor {
		c.Acked = c.Acked[1:]
	}
	if len(c.Acked) > 0 {
		c.Acked[0].First = max(c.Acked[0].First, floor)
	}
	for len(c.Attempts) > 0 && c.Attempts[0].Offset < floor {
		c.Attempts = c.Attempts[1:]
	}
	return c
}
