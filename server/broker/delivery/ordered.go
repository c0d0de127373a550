package delivery

// step is what became of one message that an ordered subscription looked at.
type step uint8

const (
	stepSent step = iota // it went into the frame
	stepDown             // it was declined: it is aside now, or the frame is done
	stepOver             // it waits apart from now on
	stepStop             // nothing more can be done with this partition now
)

// fillOrdered takes up to limit of a partition's fresh messages, but for those whose
// keys are busy, and returns how many it took.
func (s *State) fillOrdered(f *frame, p *partition, limit uint64) (taken uint64) {
	for over := 0; !f.done && p.openAt != 0 && taken < limit && over < maxGated; {
		if !p.front.keyed() && p.counted == 0 {
			taken += s.fillPlain(f, p, limit-taken)
			continue
		}
		switch s.stepTo(f, p.front, p.next) {
		case stepSent:
			taken++
		case stepOver:
			f.progress = true
			over++
		case stepStop:
			return taken
		default:
		}
	}
	return taken
}

// stepTo offers the next fresh message to a frame, unless it has to wait.
func (s *State) stepTo(f *frame, g *segment, offset uint64) step {
	p, attempt := g.p, uint32(1)
	hash, keyed := g.keyOf(offset)
	count := p.count(offset)
	if count != nil {
		attempt = count.attempt()
	}
	later := count != nil && (count.Dead != 0 || count.NotBefore > s.now)
	var k *orderKey
	if keyed {
		k = s.keys.byID[keyID{p, hash}]
	}
	out := k != nil && len(k.out) > 0
	switch {
	case keyed && s.redrivenUnknown():
		return stepStop
	case keyed && (later || k.busy(f.x) || out && attempt > 1 || s.yields(p, hash)):
		return s.stepBehind(p, hash, offset, later)
	case later:
		p.take(1)
		s.restoreOne(p, *count)
		s.moved(p)
		return stepOver
	}
	f.avoid = nil
	n, fit := s.fit(f, g, offset, 1, attempt)
	switch {
	case n == 0 && out && (fit == oversize || fit == tooLarge):
		return s.stepBehind(p, hash, offset, later)
	case n == 0:
		s.declined(f, fit, g, offset, nil)
		return stepDown
	}
	s.put(f, g, offset, 1, attempt)
	if count != nil {
		p.counters.Redelivered++
	}
	p.take(1)
	s.moved(p)
	s.settleKeys()
	return stepSent
}

// stepBehind puts the next fresh message behind its key, which may be able to go on:
// with its holder, or because only the message's own time has not come.
func (s *State) stepBehind(p *partition, hash uint32, offset uint64, idle bool) step {
	k := s.keyFor(p, hash)
	if !s.enqueue(k, offset) {
		s.dropKey(k)
		s.keys.blocked = true
		return stepStop
	}
	p.take(1)
	s.moved(p)
	if idle || k.exposed == nil && len(k.out) > 0 && k.takesMore(k.holder) {
		s.touch(k, s.now)
		s.settleKeys()
	}
	return stepOver
}
