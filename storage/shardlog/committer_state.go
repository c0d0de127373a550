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
	ackAttemptBytes = 32
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

// forgetChanged takes the change sets of a batch that changes nothing as if they had not
// been: the next batch gets its number.
func (c *committer) forgetChanged(b *batch) {
	for _, slot := range b.slots {
		if s := c.shard.subscriptions[slot.id]; s != nil {
			s.changedIn = 0
		}
	}
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
		for j := range change.Histories {
			n = n.plus(historyNeed(change.Histories[j].Failures))
		}
		for j := range change.Keys {
			n = n.plus(parkedNeed(&change.Keys[j]))
		}
		for j := range change.DeadLetters {
			n = n.plus(deadLetterNeed(&change.DeadLetters[j])).plus(forwardNeed(change.DeadLetters[j].Forward))
		}
	}
	return n.plus(sessionsNeed(set.Sessions))
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
		c.applyCursor(s.cursor(set.Cursors[i].Partition), &set.Cursors[i])
	}
	c.applySessions(s, set.Sessions)
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
		if err := s.checkCursor(&set.Cursors[i]); err != nil {
			return err
		}
	}
	return s.checkSequences(set)
}

func (s *subscription) checkCursor(change *storage.CursorChange) error {
	c := s.cursor(change.Partition)
	if c == nil {
		return fmt.Errorf("%w: partition %d", storage.ErrNotFound, change.Partition)
	}
	p := s.partition(change.Partition)
	if err := p.err(); err != nil {
		return err
	}
	if change.Generation != 0 && change.Generation != c.Generation {
		return fmt.Errorf("%w: subscription %d, partition %d: generation %d after %d",
			storage.ErrStale, s.ID, change.Partition, change.Generation, c.Generation)
	}
	if change.Floor < c.Floor || change.Floor > p.next.Offset {
		return fmt.Errorf("%w: subscription %d, partition %d: floor %d after %d with head %d",
			storage.ErrDataLoss, s.ID, change.Partition, change.Floor, c.Floor, p.next.Offset)
	}
	if !ascending(change.Chunks) || !historiesBelong(change) || !keysAscend(change.Keys) {
		return fmt.Errorf("%w: subscription %d, partition %d: chunks or keys out of order, or histories of others",
			storage.ErrDataLoss, s.ID, change.Partition)
	}
	return nil
}

// historiesBelong says whether each history is of a message that is not settled with
// the change: that message's history goes, and no key may occur twice.
func historiesBelong(change *storage.CursorChange) bool {
	for i := range change.Histories {
		at := change.Histories[i].Offset
		if at < change.Floor || i > 0 && change.Histories[i-1].Offset >= at {
			return false
		}
		for j := range change.Chunks {
			if acks(&change.Chunks[j], at) {
				return false
			}
		}
	}
	return true
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
		c.attention.add(x.subscription.partition(x.partition))
	}
	x.Counters = change.Counters
	c.open.rewriteCursor(x)
	for i := range change.Chunks {
		if change.Chunks[i].Index >= storage.ChunkOf(x.Floor) {
			c.applyChunk(x, &change.Chunks[i])
			c.attention.add(x.subscription.partition(x.partition))
		}
	}
	for i := range change.Histories {
		c.putHistory(x, &change.Histories[i])
	}
	for i := range change.Keys {
		c.changeKey(x, &change.Keys[i])
	}
	for i := range change.DeadLetters {
		c.forward(change.DeadLetters[i].Forward)
		c.putDeadLetter(x, &change.DeadLetters[i])
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
	c.open.used = c.open.used.plus(deleteNeed.times(c.dropHistories(x, chunk)))
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

// doom deletes what lies below the cursor's floor or is of an older generation, as
// much as one step may; the rest follows in later batches.
func (c *committer) doom(x *cursor) {
	keys := c.doomChunks(x, doomedKeysAtOnce)
	keys += c.doomHistories(x, doomedKeysAtOnce-keys)
	keys += c.doomOutdated(x, doomedKeysAtOnce-keys)
	c.open.used = c.open.used.plus(deleteNeed.times(keys))
	c.doomLater(x)
}

// doomLater has the rest deleted in later batches.
func (c *committer) doomLater(x *cursor) {
	if x.hasRubbish() && !x.doomed {
		x.doomed = true
		c.shard.doomed.push(x)
	}
}

// doomChunks deletes chunks below the cursor's floor, at most so many records.
func (c *committer) doomChunks(x *cursor, limit int) (keys int) {
	gone := 0
	for _, chunk := range x.chunks[:x.below()] {
		if keys+int(chunk.parts) > limit {
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
	return keys
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
