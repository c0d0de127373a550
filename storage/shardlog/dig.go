package shardlog

import (
	"errors"
	"slices"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// dig looks for holes in a partition and has them made, step by step.
func (j *janitor) dig(d *dig, now time.Time) error {
	first, _ := d.partition.marks.get()
	d.first = first.Offset
	for from := d.first; !j.stopped(); {
		w, err := j.readHoles(d, from, now)
		if errors.Is(err, storage.ErrDataLoss) {
			j.store.committer.fence(d.partition, err)
			return nil
		}
		if err != nil {
			return err
		}
		if err := j.makeHoles(d, w); err != nil {
			return err
		}
		if w.young != nil {
			j.waiting.add(d.partition, w.due)
		}
		if !w.more {
			return nil
		}
		from = w.next
	}
	return nil
}

// digWalk finds runs of pointers in what is settled.
type digWalk struct {
	*dig
	now     time.Time
	settled []storage.OffsetRange

	cuts []holeCut
	open holeCut
	// next is how far the walk has come; pointers counts those in cuts.
	next     storage.Offset
	pointers int
	// more: the step is full. young is the chunk from which on messages are too
	// young until due.
	more  bool
	young *uint64
	due   time.Time
}

// readHoles reads in one snapshot what one step makes holes of.
func (j *janitor) readHoles(d *dig, from storage.Offset, now time.Time) (*digWalk, error) {
	w := &digWalk{dig: d, now: now, next: from}
	err := j.store.engine.View(func(r storage.Reader) (err error) {
		if w.settled, err = d.readSettled(r); err != nil {
			return err
		}
		for _, settled := range w.settled {
			if settled.End <= w.next {
				continue
			}
			if err := w.walk(r, settled); err != nil || w.more || w.young != nil {
				return err
			}
		}
		return nil
	})
	return w, err
}

// walk goes over the pointers of a settled range, and on over what adjoins it: the
// pointer before it may be a hole, and so may the one behind.
func (w *digWalk) walk(r storage.Reader, settled storage.OffsetRange) error {
	from := max(settled.First, w.next)
	if from > w.first {
		from--
	}
	first, err := pointerAt(r, w.partition.id, from)
	if errors.Is(err, errNoPointer) {
		return lostPointer(w.partition.id, from, first.base)
	}
	if err != nil {
		return err
	}
	at := first.base
	err = eachPointer(r, w.partition.id, first.base, func(x pointer) (bool, error) {
		if x.base != at {
			return false, lostPointer(w.partition.id, at, x.base)
		}
		at = x.end()
		return w.take(&x, settled), nil
	})
	w.close()
	return err
}

// take takes in the next pointer; false ends the walk of the range.
func (w *digWalk) take(x *pointer, settled storage.OffsetRange) (more bool) {
	switch {
	case x.LogTime.Add(w.age).After(w.now):
		chunk := storage.ChunkOf(x.base)
		w.young, w.due = &chunk, x.LogTime.Add(w.age)
		return false
	case !x.Hole && !w.covers(x):
		w.close()
		w.next = max(w.next, x.end())
		return x.end() < settled.End
	case w.pointers+len(w.open.pointers) == digPointersAtOnce:
		w.more = true
		return false
	}
	w.open.add(x)
	w.next = x.end()
	return true
}

// covers says whether everything in a pointer is settled.
func (w *digWalk) covers(x *pointer) bool {
	i, _ := slices.BinarySearchFunc(w.settled, x.base, func(r storage.OffsetRange, at storage.Offset) int {
		if r.End <= at {
			return -1
		}
		return 1
	})
	return i < len(w.settled) && w.settled[i].First <= x.base && x.end() <= w.settled[i].End
}

// close ends the open run.
func (w *digWalk) close() {
	if w.open.freed > 0 {
		w.cuts = append(w.cuts, w.open)
		w.pointers += len(w.open.pointers)
	}
	w.open = holeCut{}
}

// readSettled gives what everybody settled in the chunks of the look and in those
// around them that a pointer may reach into.
func (d *dig) readSettled(r storage.Reader) (settled []storage.OffsetRange, err error) {
	for i := 0; i < len(d.chunks); {
		from, end := d.chunks[i]-min(d.chunks[i], pointerChunks), d.chunks[i]+pointerChunks+1
		for i++; i < len(d.chunks) && d.chunks[i] <= end+pointerChunks; i++ {
			end = d.chunks[i] + pointerChunks + 1
		}
		part := []storage.OffsetRange{{First: max(chunkStart(from), d.first), End: chunkStart(end)}}
		for c := range d.cursors {
			own, err := d.cursors[c].settled(r, from, end)
			if err != nil {
				return nil, err
			}
			part = intersect(part, own)
		}
		settled = append(settled, part...)
	}
	return settled, nil
}

// settled gives what a subscription settled from the chunk `from` up to end.
func (c *digCursor) settled(r storage.Reader, from, end uint64) (settled []storage.OffsetRange, err error) {
	if c.Floor > chunkStart(from) {
		settled = append(settled, storage.OffsetRange{First: chunkStart(from), End: c.Floor})
	}
	chunks, err := readChunks(r, c.subscription, &c.Cursor, max(from, storage.ChunkOf(c.Floor)), end)
	for i := range chunks {
		for _, acked := range chunks[i].Acked {
			if n := len(settled); n > 0 && settled[n-1].End == acked.First {
				settled[n-1].End = acked.End
			} else {
				settled = append(settled, acked)
			}
		}
	}
	return settled, err
}

// intersect gives what is in both of two lists of ranges, each in order.
func intersect(a, b []storage.OffsetRange) (both []storage.OffsetRange) {
	for i, k := 0, 0; i < len(a) && k < len(b); {
		common := storage.OffsetRange{First: max(a[i].First, b[k].First), End: min(a[i].End, b[k].End)}
		if common.First < common.End {
			both = append(both, common)
		}
		if a[i].End < b[k].End {
			i++
		} else {
			k++
		}
	}
	return both
}

// makeHoles has the committer make holes, but for those that somebody needs by now.
// What is left is looked at again.
func (j *janitor) makeHoles(d *dig, w *digWalk) error {
	if len(w.cuts) == 0 && w.young == nil {
		return nil
	}
	c, p := j.store.committer, d.partition
	n := partitionNeed
	for i := range w.cuts {
		n = n.plus(pointerNeed).plus(deleteNeed.times(2 * len(w.cuts[i].pointers)))
	}
	var first record.Mark
	var holes record.Totals
	freed := uint64(0)
	return j.change(&change{
		need: n,
		apply: func(b *batch) error {
			for i := range w.cuts {
				if h := &w.cuts[i]; d.allows(c.shard, h) {
					freed += h.freed
					c.makeHole(b, p, h)
				} else {
					p.dug.end = min(p.dug.end, storage.ChunkOf(h.hole.base))
				}
			}
			if w.young != nil {
				p.dug.end = min(p.dug.end, *w.young)
			}
			first, holes = p.first, p.holes.Totals
			return nil
		},
		settled: func() {
			p.marks.setFirst(first, holes)
			c.metrics.holedMessages.Add(freed)
		},
	})
}
