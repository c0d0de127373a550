package history

import "slices"

// keyID names an ordering key: no two publishers share one.
type keyID struct{ partition, publisher, key uint64 }

// keyLine is what is known of one ordering key on a subscription that keeps keys in
// order, for clients that get one message of a key at a time.
type keyLine struct {
	// open are the offsets of the messages known of which no ack was sent, ascending.
	open []uint64
	// acked are the lives of the server in which acks were sent, by offset.
	acked map[uint64]uint64
	// highest is the last offset that came, if any did.
	highest uint64
	came    bool
}

// lineOf is the line of a message; nil when its order does not count here.
func (c *Checker) lineOf(s *subscription, id MessageID, at Place) *keyLine {
	if !s.ordered || c.bounds.KeyOf == nil {
		return nil
	}
	key := c.bounds.KeyOf(id)
	if key == 0 {
		return nil
	}
	name := keyID{at.Partition, id.Publisher, key}
	if s.keys[name] == nil {
		s.keys[name] = &keyLine{acked: map[uint64]uint64{}}
	}
	return s.keys[name]
}

// inLine notes a message of which it is known since now where it stands: none behind it
// may have come before.
func (c *Checker) inLine(id MessageID, f *fate) {
	for _, s := range c.topic(f.place.Topic).subscriptions {
		if s.made >= f.born {
			continue
		}
		line := c.lineOf(s, id, f.place)
		if line == nil {
			continue
		}
		line.add(f.place.Offset)
		if line.came && line.highest > f.place.Offset {
			c.brokenf(Reordered, "offset %d came before %s of its key, on subscription %d", line.highest, f.place, s.id)
		}
	}
}

// checkLine: a message of a key comes when an ack was sent of each before it. One that
// comes again in a later life than its ack was sent in is open again.
func (c *Checker) checkLine(s *session, id MessageID, d *delivery) {
	line := c.lineOf(s.subscription, id, d.place)
	if line == nil {
		return
	}
	at := d.place.Offset
	if life, acked := line.acked[at]; acked && s.life > life {
		delete(line.acked, at)
		line.add(at)
	}
	if len(line.open) > 0 && line.open[0] < at {
		c.brokenf(Reordered, "%s came before offset %d of its key: %s", d.place, line.open[0], s)
	}
	line.highest, line.came = max(line.highest, at), true
}

// ackSent notes that an ack of a message is about to be sent.
func (c *Checker) ackSent(s *session, at Place) {
	p := c.topic(at.Topic).partition(at.Partition)
	if at.Offset >= uint64(len(p.messages)) || p.messages[at.Offset].Number == 0 {
		return
	}
	line := c.lineOf(s.subscription, p.messages[at.Offset], at)
	if line == nil {
		return
	}
	if i, open := slices.BinarySearch(line.open, at.Offset); open {
		line.open = slices.Delete(line.open, i, i+1)
		line.acked[at.Offset] = s.life
	}
}

func (l *keyLine) add(offset uint64) {
	if i, known := slices.BinarySearch(l.open, offset); !known {
		l.open = slices.Insert(l.open, i, offset)
	}
}
