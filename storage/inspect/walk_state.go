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
	p := w.partitions[storage.PartitionID{Topic: s.Topic, Partition: id.partition}]
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
		c := w.cursors[cursorID{k.Subscription, k.Partition}]
		if c == nil {
			return fmt.Errorf("%w: ack state without a cursor", storage.ErrDataLoss)
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
	}
}
