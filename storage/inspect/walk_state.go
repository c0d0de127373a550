package inspect

import (
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

type cursorID struct {
	subscription storage.SubscriptionID
	partition    uint16
}

// cursor is what was found of a subscription in a partition.
type cursor struct {
	record record.Cursor
	// damaged: the record itself is, so that nothing can be compared with it.
	damaged bool
	parts   uint32
	sum     uint64
	acked   uint64
	// dead and deadSum are of the dead letters.
	dead, deadSum uint64
}

func (w *walk) readCursors() {
	w.each(record.KindCursor, func(_ storage.Reader, key, value []byte) error {
		subscription, partition, err := record.ParseCursorKey(key)
		if err != nil {
			return err
		}
		x, err := record.DecodeCursor(key, value)
		id := cursorID{subscription, partition}
		w.cursors[id] = &cursor{record: x, damaged: err != nil}
		if err != nil {
			return err
		}
		return w.cursor(id, &x)
	}, func(key []byte) Place {
		subscription, partition, _ := record.ParseCursorKey(key) // A key that is none has no better name.
		return w.ofCursor(cursorID{subscription, partition})
	}, adviceSubscribe)
	for _, s := range w.subscriptions {
		if id := (cursorID{s.ID, storage.ReplayPartition}); s.Replay != 0 && w.cursors[id] == nil && s.State == storage.Active {
			w.damagef(w.ofCursor(id), adviceSubscribe, "the cursor on the replay partition is missing")
		}
		for i := range w.topics[s.Topic].Partitions {
			if id := (cursorID{s.ID, i}); w.cursors[id] == nil && s.State == storage.Active {
				w.damagef(w.ofCursor(id), adviceSubscribe, "the cursor is missing")
			}
		}
	}
}

// cursor checks that a cursor belongs to a subscription, and is not past its head.
func (w *walk) cursor(id cursorID, x *record.Cursor) error {
	s, ok := w.subscriptions[id.subscription]
	if !ok {
		return fmt.Errorf("%w: a cursor without its subscription's record", storage.ErrDataLoss)
	}
	p := w.partitions[partitionOf(&s, id.partition)]
	if s.State == storage.Active && (p == nil || x.Floor > p.next.Offset) {
		return fmt.Errorf("%w: the floor %d is past the partition's end", storage.ErrDataLoss, x.Floor)
	}
	return nil
}

func (w *walk) readAcks() {
	w.each(record.KindAck, func(_ storage.Reader, key, value []byte) error {
		k, err := record.ParseAckKey(key)
		if err != nil {
			return err
		}
		x, err := record.DecodeAckPart(key, value)
		if err != nil {
			return err
		}
		w.report.AckParts++
		c, err := w.owner(k.Subscription, k.Partition, k.Generation)
		if c == nil {
			return err
		}
		c.parts++
		c.sum ^= record.AckHash(k.Chunk, k.Part, x.Version)
		for _, r := range x.Acked {
			c.acked += r.Len()
		}
		return nil
	}, w.ofAck, adviceSubscribe)
}

// ofAck is the place of an ack chunk.
func (w *walk) ofAck(key []byte) Place {
	k, err := record.ParseAckKey(key)
	at := w.ofCursor(cursorID{k.Subscription, k.Partition})
	if err == nil {
		first := storage.Offset(k.Chunk * storage.ChunkOffsets)
		at.Offsets = storage.OffsetRange{First: first, End: first + storage.ChunkOffsets}
	}
	return at
}

// owner gives the cursor that counts a record; nil for one of an earlier generation,
// which waits for its deletion, and for one that nobody counts, which is damage.
func (w *walk) owner(id storage.SubscriptionID, partition uint16, generation uint64) (*cursor, error) {
	c := w.cursors[cursorID{id, partition}]
	switch {
	case c == nil:
		return nil, fmt.Errorf("%w: delivery state without a cursor", storage.ErrDataLoss)
	case !c.damaged && generation > c.record.Generation:
		return nil, fmt.Errorf("%w: delivery state of generation %d, the cursor is of %d",
			storage.ErrDataLoss, generation, c.record.Generation)
	case generation < c.record.Generation:
		return nil, nil //nolint:nilnil // nobody counts it, and nothing is wrong
	default:
		return c, nil
	}
}

func (w *walk) readHistories() {
	w.each(record.KindHistory, func(_ storage.Reader, key, value []byte) error {
		k, err := record.ParseHistoryKey(key)
		if err != nil {
			return err
		}
		h, err := record.DecodeHistory(key, value)
		if err != nil {
			return err
		}
		w.report.Histories++
		c, err := w.owner(k.Subscription, k.Partition, k.Generation)
		if c != nil {
			c.parts++
			c.sum ^= record.HistoryHash(k.Offset, h.Version)
		}
		return err
	}, func(key []byte) Place {
		k, err := record.ParseHistoryKey(key)
		at := w.ofCursor(cursorID{k.Subscription, k.Partition})
		if err == nil {
			at.Offsets = storage.OffsetRange{First: k.Offset, End: k.Offset + 1}
		}
		return at
	}, adviceSubscribe)
}

func (w *walk) readDeadLetters() {
	w.each(record.KindDeadLetter, func(_ storage.Reader, key, value []byte) error {
		id, dead, err := record.ParseDeadLetterKey(key)
		if err != nil {
			return err
		}
		c := w.cursors[cursorID{id, dead.Partition}]
		if c == nil {
			return fmt.Errorf("%w: dead letter %d without a cursor", storage.ErrDataLoss, dead.Sequence)
		}
		// It is counted by its key, as the cursor does; its body may be damaged.
		w.report.DeadLetters++
		c.dead++
		c.deadSum ^= record.DeadLetterHash(dead.Sequence)
		_, err = record.DecodeDeadLetter(key, value)
		return err
	}, func(key []byte) Place {
		id, dead, _ := record.ParseDeadLetterKey(key) // A key that is none has no better name.
		return w.ofCursor(cursorID{id, dead.Partition})
	}, adviceSubscribe)
}

// partitionOf is where a subscription's cursor on a partition stands.
func partitionOf(s *storage.Subscription, partition uint16) storage.PartitionID {
	if partition == storage.ReplayPartition {
		return storage.PartitionID{Topic: s.Replay}
	}
	return storage.PartitionID{Topic: s.Topic, Partition: partition}
}

// compareSums compares what cursors count with what was found.
func (w *walk) compareSums() {
	for id, x := range w.cursors {
		if x.damaged || w.subscriptions[id.subscription].State != storage.Active {
			continue
		}
		if x.parts != x.record.AckParts || x.sum != x.record.AckSum || x.acked != x.record.Settled {
			w.damagef(w.ofCursor(id), adviceSubscribe,
				"%d ack records with the sum %x and %d acked were found, the cursor counts %d, %x and %d",
				x.parts, x.sum, x.acked, x.record.AckParts, x.record.AckSum, x.record.Settled)
		}
		if x.dead != x.record.Dead || x.deadSum != x.record.DeadSum {
			w.damagef(w.ofCursor(id), adviceSubscribe, "%d dead letters with the sum %x were found, the cursor counts %d and %x",
				x.dead, x.deadSum, x.record.Dead, x.record.DeadSum)
		}
	}
}
