package shardlog

import (
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// dedupeWindow are the dedupe ids of a partition that still count. Loop only.
//
//	commits   ├ expired ┤├──────── live ────────┤
//	ids       by hash: where the newest message with it stands
type dedupeWindow struct {
	ids map[uint64]dedupedMessage
	// commits are those that brought ids, the oldest first; the expired ones wait for
	// the janitor.
	commits fifo[dedupeCommit]
	// expired is how many of commits are; live is how many ids the others brought,
	// and from is the first offset of theirs.
	expired, live int
	from          storage.Offset
	// last is the batch that brought ids last.
	last uint64
	// listed: the janitor knows of the window.
	listed bool
}

// dedupedMessage is the message that an id stands for.
type dedupedMessage struct {
	offset  storage.Offset
	payload uint64
}

// dedupeCommit are the ids that one batch brought.
type dedupeCommit struct {
	batch uint64
	at    time.Time
	// end is the offset after the last message of the batch.
	end    storage.Offset
	hashes []uint64
}

func newDedupeWindow() *dedupeWindow {
	return &dedupeWindow{ids: map[uint64]dedupedMessage{}}
}

// find gives the message that an id stands for, if it still counts.
func (w *dedupeWindow) find(hash uint64) (dedupedMessage, bool) {
	m, ok := w.ids[hash]
	return m, ok && m.offset >= w.from
}

// expire ends the service of ids that are older than the window, and of the oldest
// while there are too many, but for those of the newest commit.
func (w *dedupeWindow) expire(now time.Time, window time.Duration, most int) {
	all := w.commits.all()
	for ; w.expired < len(all); w.expired++ {
		c := &all[w.expired]
		if now.Sub(c.at) < window && (w.live <= most || w.expired == len(all)-1) {
			return
		}
		w.live -= len(c.hashes)
		w.from = c.end
	}
}

// add notes the ids that a batch brought.
func (w *dedupeWindow) add(c dedupeCommit) {
	w.commits.push(c)
	w.live += len(c.hashes)
	w.last = c.batch
}

// forget takes the oldest commit, which is expired, out of memory.
func (w *dedupeWindow) forget() dedupeCommit {
	c := w.commits.pop()
	w.expired--
	for _, hash := range c.hashes {
		if m, ok := w.ids[hash]; ok && m.offset < c.end {
			delete(w.ids, hash)
		}
	}
	return c
}

// dedupeNeed bounds what the dedupe ids of an append take.
func dedupeNeed(a *storage.Append) need {
	return need{
		inline: record.MaxKeyBytes + record.MaxDedupeBytes + len(a.DedupeIDs)*record.MaxDedupeIDBytes,
		keys:   1,
	}
}

// dedupe leaves out the messages of an append whose ids are known, and gives what is
// left: a itself when that is all.
func (c *committer) dedupe(p *partition, a *storage.Append) *storage.Append {
	a.Twins = a.Twins[:0]
	if p.topic.DedupeWindow == 0 || p.topic.DedupeIDs == 0 {
		return a
	}
	if p.dedupe == nil {
		p.dedupe = newDedupeWindow()
	}
	w := p.dedupe
	w.expire(c.now(), p.topic.DedupeWindow, int(p.topic.DedupeIDs))
	next := p.next.Offset
	for i, id := range a.DedupeIDs {
		if !id.Present {
			next++
			continue
		}
		if m, known := w.find(id.Hash); known {
			a.Twins = append(a.Twins, storage.Twin{Index: i, Offset: m.offset, Conflict: m.payload != id.Payload})
			continue
		}
		w.ids[id.Hash] = dedupedMessage{offset: next, payload: id.Payload}
		r := c.open.extend(p)
		r.ids = append(r.ids, record.DedupeEntry{Hash: id.Hash, Payload: id.Payload, Offset: next})
		next++
	}
	if len(a.Twins) == 0 {
		return a
	}
	return withoutTwins(a)
}

// withoutTwins copies an append without the messages that are left out. The append
// itself stays as it came in: its queue counts its bytes.
func withoutTwins(a *storage.Append) *storage.Append {
	kept := &storage.Append{Partition: a.Partition}
	twins, start := a.Twins, uint32(0)
	for i, end := range a.Ends {
		if len(twins) > 0 && twins[0].Index == i {
			twins = twins[1:]
		} else {
			kept.Messages = append(kept.Messages, a.Messages[start:end]...)
			kept.Ends = append(kept.Ends, uint32(len(kept.Messages)))
			if a.KeyHashes != nil {
				kept.KeyHashes = append(kept.KeyHashes, a.KeyHashes[i])
			}
		}
		start = end
	}
	return kept
}

// writeDedupe writes the dedupe ids that a batch brings.
func (c *committer) writeDedupe(b *batch) {
	for i := range b.runs {
		r := &b.runs[i]
		if len(r.ids) == 0 {
			continue
		}
		w := r.partition.dedupe
		b.putDedupe(r.partition.id, &record.Dedupe{At: r.end.LogTime, Previous: w.last, IDs: r.ids})
		w.add(commitOf(b.Number, r.end.LogTime, r.end.Offset, r.ids))
		w.expire(r.end.LogTime, r.partition.topic.DedupeWindow, int(r.partition.topic.DedupeIDs))
		c.remembers.Store(true)
		c.shard.remembersIDs(r.partition)
	}
}

func commitOf(batch uint64, at time.Time, end storage.Offset, ids []record.DedupeEntry) dedupeCommit {
	c := dedupeCommit{batch: batch, at: at, end: end, hashes: make([]uint64, len(ids))}
	for i := range ids {
		c.hashes[i] = ids[i].Hash
	}
	return c
}

func (b *batch) putDedupe(p storage.PartitionID, d *record.Dedupe) {
	start := len(b.mem)
	b.mem = record.AppendDedupeKey(b.mem, p, b.Number)
	split := len(b.mem)
	b.mem = record.AppendDedupe(b.mem, b.mem[start:split], d)
	b.put(start, split)
}
