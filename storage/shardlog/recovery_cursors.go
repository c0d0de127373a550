package shardlog

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// cursorID names a cursor.
type cursorID struct {
	subscription storage.SubscriptionID
	partition    uint16
}

// foundState is what is stored for a cursor beside its record.
type foundState struct {
	// generations are in order of their numbers.
	generations []foundGeneration
	// dead and deadSum are of the dead letters.
	dead, deadSum, deadLast uint64
	err                     error
}

// foundGeneration are the ack chunks, histories and parked keys of one generation.
type foundGeneration struct {
	generation
	// strays are parts that stand alone.
	strays []record.AckKey
	err    error
}

// state gives what was found for a cursor.
func (r *recovery) state(id cursorID) *foundState {
	if r.found[id] == nil {
		r.found[id] = &foundState{}
	}
	return r.found[id]
}

// generation gives what was found of a generation. Keys come in their order, those of
// one kind after those of another.
func (f *foundState) generation(number uint64) *foundGeneration {
	at, found := slices.BinarySearchFunc(f.generations, number, func(g foundGeneration, number uint64) int {
		return cmp.Compare(g.number, number)
	})
	if !found {
		f.generations = slices.Insert(f.generations, at, foundGeneration{generation: generation{number: number}})
	}
	return &f.generations[at]
}

// readCursors reads cursors, ack chunks, histories, parked keys and the keys of dead letters; what
// is found must match what the cursors counted.
func (r *recovery) readCursors() error {
	for _, read := range []func() error{r.readAcks, r.readHistories, r.readParked, r.readDeadLetters} {
		if err := read(); err != nil {
			return err
		}
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
	isReplay := id.partition == storage.ReplayPartition && s.replayTopic != nil
	if int(id.partition) >= len(s.cursors) && !isReplay {
		r.fenceSubscriptionf(s, "a cursor on partition %d, which its topic has not", id.partition)
		return nil
	}
	c := newCursor(s, id.partition, 0)
	err := value.Read(func(value []byte) (err error) {
		c.Cursor, err = record.DecodeCursor(key, value)
		return err
	})
	// Of one that is being deleted other records went first, in steps.
	if err == nil && s.State != storage.Deleting {
		err = r.takeFound(c, r.state(id))
	}
	if err != nil {
		// Where the floor stands is not known, so it holds everything.
		c.Floor = 0
		r.fenceSubscriptionf(s, "partition %d: %v", id.partition, err)
	}
	s.deadLast = max(s.deadLast, c.DeadLast, r.state(id).deadLast)
	if isReplay {
		s.replay = c
	} else {
		s.cursors[id.partition] = c
	}
	return nil
}

// takeFound gives a cursor what is stored for it.
func (r *recovery) takeFound(c *cursor, found *foundState) error {
	err := c.take(found)
	if err != nil && r.mends() {
		return r.mendCursor(c, found)
	}
	return err
}

// take compares a cursor's counts and sums with what is stored. What is of earlier
// generations waits for its deletion.
func (c *cursor) take(found *foundState) error {
	current, err := found.current(c.Generation)
	if err != nil {
		return err
	}
	if n := len(current.strays); n > 0 {
		return fmt.Errorf("%w: %d parts of ack chunks stand alone, the first in chunk %d", storage.ErrDataLoss, n, current.strays[0].Chunk)
	}
	sum := found.count(current)
	if sum.AckParts != c.AckParts || sum.AckSum != c.AckSum || sum.Settled != c.Settled {
		return fmt.Errorf("%w: %d ack records with sum %x, %d settled; %d, %x, %d expected",
			storage.ErrDataLoss, sum.AckParts, sum.AckSum, sum.Settled, c.AckParts, c.AckSum, c.Settled)
	}
	if sum.Dead != c.Dead || sum.DeadSum != c.DeadSum || found.deadLast > c.DeadLast {
		return fmt.Errorf("%w: %d dead letters with sum %x up to %d; %d, %x, %d expected",
			storage.ErrDataLoss, sum.Dead, sum.DeadSum, found.deadLast, c.Dead, c.DeadSum, c.DeadLast)
	}
	c.adopt(found, current)
	return nil
}

// current gives what was found of a generation, which must be the last one.
func (f *foundState) current(number uint64) (*foundGeneration, error) {
	if f.err != nil {
		return nil, f.err
	}
	current := f.generation(number)
	if last := f.generations[len(f.generations)-1].number; last != number {
		return nil, fmt.Errorf("%w: records of generation %d, the cursor is of %d", storage.ErrDataLoss, last, number)
	}
	return current, current.err
}

// count gives the counts and sums that a cursor has by what was found.
func (f *foundState) count(current *foundGeneration) record.Cursor {
	var sum cursor
	for _, chunk := range current.chunks {
		sum.count(chunk, 1)
	}
	for _, h := range current.histories {
		sum.countHistory(h, 1)
	}
	for _, k := range current.parked {
		sum.countParked(k, 1)
	}
	sum.Dead, sum.DeadSum = f.dead, f.deadSum
	return sum.Cursor
}

// adopt makes what was found the cursor's.
func (c *cursor) adopt(found *foundState, current *foundGeneration) {
	c.chunks, c.histories, c.parked = current.chunks, current.histories, current.parked
	for i := range found.generations[:len(found.generations)-1] {
		c.outdated = append(c.outdated, found.generations[i].generation)
	}
}

// readHistories reads all failure histories.
func (r *recovery) readHistories() error {
	prefix := record.AppendPrefix(nil, record.KindHistory)
	return scan(r.engine, prefix, nil, func(key []byte, value storage.Value) error {
		k, err := record.ParseHistoryKey(key)
		if err != nil {
			return err
		}
		g := r.state(cursorID{k.Subscription, k.Partition}).generation(k.Generation)
		err = value.Read(func(value []byte) error {
			h, err := record.DecodeHistory(key, value)
			if err == nil {
				g.histories = append(g.histories, storedHistory{offset: k.Offset, version: h.Version})
			}
			return err
		})
		if err != nil {
			g.err = err
		}
		return nil
	})
}

// readDeadLetters reads the keys of all dead letters; their bodies are checked when
// they are read.
func (r *recovery) readDeadLetters() error {
	prefix := record.AppendPrefix(nil, record.KindDeadLetter)
	return scan(r.engine, prefix, nil, func(key []byte, _ storage.Value) error {
		id, d, err := record.ParseDeadLetterKey(key)
		if err != nil {
			return err
		}
		f := r.state(cursorID{id, d.Partition})
		f.dead++
		f.deadSum ^= record.DeadLetterHash(d.Sequence)
		f.deadLast = max(f.deadLast, d.Sequence)
		return nil
	})
}

// readAcks reads all ack chunks.
func (r *recovery) readAcks() error {
	prefix := record.AppendPrefix(nil, record.KindAck)
	return scan(r.engine, prefix, nil, func(key []byte, value storage.Value) error {
		k, err := record.ParseAckKey(key)
		if err != nil {
			return err
		}
		g := r.state(cursorID{k.Subscription, k.Partition}).generation(k.Generation)
		err = value.Read(func(value []byte) error {
			part, err := record.DecodeAckPart(key, value)
			if err == nil {
				g.add(k, &part)
			}
			return err
		})
		if err != nil {
			g.err = err
		}
		return nil
	})
}

// add takes in the next part, in order of the keys.
func (f *foundGeneration) add(k record.AckKey, part *record.AckPart) {
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
				r.restartCursor(s.cursors[i])
				r.mendedCursor(s.cursors[i], "A cursor was lost with the batches that are missing: everything retained is delivered again.")
			} else {
				r.fenceSubscriptionf(s, "its cursor on partition %d is missing", i)
			}
		}
		if s.replayTopic != nil && s.replay == nil && s.State == storage.Active {
			s.replay = newCursor(s, storage.ReplayPartition, 0)
			r.fenceSubscriptionf(s, "its cursor on the replay partition is missing")
		}
	}
}

// checkFloors: a head below a floor has lost messages.
func (r *recovery) checkFloors() error {
	for _, s := range r.shard.subscriptions {
		for _, c := range s.allCursors() {
			if s.State == storage.Damaged {
				continue
			}
			p := s.partition(c.partition)
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
