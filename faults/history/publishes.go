package history

// maxGapOffsets is how far past what is known an offset is believed.
const maxGapOffsets = 1 << 22

// publisher has what became of its messages, by number - 1.
type publisher struct {
	messages []fate
}

// fate is what became of one message at the server's door.
type fate struct {
	attempted, refused, placed bool
	place                      Place
	// born is when it was about to be sent; losses had been noticed then.
	born   Instant
	losses uint64
}

// topic is a log as its users saw it.
type topic struct {
	id            uint64
	deleted       bool
	partitions    []*topicPartition
	subscriptions []*subscription
}

type topicPartition struct {
	// messages are what stands at each offset; the zero value is unknown.
	messages []MessageID
	// head is the one last seen; headAtEnd says that this was when all was over.
	head      uint64
	headAtEnd bool
}

func (c *Checker) topic(id uint64) *topic {
	t := c.topics[id]
	if t == nil {
		t = &topic{id: id}
		c.topics[id] = t
	}
	return t
}

func (t *topic) partition(n uint64) *topicPartition {
	for uint64(len(t.partitions)) <= n {
		t.partitions = append(t.partitions, &topicPartition{})
	}
	return t.partitions[n]
}

// fate is the record of a message; it is made when there is none.
func (c *Checker) fate(id MessageID) *fate {
	p := c.publishers[id.Publisher]
	if p == nil {
		p = &publisher{}
		c.publishers[id.Publisher] = p
	}
	for uint64(len(p.messages)) < id.Number {
		p.messages = append(p.messages, fate{})
	}
	return &p.messages[id.Number-1]
}

func (c *Checker) readPublisher(e *Event) {
	if e.Number == 0 || e.Count > maxGapOffsets {
		c.brokenf(Unreadable, "messages %d of publisher %d, %d of them", e.Number, e.Publisher, e.Count)
		return
	}
	for i := range e.Count {
		id := MessageID{e.Publisher, e.Number + i}
		f := c.fate(id)
		switch e.Kind {
		case Publishing:
			f.attempted, f.born, f.losses = true, c.now, c.losses.noticed(c.now)
			f.place.Topic = e.Topic
		case Published:
			c.counts.Acknowledged++
			c.place(id, f, Place{e.Topic, e.Partition, e.Offset + i})
			c.becameReady(f)
		case Refused:
			c.counts.Refused++
			f.refused = true
		default:
			c.counts.Unknown++
		}
	}
}

// place notes where a message stands, and compares it with what was known.
func (c *Checker) place(id MessageID, f *fate, at Place) {
	if f.placed && f.place != at {
		c.brokenf(Moved, "%s at %s and at %s", id, f.place, at)
	}
	p := c.topic(at.Topic).partition(at.Partition)
	if at.Offset > uint64(len(p.messages))+maxGapOffsets {
		c.brokenf(Gapped, "%s at %s, where the highest offset known is %d", id, at, len(p.messages))
		return
	}
	p.messages = grown(p.messages, at.Offset)
	if other := p.messages[at.Offset]; other != (MessageID{}) && other != id {
		c.brokenf(Shared, "%s has %s and %s", at, other, id)
	}
	p.messages[at.Offset] = id
	isNew := !f.placed
	f.placed, f.place = true, at
	if isNew {
		c.inLine(id, f)
	}
}

// grown is a slice that has an element i.
func grown[T any](s []T, i uint64) []T {
	if i < uint64(len(s)) {
		return s
	}
	if i < uint64(cap(s)) {
		return s[:i+1]
	}
	larger := make([]T, i+1, 2*i+16)
	copy(larger, s)
	return larger
}

// becameReady starts the clock of a message on every subscription that must get it.
func (c *Checker) becameReady(f *fate) {
	for _, s := range c.topic(f.place.Topic).subscriptions {
		if s.made < f.born {
			m := s.message(f.place)
			m.ready(s.credit.reading(c.now))
		}
	}
}
