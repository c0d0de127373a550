package shardlog

import (
	"math"
	"slices"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

const (
	// maxPartitionHoles bounds the holes of a partition: when it has that many,
	// only what adjoins one becomes part of it.
	maxPartitionHoles = 4096
	// digChunksAtOnce bounds the ack chunks that one look for holes takes in.
	digChunksAtOnce = 64
	// digPointersAtOnce bounds the pointers that one step makes holes of: each may
	// take three keys.
	digPointersAtOnce = 3000
	// pointerChunks is how many ack chunks beyond its first one a pointer reaches
	// into at most.
	pointerChunks = record.MaxSegmentMessages / storage.ChunkOffsets
)

// holeRules say when holes are looked for.
type holeRules struct{ age, interval time.Duration }

// dug is what a partition was looked through for holes. Loop only.
type dug struct {
	// at is when it was looked at last.
	at time.Time
	// batch: ack chunks that this one or an older one wrote are done, below the
	// chunk end.
	batch, end uint64
}

// dig is a look for holes in one partition: for what every subscription settled past
// its floor, while something older holds the partition's beginning. It is what the
// committer knew when the look began; what is settled then stays so.
type dig struct {
	partition *partition
	// first is where the partition begins when the janitor comes to it.
	first storage.Offset
	// cursors are those of all subscriptions.
	cursors []digCursor
	// chunks are the ack chunks to look at, in order.
	chunks []uint64
	// age is how old a message must be.
	age time.Duration
}

type digCursor struct {
	subscription storage.SubscriptionID
	storage.Cursor
}

// dig begins a look for holes in a partition, with the open batch; nil when there is
// no use. due is when there may be, unless it is zero. Loop only.
func (s *shard) dig(p *partition, open uint64, now time.Time, rules *holeRules) (d *dig, due time.Time) {
	lowest := s.lowestCursor(p)
	if lowest == nil || !slices.ContainsFunc(lowest.chunks, ackChunk.holdsAcks) {
		return nil, due
	}
	age := max(rules.age, p.topic.KeepsFor())
	due = later(p.first.LogTime.Add(age), p.dug.at.Add(rules.interval))
	if due.After(now) {
		return nil, due
	}
	d = &dig{partition: p, age: age}
	end := d.choose(p, lowest)
	if len(d.chunks) == 0 {
		return nil, time.Time{}
	}
	for _, x := range p.topic.subscriptions {
		if c := x.cursors[p.id.Partition]; x.State != storage.Deleting {
			d.cursors = append(d.cursors, digCursor{x.ID, storage.Cursor{
				Partition: c.partition, Generation: c.Generation, Floor: c.Floor,
			}})
			c.dugFloor = c.Floor
		}
	}
	p.dug = dug{at: now, batch: open - 1, end: end}
	if end != math.MaxUint64 {
		return d, now.Add(rules.interval)
	}
	return d, time.Time{}
}

// lowestCursor is the one with the lowest floor; nil when a subscription may need
// everything, or none needs anything.
func (s *shard) lowestCursor(p *partition) (lowest *cursor) {
	if s.holdTrims || p.err() != nil || p.topic.State == storage.Deleting {
		return nil
	}
	for _, x := range p.topic.subscriptions {
		if x.State == storage.Deleting {
			continue
		}
		c := x.cursors[p.id.Partition]
		if c == nil || x.damage != nil {
			return nil
		}
		if lowest == nil || c.Floor < lowest.Floor {
			lowest = c
		}
	}
	return lowest
}

// choose takes the chunks in which everybody settled something, and that changed
// since the last look; end is how far it came.
func (d *dig) choose(p *partition, lowest *cursor) (end uint64) {
	for _, chunk := range lowest.chunks {
		if !chunk.holdsAcks() || !p.settledSome(chunk.index) || !p.changedSince(chunk.index) {
			continue
		}
		if len(d.chunks) == digChunksAtOnce {
			return chunk.index
		}
		d.chunks = append(d.chunks, chunk.index)
	}
	return math.MaxUint64
}

func (c ackChunk) holdsAcks() bool { return c.settled > 0 }

// settledSome says whether every subscription settled something in a chunk.
func (p *partition) settledSome(index uint64) bool {
	for _, x := range p.topic.subscriptions {
		if x.State == storage.Deleting {
			continue
		}
		c := x.cursors[p.id.Partition]
		at, found := c.find(index)
		if c.Floor <= chunkStart(index) && (!found || !c.chunks[at].holdsAcks()) {
			return false
		}
	}
	return true
}

// changedSince says whether more may be settled in a chunk than at the last look.
func (p *partition) changedSince(index uint64) bool {
	if index >= p.dug.end {
		return true
	}
	for _, x := range p.topic.subscriptions {
		if x.State == storage.Deleting {
			continue
		}
		c := x.cursors[p.id.Partition]
		at, found := c.find(index)
		passed := c.dugFloor < chunkStart(index+1) && c.Floor > chunkStart(index) && c.Floor != c.dugFloor
		if passed || found && c.chunks[at].version > p.dug.batch {
			return true
		}
	}
	return false
}

func chunkStart(index uint64) storage.Offset { return storage.Offset(index * storage.ChunkOffsets) }

// holeCut is a run of pointers that one hole replaces.
type holeCut struct {
	pointers []pointerPlace
	// hole is the pointer that takes their place.
	hole pointer
	// freed is how many messages lose their bodies.
	freed uint64
}

func (h *holeCut) add(x *pointer) {
	if len(h.pointers) == 0 {
		h.hole = pointer{x.base, record.Pointer{Hole: true, Before: x.Before}}
	}
	h.pointers = append(h.pointers, x.place())
	h.hole.Span += x.Span
	h.hole.Messages += x.Messages
	h.hole.Bytes += x.Bytes
	h.hole.LogTime = x.LogTime
	if !x.Hole {
		h.freed += x.Messages
	}
}

// holes counts those that are part of it already.
func (h *holeCut) holes() (n uint32) {
	for i := range h.pointers {
		if h.pointers[i].hole() {
			n++
		}
	}
	return n
}

// allows says whether nobody needs what a hole would take away: a subscription that
// came since the look began may. Loop only.
func (d *dig) allows(s *shard, h *holeCut) bool {
	p := d.partition
	if s.holdTrims || p.err() != nil || p.topic.State == storage.Deleting || p.first.Offset > h.hole.base {
		return false
	}
	if p.holes.Number-h.holes() >= maxPartitionHoles {
		return false
	}
	for _, x := range p.topic.subscriptions {
		c := x.cursors[p.id.Partition]
		switch {
		case x.State == storage.Deleting || c == nil:
			// One whose cursor is still to be made begins with the hole there.
		case x.damage != nil:
			return false
		case c.Floor < h.hole.end() && !d.knows(c):
			return false
		}
	}
	return true
}

func (d *dig) knows(c *cursor) bool {
	return slices.ContainsFunc(d.cursors, func(x digCursor) bool {
		return x.subscription == c.subscription.ID && x.Generation == c.Generation
	})
}

// makeHole replaces pointers by a hole. Loop only.
func (c *committer) makeHole(b *batch, p *partition, h *holeCut) {
	for i, x := range h.pointers {
		if i > 0 {
			b.deletePointer(p.id, x.base)
		}
		c.dropHeld(b, p, x)
	}
	b.putPointer(p.id, h.hole.base, &h.hole.Pointer)
	p.holes.Add(&h.hole.Pointer)
	c.shard.recent.forget(p, h.hole.end())
	b.rewrite(p)
}
