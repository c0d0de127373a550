package shardlog

import (
	"errors"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// trimFromDisk takes away what is settled and old enough, by reading pointers, step
// by step.
func (j *janitor) trimFromDisk(work []trimmable, now time.Time) error {
	for len(work) > 0 && !j.stopped() {
		n := min(len(work), readPartitionsAtOnce)
		cuts, more, err := j.readCuts(work[:n], now)
		if err != nil {
			return err
		}
		if err := j.applyCuts(cuts); err != nil {
			return err
		}
		work = append(more, work[n:]...)
	}
	return nil
}

// readCuts reads the pointers that go in the next step, and gives what is left to
// do.
func (j *janitor) readCuts(work []trimmable, now time.Time) (cuts []cut, more []trimmable, err error) {
	room := trimPointersAtOnce
	err = j.store.engine.View(func(r storage.Reader) error {
		for i := range work {
			if room == 0 {
				more = append(more, work[i:]...)
				return nil
			}
			c, ended, err := j.readCut(r, &work[i], now, room)
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

// readCut reads the pointers that may go from one partition, up to room; ended says
// that nothing more may now.
func (j *janitor) readCut(r storage.Reader, t *trimmable, now time.Time, room int) (c cut, ended bool, err error) {
	c = cut{trimmable: *t, next: t.first}
	ended = true
	err = eachPointer(r, t.partition.id, t.first.Offset, func(x pointer) (bool, error) {
		if x.base != c.next.Offset {
			return false, lostPointer(t.partition.id, c.next.Offset, x.base)
		}
		// The next one that stays tells how old the oldest is.
		c.next.LogTime = x.LogTime
		switch due := t.dueAt(x.end(), x.LogTime); {
		case x.end() > t.limit:
			return false, nil
		case due.After(now):
			j.waiting.add(t.partition, due)
			return false, nil
		case len(c.pointers) == room:
			ended = false
			return false, nil
		}
		c.pointers = append(c.pointers, x.place())
		c.next = record.Mark{Offset: x.end(), LogTime: x.LogTime, Before: x.After()}
		return true, nil
	})
	return c, ended, err
}

// applyCuts has the committer take a step's pointers away, unless a new
// subscription wants to begin before their end.
func (j *janitor) applyCuts(cuts []cut) error {
	if len(cuts) == 0 {
		return nil
	}
	n := partitionNeed.times(len(cuts))
	for i := range cuts {
		n = n.plus(deleteNeed.times(2 * len(cuts[i].pointers)))
	}
	c := j.store.committer
	var applied []cut
	return j.change(&change{
		need: n,
		apply: func(b *batch) error {
			for i := range cuts {
				x := &cuts[i]
				if c.shard.allowsCut(x) {
					c.applyCut(b, x)
					applied = append(applied, *x)
				}
			}
			return nil
		},
		settled: func() { c.settleCuts(applied) },
	})
}

// allowsCut says whether a cut that was read from disk may be applied still: the
// partition begins where it did, and nobody wants what goes.
func (s *shard) allowsCut(x *cut) bool {
	now, ok := s.trimmable(x.partition)
	return ok && now.first.Offset == x.first.Offset && x.next.Offset <= now.limit
}
