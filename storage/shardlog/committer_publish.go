package shardlog

import (
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// addPublish gathers a publish into the open batch; false when it has to wait for
// the next one. What cannot be stored is completed in its order, with its error.
func (c *committer) addPublish(q *publishQueue, p *storage.Publish) bool {
	p.Buffered = false
	if p.Producer != nil {
		return c.addProduced(q, p)
	}
	n, err := c.admit(p)
	if err != nil {
		p.Err = err
		c.open.complete(q, p)
		return true
	}
	if !c.open.room(n) {
		return false
	}
	p.Err = nil
	c.takeIn(q, p, n)
	if !p.Buffered {
		c.open.complete(q, p)
	}
	return true
}

// takeIn gives the messages of a publish their offsets in the open batch, which has
// room for them. One that is Buffered then is done by that.
func (c *committer) takeIn(q *publishQueue, p *storage.Publish, n need) {
	if c.shard.buffered > 0 && c.buffers(q, p) {
		c.open.copies.on = true
		p.Buffered, q.accepted = true, true
	}
	for i := range p.Appends {
		c.gather(&p.Appends[i])
	}
	c.open.used = c.open.used.plus(n)
	c.open.copies.on = false
}

// admit says what a publish needs, or why it cannot be stored.
func (c *committer) admit(p *storage.Publish) (n need, err error) {
	if c.refusing() {
		return n, storage.ErrNoSpace
	}
	if p.Full {
		return n, storage.ErrBacklogFull
	}
	for i := range p.Appends {
		a := &p.Appends[i]
		if err := checkAppend(a); err != nil {
			return n, err
		}
		if _, err := c.shard.partition(a.Partition); err != nil {
			return n, err
		}
		n = n.plus(appendNeed(a))
	}
	if n.bodies > maxPublishBytes || !n.within(maxOpenInlineBytes, maxOpenKeys) {
		return n, fmt.Errorf("%w: publish of %d bytes, %d records", storage.ErrTooLarge, n.bodies, n.keys)
	}
	return n, nil
}

// refusing says whether the disk was below the high mark when the batch was begun;
// one that waits for room has its publishes judged as they come.
func (c *committer) refusing() bool {
	if b := c.open; !b.spaceAsked || c.hold.waits() {
		b.spaceAsked = true
		b.refusing = !c.engine.Space().AcceptsPublishes()
	}
	return c.open.refusing
}

// checkAppend asserts what the sender of an append promises.
func checkAppend(a *storage.Append) error {
	n := len(a.Ends)
	if n == 0 && len(a.Messages) == 0 {
		return nil
	}
	if n == 0 || int(a.Ends[n-1]) != len(a.Messages) || (a.KeyHashes != nil && len(a.KeyHashes) != n) ||
		(a.DedupeIDs != nil && len(a.DedupeIDs) != n) {
		return fmt.Errorf("%w: append whose messages, ends, keys and ids do not match", storage.ErrTooLarge)
	}
	return nil
}

// appendNeed bounds what an append takes: its messages, and pointers into as many
// chunks as it can spread over. Two chunks in a row hold more than one chunk's
// bytes or have a full one's messages.
func appendNeed(a *storage.Append) need {
	pieces := 2 + 2*len(a.Messages)/record.SegmentBytes + 2*len(a.Ends)/record.MaxSegmentMessages
	n := pointerNeed.times(pieces)
	n.bodies = len(a.Messages)
	if pieces > 2 {
		n = n.plus(segmentNeed.times(pieces))
	}
	if a.DedupeIDs != nil {
		n = n.plus(dedupeNeed(a))
	}
	return n
}

// gather gives the messages of an append their offsets in the open batch.
func (c *committer) gather(a *storage.Append) {
	if len(a.Ends) == 0 {
		return
	}
	p := c.shard.topics[a.Partition.Topic].partitions[a.Partition.Partition]
	a.Base = p.next.Offset
	if a.DedupeIDs != nil {
		if a = c.dedupe(p, a); len(a.Ends) == 0 {
			return
		}
		a.Base = p.next.Offset
	}
	r := c.open.extend(p)
	if c.open.copies.on {
		a = c.open.copies.keep(a)
	}
	r.appends = append(r.appends, a)
	r.bytes += len(a.Messages)
	r.messages += len(a.Ends)
	c.open.messages += len(a.Ends)
	p.next.Offset += storage.Offset(len(a.Ends))
	p.next.Before = p.next.Before.Plus(uint64(len(a.Ends)), uint64(len(a.Messages)))
}
