package shardlog

import (
	"slices"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

const (
	// trimPointersAtOnce bounds the pointers that one step takes away.
	trimPointersAtOnce = 4000
	// trimPartitionsAtOnce bounds the partitions that one step looks at.
	trimPartitionsAtOnce = 1024
	// readPartitionsAtOnce bounds those that one snapshot is read for.
	readPartitionsAtOnce = 256
)

// waiting is a partition that is to be looked at again.
type waiting struct {
	partition *partition
	due       time.Time
}

// trimmable is what may go from one partition.
type trimmable struct {
	partition *partition
	// first is where it begins now; before limit everything is settled.
	first record.Mark
	limit storage.Offset
	// minAge is how old a message must be, unless it is before retained.
	minAge   time.Duration
	retained storage.Offset
}

// due is when the oldest message is old enough.
func (t *trimmable) due() time.Time { return t.dueAt(t.first.Offset+1, t.first.LogTime) }

// dueAt is when messages that end at an offset, with a log time, are.
func (t *trimmable) dueAt(end storage.Offset, logTime time.Time) time.Time {
	if end <= t.retained {
		return time.Time{}
	}
	return logTime.Add(t.minAge)
}

// trimmable says what may go from a partition. Loop only.
func (s *shard) trimmable(p *partition) (t trimmable, ok bool) {
	if s.holdTrims || p.err() != nil || p.topic.State == storage.Deleting {
		return t, false
	}
	t = trimmable{
		partition: p, first: p.first, minAge: p.topic.KeepsFor(),
		limit: p.topic.floor(p.id.Partition), retained: storage.Offset(p.retained.Load()),
	}
	return t, t.first.Offset < t.limit
}

// cut is what one step takes from one partition.
type cut struct {
	trimmable
	pointers []pointerPlace
	// next is where the partition begins afterwards.
	next record.Mark
	// holes is what holes hold afterwards. Set when the cut is applied.
	holes record.Totals
}

// pointerPlace is a pointer, the segment that it points to, none for a hole, and
// what it holds.
type pointerPlace struct {
	base    storage.Offset
	segment segmentID
	held    record.Totals
}

func (x *pointerPlace) hole() bool { return x.segment == segmentID{} }

// retain looks at the partitions that changed or whose time has come, and trims.
func (j *janitor) retain() {
	now := j.store.options.Clock()
	j.scratch = j.store.committer.attention.take(j.scratch[:0])
	j.scratch = j.waiting.take(j.scratch, now)
	for rest := j.scratch; len(rest) > 0 && !j.stopped(); {
		n := min(len(rest), trimPartitionsAtOnce)
		step := &trimStep{committer: j.store.committer, now: now, partitions: rest[:n]}
		if err := j.trim(step); err != nil {
			j.report("trim", err)
			break
		}
		rest = rest[step.looked:]
	}
	clear(j.scratch)
	j.report("forget", j.forget())
	j.report("end snapshots", j.forgetSnapshots(now))
	j.report("move survivors", j.moves.run(j, now))
}

// trim makes one step, and then what it left to the disk.
func (j *janitor) trim(step *trimStep) error {
	if err := j.change(step.change()); err != nil {
		return err
	}
	for _, t := range step.later {
		j.waiting.add(t.partition, t.due())
	}
	for _, w := range step.waits {
		j.waiting.add(w.partition, w.due)
	}
	if err := j.trimFromDisk(step.unknown, step.now); err != nil {
		return err
	}
	for _, t := range step.bounds {
		if err := j.bound(t, step.now); err != nil {
			return err
		}
	}
	for _, d := range step.digs {
		if err := j.dig(d, step.now); err != nil {
			return err
		}
	}
	return nil
}

// trimStep takes what it can from some partitions by what the committer remembers.
type trimStep struct {
	committer  *committer
	now        time.Time
	partitions []*partition

	// looked is how many partitions were; later are not old enough, the pointers of
	// unknown must be read. Set when the step is done.
	looked         int
	later, unknown []trimmable
	// bounds are topics that may keep too much, digs partitions that may have room for
	// holes.
	bounds []boundTopic
	digs   []*dig
	waits  []waiting
	cuts   []cut
	room   int
}

func (s *trimStep) change() *change {
	return &change{
		need: partitionNeed.times(len(s.partitions)).plus(deleteNeed.times(2 * trimPointersAtOnce)),
		apply: func(b *batch) error {
			s.room = trimPointersAtOnce
			for s.looked < len(s.partitions) && s.room > 0 {
				s.look(b, s.partitions[s.looked])
			}
			return nil
		},
		settled: func() { s.committer.settleCuts(s.cuts) },
	}
}

// look trims one partition as far as there is room; then it is done with it.
func (s *trimStep) look(b *batch, p *partition) {
	s.mayBound(p.topic)
	t, ok := s.committer.shard.trimmable(p)
	if !ok {
		s.finish(b, p)
		return
	}
	if t.due().After(s.now) {
		s.later = append(s.later, t)
		s.looked++
		return
	}
	x, known := t.cutRecent(s.now, s.room)
	if len(x.pointers) > 0 {
		s.committer.applyCut(b, &x)
		s.cuts = append(s.cuts, x)
		s.room -= len(x.pointers)
	}
	switch {
	case !known:
		s.unknown = append(s.unknown, t)
		s.finish(b, p)
	case s.room > 0:
		s.ended(x)
		s.finish(b, p)
	}
}

// finish looks for holes in what is left of a partition.
func (s *trimStep) finish(b *batch, p *partition) {
	s.looked++
	d, due := s.committer.shard.dig(p, b.Number, s.now, &s.committer.holes)
	if d != nil {
		s.digs = append(s.digs, d)
	}
	if !due.IsZero() {
		s.waits = append(s.waits, waiting{p, due})
	}
}

// mayBound has a topic looked at that bounds what it keeps, once.
func (s *trimStep) mayBound(t *topic) {
	b, ok := s.committer.shard.bounds(t)
	if ok && !slices.ContainsFunc(s.bounds, func(x boundTopic) bool { return x.topic == t }) {
		s.bounds = append(s.bounds, b)
	}
}

// ended notes when what is left of a partition is due.
func (s *trimStep) ended(x cut) {
	rest := x.trimmable
	rest.first = x.next
	if rest.first.Offset < rest.limit && rest.due().After(s.now) {
		s.later = append(s.later, rest)
	}
}

// applyCut takes pointers away, and the segments that have none left. Loop only.
func (c *committer) applyCut(b *batch, x *cut) {
	for _, pointer := range x.pointers {
		c.dropPointer(b, x.partition, pointer)
	}
	x.partition.first, x.holes = x.next, x.partition.holes.Totals
	b.rewrite(x.partition)
}

func (c *committer) dropPointer(b *batch, p *partition, x pointerPlace) {
	b.deletePointer(p.id, x.base)
	c.dropHeld(b, p, x)
}

// dropHeld takes away what a pointer stands for.
func (c *committer) dropHeld(b *batch, p *partition, x pointerPlace) {
	if x.hole() {
		p.holes.Number--
		p.holes.Totals = p.holes.Minus(x.held)
		return
	}
	if c.shard.live.drop(pointerID{p.id, x.base}, x.segment, x.held.Bytes) && !c.shard.keeps(x.segment) {
		b.deleteSegment(x.segment)
		c.metrics.trimmedSegs.Add(1)
	}
}

// settleCuts shows where partitions begin. Loop only.
func (c *committer) settleCuts(cuts []cut) {
	if len(cuts) == 0 {
		return
	}
	c.metrics.trimSteps.Add(1)
	for i := range cuts {
		x := &cuts[i]
		x.partition.marks.setFirst(x.next, x.holes)
		c.metrics.trimmedMessages.Add(x.next.Before.Messages - x.first.Before.Messages)
	}
}
