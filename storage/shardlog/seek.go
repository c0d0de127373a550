package shardlog

import (
	"context"
	"fmt"

	"github.com/headrace/headrace/storage"
)

// generation is what is left of a cursor's generation after a seek.
type generation struct {
	number    uint64
	chunks    []ackChunk
	histories []storedHistory
	parked    []storedParked
}

// Seek moves a subscription in all partitions of its topic: what is before the target
// counts as settled, what is at it and behind it as not. The replay partition stays as it
// is. Every cursor that is moved gets a new generation, which has no parked keys; change
// sets of an older one are ErrStale from then on. All of it is one commit. What it tells is exact when no change set is under
// way. Errors: ErrNotFound, also for a target past the end; ErrTrimmed for one below what
// is retained; ErrNotKept; ErrDataLoss.
func (s *Store) Seek(ctx context.Context, id storage.SubscriptionID, to storage.Target) (storage.Seeked, error) {
	k := &seeking{store: s, id: id, target: to}
	if err := k.prepare(ctx); err != nil {
		return storage.Seeked{}, err
	}
	n := cursorNeed.times(len(k.starts))
	if k.snapshot != nil && !to.DryRun {
		var more need
		k.first, more, _ = s.chunksFrom(k.snapshot, chunkPlace{})
		n = n.plus(more)
	}
	if err := s.change(ctx, &change{need: n, apply: k.apply}); err != nil {
		return storage.Seeked{}, err
	}
	if err := k.settleRest(context.WithoutCancel(ctx)); err != nil {
		return storage.Seeked{}, err
	}
	return k.tell()
}

// seeking is one seek on its way.
type seeking struct {
	store  *Store
	id     storage.SubscriptionID
	target storage.Target
	topic  storage.TopicID
	starts []startOffset
	// before are the cursors as they were, snapshot those of the snapshot, nil: none.
	before, snapshot []storage.Cursor

	// first is how far the commit that moves the cursors takes the snapshot's chunks.
	first chunkPlace

	// Set when it is applied:
	generation uint64
	moves      []seekMove
}

// seekMove is where one partition stood, and where the cursor is afterwards.
type seekMove struct {
	first, next, floor storage.Offset
	holes              uint32
	stays              bool
}

func (k *seeking) prepare(ctx context.Context) (err error) {
	if k.topic, err = k.store.topicOf(ctx, k.id); err != nil {
		return err
	}
	if err := k.aim(ctx); err != nil {
		return err
	}
	k.before, err = k.store.Cursors(ctx, k.id)
	return err
}

// aim finds out where each cursor is to go.
func (k *seeking) aim(ctx context.Context) (err error) {
	if k.target.Snapshot == 0 {
		k.starts, err = k.store.resolve(ctx, k.topic, k.target.Start)
		return err
	}
	topic, err := k.store.topicOf(ctx, k.target.Snapshot)
	if err != nil {
		return err
	}
	if topic != k.topic {
		return fmt.Errorf("%w: snapshot %d is of topic %d", storage.ErrOtherTopic, k.target.Snapshot, topic)
	}
	if k.snapshot, err = k.store.Cursors(ctx, k.target.Snapshot); err != nil {
		return err
	}
	k.starts = make([]startOffset, len(k.snapshot))
	for i := range k.snapshot {
		k.starts[i] = startOffset{offset: k.snapshot[i].Floor}
	}
	return nil
}

func (k *seeking) apply(b *batch) error {
	x, err := k.store.committer.shard.subscription(k.id)
	if err != nil {
		return err
	}
	if err := x.topic.checkStarts(k.starts); err != nil {
		return err
	}
	for i, start := range k.starts {
		if err := k.check(x, i, start); err != nil {
			return err
		}
	}
	k.generation = x.generation()
	if k.target.DryRun {
		return nil
	}
	k.generation++
	for i, m := range k.moves {
		if !m.stays {
			k.store.committer.move(x.cursors[i], m.floor, k.generation)
		}
	}
	k.settle(b, x, chunkPlace{}, k.first)
	return nil
}

// generation is that of the last seek.
func (s *subscription) generation() (last uint64) {
	for _, c := range s.cursors {
		last = max(last, c.Generation)
	}
	return last
}

// check says whether one cursor may be moved, and notes where to.
func (k *seeking) check(x *subscription, i int, start startOffset) error {
	p := x.topic.partitions[i]
	m := seekMove{first: p.first.Offset, next: p.next.Offset, floor: start.at(p), holes: p.holes.Number}
	if start.stays {
		m.floor, m.stays = x.cursors[i].Floor, true
	}
	switch {
	case k.asksForTrimmed(p, start):
		return fmt.Errorf("%w: %v begins at %d", storage.ErrTrimmed, p.id, p.first.Offset)
	case k.snapshot == nil && m.floor < x.cursors[i].Floor && x.topic.KeepsFor() == 0:
		return fmt.Errorf("%w: topic %d", storage.ErrNotKept, x.topic.ID)
	}
	k.moves = append(k.moves, m)
	return nil
}

// asksForTrimmed says whether a target lies before what is retained. A time does unless
// everything since then is surely there.
func (k *seeking) asksForTrimmed(p *partition, start startOffset) bool {
	switch to := &k.target.Start; to.Kind {
	case storage.StartAtOffsets:
		return !start.latest && start.offset < p.first.Offset
	case storage.StartAtTime:
		kept := k.store.committer.clock().Add(-p.topic.KeepsFor())
		return p.first.Offset > 0 && to.Time.Before(p.first.LogTime) && to.Time.Before(kept)
	default:
		return false
	}
}

// tell counts what the seek changed.
func (k *seeking) tell() (out storage.Seeked, err error) {
	out.Generation = k.generation
	err = k.store.engine.View(func(r storage.Reader) error {
		for i, m := range k.moves {
			if m.stays {
				continue
			}
			at := storage.PartitionID{Topic: k.topic, Partition: uint16(i)}
			holes, err := readHoles(r, at, m.first, m.holes)
			if err != nil {
				return err
			}
			kept := without(storage.OffsetRange{First: m.first, End: m.next}, holes)
			old := intersect(settledOf(&k.before[i]), kept)
			after := storage.Cursor{Floor: m.floor}
			if k.snapshot != nil {
				after.Chunks = k.snapshot[i].Chunks
			}
			now := intersect(settledOf(&after), kept)
			both := total(intersect(old, now))
			out.Unsettled += total(old) - both
			out.Settled += total(now) - both
		}
		return nil
	})
	return out, err
}

// settle gives the cursors what a snapshot has settled past its floors, from a place on.
func (k *seeking) settle(b *batch, x *subscription, from, end chunkPlace) {
	for at := from; at != end; at = at.after(k.snapshot) {
		c := x.cursors[at.cursor]
		if chunk := at.of(k.snapshot); chunk != nil && chunk.Index >= storage.ChunkOf(c.Floor) {
			b.rewriteCursor(c)
			k.store.committer.applyChunk(c, chunk)
		}
	}
}

// settleRest goes on with what the commit that moved the cursors had no room for. A crash
// before its end leaves messages unsettled that the snapshot has settled: they are
// delivered again.
func (k *seeking) settleRest(ctx context.Context) error {
	if k.snapshot == nil || k.target.DryRun {
		return nil
	}
	for from := k.first; from.cursor < len(k.snapshot); {
		next, n, _ := k.store.chunksFrom(k.snapshot, from)
		err := k.store.change(ctx, &change{need: n, apply: func(b *batch) error {
			x, err := k.store.committer.shard.subscription(k.id)
			if err == nil {
				k.settle(b, x, from, next)
			}
			return err
		}})
		if err != nil {
			return err
		}
		from = next
	}
	return nil
}

// settledOf gives what a cursor has settled.
func settledOf(c *storage.Cursor) []storage.OffsetRange {
	settled := []storage.OffsetRange{{First: 0, End: c.Floor}}
	for i := range c.Chunks {
		settled = append(settled, c.Chunks[i].Acked...)
	}
	return settled
}

// without gives what is left of a range without some others, which are in order.
func without(all storage.OffsetRange, others []storage.OffsetRange) (left []storage.OffsetRange) {
	for _, o := range others {
		if o.First > all.First {
			left = append(left, storage.OffsetRange{First: all.First, End: min(o.First, all.End)})
		}
		all.First = max(all.First, o.End)
	}
	if all.First < all.End {
		left = append(left, all)
	}
	return left
}

func total(all []storage.OffsetRange) (n uint64) {
	for _, r := range all {
		n += r.Len()
	}
	return n
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

// move begins a generation of a cursor at a floor.
func (c *committer) move(x *cursor, floor storage.Offset, generation uint64) {
	x.outdate()
	x.Generation = generation
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
