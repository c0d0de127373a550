package shardlog

import (
	"slices"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// subscription is a subscription with its cursors. Loop only, but for damage.
type subscription struct {
	storage.Subscription
	topic *topic
	// cursors are by partition; nil where none is stored.
	cursors []*cursor
	// replayTopic is the private topic of what was redriven, replay the cursor on it;
	// nil as long as nothing was.
	replayTopic *topic
	replay      *cursor
	// deadLast is the sequence of the last dead letter.
	deadLast uint64
	// changedIn is the last batch with a change set of the subscription.
	changedIn uint64
	// sessions are what is stored of sessions.
	sessions storedSessions
	// damage is why the subscription is fenced, else nil.
	damage error
}

func newSubscription(s storage.Subscription, t *topic) *subscription {
	return &subscription{
		Subscription: s, topic: t, cursors: make([]*cursor, t.Partitions),
		sessions: storedSessions{pages: map[pageID]uint64{}},
	}
}

// shown is what readers see of the subscription.
func (s *subscription) shown() storage.Subscription {
	x := s.Subscription
	if s.damage != nil {
		x.State = storage.Damaged
	}
	return x
}

// cursor is the delivery state of a subscription in a partition: the record, and
// which ack chunks are stored.
type cursor struct {
	record.Cursor
	subscription *subscription
	partition    uint16
	// chunks are the stored ack chunks, by index.
	chunks []ackChunk
	// histories are the stored failure histories, by offset.
	histories []storedHistory
	// parked are the stored parked keys, by hash.
	parked []storedParked
	// outdated are generations whose records wait for their deletion, oldest first.
	outdated []generation
	// dirtyIn is the last batch that rewrites the record.
	dirtyIn uint64
	// dugFloor is the floor as of the last look for holes.
	dugFloor storage.Offset
	// doomed: chunks below the floor wait for their deletion in the shard's list.
	doomed bool
}

// ackChunk is what is known of one stored ack chunk.
type ackChunk struct {
	index   uint64
	version uint64
	settled uint32
	parts   uint8
}

// find gives where the chunk of an index is, or belongs.
func (c *cursor) find(index uint64) (at int, found bool) {
	return slices.BinarySearchFunc(c.chunks, index, func(x ackChunk, index uint64) int {
		switch {
		case x.index < index:
			return -1
		case x.index > index:
			return 1
		default:
			return 0
		}
	})
}

// count takes a stored chunk's records into the cursor's count and sum, or out of
// them.
func (c *cursor) count(x ackChunk, sign int) {
	c.AckParts += uint32(sign * int(x.parts))
	c.Settled += uint64(sign * int(x.settled))
	for part := range x.parts {
		c.AckSum ^= record.AckHash(x.index, part, x.version)
	}
}

// hasRubbish says whether something is stored that waits for its deletion.
func (c *cursor) hasRubbish() bool {
	return c.below() > 0 || c.historiesBelow() > 0 || len(c.outdated) > 0
}

// below counts the chunks that lie wholly below the floor.
func (c *cursor) below() int {
	at, _ := c.find(storage.ChunkOf(c.Floor))
	return at
}
