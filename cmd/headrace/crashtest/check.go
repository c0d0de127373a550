package crashtest

import (
	"fmt"
	"slices"

	"github.com/headrace/headrace/sdk/go"
)

// Promise is one thing that a server must never do.
type Promise string

// The promises.
const (
	// NotLost: what was acknowledged is delivered on every subscription.
	NotLost Promise = "acknowledged and lost"
	// NotAgain: what was acked and confirmed is never delivered again.
	NotAgain Promise = "acked and delivered again"
	// NotStored: what was refused is not stored.
	NotStored Promise = "refused and stored"
	// NotInvented: only what was published is delivered.
	NotInvented Promise = "delivered and never published"
	// NotChanged: a body arrives as it was published.
	NotChanged Promise = "body changed"
	// NotMoved: a message has one position for ever.
	NotMoved Promise = "stored at two positions"
	// NotShared: a position has one message for ever.
	NotShared Promise = "position given twice"
	// NotGapped: the offsets of a partition are dense from 0 to its head.
	NotGapped Promise = "offset missing"
	// NotSwapped: messages of one publisher and partition are stored in the order
	// in which they were published.
	NotSwapped Promise = "stored out of order"
	// NotLeft: nothing is left unsettled once everything was acked.
	NotLeft Promise = "left in the backlog"
)

// Violation is a promise that was broken, and where.
type Violation struct {
	Promise Promise
	Detail  string
}

// String gives the promise and the detail.
func (v Violation) String() string { return string(v.Promise) + ": " + v.Detail }

// End is what the server says when everything was drained.
type End struct {
	// NextOffsets are the heads of the topic's partitions, by partition.
	NextOffsets []uint64
	// Backlogs are the subscriptions' backlogs in messages, in their order.
	Backlogs []uint64
}

// Check finds every promise that the recorded history breaks.
func Check(l *Ledger, end End) []Violation {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := newChecker(len(end.Backlogs))
	for _, e := range l.entries {
		c.read(e)
	}
	c.checkFates()
	c.checkOffsets(end.NextOffsets)
	c.checkOrder()
	for i, n := range end.Backlogs {
		if n > 0 {
			c.brokenf(NotLeft, "subscription %d has %d messages", i, n)
		}
	}
	return c.violations
}

// fate is what became of one message.
type fate struct {
	attempted, acknowledged, refused bool
	position                         headrace.Position
	placed                           bool
	// got and done say for each subscription whether it was delivered and whether
	// its ack was confirmed.
	got, done []bool
}

// checker reads a history once, in order.
type checker struct {
	subscriptions int
	fates         map[MessageID]*fate
	places        map[headrace.Position]MessageID
	violations    []Violation
}

func newChecker(subscriptions int) *checker {
	return &checker{subscriptions: subscriptions, fates: map[MessageID]*fate{}, places: map[headrace.Position]MessageID{}}
}

func (c *checker) brokenf(p Promise, format string, args ...any) {
	c.violations = append(c.violations, Violation{p, fmt.Sprintf(format, args...)})
}

func (c *checker) fate(id MessageID) *fate {
	f := c.fates[id]
	if f == nil {
		f = &fate{got: make([]bool, c.subscriptions), done: make([]bool, c.subscriptions)}
		c.fates[id] = f
	}
	return f
}

func (c *checker) read(e entry) {
	if e.kind == damaged {
		c.brokenf(NotChanged, "at %s, on subscription %d", e.position, e.subscription)
		return
	}
	f := c.fate(e.id)
	switch e.kind {
	case attempted:
		f.attempted = true
	case refused:
		f.refused = true
	case acknowledged:
		f.acknowledged = true
		c.place(e.id, f, e.position)
	case delivered:
		c.place(e.id, f, e.position)
		c.deliver(e, f)
	case confirmed:
		f.done[e.subscription] = true
	case unknown, damaged: // An unknown fate promises nothing.
	}
}

// place records where a message stands, and compares it with what was known.
func (c *checker) place(id MessageID, f *fate, p headrace.Position) {
	if f.placed && f.position != p {
		c.brokenf(NotMoved, "%s at %s and at %s", id, f.position, p)
	}
	if other, taken := c.places[p]; taken && other != id {
		c.brokenf(NotShared, "%s has %s and %s", p, other, id)
	}
	f.placed, f.position = true, p
	c.places[p] = id
}

func (c *checker) deliver(e entry, f *fate) {
	if f.done[e.subscription] {
		c.brokenf(NotAgain, "%s at %s, on subscription %d", e.id, e.position, e.subscription)
	}
	f.got[e.subscription] = true
}

// checkFates looks at each message when everything is over.
func (c *checker) checkFates() {
	for id, f := range c.fates {
		if f.placed && !f.attempted {
			c.brokenf(NotInvented, "%s at %s", id, f.position)
		}
		if f.refused && f.placed {
			c.brokenf(NotStored, "%s at %s", id, f.position)
		}
		for s, got := range f.got {
			if f.acknowledged && !got {
				c.brokenf(NotLost, "%s at %s, on subscription %d", id, f.position, s)
			}
		}
	}
}

// checkOffsets compares the positions seen with the partitions' heads.
func (c *checker) checkOffsets(next []uint64) {
	for partition, end := range next {
		for offset := range end {
			p := headrace.Position{Partition: uint32(partition), Offset: offset}
			if _, seen := c.places[p]; !seen {
				c.brokenf(NotGapped, "%s, below the head %d", p, end)
			}
		}
	}
	for p, id := range c.places {
		if int(p.Partition) >= len(next) || p.Offset >= next[p.Partition] {
			c.brokenf(NotLost, "%s at %s, at or past the head", id, p)
		}
	}
}

// checkOrder compares the order of offsets with the order of publishing, for
// each publisher and partition.
func (c *checker) checkOrder() {
	type lane struct{ publisher, partition uint32 }
	last := map[lane]MessageID{}
	for _, p := range c.sortedPlaces() {
		id := c.places[p]
		l := lane{id.Publisher, p.Partition}
		if before, ok := last[l]; ok && before.Number > id.Number {
			c.brokenf(NotSwapped, "%s at %s stands behind %s", id, p, before)
		}
		last[l] = id
	}
}

func (c *checker) sortedPlaces() []headrace.Position {
	places := make([]headrace.Position, 0, len(c.places))
	for p := range c.places {
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b headrace.Position) int {
		switch {
		case a.Partition != b.Partition:
			return int(a.Partition) - int(b.Partition)
		case a.Offset < b.Offset:
			return -1
		case a.Offset > b.Offset:
			return 1
		}
		return 0
	})
	return places
}
