package shardlog

import (
	"errors"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// skipBuffered leaves out, after a stop that was not in order, the offsets that may
// have been told of buffered topics and are lost, so that none is ever given twice.
// The skips are repairs like others: committed before anything is taken in, while the
// last stop still counts as not in order.
func (r *recovery) skipBuffered() error {
	if r.shard.Clean || r.fresh() || r.shard.buffered == 0 {
		return nil
	}
	for _, t := range r.shard.topics {
		if !t.Buffered || t.State != storage.Active {
			continue
		}
		for _, p := range t.partitions {
			if p.err() != nil {
				continue
			}
			if err := r.skip(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// skip has offsets of a partition left out: by a hole that never held anything, or,
// where one is at the end already, by making that longer.
func (r *recovery) skip(p *partition) error {
	last, err := r.lastPointer(p)
	if err != nil && !errors.Is(err, errNoPointer) && !r.mends() {
		return err
	}
	longer := err == nil && !r.mends() && last.Hole && last.Messages == 0 && last.end() == p.next.Offset
	r.logger.Info("offsets of a buffered partition are left out", "topic", p.topic.Name, "partition", p.id.Partition,
		"from", uint64(p.next.Offset), "offsets", skippedOffsets)
	r.repairs = append(r.repairs, func(b *batch) {
		hole := pointer{base: p.next.Offset, Pointer: record.Pointer{
			Hole: true, LogTime: p.next.LogTime, Before: p.next.Before,
		}}
		if longer {
			hole = last
		} else {
			p.holes.Add(&hole.Pointer)
		}
		hole.Span += skippedOffsets
		b.putPointer(p.id, hole.base, &hole.Pointer)
		p.next.Offset = hole.end()
		b.rewrite(p)
	})
	return nil
}
