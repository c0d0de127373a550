package storagetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// StoreReport is what a walk over a whole store found.
type StoreReport struct {
	// Batches are the headers in the ring, Pointers and Segments the records of
	// messages, AckParts those of ack chunks.
	Batches, Pointers, Segments, AckParts int
	// Orphans are commit segments without a pointer: they wait for their deletion.
	Orphans int
}

// CheckStore walks all chains of a store whose shard log is closed, and says what
// does not fit: the batch chain, but for accepted losses; each partition's pointers from its first offset to
// its head, gap-free, with their cumulative counts, log times, segments and
// checksums; segments that nobody points to; each cursor's count and sum of ack
// chunks; floors past heads; records without an owner.
func CheckStore(engine storage.Engine) (StoreReport, error) {
	c := &storeCheck{
		engine:        engine,
		topics:        map[storage.TopicID]storage.Topic{},
		subscriptions: map[storage.SubscriptionID]storage.Subscription{},
		partitions:    map[storage.PartitionID]*checkedPartition{},
		cursors:       map[checkedCursorID]*checkedCursor{},
		pointed:       map[checkedSegmentID][]checkedPointer{},
	}
	for _, step := range []func() error{
		c.shard, c.batches, c.catalog, c.partitionRecords, c.pointers, c.ends, c.segments, c.cursorRecords, c.acks, c.sums,
	} {
		if err := step(); err != nil {
			c.errs = append(c.errs, err)
		}
	}
	return c.report, errors.Join(c.errs...)
}

// storeCheck is the state of a walk.
type storeCheck struct {
	engine storage.Engine
	report StoreReport
	errs   []error

	// accepted are the gaps in the batch chain that may be.
	accepted      []record.AcceptedLoss
	topics        map[storage.TopicID]storage.Topic
	subscriptions map[storage.SubscriptionID]storage.Subscription
	partitions    map[storage.PartitionID]*checkedPartition
	cursors       map[checkedCursorID]*checkedCursor
	// pointed are the pointers to each segment.
	pointed map[checkedSegmentID][]checkedPointer
}

type checkedSegmentID struct {
	batch uint64
	chunk uint16
}

type checkedPointer struct {
	partition storage.PartitionID
	base      storage.Offset
	record.Pointer
}

type checkedCursorID struct {
	subscription storage.SubscriptionID
	partition    uint16
}

// checkedPartition is how far a partition's pointers have come.
type checkedPartition struct {
	record record.Partition
	next   record.Mark
}

type checkedCursor struct {
	record record.Cursor
	parts  uint32
	sum    uint64
	acked  uint64
}

func (c *storeCheck) failf(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

// each decodes every record of a kind.
func (c *storeCheck) each(kind record.Kind, fn func(key, value []byte) error) error {
	return c.engine.View(func(r storage.Reader) error {
		return r.Ascend(record.AppendPrefix(nil, kind), nil, func(key []byte, value storage.Value) (bool, error) {
			err := value.Read(func(value []byte) error { return fn(key, value) })
			if err != nil {
				c.errs = append(c.errs, err)
			}
			return true, nil
		})
	})
}

func (c *storeCheck) shard() error {
	return c.each(record.KindShard, func(key, value []byte) error {
		x, err := record.DecodeShard(key, value)
		c.accepted = x.AcceptedLosses
		return err
	})
}

// givenUp says that a batch is missing and may be: its loss was accepted.
func (c *storeCheck) givenUp(number uint64, headers map[uint64]record.Header) bool {
	_, there := headers[number]
	return !there && slices.ContainsFunc(c.accepted, func(l record.AcceptedLoss) bool {
		return l.First <= number && number <= l.Last
	})
}

// batches walks the chain of batch headers.
func (c *storeCheck) batches() error {
	headers := map[uint64]record.Header{}
	last := uint64(0)
	err := c.each(record.KindBatch, func(key, value []byte) error {
		h, err := record.DecodeHeader(key, value)
		headers[h.Number] = h
		last = max(last, h.Number)
		return err
	})
	c.report.Batches = len(headers)
	for n := last; n > 1 && n+record.BatchRing > last+1; n-- {
		if c.givenUp(n, headers) || c.givenUp(n-1, headers) {
			continue
		}
		h, before := headers[n], headers[n-1]
		if h.Number != n || before.Number != n-1 || h.Previous != before.Hash() || h.Epoch < before.Epoch {
			c.failf("batch %d does not continue batch %d", n, n-1)
		}
	}
	return err
}

func (c *storeCheck) catalog() error {
	err := c.each(record.KindTopic, func(key, value []byte) error {
		t, err := record.DecodeTopic(key, value)
		c.topics[t.ID] = t
		return err
	})
	return errors.Join(err, c.each(record.KindSubscription, func(key, value []byte) error {
		s, err := record.DecodeSubscription(key, value)
		c.subscriptions[s.ID] = s
		if _, ok := c.topics[s.Topic]; !ok {
			c.failf("subscription %d: topic %d is missing", s.ID, s.Topic)
		}
		return err
	}))
}

func (c *storeCheck) partitionRecords() error {
	err := c.each(record.KindPartition, func(key, value []byte) error {
		id, err := record.ParsePartitionKey(key)
		if err != nil {
			return err
		}
		x, err := record.DecodePartition(key, value)
		c.partitions[id] = &checkedPartition{record: x, next: x.First}
		if t, ok := c.topics[id.Topic]; !ok || id.Partition >= t.Partitions {
			c.failf("partition %v has no topic", id)
		}
		return err
	})
	for _, t := range c.topics {
		for i := range t.Partitions {
			id := storage.PartitionID{Topic: t.ID, Partition: i}
			if c.partitions[id] == nil && t.State == storage.Active {
				c.failf("partition %v has no record", id)
			}
		}
	}
	return err
}

func (c *storeCheck) pointers() error {
	return c.each(record.KindPointer, func(key, value []byte) error {
		id, base, err := record.ParsePointerKey(key)
		if err != nil {
			return err
		}
		x, err := record.DecodePointer(key, value)
		if err != nil {
			return err
		}
		c.report.Pointers++
		c.pointer(id, base, &x)
		return nil
	})
}

// pointer checks that a pointer continues its partition.
func (c *storeCheck) pointer(id storage.PartitionID, base storage.Offset, x *record.Pointer) {
	p := c.partitions[id]
	if p == nil {
		if c.topics[id.Topic].State != storage.Deleting {
			c.failf("pointer %v at %d has no partition", id, base)
		}
		return
	}
	if p.next.Offset != base || p.next.Before != x.Before {
		c.failf("pointer %v at %d with %+v before, %d with %+v expected", id, base, x.Before, p.next.Offset, p.next.Before)
	}
	if x.LogTime.Before(p.next.LogTime) {
		c.failf("pointer %v at %d: log time %v after %v", id, base, x.LogTime, p.next.LogTime)
	}
	p.next = record.Mark{Offset: x.End(base), LogTime: x.LogTime, Before: x.After()}
	if !x.Hole {
		at := checkedSegmentID{x.At.Batch, x.At.Chunk}
		c.pointed[at] = append(c.pointed[at], checkedPointer{id, base, *x})
	}
}

// ends checks that each partition reached the checkpoint of its head.
func (c *storeCheck) ends() error {
	for id, p := range c.partitions {
		if p.next.Offset < p.record.Head.Offset && c.topics[id.Topic].State == storage.Active {
			c.failf("partition %v ends at %d, its checkpoint is %d", id, p.next.Offset, p.record.Head.Offset)
		}
	}
	return nil
}

// segments checks every segment, and that each pointer points to a run of one.
func (c *storeCheck) segments() error {
	err := c.each(record.KindSegment, func(key, value []byte) error {
		batch, chunk, err := record.ParseSegmentKey(key)
		if err != nil {
			return err
		}
		c.report.Segments++
		at := checkedSegmentID{batch, chunk}
		if len(c.pointed[at]) == 0 {
			c.report.Orphans++
		}
		defer delete(c.pointed, at)
		return c.segment(key, value, c.pointed[at])
	})
	for at, pointers := range c.pointed {
		c.failf("segment %d/%d is missing; %d pointers name it", at.batch, at.chunk, len(pointers))
	}
	return err
}

func (c *storeCheck) segment(key, value []byte, pointers []checkedPointer) error {
	segment, err := record.OpenSegment(key, value)
	if err != nil {
		return err
	}
	for i := range pointers {
		x := &pointers[i]
		if err := segment.ReadPointer(x.partition, x.base, &x.Pointer, &storage.Segment{}); err != nil {
			c.errs = append(c.errs, err)
		}
	}
	return segment.Check()
}

func (c *storeCheck) cursorRecords() error {
	err := c.each(record.KindCursor, func(key, value []byte) error {
		id, partition, err := record.ParseCursorKey(key)
		if err != nil {
			return err
		}
		x, err := record.DecodeCursor(key, value)
		c.cursors[checkedCursorID{id, partition}] = &checkedCursor{record: x}
		c.cursor(id, partition, &x)
		return err
	})
	for _, s := range c.subscriptions {
		for i := range c.topics[s.Topic].Partitions {
			if c.cursors[checkedCursorID{s.ID, i}] == nil && s.State == storage.Active {
				c.failf("subscription %d has no cursor on partition %d", s.ID, i)
			}
		}
	}
	return err
}

func (c *storeCheck) cursor(id storage.SubscriptionID, partition uint16, x *record.Cursor) {
	s, ok := c.subscriptions[id]
	if !ok {
		c.failf("cursor of subscription %d, which is missing", id)
		return
	}
	p := c.partitions[storage.PartitionID{Topic: s.Topic, Partition: partition}]
	if s.State == storage.Active && (p == nil || x.Floor > p.next.Offset) {
		c.failf("subscription %d, partition %d: floor %d is past the head", id, partition, x.Floor)
	}
}

func (c *storeCheck) acks() error {
	return c.each(record.KindAck, func(key, value []byte) error {
		k, err := record.ParseAckKey(key)
		if err != nil {
			return err
		}
		x, err := record.DecodeAckPart(key, value)
		if err != nil {
			return err
		}
		c.report.AckParts++
		cursor := c.cursors[checkedCursorID{k.Subscription, k.Partition}]
		if cursor == nil {
			c.failf("ack chunk of subscription %d, partition %d, which has no cursor", k.Subscription, k.Partition)
			return nil
		}
		cursor.parts++
		cursor.sum ^= record.AckHash(k.Chunk, k.Part, x.Version)
		for _, r := range x.Acked {
			cursor.acked += r.Len()
		}
		return nil
	})
}

// sums compares what cursors count with what was found.
func (c *storeCheck) sums() error {
	for id, x := range c.cursors {
		if c.subscriptions[id.subscription].State != storage.Active {
			continue
		}
		if x.parts != x.record.AckParts || x.sum != x.record.AckSum || x.acked != x.record.Settled {
			c.failf("subscription %d, partition %d: %d ack records, sum %x, %d acked; the cursor says %d, %x, %d",
				id.subscription, id.partition, x.parts, x.sum, x.acked,
				x.record.AckParts, x.record.AckSum, x.record.Settled)
		}
	}
	return nil
}
