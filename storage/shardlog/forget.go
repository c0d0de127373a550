package shardlog

import (
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// dedupeKeysAtOnce bounds the records of dedupe ids that one step deletes.
const dedupeKeysAtOnce = 2000

// forget takes away what the shard need not remember any more: producers that are
// idle, dedupe ids whose window is over. In a shard that remembers none it costs
// nothing.
func (j *janitor) forget() error {
	if !j.store.committer.remembers.Load() {
		return nil
	}
	if err := j.forgetProducers(); err != nil {
		return err
	}
	return j.forgetIDs()
}

// forgetIDs deletes the dedupe ids that do not count any more.
func (j *janitor) forgetIDs() error {
	c := j.store.committer
	for !j.stopped() {
		more := false
		err := j.change(&change{
			need: deleteNeed.times(dedupeKeysAtOnce),
			apply: func(b *batch) error {
				more = c.forgetIDs(b)
				return nil
			},
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// forgetIDs deletes some of the dedupe ids that do not count any more; true when
// there are more. Loop only.
func (c *committer) forgetIDs(b *batch) bool {
	now, keys := c.now(), 0
	for n := c.shard.deduping.len(); n > 0 && keys < dedupeKeysAtOnce; n-- {
		p := c.shard.deduping.pop()
		w := p.dedupe
		if p.topic.State == storage.Deleting {
			w.listed = false // They go with the topic.
			continue
		}
		w.expire(now, p.topic.DedupeWindow, int(p.topic.DedupeIDs))
		for ; w.expired > 0 && keys < dedupeKeysAtOnce; keys++ {
			b.deleteDedupe(p.id, w.forget().batch)
		}
		w.listed = !w.commits.empty()
		if w.listed {
			c.shard.deduping.push(p)
		}
	}
	return keys == dedupeKeysAtOnce
}

func (b *batch) deleteDedupe(p storage.PartitionID, batch uint64) {
	start := len(b.mem)
	b.mem = record.AppendDedupeKey(b.mem, p, batch)
	b.remove(start)
}

// remembersIDs lists a partition that remembers dedupe ids, for the janitor.
func (s *shard) remembersIDs(p *partition) {
	if !p.dedupe.listed {
		p.dedupe.listed = true
		s.deduping.push(p)
	}
}
