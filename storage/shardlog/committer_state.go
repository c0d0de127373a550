package shardlog

import (
	"fmt"
	"slices"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

const (
	// ackPartBytes bounds the key and the fixed fields of one part of an ack chunk,
	// ackAttemptBytes one attempt, ackRunBytes a settled range; a bitmap takes over
	// where ranges are larger.
	ackPartBytes    = 64
	ackAttemptBytes = 24
	ackRunBytes     = 4
	ackBitmapBytes  = storage.ChunkOffsets / 8
	// doomedKeysAtOnce bounds the records below a floor that one batch deletes for
	// one cursor.
	doomedKeysAtOnce = 512
)

// fillSlots takes change sets into the open batch, in the order in which they were
// submitted: a slot that submits again stands behind all others. While publishes
// wait they get at most half of a batch.
func (c *committer) fillSlots() {
	c.fillDoomed()
	for !c.slots.empty() {
		s := c.slots.front()
		set := s.changeSet()
		n := changeSetNeed(set)
		if !c.roomForSlot(n) || c.changedAlready(set) {
			return
		}
		c.slots.pop()
		if err := c.applyChangeSet(set, n); err != nil {
			s.finish(err)
			continue
		}
		c.open.slots = append(c.open.slots, s)
	}
}

func (c *committer) roomForSlot(n need) bool {
	if !c.queues.empty() && !c.open.slotsUsed.plus(n).within(maxOpenInlineBytes/2, maxOpenKeys/2) {
		// One that is larger than half a batch would wait for ever.
		return c.open.slotsUsed == need{} && c.open.room(n)
	}
	return c.open.room(n)
}

// changedAlready says that the open batch has a change set of the subscription, by
// a slot given up since: no key may occur twice.
func (c *committer) changedAlready(set *storage.ChangeSet) bool {
	s := c.shard.subscriptions[set.Subscription]
	return s != nil && s.changedIn == c.open.Number
}

// changeSetNeed bounds what a change set takes.
func changeSetNeed(set *storage.ChangeSet) need {
	var n need
	for i := range set.Cursors {
		change := &set.Cursors[i]
		n = n.plus(cursorNeed)
		for j := range change.Chunks {
			n = n.plus(chunkNeed(&change.Chunks[j]))
		}
	}
	return n
}

func chunkNeed(c *storage.Chunk) need {
	attempts := len(c.Attempts) * ackAttemptBytes
	parts := 2 + attempts/(record.MaxAckPartBytes-ackPartBytes)
	return need{
		inline: parts*ackPartBytes + attempts + min(ackBitmapBytes, len(c.Acked)*ackRunBytes),
		keys:   parts,
	}
}

// applyChangeSet writes a change set into the open batch, whole or not at all.
func (c *committer) applyChangeSet(set *storage.ChangeSet, n need) error {
	s := c.shard.subscriptions[set.Subscription]
	if s == nil || s.State == storage.Creating || s.State == storage.Deleting {
		return storage.ErrNotFound
	}
	if err := s.check(set); err != nil {
		return err
	}
	for i := range set.Cursors {
		c.applyCursor(s.cursors[set.Cursors[i].Partition], &set.Cursors[i])
	}
	s.changedIn = c.open.Number
	c.open.used = c.open.used.plus(n)
	c.open.slotsUsed = c.open.slotsUsed.plus(n)
	return nil
}

// check says whether a change set may be applied: its subscription is whole and
// no floor goes back or past the head.
func (s *subscription) check(set *storage.ChangeSet) error {
	if s.damage != nil {
		return s.damage
	}
	for i := range set.Cursors {
		change := &set.Cursors[i]
		if int(change.Partition) >= len(s.cursors) {
			return fmt.Errorf("%w: partition %d", storage.ErrNotFound, change.Partition)
		}
		c, p := s.cursors[change.Partition], s.topic.partitions[change.Partition]
		if err := p.err(); err != nil {
			return err
		}
		if change.Floor < c.Floor || change.Floor > p.next.Offset {
			return fmt.Errorf("%w: subscription %d, partition %d: floor %d after %d with head %d",
				storage.ErrDataLoss, s.ID, change.Partition, change.Floor, c.Floor, p.next.Offset)
		}
		if !ascending(change.Chunks) {
			return fmt.Errorf("%w: subscription %d, partition %d: chunks out of order",
				storage.ErrDataLoss, s.ID, change.Partition)
		}
	}
	return nil
}

func ascending(chunks []storage.Chunk) bool {
	return slices.IsSortedFunc(chunks, func(a, b storage.Chunk) int {
		if a.Index < b.Index {
			return -1
		}
		return 1
	})
}

func (c *committer) applyCursor(x *cursor, change *storage.CursorChange) {
	if change.Floor > x.Floor {
		x.Floor = change.Floor
		c.attention.add(x.subscription.topic.partitions[x.partition])
	}
	x.Counters = change.Counters
	c.open.rewriteCursor(x)
	for i := range change.Chunks {
		if change.Chunks[i].Index >= storage.ChunkOf(x.Floor) {
			c.applyChunk(x, &change.Chunks[i])
			c.attention.add(x.subscription.topic.partitions[x.partition])
		}
	}
	c.doom(x)
}

// applyChunk rewrites one ack chunk; one that holds nothing is deleted.
func (c *committer) applyChunk(x *cursor, chunk *storage.Chunk) {
	at, found := x.find(chunk.Index)
	var old ackChunk
	if found {
		old = x.chunks[at]
		x.count(old, -1)
	}
	next := c.writeChunk(x, chunk)
	for part := next.parts; part < old.parts; part++ {
		c.open.deleteAckPart(x, chunk.Index, part)
	}
	x.replace(at, found, next)
}

// writeChunk writes the parts of a chunk under a new version.
func (c *committer) writeChunk(x *cursor, chunk *storage.Chunk) ackChunk {
	next := ackChunk{index: chunk.Index, version: c.open.Number}
	if len(chunk.Acked) == 0 && len(chunk.Attempts) == 0 {
		return next
	}
	c.ackParts = record.SplitChunk(c.ackParts[:0], chunk, next.version)
	for i := range c.ackParts {
		c.open.putAckPart(x, &c.ackParts[i])
	}
	next.parts = uint8(len(c.ackParts))
	for _, r := range chunk.Acked {
		next.settled += uint32(r.Len())
	}
	return next
}

// replace puts what is stored of a chunk into the cursor's list, in the place that
// find gave.
func (x *cursor) replace(at int, found bool, next ackChunk) {
	switch {
	case next.parts == 0 && found:
		x.chunks = append(x.chunks[:at], x.chunks[at+1:]...)
	case next.parts == 0:
	case found:
		x.chunks[at] = next
		x.count(next, 1)
	default:
		x.chunks = append(x.chunks, ackChunk{})
		copy(x.chunks[at+1:], x.chunks[at:])
		x.chunks[at] = next
		x.count(next, 1)
	}
}

// doom deletes chunks below the cursor's floor, as many as one step may; the rest
// follows in later batches.
func (c *committer) doom(x *cursor) {
	keys, gone := 0, 0
	for _, chunk := range x.chunks[:x.below()] {
		if keys+int(chunk.parts) > doomedKeysAtOnce {
			break
		}
		for part := range chunk.parts {
			c.open.deleteAckPart(x, chunk.index, part)
		}
		x.count(chunk, -1)
		keys += int(chunk.parts)
		gone++
	}
	x.chunks = append(x.chunks[:0], x.chunks[gone:]...)
	c.open.used = c.open.used.plus(deleteNeed.times(keys))
	if x.below() > 0 && !x.doomed {
		x.doomed = true
		c.shard.doomed.push(x)
	}
}

// fillDoomed goes on deleting chunks below floors, one step a cursor and batch.
func (c *committer) fillDoomed() {
	for n := c.shard.doomed.len(); n > 0; n-- {
		x := c.shard.doomed.front()
		if x.dirtyIn == c.open.Number || !c.open.room(deleteNeed.times(doomedKeysAtOnce).plus(cursorNeed)) {
			return
		}
		c.shard.doomed.pop()
		x.doomed = false
		if x.subscription.State != storage.Deleting {
			c.open.rewriteCursor(x)
			c.doom(x)
		}
	}
}
