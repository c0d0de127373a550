package shardlog

import (
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// cursorID names a cursor.
type cursorID struct {
	subscription storage.SubscriptionID
	partition    uint16
}

// foundAcks are the ack chunks that are stored for a cursor.
type foundAcks struct {
	generation uint64
	chunks     []ackChunk
	err        error
	// strays are parts that stand alone.
	strays []record.AckKey
}

// readCursors reads cursors and ack chunks; what is found must match what the
// cursors counted.
func (r *recovery) readCursors() error {
	if err := r.readAcks(); err != nil {
		return err
	}
	prefix := record.AppendPrefix(nil, record.KindCursor)
	err := scan(r.engine, prefix, nil, func(key []byte, value storage.Value) error {
		id, partition, err := record.ParseCursorKey(key)
		if err != nil {
			return err
		}
		return r.readCursor(key, value, cursorID{id, partition})
	})
	if err != nil {
		return err
	}
	if r.mends() {
		r.mendAcks()
	}
	r.completeCursors()
	return nil
}

func (r *recovery) readCursor(key []byte, value storage.Value, id cursorID) error {
	s := r.shard.subscriptions[id.subscription]
	if s == nil {
		s = r.damagedSubscription(id.subscription, fmt.Errorf("%w: its record is missing", storage.ErrDataLoss))
	}
	if int(id.partition) >= len(s.cursors) {
		r.fenceSubscriptionf(s, "a cursor on partition %d, which its topic has not", id.partition)
		return nil
	}
	c := newCursor(s, id.partition, 0)
	err := value.Read(func(value []byte) (err error) {
		c.Cursor, err = record.DecodeCursor(key, value)
		return err
	})
	// Of one that is being deleted the ack chunks went first, in steps.
	if err == nil && s.State != storage.Deleting {
		err = r.takeAcks(c, r.found[id])
	}
	if err != nil {
		// Where the floor stands is not known, so it holds everything.
		c.Floor = 0
		r.fenceSubscriptionf(s, "partition %d: %v", id.partition, err)
	}
	s.cursors[id.partition] = c
	return nil
}

// takeAcks gives a cursor its ack chunks.
func (r *recovery) takeAcks(c *cursor, found *foundAcks) error {
	err := c.take(found)
	if err != nil && r.mends() {
		return r.mendCursor(c, found)
	}
	return err
}

// take compares a cursor's count and sum with the ack chunks that are stored.
func (c *cursor) take(found *foundAcks) error {
	if found == nil {
		found = &foundAcks{generation: c.Generation}
	}
	if found.err != nil {
		return found.err
	}
	if n := len(found.strays); n > 0 {
		return fmt.Errorf("%w: %d parts of ack chunks stand alone, the first in chunk %d", storage.ErrDataLoss, n, found.strays[0].Chunk)
	}
	var sum cursor
	for _, chunk := range found.chunks {
		sum.count(chunk, 1)
	}
	if found.generation != c.Generation || sum.AckParts != c.AckParts || sum.AckSum != c.AckSum || sum.Settled != c.Settled {
		return fmt.Errorf("%w: %d ack records with sum %x, %d settled, in generation %d; %d, %x, %d, %d expected",
			storage.ErrDataLoss, sum.AckParts, sum.AckSum, sum.Settled, found.generation,
			c.AckParts, c.AckSum, c.Settled, c.Generation)
	}
	c.chunks = found.chunks
	return nil
}

// readAcks reads all ack chunks.
func (r *recovery) readAcks() error {
	prefix := record.AppendPrefix(nil, record.KindAck)
	return scan(r.engine, prefix, nil, func(key []byte, value storage.Value) error {
		k, err := record.ParseAckKey(key)
		if err != nil {
			return err
		}
		id := cursorID{k.Subscription, k.Partition}
		if r.found[id] == nil {
			r.found[id] = &foundAcks{generation: k.Generation}
		}
		err = value.Read(func(value []byte) error {
			part, err := record.DecodeAckPart(key, value)
			if err == nil {
				r.found[id].add(k, &part)
			}
			return err
		})
		if err != nil {
			r.found[id].err = err
		}
		return nil
	})
}

// add takes in the next part, in order of the keys.
func (f *foundAcks) add(k record.AckKey, part *record.AckPart) {
	if part.Part > 0 {
		if n := len(f.chunks); n > 0 && f.chunks[n-1].follows(part) {
			f.chunks[n-1].parts++
			return
		}
		f.strays = append(f.strays, k)
		return
	}
	chunk := ackChunk{index: part.Chunk, version: part.Version, parts: 1}
	for _, r := range part.Acked {
		chunk.settled += uint32(r.Len())
	}
	f.chunks = append(f.chunks, chunk)
}

// follows says whether a part is the next one of the chunk.
func (c *ackChunk) follows(part *record.AckPart) bool {
	return c.index == part.Chunk && c.version == part.Version && c.parts == part.Part
}

// completeCursors fences the active subscriptions that miss a cursor, or has it
// begin where its partition does.
func (r *recovery) completeCursors() {
	for _, s := range r.shard.subscriptions {
		for i, c := range s.cursors {
			if c != nil || s.State != storage.Active {
				continue
			}
			s.cursors[i] = newCursor(s, uint16(i), 0)
			if r.mends() {
				s.cursors[i].Floor = s.topic.partitions[i].first.Offset
				r.mendedCursor(s.cursors[i], "A cursor was lost with the batches that are missing: everything retained is delivered again.")
			} else {
				r.fenceSubscriptionf(s, "its cursor on partition %d is missing", i)
			}
		}
	}
}

// checkFloors: a head below a floor has lost messages.
func (r *recovery) checkFloors() error {
	for _, s := range r.shard.subscriptions {
		for i, c := range s.cursors {
			if c == nil || s.State == storage.Damaged {
				continue
			}
			p := s.topic.partitions[i]
			switch {
			case p.err() != nil:
			case c.Floor > p.next.Offset && r.mends():
				r.mendHead(p, c.Floor)
			case c.Floor > p.next.Offset:
				r.fencef(p, "its head is %d, below the floor %d of subscription %d", p.next.Offset, c.Floor, s.ID)
			case c.Floor < p.first.Offset && r.mends() && s.damage == nil:
				c.Floor = p.first.Offset
				r.mendedCursor(c, "A floor was lost with the batches that are missing; it is where the partition begins.",
					"floor", uint64(c.Floor))
			}
		}
	}
	return nil
}
