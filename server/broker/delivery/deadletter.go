package delivery

const (
	// letterWindow is how many letters have their messages loaded at a time.
	letterWindow = 64
	// maxLetters is how many letters saturate a State.
	maxLetters = 4096
	// letterBytes is a generous size of a dead letter beside its message and its
	// failures.
	letterBytes = 128
)

// DeadReason says why a message was given up.
type DeadReason uint8

const (
	// DeadByAttempts: its failed attempts reached Config.MaxAttempts.
	DeadByAttempts DeadReason = iota + 1
	// DeadByDeliveries: its lost deliveries reached Config.MaxDeliveries.
	DeadByDeliveries
	// DeadByReject: a client rejected it.
	DeadByReject
	// DeadByBacklog: nobody got it before the backlog was above its cap.
	DeadByBacklog
)

// DeadLetter is a message to be put away in the same commit that settles it. Its
// segment is at hand until that is Committed.
type DeadLetter struct {
	Partition uint32
	Offset    uint64
	Reason    DeadReason
	// Failed and Expired add up to the attempts; a reject counts as failed.
	Failed  uint32
	Expired uint32
	Lost    uint32
	// Last is the failure that it died of; Failures are the last ones, oldest first,
	// as far as they are remembered.
	Last     PastFailure
	Failures []PastFailure
}

// letter is a message that was given up and waits for its commit.
type letter struct {
	p      *partition
	key    *orderKey // nil without one
	offset uint64
	last   PastFailure
	seg    *segment // pinned
}

// letters are those of a subscription. They go out in order, so that the one with
// ticket n is durable once n are.
type letters struct {
	waiting ring[letter]
	// sealed are those in the set in flight.
	sealed []letter
	// taken, written and durable count letters: made, in a change set, and committed.
	taken, written, durable uint64
}

// ready says whether the next letter can be written.
func (l *letters) ready() bool {
	return l.waiting.len() > 0 && (l.waiting.front().seg != nil || l.waiting.front().settled())
}

func (l *letter) settled() bool { return l.p.settled(l.offset) }

// doom says why a message is given up if its delivery ends so, 0 if it is not.
func (s *State) doom(o *outcome, c *Count) DeadReason {
	limit, reached := s.config.MaxAttempts, c.Charged+1
	reason := DeadByAttempts
	switch o.kind {
	case rejected:
		return DeadByReject
	case mislaid:
		limit, reached, reason = s.config.MaxDeliveries, c.Lost+1, DeadByDeliveries
	default:
	}
	if !s.config.DeadLetters || limit == 0 || reached < limit || s.blocksKey(o.seg, c.Offset) {
		return 0
	}
	return reason
}

// blocksKey says whether a message is never given up for the sake of its key.
func (s *State) blocksKey(g *segment, offset uint64) bool {
	if s.config.KeyPolicy != BlockKey || !g.keyed() {
		return false
	}
	_, present := g.keyOf(offset)
	return present
}

// bury gives a message up.
func (s *State) bury(o *outcome, p *partition, c *chunk, count *Count, reason DeadReason) {
	s.raise(o, p, c, count)
	count.Dead, count.NotBefore = reason, o.at
	var k *orderKey
	if o.seg.keyed() {
		k = s.keyAt(o.seg, count.Offset)
	}
	s.mourn(k, p, count.Offset, o.failure().failure)
	o.letter, o.durable = s.letters.taken, true
}

// mourn has a message put away. Its key, nil for none, waits until it is.
func (s *State) mourn(k *orderKey, p *partition, offset uint64, last PastFailure) {
	p.dying++
	s.letters.waiting.push(letter{p: p, key: k, offset: offset, last: last})
	if k != nil {
		if k.dying == 0 || offset < k.diedAt {
			k.diedAt = offset
		}
		k.dying++
		if s.config.KeyPolicy == ParkKey {
			s.park(k)
		}
	}
	s.letters.taken++
}

// takeLetters moves letters into a change set, and settles their messages with it,
// as long as there is room; the first goes in whatever it takes.
func (s *State) takeLetters(left *budget) {
	for s.letters.ready() {
		l := s.letters.waiting.front()
		l.p.journal.save(l.p)
		if !l.settled() && !s.seal(l, left) {
			return
		}
		l.p.dying--
		s.letters.sealed = append(s.letters.sealed, *l)
		s.letters.waiting.pop()
		s.letters.written++
	}
}

// seal writes one letter into the change set, if there is room.
func (s *State) seal(l *letter, left *budget) bool {
	j, c := &s.journal, l.p.chunk(l.offset/ChunkOffsets)
	count := c.find(l.offset)
	first := len(j.set.DeadLetters) == 0
	bytes := letterBytes + int(l.seg.bytes(l.offset, 1)) + count.History.bytes() + l.last.bytes()
	keys := 1
	if !c.forced {
		bytes, keys = bytes+c.bytes(), keys+c.keys()
	}
	if !left.take(bytes, keys) {
		if !first {
			return false
		}
		*left = budget{}
	}
	j.force(l.p, c)
	d := extend(&j.set.DeadLetters)
	*d = DeadLetter{
		Partition: l.p.id, Offset: l.offset, Reason: count.Dead,
		Failed: count.Failed, Expired: count.Expired, Lost: count.Lost, Last: l.last, Failures: d.Failures[:0],
	}
	if count.History != nil {
		d.Failures = append(d.Failures, count.History.Failures...)
	}
	l.p.counters.DeadLettered++
	if l.key != nil && l.key.parked {
		j.parks = append(j.parks, l.key)
	}
	l.p.settle(l.offset, l.offset)
	return true
}

// laid takes note that the letters of the set in flight are durable.
func (s *State) laid() {
	s.letters.durable = s.letters.written
	for i := range s.letters.sealed {
		l := &s.letters.sealed[i]
		if l.seg != nil {
			l.seg.pinned--
			s.unpin(l.seg)
		}
		if l.key != nil {
			l.key.dying--
			s.touch(l.key, s.now)
		}
	}
	clear(s.letters.sealed)
	s.letters.sealed = s.letters.sealed[:0]
}

// requestLetters asks for the messages of the letters that are next in line.
func (s *State) requestLetters() {
	for i := range min(s.letters.waiting.len(), letterWindow) {
		l := s.letters.waiting.at(i)
		if l.seg != nil || l.settled() || l.pin() {
			continue
		}
		s.askFor(l.p, l.offset, 0)
	}
}

// lettersAwait says whether a letter that is next in line needs a segment.
func (s *State) lettersAwait(g *segment) bool {
	for i := range min(s.letters.waiting.len(), letterWindow) {
		l := s.letters.waiting.at(i)
		if l.seg == nil && l.p == g.p && g.holds(l.offset) {
			return true
		}
	}
	return false
}

// pinLetters holds a segment for the letters that need it.
func (s *State) pinLetters(g *segment) {
	for i := range min(s.letters.waiting.len(), letterWindow) {
		if l := s.letters.waiting.at(i); l.seg == nil && l.p == g.p && g.holds(l.offset) {
			l.pin()
		}
	}
}

func (l *letter) pin() bool {
	l.seg = l.p.at(l.offset)
	if l.seg == nil {
		return false
	}
	l.seg.wanted++
	l.seg.pinned++
	return true
}
