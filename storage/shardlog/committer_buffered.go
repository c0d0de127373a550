package shardlog

import "github.com/headrace/headrace/storage"

// A publish to a buffered topic is done when it is in the open batch:
//
//	          durable ◄──────── accepted, and told ────────► not given
//	offsets   ──────────────┼───────────┼─────────────────┼───────────────►
//	                       head        next
//	                        ├── maxBufferedMessages ──┤
//	                        ├────────────── skippedOffsets ───────────────┤
//
// A crash loses what is between head and next, and nobody knows how far that was. So
// the next opening leaves out more than can have been told.
const (
	// maxBufferedMessages and maxBufferedBytes bound what of a partition may be accepted
	// and not durable. A publish beyond it is done when it is durable.
	maxBufferedMessages = 1 << 19
	maxBufferedBytes    = 16 << 20
	// skippedOffsets are left out after a stop that was not in order.
	skippedOffsets = 1 << 20
)

// buffers says whether a publish may be done when it is accepted: its topics are
// buffered, and no other publish of its queue waits for a commit, whose result its
// own would overtake. Loop only.
func (c *committer) buffers(q *publishQueue, p *storage.Publish) bool {
	if q.open > 0 {
		return false
	}
	for i := range p.Appends {
		a := &p.Appends[i]
		x := c.shard.topics[a.Partition.Topic].partitions[a.Partition.Partition]
		if !x.topic.Buffered || !x.buffers(a) {
			return false
		}
	}
	return len(p.Appends) > 0
}

// buffers says whether an append is within what may be accepted. What the marks have
// as the head is durable. Loop only.
func (p *partition) buffers(a *storage.Append) bool {
	durable := &p.marks.next // Only the loop changes it.
	return uint64(p.next.Offset-durable.Offset)+uint64(len(a.Ends)) <= maxBufferedMessages &&
		p.next.Before.Bytes-durable.Before.Bytes+uint64(len(a.Messages)) <= maxBufferedBytes
}

// copies are of appends that their senders have back before the batch is sealed. The
// memory is used again.
type copies struct {
	// on: what is gathered is copied.
	on   bool
	kept []*storage.Append
	used int
}

// keep copies what is stored of an append.
func (c *copies) keep(a *storage.Append) *storage.Append {
	if c.used == len(c.kept) {
		c.kept = append(c.kept, new(storage.Append))
	}
	k := c.kept[c.used]
	c.used++
	k.Partition, k.Base = a.Partition, a.Base
	k.Messages, k.Ends = append(k.Messages[:0], a.Messages...), append(k.Ends[:0], a.Ends...)
	if a.KeyHashes == nil {
		k.KeyHashes = nil
	} else {
		k.KeyHashes = append(k.KeyHashes[:0], a.KeyHashes...)
	}
	return k
}

// reset gives the copies up, and their memory where it is more than a batch keeps.
func (c *copies) reset() {
	bytes := 0
	for _, k := range c.kept[:c.used] {
		bytes += cap(k.Messages)
	}
	c.used = 0
	if bytes > maxKeptMemBytes {
		c.kept = nil
	}
}
