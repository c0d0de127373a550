package shardload

import (
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/headrace/headrace/storage"
)

// FoundPartition is what a partition held after a cut.
type FoundPartition struct {
	// First is the first retained offset; the messages follow it without a gap.
	First    storage.Offset
	Messages []messageID
}

func (p *FoundPartition) next() storage.Offset { return p.First + storage.Offset(len(p.Messages)) }

// Found is what a store held after a cut. Partitions and Cursors are empty when the
// topic or subscription does not exist.
type Found struct {
	Partitions []FoundPartition
	Cursors    [len(subscriptionNames)][]storage.Cursor
	// Buffered is nil when the buffered topic does not exist.
	Buffered *FoundBuffered
	// Damage is what could not be read, or was not as it was published.
	Damage []string
}

// Check compares what a store held after a cut with what it promised, and says what
// is wrong:
//   - an acknowledged message is not at its offset, with its bytes;
//   - a message is there twice, or another one than was published;
//   - a message of the buffered topic that was durable is lost, or one that was accepted
//     and not the last of its life; or its offset is that of another one;
//   - a partition was trimmed past a floor, or begins earlier than before;
//   - a subscription's state is neither the last confirmed one nor one that was
//     handed over after it, or only a part of a change set is there.
func Check(l *Ledger, f *Found) []string {
	c := &check{ledger: l, found: f, wrong: f.Damage}
	c.buffered()
	if len(f.Partitions) == 0 {
		if l.ready {
			c.failf("the topic is lost")
		}
		return c.wrong
	}
	seen := map[messageID]bool{}
	for p := range f.Partitions {
		c.promised(p)
		c.bounds(p)
		c.once(p, seen)
	}
	for i := range f.Cursors {
		c.subscription(i)
	}
	return c.wrong
}

type check struct {
	ledger *Ledger
	found  *Found
	wrong  []string
}

func (c *check) failf(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// promised looks for everything that was acknowledged, a word for each append.
func (c *check) promised(p int) {
	for _, s := range c.ledger.appends[p] {
		if offset, reason := c.missing(p, &s); reason != "" {
			c.failf("partition %d, offset %d: acknowledged append %d/%d (%d messages from %d): %s",
				p, offset, s.publisher, s.number, s.count, s.base, reason)
		}
	}
}

func (c *check) missing(p int, s *stored) (at storage.Offset, reason string) {
	found := &c.found.Partitions[p]
	for i := range s.count {
		at := s.base + storage.Offset(i)
		want := messageID{s.publisher, s.number, i}
		switch {
		case at < found.First:
		case at >= found.next():
			return at, fmt.Sprintf("lost; the head is %d", found.next())
		case found.Messages[at-found.First] != want:
			return at, fmt.Sprintf("%v stands there", found.Messages[at-found.First])
		}
	}
	return 0, ""
}

// bounds looks whether nothing was trimmed that a subscription still needs.
func (c *check) bounds(p int) {
	first := c.found.Partitions[p].First
	if first < c.ledger.firsts[p] {
		c.failf("partition %d begins at %d; it began at %d before", p, first, c.ledger.firsts[p])
	}
	for i := range c.ledger.acks {
		a := &c.ledger.acks[i]
		floor := a.after(len(a.pending))[p].floor
		if first > floor {
			c.failf("partition %d begins at %d; the floor of %q is at most %d", p, first, subscriptionNames[i], floor)
		}
	}
}

func (c *check) once(p int, seen map[messageID]bool) {
	for i, id := range c.found.Partitions[p].Messages {
		if seen[id] {
			c.failf("partition %d, offset %d: %v is there twice", p, c.found.Partitions[p].First+storage.Offset(i), id)
		}
		seen[id] = true
	}
}

// subscription looks whether all partitions together have the confirmed state, or
// that after some of the pending change sets.
func (c *check) subscription(i int) {
	cursors := c.found.Cursors[i]
	if len(cursors) == 0 {
		if c.ledger.ready {
			c.failf("subscription %q is lost", subscriptionNames[i])
		}
		return
	}
	var found [partitions]ackState
	for p := range cursors {
		found[p] = stateOf(&cursors[p])
		c.content(i, &cursors[p])
	}
	a := &c.ledger.acks[i]
	for n := range len(a.pending) + 1 {
		if found == a.after(n) {
			return
		}
	}
	c.failf("subscription %q: found %+v, confirmed %+v; then came %d change sets, in the end %+v",
		subscriptionNames[i], found, a.confirmed, len(a.pending), a.after(len(a.pending)))
}

// content compares the ack chunks with those that the state stands for.
func (c *check) content(i int, found *storage.Cursor) {
	want := stateOf(found).cursor(found.Partition, scattered(i))
	if diff := cmp.Diff(filled(want.Chunks), filled(found.Chunks), cmpopts.EquateEmpty()); diff != "" {
		c.failf("subscription %q, partition %d: chunks (-want +found):\n%s", subscriptionNames[i], found.Partition, diff)
	}
	if len(found.Holes) > 0 {
		c.failf("subscription %q, partition %d: holes %v", subscriptionNames[i], found.Partition, found.Holes)
	}
}

// filled leaves chunks out that say nothing: a floor that went to the head leaves
// what it passed in its chunk, to be deleted with the whole chunk.
func filled(chunks []storage.Chunk) []storage.Chunk {
	return slices.DeleteFunc(slices.Clone(chunks), func(c storage.Chunk) bool {
		return len(c.Acked) == 0 && len(c.Attempts) == 0
	})
}
