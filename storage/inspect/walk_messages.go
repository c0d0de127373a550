package inspect

import (
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// partition is how far a partition's pointers have come.
type partition struct {
	record record.Partition
	next   record.Mark
	holes  record.Holes
	// damaged: the record itself is, so that its first pointer is believed.
	damaged bool
}

type segmentID struct {
	batch uint64
	chunk uint16
}

// segment is what pointers said of a commit segment.
type segment struct {
	pointers int
	// damaged: a pointer to it told already.
	damaged bool
}

func (w *walk) readPartitions() {
	w.each(record.KindPartition, func(_ storage.Reader, key, value []byte) error {
		id, err := record.ParsePartitionKey(key)
		if err != nil {
			return err
		}
		x, err := record.DecodePartition(key, value)
		w.partitions[id] = &partition{record: x, next: x.First, damaged: err != nil}
		if err != nil {
			return err
		}
		t, ok := w.topics[id.Topic]
		if !ok || id.Partition >= t.Partitions {
			return fmt.Errorf("%w: a partition without a topic", storage.ErrDataLoss)
		}
		if t.State == storage.Active {
			w.report.Partitions++
		}
		return nil
	}, func(key []byte) Place {
		id, _ := record.ParsePartitionKey(key) // A key that is none has no better name.
		return w.of(id)
	}, adviceTopic)
	for _, t := range w.topics {
		for i := range t.Partitions {
			id := storage.PartitionID{Topic: t.ID, Partition: i}
			if w.partitions[id] == nil && t.State == storage.Active {
				w.damagef(w.of(id), adviceTopic, "the partition's record is missing")
			}
		}
	}
}

func (w *walk) readPointers() {
	var open openSegments
	w.each(record.KindPointer, func(r storage.Reader, key, value []byte) error {
		id, base, err := record.ParsePointerKey(key)
		if err != nil {
			return err
		}
		x, err := record.DecodePointer(key, value)
		if err != nil {
			return err
		}
		w.report.Pointers++
		w.pointer(id, base, &x)
		if !x.Hole {
			w.pointed(r, &open, id, base, &x)
		}
		return nil
	}, func(key []byte) Place {
		id, base, _ := record.ParsePointerKey(key) // A key that is none has no better name.
		return w.from(id, base, 1)
	}, adviceTopic)
}

// from is the place of offsets in a partition.
func (w *walk) from(id storage.PartitionID, base storage.Offset, span uint64) Place {
	at := w.of(id)
	at.Offsets = storage.OffsetRange{First: base, End: base + storage.Offset(span)}
	return at
}

// pointer checks that a pointer continues its partition.
func (w *walk) pointer(id storage.PartitionID, base storage.Offset, x *record.Pointer) {
	p := w.partitions[id]
	if p == nil {
		if w.topics[id.Topic].State != storage.Deleting {
			w.damagef(w.from(id, base, x.Span), adviceTopic, "messages of a partition that is not there")
		}
		return
	}
	switch {
	case p.damaged:
		p.damaged = false
	case p.next.Offset < base:
		w.damagef(w.from(id, p.next.Offset, uint64(base-p.next.Offset)), adviceTopic, "nothing says where these messages are")
	case p.next.Offset > base || p.next.Before != x.Before:
		w.damagef(w.from(id, base, x.Span), adviceTopic, "%d messages and %d bytes before it, %d and %d expected at %d",
			x.Before.Messages, x.Before.Bytes, p.next.Before.Messages, p.next.Before.Bytes, p.next.Offset)
	case x.LogTime.Before(p.next.LogTime):
		w.damagef(w.from(id, base, x.Span), adviceTopic, "log time %v after %v", x.LogTime, p.next.LogTime)
	}
	p.next = record.Mark{Offset: x.End(base), LogTime: x.LogTime, Before: x.After()}
	if x.Hole {
		w.report.Holes++
		p.holes.Add(x)
	}
}

// pointed checks that a pointer points to its messages.
func (w *walk) pointed(r storage.Reader, open *openSegments, id storage.PartitionID, base storage.Offset, x *record.Pointer) {
	at := segmentID{x.At.Batch, x.At.Chunk}
	if w.segments[at] == nil {
		w.segments[at] = &segment{}
	}
	w.segments[at].pointers++
	s, err := open.open(r, at)
	if err == nil {
		err = s.ReadPointer(id, base, x, &storage.Segment{})
	}
	if err != nil {
		w.segments[at].damaged = true
		place := w.from(id, base, x.Span)
		place.FirstBatch, place.LastBatch = at.batch, at.batch
		w.damagef(place, adviceTopic, "the messages cannot be read: %v", err)
	}
}

// compareEnds checks that each partition reached the checkpoint of its head and has
// the holes that it counts, and adds up what it retains.
func (w *walk) compareEnds() {
	for id, p := range w.partitions {
		if w.topics[id.Topic].State == storage.Active {
			w.report.Messages += p.next.Before.Messages - p.record.First.Before.Messages
			w.report.Bytes += p.next.Before.Bytes - p.record.First.Before.Bytes
		}
		missing := p.record.Head.Offset - min(p.next.Offset, p.record.Head.Offset)
		if missing > 0 && w.topics[id.Topic].State == storage.Active {
			w.damagef(w.from(id, p.next.Offset, uint64(missing)), adviceTopic,
				"the partition ends at %d, its checkpoint is %d", p.next.Offset, p.record.Head.Offset)
		}
		if p.holes != p.record.Holes && w.topics[id.Topic].State == storage.Active {
			w.damagef(w.of(id), adviceTopic, "the partition has the holes %+v, its record says %+v", p.holes, p.record.Holes)
		}
	}
}

// readSegments checks what no pointer needs: the rest of the commit segments.
func (w *walk) readSegments() {
	w.each(record.KindSegment, func(_ storage.Reader, key, value []byte) error {
		batch, chunk, err := record.ParseSegmentKey(key)
		if err != nil {
			return err
		}
		w.report.Segments++
		s := w.segments[segmentID{batch, chunk}]
		if s == nil {
			w.report.Orphans++
		}
		if s != nil && s.damaged {
			return nil
		}
		return checkSegment(key, value)
	}, func(key []byte) Place {
		batch, _, _ := record.ParseSegmentKey(key) // A key that is none has no better name.
		return Place{FirstBatch: batch, LastBatch: batch}
	}, adviceRestore)
}
