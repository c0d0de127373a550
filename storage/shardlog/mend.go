package shardlog

import (
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// mending walks all pointers of a shard that lost batches in its middle: each one
// was applied over what the lost ones should have left. What they had written is
// missing, what they had deleted or replaced is there again.
//
//	a pointer is missing             a hole takes its place: the counts of the next
//	                                 one, or of the checkpoint, say what was lost
//	a pointer's segment is missing   the pointer becomes a hole
//	a pointer lies before the first  it was trimmed or merged: it goes
//	offset, or inside another one
type mending struct {
	*recovery
	segments map[segmentID]struct{}
	walked   map[storage.PartitionID]bool

	// partition is the one that is being walked; nil for one that is not mended.
	id        storage.PartitionID
	partition *partition
	// next is how far its pointers have come, holes what it has of them.
	next  record.Mark
	holes record.Holes
}

// mendPointers makes every partition continuous again and finds where it ends.
func (r *recovery) mendPointers() error {
	m := &mending{recovery: r, segments: map[segmentID]struct{}{}, walked: map[storage.PartitionID]bool{}}
	err := scan(r.engine, record.AppendPrefix(nil, record.KindSegment), nil, func(key []byte, _ storage.Value) error {
		s, err := parseSegment(key)
		m.segments[s] = struct{}{}
		return err
	})
	if err != nil {
		return err
	}
	err = scan(r.engine, record.AppendPrefix(nil, record.KindPointer), nil, func(key []byte, value storage.Value) error {
		id, base, err := record.ParsePointerKey(key)
		if err != nil {
			return err
		}
		if id != m.id || !m.walked[id] {
			m.end()
			m.begin(id)
		}
		if m.partition != nil && m.partition.err() == nil {
			m.pointer(base, key, value)
		}
		return nil
	})
	if err != nil {
		return err
	}
	m.end()
	for id := range r.records {
		if !m.walked[id] {
			m.begin(id)
			m.end()
		}
	}
	return nil
}

// begin begins with the pointers of a partition.
func (m *mending) begin(id storage.PartitionID) {
	m.id, m.walked[id] = id, true
	m.partition = m.recovery.partition(id)
	if _, ok := m.records[id]; !ok || m.partition.err() != nil {
		m.partition = nil
		return
	}
	m.next, m.holes = m.partition.first, record.Holes{}
}

func (m *mending) pointer(base storage.Offset, key []byte, value storage.Value) {
	x, err := decodePointer(key, value)
	switch {
	case err != nil:
		m.fencef(m.partition, "a pointer: %v", err)
	case base < m.next.Offset:
		m.drop(base)
	case base > m.next.Offset:
		m.fill(record.Mark{Offset: base, LogTime: m.next.LogTime, Before: x.Before})
		m.take(x)
	default:
		m.take(x)
	}
}

// take goes on over a pointer, which becomes a hole when its segment is missing.
func (m *mending) take(x pointer) {
	if x.Before != m.next.Before {
		m.fencef(m.partition, "the pointer at %d counts %+v before it, expected %+v", x.base, x.Before, m.next.Before)
		return
	}
	_, there := m.segments[x.place().segment]
	if !x.Hole && !there {
		x.Hole, x.At = true, record.Location{}
		m.lost(x)
	} else if x.Hole {
		m.holes.Add(&x.Pointer)
	}
	m.next = record.Mark{Offset: x.end(), LogTime: x.LogTime, Before: x.After()}
}

// fill puts a hole in the place of what is missing before a mark.
func (m *mending) fill(until record.Mark) {
	span := uint64(until.Offset - m.next.Offset)
	messages := until.Before.Messages - m.next.Before.Messages
	if until.Before.Messages < m.next.Before.Messages || until.Before.Bytes < m.next.Before.Bytes || messages > span {
		m.fencef(m.partition, "offsets %d-%d are missing, and what is counted around them does not fit", m.next.Offset, until.Offset-1)
		return
	}
	m.lost(pointer{m.next.Offset, record.Pointer{
		Hole: true, Span: span, Messages: messages, Bytes: until.Before.Bytes - m.next.Before.Bytes,
		LogTime: until.LogTime, Before: m.next.Before,
	}})
	m.next = until
}

// lost has a hole written, and says what it stands for.
func (m *mending) lost(x pointer) {
	p := m.partition
	m.logger.Error("Messages were lost with the batches that are missing.", "topic", p.topic.Name, "partition", p.id.Partition,
		"first_offset", uint64(x.base), "last_offset", uint64(x.end()-1), "messages", x.Messages)
	m.holes.Add(&x.Pointer)
	m.writePointer(p, x)
}

// drop deletes a pointer that should be gone.
func (m *mending) drop(base storage.Offset) {
	id := m.id
	m.repairs = append(m.repairs, func(b *batch) { b.deletePointer(id, base) })
}

// end sets the head of the partition that was walked, and has it written down.
func (m *mending) end() {
	p := m.partition
	if p == nil || p.err() != nil {
		return
	}
	if head := m.records[p.id].Head; m.next.Offset < head.Offset {
		m.fill(head)
	}
	p.next, p.holes = m.next, m.holes
	m.shard.checkpoints.note(p, m.shard.number)
	m.partition = nil
}

// mendHead moves a head that is below a floor: what lies between was delivered and
// settled, and is lost.
func (r *recovery) mendHead(p *partition, floor storage.Offset) {
	m := &mending{recovery: r, partition: p, id: p.id, next: p.next, holes: p.holes}
	span := uint64(floor - p.next.Offset)
	m.fill(record.Mark{
		Offset: floor, LogTime: p.next.LogTime,
		Before: p.next.Before.Plus(span, 0),
	})
	p.next, p.holes = m.next, m.holes
}

// mendCursor takes what is stored for a cursor for what there is: what is missing of
// its acks has its messages delivered again.
func (r *recovery) mendCursor(c *cursor, found *foundState) error {
	current, err := found.current(c.Generation)
	if err != nil {
		return err
	}
	settled, dead := c.Settled, c.Dead
	r.recount(c, found, current)
	r.mendedCursor(c, "Acks were lost with the batches that are missing: messages are delivered again.",
		"settled_past_floor", c.Settled, "counted", settled, "dead_letters", c.Dead, "dead_letters_counted", dead)
	return nil
}

// recount makes a cursor count what was found.
func (r *recovery) recount(c *cursor, found *foundState, current *foundGeneration) {
	sum := found.count(current)
	c.AckParts, c.AckSum, c.Settled = sum.AckParts, sum.AckSum, sum.Settled
	c.Dead, c.DeadSum, c.DeadLast = sum.Dead, sum.DeadSum, max(c.DeadLast, found.deadLast)
	c.adopt(found, current)
}

// restartCursor has a cursor whose record is lost begin a generation of its own:
// what was settled in the one before is not known to be all.
func (r *recovery) restartCursor(c *cursor) {
	found := r.state(cursorID{c.subscription.ID, c.partition})
	if n := len(found.generations); n > 0 {
		c.Generation = found.generations[n-1].number + 1
	}
	r.recount(c, found, found.generation(c.Generation))
}

func (r *recovery) mendedCursor(c *cursor, what string, args ...any) {
	r.logger.Error(what, append([]any{"subscription", c.subscription.Name, "partition", c.partition}, args...)...)
	r.repairs = append(r.repairs, func(b *batch) { b.rewriteCursor(c) })
}

// dropStrays deletes parts of ack chunks that newer versions of them do not have.
func (r *recovery) dropStrays(strays []record.AckKey) {
	for _, k := range strays {
		r.repairs = append(r.repairs, func(b *batch) { b.deleteAckKey(k) })
	}
}

// mendAcks says whose ack chunks there are: of subscriptions that are gone too.
func (r *recovery) mendAcks() {
	for id, found := range r.found {
		if r.shard.subscriptions[id.subscription] == nil {
			r.damagedSubscription(id.subscription, fmt.Errorf("%w: its record is missing", storage.ErrDataLoss))
		}
		for i := range found.generations {
			r.dropStrays(found.generations[i].strays)
		}
	}
}
