package shardlog

import (
	"context"
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// Cursors is a subscription's state as stored, one entry a partition. It waits for
// what was handed to the committer before. Errors: ErrNotFound, ErrDataLoss.
func (s *Store) Cursors(ctx context.Context, id storage.SubscriptionID) ([]storage.Cursor, error) {
	partitions, err := s.cursorCount(ctx, id)
	if err != nil {
		return nil, err
	}
	cursors := make([]storage.Cursor, 0, partitions)
	for len(cursors) < partitions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if cursors, err = s.readCursors(cursors, id, partitions); err != nil {
			return nil, fmt.Errorf("subscription %d, partition %d: %w", id, len(cursors), err)
		}
	}
	return cursors, nil
}

// readCursors reads the next few cursors from one snapshot: each snapshot waits for
// a commit.
func (s *Store) readCursors(cursors []storage.Cursor, id storage.SubscriptionID, partitions int) ([]storage.Cursor, error) {
	end := min(len(cursors)+cursorsAtOnce, partitions)
	err := s.engine.View(func(r storage.Reader) error {
		for chunks := 0; len(cursors) < end && chunks < scanAtOnce; {
			c, err := readCursor(r, id, uint16(len(cursors)))
			if err != nil {
				return err
			}
			cursors = append(cursors, c)
			chunks += len(c.Chunks)
		}
		return nil
	})
	return cursors, err
}

// cursorCount is the number of a subscription's cursors, once nothing before this
// call is open.
func (s *Store) cursorCount(ctx context.Context, id storage.SubscriptionID) (int, error) {
	type answer struct {
		n   int
		err error
	}
	answers := make(chan answer, 1) // one answer, which nobody may wait for any more
	err := s.ask(ctx, func() {
		x := s.committer.shard.subscriptions[id]
		if x == nil || x.State == storage.Deleting {
			answers <- answer{err: storage.ErrNotFound}
			return
		}
		answers <- answer{len(x.cursors), x.damage}
	})
	if err != nil {
		return 0, err
	}
	a := <-answers
	return a.n, a.err
}

// readCursor reads one cursor with its ack chunks.
func readCursor(r storage.Reader, id storage.SubscriptionID, partition uint16) (c storage.Cursor, err error) {
	key := record.AppendCursorKey(nil, id, partition)
	err = r.Get(key, func(value []byte) error {
		x, err := record.DecodeCursor(key, value)
		c = storage.Cursor{Partition: partition, Generation: x.Generation, Floor: x.Floor, Counters: x.Counters}
		return err
	})
	if err != nil {
		return c, err
	}
	c.Chunks, err = readChunks(r, id, &c)
	return c, err
}

// readChunks reads the ack chunks at and above a cursor's floor. The retention of
// those below it has its own pace.
func readChunks(r storage.Reader, id storage.SubscriptionID, c *storage.Cursor) (chunks []storage.Chunk, err error) {
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
	from := record.AppendAckKey(nil, record.AckKey{
		Subscription: id, Partition: c.Partition, Generation: c.Generation, Chunk: storage.ChunkOf(c.Floor),
	})
	err = r.Ascend(prefix, from, func(key []byte, value storage.Value) (bool, error) {
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
