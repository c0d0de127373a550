package history

import (
	"cmp"
	"slices"
)

// Finish looks at what can only be judged when everything is over, and gives all
// violations.
func (c *Checker) Finish() []Violation {
	for _, s := range sorted(c.open) {
		for i := range s.deliveries {
			if d := &s.deliveries[i]; !d.over {
				c.checkThief(s, d)
			}
		}
	}
	for _, t := range sorted(c.topics) {
		for n, p := range t.partitions {
			c.finishPartition(t, uint64(n), p)
		}
	}
	for _, p := range sorted(c.publishers) {
		for i := range p.messages {
			if f := &p.messages[i]; f.refused && f.placed {
				c.brokenf(StoredThoughRefused, "at %s", f.place)
			}
		}
	}
	return c.violations
}

func (c *Checker) finishPartition(t *topic, n uint64, p *topicPartition) {
	last := map[uint64]MessageID{}
	for offset, id := range p.messages {
		at := Place{t.id, n, uint64(offset)}
		if id == (MessageID{}) {
			if p.headAtEnd && at.Offset < p.head {
				c.brokenf(Gapped, "%s, below the head %d", at, p.head)
			}
			continue
		}
		if p.headAtEnd && at.Offset >= p.head {
			c.brokenf(Lost, "%s at %s, at or past the head %d", id, at, p.head)
		}
		if before, some := last[id.Publisher]; some && before.Number > id.Number {
			c.brokenf(Reordered, "%s at %s stands behind %s", id, at, before)
		}
		last[id.Publisher] = id
		c.finishMessage(t, id, at)
	}
	for offset := uint64(len(p.messages)); p.headAtEnd && offset < p.head; offset++ {
		c.brokenf(Gapped, "%s, below the head %d", Place{t.id, n, offset}, p.head)
	}
}

// finishMessage looks whether every subscription got a message until it acked it.
func (c *Checker) finishMessage(t *topic, id MessageID, at Place) {
	f := c.fate(id)
	for _, s := range t.subscriptions {
		if s.deleted || t.deleted || s.made >= f.born {
			continue
		}
		m := s.message(at)
		switch {
		case m.acked || m.mayBeAcked:
		case c.drained && at.Offset < s.partition(at.Partition).floor && s.missed < s.gone:
			// Retention may have taken it, for it said so of as many.
			s.missed++
		case c.drained:
			c.brokenf(Lost, "%s at %s on subscription %d, after %d deliveries", id, at, s.id, m.came)
		case !m.held:
			c.checkLate(s, m, at)
		}
	}
}

// sorted gives the values of a map in the order of their keys, so that a history
// gives the same violations each time.
func sorted[K cmp.Ordered, V any](m map[K]V) []V {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	values := make([]V, len(keys))
	for i, k := range keys {
		values[i] = m[k]
	}
	return values
}
