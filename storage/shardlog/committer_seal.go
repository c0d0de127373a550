package shardlog

import (
	"time"
)

// seal makes the open batch what the engine commits: messages into chunks,
// pointers to them, the records that changed, and the batch's link in the chain.
func (c *committer) seal(b *batch) {
	c.stamp(b)
	layOut(b, &c.chunks)
	c.point(b)
	c.writeDedupe(b)
	c.shard.checkpoints.renew(b)
	c.writeRecords(b)
	b.putHeader(c.shard.hash)
	c.shard.number, c.shard.hash = b.Number, b.Hash
}

// stamp gives the messages their log time, which never goes back in a partition.
func (c *committer) stamp(b *batch) {
	if len(b.runs) == 0 {
		return
	}
	now := c.now()
	for i := range b.runs {
		r := &b.runs[i]
		r.partition.next.LogTime = later(r.partition.next.LogTime, now)
		r.end = r.partition.next
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// point writes the chunks and a pointer for each run in them.
func (c *committer) point(b *batch) {
	for number, ch := range b.chunks {
		b.putSegment(ch, uint16(number))
		segment := segmentID{b.Number, uint16(number)}
		for i, found := range ch.Runs() {
			r := &b.runs[ch.partitions[i].open]
			x := found.Pointer(b.Number, uint16(number), r.before)
			b.putPointer(found.Partition, found.Base, &x)
			r.before = x.After()
			c.shard.checkpoints.note(r.partition, b.Number)
			c.shard.recent.add(r.partition, recentPointer{found.Base, x.End(found.Base), segment, x.LogTime, r.before})
		}
		c.shard.live.add(segment, len(ch.Runs()), ch.Bytes())
	}
}

// writeRecords writes every record that something in the batch changed, once.
func (c *committer) writeRecords(b *batch) {
	for _, p := range b.partitions {
		b.putPartition(p)
		p.movedIn = 0
	}
	for _, x := range b.cursors {
		b.putCursor(x)
	}
	c.writeProducers(b)
	for _, t := range b.topics {
		b.putTopic(&t.Topic)
	}
	for _, s := range b.subscriptions {
		b.putSubscription(&s.Subscription)
	}
	for _, s := range b.sessions {
		b.putSessions(s)
	}
	if b.shard {
		b.putShard(&c.shard.Shard)
	}
}
