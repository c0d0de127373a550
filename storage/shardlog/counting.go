package shardlog

import (
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// counting is the janitor's way through the pointers and segments that were there
// when the store was opened. The zero value begins.
type counting struct {
	segments bool   // the pointers are done
	from     []byte // where to go on; nil at the beginning
	done     bool
}

// step reads one part and hands it to the committer; false when all is counted.
func (c *counting) step(j *janitor) (more bool) {
	if c.done || j.stopped() {
		return false
	}
	var err error
	if c.segments {
		err = c.countSegments(j)
	} else {
		err = c.countPointers(j)
	}
	if err != nil {
		// What is not counted is not deleted before the next opening.
		j.report("count commit segments", err)
		c.done = true
	}
	return !c.done
}

// countPointers looks at the next pointers.
func (c *counting) countPointers(j *janitor) error {
	var found []countedPointer
	prefix := record.AppendPrefix(nil, record.KindPointer)
	next, err := scanSome(j.store.engine, prefix, c.from, func(key []byte, value storage.Value) error {
		x, err := decodePointer(key, value)
		if err == nil && !x.Hole {
			found = append(found, countedPointer{
				segmentID{x.At.Batch, x.At.Chunk}, uint32(x.Bytes), x.At.FirstByte + uint32(x.Bytes),
			})
		}
		return err
	})
	if err != nil {
		return err
	}
	var at *pointerID
	if next != nil {
		partition, base, err := record.ParsePointerKey(next)
		if err != nil {
			return err
		}
		at = &pointerID{partition, base}
	}
	c.from, c.segments = next, next == nil
	return j.ask(func() { j.store.committer.shard.live.countPointers(found, at) })
}

// countSegments looks at the next segments and deletes those without a pointer.
func (c *counting) countSegments(j *janitor) error {
	var found []segmentID
	prefix := record.AppendPrefix(nil, record.KindSegment)
	next, err := scanSome(j.store.engine, prefix, c.from, func(key []byte, _ storage.Value) error {
		s, err := parseSegment(key)
		found = append(found, s)
		return err
	})
	if err != nil {
		return err
	}
	var at *segmentID
	if next != nil {
		s, err := parseSegment(next)
		if err != nil {
			return err
		}
		at = &s
	}
	c.from = next
	return c.deleteOrphans(j, found, at)
}

// deleteOrphans deletes the segments without a pointer, unless a partition is fenced:
// one that lost its pointers may be all that shows its damage to the next opening.
func (c *counting) deleteOrphans(j *janitor, found []segmentID, next *segmentID) error {
	m := j.store.committer
	return j.change(&change{
		need: deleteNeed.times(len(found)),
		apply: func(b *batch) error {
			live := &m.shard.live
			orphans := live.countSegments(upTo(found, live.old), next)
			if m.shard.anyFenced() {
				orphans = nil
			}
			for _, s := range orphans {
				b.deleteSegment(s)
				m.metrics.trimmedSegs.Add(1)
			}
			c.done = live.phase == counted
			m.metrics.segmentsCounted.Store(c.done)
			return nil
		},
	})
}

// upTo cuts off the segments of batches after old, which count themselves.
func upTo(segments []segmentID, old uint64) []segmentID {
	for i, s := range segments {
		if s.batch > old {
			return segments[:i]
		}
	}
	return segments
}

func parseSegment(key []byte) (segmentID, error) {
	batch, chunk, err := record.ParseSegmentKey(key)
	return segmentID{batch, chunk}, err
}
