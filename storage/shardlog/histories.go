package shardlog

import (
	"cmp"
	"slices"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

const (
	// historyBytes bounds a history's key and fixed fields, failureBytes a failure's.
	historyBytes = 48
	failureBytes = 16
)

// historyNeed bounds what the failures of one message take.
func historyNeed(failures []storage.Failure) need {
	n := need{inline: historyBytes, keys: 1}
	for i := range failures {
		f := &failures[i]
		n.inline += failureBytes + len(f.Client) + len(f.Code) + len(f.Reason)
	}
	return n
}

// storedHistory is what is known of one stored history.
type storedHistory struct {
	offset  storage.Offset
	version uint64
}

// findHistory gives where the history of an offset is, or belongs.
func (c *cursor) findHistory(at storage.Offset) (i int, found bool) {
	return slices.BinarySearchFunc(c.histories, at, func(x storedHistory, at storage.Offset) int {
		return cmp.Compare(x.offset, at)
	})
}

// countHistory takes a history into the cursor's count and sum, or out of them.
func (c *cursor) countHistory(x storedHistory, sign int) {
	c.AckParts += uint32(sign)
	c.AckSum ^= record.HistoryHash(x.offset, x.version)
}

// putHistory writes the failures of one message under a new version.
func (c *committer) putHistory(x *cursor, h *storage.History) {
	next := storedHistory{offset: h.Offset, version: c.open.Number}
	at, found := x.findHistory(h.Offset)
	if found {
		x.countHistory(x.histories[at], -1)
		x.histories[at] = next
	} else {
		x.histories = slices.Insert(x.histories, at, next)
	}
	x.countHistory(next, 1)
	c.open.putHistory(x, &record.History{Version: next.version, Failures: h.Failures}, h.Offset)
}

// dropHistories deletes the histories of a chunk's messages that are settled now, and
// gives how many.
func (c *committer) dropHistories(x *cursor, chunk *storage.Chunk) (keys int) {
	from, _ := x.findHistory(storage.Offset(chunk.Index * storage.ChunkOffsets))
	kept, end := from, from
	for ; end < len(x.histories) && storage.ChunkOf(x.histories[end].offset) == chunk.Index; end++ {
		h := x.histories[end]
		if !acks(chunk, h.offset) {
			x.histories[kept] = h
			kept++
			continue
		}
		c.dropHistory(x, h)
		keys++
	}
	x.histories = slices.Delete(x.histories, kept, end)
	return keys
}

// doomHistories deletes histories below the cursor's floor, at most so many.
func (c *committer) doomHistories(x *cursor, limit int) (keys int) {
	for keys < limit && keys < x.historiesBelow() {
		c.dropHistory(x, x.histories[keys])
		keys++
	}
	x.histories = slices.Delete(x.histories, 0, keys)
	return keys
}

// acks says whether an offset is settled in a chunk.
func acks(chunk *storage.Chunk, at storage.Offset) bool {
	_, found := slices.BinarySearchFunc(chunk.Acked, at, func(r storage.OffsetRange, at storage.Offset) int {
		switch {
		case r.End <= at:
			return -1
		case r.First > at:
			return 1
		default:
			return 0
		}
	})
	return found
}

func (c *committer) dropHistory(x *cursor, h storedHistory) {
	x.countHistory(h, -1)
	c.open.deleteHistory(x.historyKey(h.offset))
}

// historiesBelow counts the histories below the floor.
func (c *cursor) historiesBelow() int {
	at, _ := c.findHistory(c.Floor)
	return at
}

// historyKey names a history of the cursor's generation.
func (c *cursor) historyKey(at storage.Offset) record.HistoryKey {
	return record.HistoryKey{Subscription: c.subscription.ID, Partition: c.partition, Generation: c.Generation, Offset: at}
}

func (b *batch) putHistory(c *cursor, h *record.History, at storage.Offset) {
	start := len(b.mem)
	b.mem = record.AppendHistoryKey(b.mem, c.historyKey(at))
	split := len(b.mem)
	b.mem = record.AppendHistory(b.mem, b.mem[start:split], h)
	b.put(start, split)
}

func (b *batch) deleteHistory(k record.HistoryKey) {
	start := len(b.mem)
	b.mem = record.AppendHistoryKey(b.mem, k)
	b.remove(start)
}
