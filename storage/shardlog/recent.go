package shardlog

import (
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// maxRecentPointers bounds the pointers that are remembered over all partitions.
const maxRecentPointers = 128 << 10

// recentPointers remembers the newest pointers of every partition, so that what is
// settled soon after it was published is trimmed without a read. Loop only.
type recentPointers struct {
	// order has an entry for each pointer remembered, oldest first, and for some that
	// were trimmed since.
	order fifo[recentEntry]
}

type recentEntry struct {
	partition *partition
	base      storage.Offset
}

// recentPointer is what trimming needs of a pointer.
type recentPointer struct {
	base, end storage.Offset
	segment   segmentID
	logTime   time.Time
	after     record.Totals
}

// add remembers a new pointer, and forgets the oldest when there are too many.
func (r *recentPointers) add(p *partition, x recentPointer) {
	p.recent.push(x)
	r.order.push(recentEntry{p, x.base})
	for r.order.len() > maxRecentPointers {
		oldest := r.order.pop()
		if q := &oldest.partition.recent; !q.empty() && q.front().base <= oldest.base {
			q.pop()
		}
	}
}

// forget forgets the pointers of a partition that begin before an offset: they were
// rewritten.
func (r *recentPointers) forget(p *partition, before storage.Offset) {
	for !p.recent.empty() && p.recent.front().base < before {
		p.recent.pop()
	}
}

// cutRecent takes what may go from a partition out of memory, room pointers at most.
// Only when its oldest pointer is remembered; known is false when it is not.
func (t *trimmable) cutRecent(now time.Time, room int) (c cut, known bool) {
	c = cut{trimmable: *t, next: t.first}
	q := &t.partition.recent
	for !q.empty() && q.front().base < t.first.Offset {
		q.pop()
	}
	if q.empty() || q.front().base != t.first.Offset {
		return c, false
	}
	for !q.empty() && len(c.pointers) < room {
		x := q.front()
		c.next.LogTime = x.logTime
		if x.end > t.limit || t.dueAt(x.end, x.logTime).After(now) {
			return c, true
		}
		q.pop()
		c.pointers = append(c.pointers, pointerPlace{x.base, x.segment, x.after.Minus(c.next.Before)})
		c.next = record.Mark{Offset: x.end, LogTime: x.logTime, Before: x.after}
	}
	return c, true
}
