package shardlog

import (
	"context"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// peekChunksAtOnce bounds the ack chunks that one look takes in.
const peekChunksAtOnce = 64

// Unsettled gives what a subscription has not settled of a partition from an offset on,
// as it is committed: ranges in order, holes among them, and where the look ended, for
// the next one; at the head there is nothing more. It takes nothing. Errors: ErrNotFound,
// ErrDataLoss.
func (s *Store) Unsettled(
	ctx context.Context, id storage.SubscriptionID, partition uint16, from storage.Offset,
) (ranges []storage.OffsetRange, next storage.Offset, err error) {
	p, err := s.partitionOf(ctx, id, partition)
	if err != nil {
		return nil, from, err
	}
	_, head := p.marks.get()
	err = s.engine.View(func(r storage.Reader) error {
		c, err := readFloor(r, id, partition)
		if err != nil {
			return err
		}
		from = max(from, c.Floor)
		end := storage.ChunkOf(from) + peekChunksAtOnce
		chunks, err := readChunks(r, id, &c, storage.ChunkOf(from), end)
		if err != nil || from >= head.Offset {
			next = head.Offset
			return err
		}
		next = min(chunkStart(end), head.Offset)
		var acked []storage.OffsetRange
		for i := range chunks {
			acked = append(acked, chunks[i].Acked...)
		}
		ranges = without(storage.OffsetRange{First: from, End: next}, acked)
		return nil
	})
	return ranges, next, err
}

// partitionOf gives the partition that a subscription's cursor is on.
func (s *Store) partitionOf(ctx context.Context, id storage.SubscriptionID, partition uint16) (p *partition, err error) {
	ended := s.ask(ctx, func() {
		var x *subscription
		if x, err = s.committer.shard.subscription(id); err != nil {
			return
		}
		if x.cursor(partition) == nil {
			err = storage.ErrNotFound
			return
		}
		p = x.partition(partition)
		err = p.err()
	})
	if ended != nil {
		return nil, ended
	}
	return p, err
}

// readFloor reads a cursor without its ack chunks.
func readFloor(r storage.Reader, id storage.SubscriptionID, partition uint16) (c storage.Cursor, err error) {
	key := record.AppendCursorKey(nil, id, partition)
	err = r.Get(key, func(value []byte) error {
		x, err := record.DecodeCursor(key, value)
		c = storage.Cursor{Partition: partition, Generation: x.Generation, Floor: x.Floor}
		return err
	})
	return c, err
}
