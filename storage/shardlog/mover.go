package shardlog

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// movedChunk is the number of a segment of survivors in its batch; those of the
// batch's own messages count from 0.
const movedChunk = math.MaxUint16

// moveNeed is what a segment of survivors takes when it is too small to lie apart.
var moveNeed = need{inline: record.InlineValueBytes + record.MaxKeyBytes, keys: 1}

// mover moves what is left of mostly dead commit segments into new ones, one at a
// time: the new segment, the rewritten pointers and the deletion of the old one are
// one batch. It belongs to the janitor's loop. The zero value is ready.
type mover struct {
	// waits are the segments that became thin, in that order.
	waits fifo[thinSegment]
	// budget is how many bytes may be read and written now, as of at.
	budget int
	at     time.Time
}

// thinSegment is a segment, and since when it is mostly dead.
type thinSegment struct {
	segmentID
	since time.Time
}

// run moves what has been thin for long enough, as far as the budget goes.
func (m *mover) run(j *janitor, now time.Time) error {
	o := &j.store.options
	if err := m.listen(j, now); err != nil {
		return err
	}
	m.earn(now, o.MoveBytesPerSecond)
	for m.budget > 0 && !m.waits.empty() && !m.waits.front().since.Add(o.MoveAge).After(now) && !j.stopped() {
		if !j.store.AcceptsPublishes() {
			return nil // Moving takes space before it gives some.
		}
		bytes, err := j.moveSegment(m.waits.pop().segmentID)
		if err != nil {
			return err
		}
		m.budget -= bytes
	}
	return nil
}

// listen hears which segments became thin.
func (m *mover) listen(j *janitor, now time.Time) error {
	var fresh []segmentID
	err := j.ask(func() { fresh = j.store.committer.shard.live.thin.take() })
	for _, s := range fresh {
		m.waits.push(thinSegment{s, now})
	}
	return err
}

// earn adds what may be done for the time that went by, a second's worth at most.
func (m *mover) earn(now time.Time, bytesPerSecond int) {
	passed := min(max(now.Sub(m.at), 0), time.Second)
	m.budget = min(m.budget+int(passed.Seconds()*float64(bytesPerSecond)), bytesPerSecond)
	m.at = now
}

// survivor is a run that a pointer still points to.
type survivor struct {
	pointer
	partition storage.PartitionID
	messages  *storage.Segment
}

// move is what is left of a segment, and the segment that takes it over.
type move struct {
	from      segmentID
	survivors []survivor
	// bodies is the size of the old segment's bodies, live that of the survivors.
	bodies, live int
	builder      record.SegmentBuilder
}

// errNotThin is returned for a segment that need not or cannot be moved.
var errNotThin = errors.New("shardlog: segment is not to be moved")

// moveSegment moves what is left of a segment, and gives the bytes read and written.
func (j *janitor) moveSegment(s segmentID) (bytes int, err error) {
	x := &move{from: s}
	if thin, err := j.stillThin(s); err != nil || !thin {
		return 0, err
	}
	if err = j.store.engine.View(x.read); err == nil {
		err = x.build()
	}
	if err == nil {
		err = j.commitMove(x)
	}
	switch {
	case errors.Is(err, errNotThin), errors.Is(err, storage.ErrNotFound):
		return x.bodies, nil
	case errors.Is(err, storage.ErrDataLoss):
		// Who needs the messages finds the damage; here is nothing to be had.
		j.report(fmt.Sprintf("move what is left of segment %d/%d", s.batch, s.chunk), err)
		return x.bodies, nil
	}
	return x.bodies + x.live, err
}

// stillThin takes a segment off the list: what is left of it is moved now, or when
// it lost more.
func (j *janitor) stillThin(s segmentID) (thin bool, err error) {
	err = j.ask(func() {
		all := &j.store.committer.shard.live.thin
		thin = all.holds(s)
		all.remove(s)
	})
	return thin, err
}

// read finds the runs that are still pointed to, in one snapshot.
func (x *move) read(r storage.Reader) error {
	key := record.AppendSegmentKey(nil, x.from.batch, x.from.chunk)
	return r.Get(key, func(value []byte) error {
		segment, err := record.OpenSegment(key, value)
		if err != nil {
			return err
		}
		for i := range segment.Runs() {
			if err := x.readRun(r, &segment, i); err != nil {
				return err
			}
		}
		return nil
	})
}

func (x *move) readRun(r storage.Reader, segment *record.SegmentReader, i int) error {
	run := segment.Run(i)
	x.bodies += int(run.Bytes)
	p, err := pointerAt(r, run.Partition, run.Base)
	switch {
	case errors.Is(err, errNoPointer):
		return nil
	case err != nil:
		return err
	case p.Hole || p.base != run.Base || p.place().segment != x.from:
		return nil
	}
	s := survivor{pointer: p, partition: run.Partition, messages: &storage.Segment{}}
	if err := segment.ReadPointer(run.Partition, run.Base, &p.Pointer, s.messages); err != nil {
		return err
	}
	x.live += int(run.Bytes)
	x.survivors = append(x.survivors, s)
	return nil
}

// build makes the new segment, but for its trailer, which names its batch.
func (x *move) build() error {
	if len(x.survivors) == 0 || x.live*thinShare >= x.bodies {
		return errNotThin
	}
	for i := range x.survivors {
		s := x.survivors[i].messages
		a := storage.Append{Partition: s.Partition, Base: s.Base, Messages: s.Bytes, Ends: s.Ends, KeyHashes: s.KeyHashes}
		if x.builder.Add(&a, 0, s.LogTime) != len(s.Ends) {
			return errNotThin
		}
	}
	if len(x.builder.Runs()) != len(x.survivors) {
		return errNotThin
	}
	return nil
}

// commitMove has the committer put the new segment in the place of the old one.
func (j *janitor) commitMove(x *move) error {
	c := j.store.committer
	n := pointerNeed.plus(partitionNeed).times(len(x.survivors)).plus(moveNeed).plus(deleteNeed)
	return j.change(&change{
		need:  n,
		apply: func(b *batch) error { return c.moveSurvivors(b, x) },
		settled: func() {
			c.metrics.movedSegments.Add(1)
			c.metrics.movedBytes.Add(uint64(x.live))
		},
	})
}

// moveSurvivors writes a move into the open batch, unless one of the pointers went
// since they were read; then the segment is left for another time. A partition's
// record goes with its pointer, or recovery would compare that with what the old
// segment's batch wrote. Loop only.
func (c *committer) moveSurvivors(b *batch, x *move) error {
	if c.shard.live.pointersOf(x.from) != len(x.survivors) || c.shard.keeps(x.from) {
		return errNotThin
	}
	for i := range x.survivors {
		s := &x.survivors[i]
		if p, err := c.shard.partition(s.partition); err != nil || s.base < p.first.Offset {
			return errNotThin
		}
	}
	to := segmentID{b.Number, movedChunk}
	key := record.AppendSegmentKey(nil, to.batch, to.chunk)
	b.Ops = append(b.Ops, storage.Op{Key: key, Value: x.builder.Finish(key)})
	for i, run := range x.builder.Runs() {
		s := &x.survivors[i]
		moved := run.Pointer(to.batch, to.chunk, s.Before)
		b.putPointer(s.partition, s.base, &moved)
		p := c.shard.topics[s.partition.Topic].partitions[s.partition.Partition]
		c.shard.recent.forget(p, s.end())
		b.rewrite(p)
	}
	b.deleteSegment(x.from)
	c.shard.live.move(x.from, to, len(x.survivors), x.live)
	return nil
}
