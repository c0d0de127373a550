package shardlog

import (
	"context"

	"github.com/headrace/headrace/storage"
)

// generation is what is left of a cursor's generation after a seek.
type generation struct {
	number    uint64
	chunks    []ackChunk
	histories []storedHistory
	parked    []storedParked
}

// Seek moves a subscription in all partitions of its topic: what is before the start
// counts as settled, what is at it and behind it as not. What lies below the first
// retained offset begins there. The replay partition stays as it is. Every cursor
// gets a new generation, which has no parked keys; change sets of an older one are ErrStale from then on. All of
// it is one commit. Errors: ErrNotFound, also for a start past the end; ErrDataLoss.
func (s *Store) Seek(ctx context.Context, id storage.SubscriptionID, start storage.Start) error {
	topic, err := s.topicOf(ctx, id)
	if err != nil {
		return err
	}
	starts, err := s.resolve(ctx, topic, start)
	if err != nil {
		return err
	}
	return s.change(ctx, &change{
		need: cursorNeed.times(len(starts)),
		apply: func(*batch) error {
			x, err := s.committer.shard.subscription(id)
			if err != nil {
				return err
			}
			if err := x.topic.checkStarts(starts); err != nil {
				return err
			}
			for i := range starts {
				s.committer.move(x.cursors[i], starts[i].at(x.topic.partitions[i]))
			}
			return nil
		},
	})
}

// empty says whether nothing of a generation is left.
func (g *generation) empty() bool { return len(g.chunks)+len(g.histories)+len(g.parked) == 0 }

// topicOf gives the topic of a subscription that is in service.
func (s *Store) topicOf(ctx context.Context, id storage.SubscriptionID) (topic storage.TopicID, err error) {
	ended := s.ask(ctx, func() {
		var x *subscription
		if x, err = s.committer.shard.subscription(id); err == nil {
			topic = x.topic.ID
		}
	})
	if ended != nil {
		return 0, ended
	}
	return topic, err
}

// move begins a new generation of a cursor at a floor.
func (c *committer) move(x *cursor, floor storage.Offset) {
	x.outdate()
	x.Generation++
	x.Floor, x.Settled = floor, 0
	x.AckParts, x.AckSum = 0, 0
	c.open.rewriteCursor(x)
	c.doomLater(x)
	c.attention.add(x.subscription.topic.partitions[x.partition])
}

// outdate puts what is stored of the cursor's generation aside for its deletion.
func (c *cursor) outdate() {
	g := generation{number: c.Generation, chunks: c.chunks, histories: c.histories, parked: c.parked}
	if g.empty() {
		return
	}
	c.outdated = append(c.outdated, g)
	c.chunks, c.histories, c.parked = nil, nil, nil
}

// doomOutdated deletes records of older generations, at most so many but for one
// chunk's parts.
func (c *committer) doomOutdated(x *cursor, limit int) (keys int) {
	for keys < limit && len(x.outdated) > 0 {
		g := &x.outdated[0]
		switch {
		case len(g.chunks) > 0:
			for part := range g.chunks[0].parts {
				k := x.ackKey(g.chunks[0].index, part)
				k.Generation = g.number
				c.open.deleteAckKey(k)
				keys++
			}
			g.chunks = g.chunks[1:]
		case len(g.histories) > 0:
			k := x.historyKey(g.histories[0].offset)
			k.Generation = g.number
			c.open.deleteHistory(k)
			keys++
			g.histories = g.histories[1:]
		case len(g.parked) > 0:
			k := x.parkedKey(g.parked[0].hash)
			k.Generation = g.number
			c.open.deleteParked(k)
			keys++
			g.parked = g.parked[1:]
		default:
			x.outdated = x.outdated[1:]
		}
	}
	if len(x.outdated) > 0 && x.outdated[0].empty() {
		x.outdated = x.outdated[1:]
	}
	return keys
}
