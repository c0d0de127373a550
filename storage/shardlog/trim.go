package shardlog

import (
	"errors"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

const (
	// trimPointersAtOnce bounds the pointers that one step takes away.
	trimPointersAtOnce = 1000
	// trimPartitionsAtOnce bounds the partitions that one snapshot is read for.
	trimPartitionsAtOnce = 256
	// lookAtOnce bounds the partitions that one question to the committer covers.
	lookAtOnce = 1024
)

// trimmable is what may go from one partition.
type trimmable struct {
	partition *partition
	// first is where it begins now; before limit everything is settled.
	first record.Mark
	limit storage.Offset
	// minAge is how old a message must be; whole says that age does not matter: the
	// topic is being removed.
	minAge time.Duration
	whole  bool
}

// due is when the oldest message is old enough.
func (t *trimmable) due() time.Time { return t.first.LogTime.Add(t.minAge) }

// retain looks at the partitions that changed or whose time has come, and trims.
func (j *janitor) retain() {
	now := j.store.options.Clock()
	j.scratch = j.store.committer.attention.take(j.scratch[:0])
	j.scratch = j.waiting.take(j.scratch, now)
	for rest := j.scratch; len(rest) > 0 && j.ctx.Err() == nil; {
		n := min(len(rest), lookAtOnce)
		work, err := j.look(rest[:n])
		if err == nil {
			err = j.trim(work, now)
		}
		if err != nil {
			j.report("trim", err)
			return
		}
		rest = rest[n:]
	}
	clear(j.scratch)
}

// look asks the committer what may be trimmed.
func (j *janitor) look(partitions []*partition) (work []trimmable, err error) {
	shard := j.store.committer.shard
	err = j.ask(func() {
		for _, p := range partitions {
			if x, ok := shard.trimmable(p); ok {
				work = append(work, x)
			}
		}
	})
	return work, err
}

// trimmable says what may go from a partition. Loop only.
func (s *shard) trimmable(p *partition) (t trimmable, ok bool) {
	if s.holdTrims || p.err() != nil || p.topic.State == storage.Deleting {
		return t, false
	}
	t = trimmable{
		partition: p, first: p.first, minAge: p.topic.MinAge,
		limit: p.topic.floor(p.id.Partition),
	}
	return t, t.first.Offset < t.limit
}

// trim takes away what is settled and old enough, step by step.
func (j *janitor) trim(work []trimmable, now time.Time) error {
	var due []trimmable
	for i := range work {
		if work[i].due().After(now) {
			j.waiting.add(work[i].partition, work[i].due())
		} else {
			due = append(due, work[i])
		}
	}
	for len(due) > 0 && j.ctx.Err() == nil {
		n := min(len(due), trimPartitionsAtOnce)
		cuts, more, err := j.cuts(due[:n], now)
		if err != nil {
			return err
		}
		if err := j.apply(cuts); err != nil {
			return err
		}
		due = append(more, due[n:]...)
	}
	return nil
}

// cut is what one step takes from one partition.
type cut struct {
	trimmable
	pointers []pointer
	// next is where the partition begins afterwards.
	next record.Mark
}

// cuts reads the pointers that go in the next step, and gives what is left to do.
func (j *janitor) cuts(work []trimmable, now time.Time) (cuts []cut, more []trimmable, err error) {
	room := trimPointersAtOnce
	err = j.store.engine.View(func(r storage.Reader) error {
		for i := range work {
			if room == 0 {
				more = append(more, work[i:]...)
				return nil
			}
			c, ended, err := j.cut(r, &work[i], now, room)
			if errors.Is(err, storage.ErrDataLoss) {
				j.store.committer.fence(work[i].partition, err)
				continue
			}
			if err != nil {
				return err
			}
			room -= len(c.pointers)
			if len(c.pointers) > 0 {
				cuts = append(cuts, c)
			}
			if !ended {
				rest := work[i]
				rest.first = c.next
				more = append(more, rest)
			}
		}
		return nil
	})
	return cuts, more, err
}

// cut reads the pointers that may go from one partition, up to room; ended says that
// nothing more may now.
func (j *janitor) cut(r storage.Reader, t *trimmable, now time.Time, room int) (c cut, ended bool, err error) {
	c = cut{trimmable: *t, next: t.first}
	ended = true
	err = eachPointer(r, t.partition.id, t.first.Offset, func(x pointer) (bool, error) {
		if x.base != c.next.Offset {
			return false, lostPointer(t.partition.id, c.next.Offset, x.base)
		}
		// The next one that stays tells how old the oldest is.
		c.next.LogTime = x.LogTime
		old := t.whole || !x.LogTime.Add(t.minAge).After(now)
		switch {
		case x.end() > t.limit:
			return false, nil
		case !old:
			j.waiting.add(t.partition, x.LogTime.Add(t.minAge))
			return false, nil
		case len(c.pointers) == room:
			ended = false
			return false, nil
		}
		c.pointers = append(c.pointers, x)
		c.next = record.Mark{Offset: x.end(), LogTime: x.LogTime, Before: x.After()}
		return true, nil
	})
	return c, ended, err
}

// apply has the committer take a step's pointers away.
func (j *janitor) apply(cuts []cut) error {
	if len(cuts) == 0 {
		return nil
	}
	var n need
	for i := range cuts {
		n = n.plus(partitionNeed).plus(deleteNeed.times(2 * len(cuts[i].pointers)))
	}
	c := j.store.committer
	var trimmed []cut
	return j.change(&change{
		need: n,
		apply: func(b *batch) error {
			for i := range cuts {
				if c.applyCut(b, &cuts[i]) {
					trimmed = append(trimmed, cuts[i])
				}
			}
			return nil
		},
		settled: func() { c.settleCuts(trimmed) },
	})
}

// applyCut takes pointers away, and the segments that have none left, unless a new
// subscription wants to begin before their end. Loop only.
func (c *committer) applyCut(b *batch, x *cut) bool {
	p := x.partition
	if p.first.Offset != x.first.Offset || (!x.whole && x.next.Offset > p.topic.floor(p.id.Partition)) {
		return false
	}
	for i := range x.pointers {
		c.dropPointer(b, p.id, &x.pointers[i])
	}
	p.first = x.next
	b.rewrite(p)
	return true
}

func (c *committer) dropPointer(b *batch, id storage.PartitionID, x *pointer) {
	b.deletePointer(id, x.base)
	if x.Hole {
		return
	}
	segment := segmentID{x.At.Batch, x.At.Chunk}
	if c.shard.live.drop(id, x.base, segment) {
		b.deleteSegment(segment)
		c.metrics.trimmedSegs.Add(1)
	}
}

// settleCuts shows where partitions begin. Loop only.
func (c *committer) settleCuts(cuts []cut) {
	c.metrics.trimSteps.Add(1)
	for i := range cuts {
		x := &cuts[i]
		x.partition.marks.setFirst(x.next)
		c.metrics.trimmedMessages.Add(x.next.Before.Messages - x.first.Before.Messages)
	}
}
