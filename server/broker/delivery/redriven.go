package delivery

// Of a key the redriven messages go first: those in the partition that a Cursor says
// holds such. They are of one key more, the elder of the keys of that hash in the other
// partitions:
//
//	elder     taken in as soon as its segment is there, into its queue
//	younger   gets nothing more out while there is an elder; what is out stays
//
// The elder in turn waits for what is out of a younger. Before all redriven messages
// are taken in, it is not known who has an elder, and nothing of a key goes out.

// redrivenUnknown says that redriven messages are there and not taken in, but for want
// of memory: then keys that are known go on, or there would never be more.
func (s *State) redrivenUnknown() bool {
	return s.redriven != nil && s.redriven.fresh() > 0 && !s.keys.blocked
}

// elder is the key of the redriven messages of a key; nil if there is none.
func (s *State) elder(k *orderKey) *orderKey {
	if s.redriven == nil || k.id.p == s.redriven {
		return nil
	}
	return s.keys.byID[keyID{s.redriven, k.id.hash}]
}

// yields says whether messages with a hash wait for redriven ones.
func (s *State) yields(p *partition, hash uint32) bool {
	return s.redriven != nil && p != s.redriven && s.keys.byID[keyID{s.redriven, hash}] != nil
}

// eachYounger calls visit for the keys that wait for redriven messages of a hash.
func (s *State) eachYounger(hash uint32, visit func(*orderKey)) {
	for _, p := range s.order {
		if k := s.keys.byID[keyID{p, hash}]; k != nil && p != s.redriven {
			visit(k)
		}
	}
}

// hasTurn says whether the next message of a key need not wait for other partitions.
func (s *State) hasTurn(k *orderKey) bool {
	if s.redriven == nil {
		return true
	}
	if k.id.p != s.redriven {
		return !s.yields(k.id.p, k.id.hash)
	}
	turn := true
	s.eachYounger(k.id.hash, func(younger *orderKey) { turn = turn && len(younger.out) == 0 })
	return turn
}

// handOver has the others of its hash looked at, after a key was: a younger that has
// nothing out lets its elder go on, and an elder of which nothing is left, its younger.
func (s *State) handOver(k *orderKey) {
	if s.redriven == nil {
		return
	}
	if elder := s.elder(k); elder != nil && len(k.out) == 0 {
		s.touch(elder, k.at)
	}
	if k.id.p == s.redriven && s.keys.byID[k.id] == nil {
		s.eachYounger(k.id.hash, func(younger *orderKey) { s.touch(younger, k.at) })
	}
}

// takeInRedriven takes redriven messages in that are at hand.
func (s *State) takeInRedriven() {
	p := s.redriven
	for blocked := false; !blocked && p.fresh() > 0 && p.front != nil; {
		g := p.front
		g.wanted++
		for !blocked && p.fresh() > 0 && p.front == g {
			blocked = !s.takeIn(g, p.next)
		}
		s.settleKeys()
		s.unpin(g)
	}
}

// takeIn puts a redriven message where it waits, if there is memory.
func (s *State) takeIn(g *segment, offset uint64) bool {
	p := g.p
	hash, keyed := g.keyOf(offset)
	if keyed && !s.takeInKeyed(p, hash, offset) {
		s.keys.blocked = true
		return false
	}
	count := p.count(offset)
	p.take(1)
	switch {
	case keyed:
	case count != nil:
		s.restoreOne(p, *count)
	default:
		e := s.newRedelivery()
		*e = redelivery{p: p, first: offset, last: offset, due: s.now}
		s.pool.messages++
		s.route(e)
	}
	s.moved(p)
	return true
}

func (s *State) takeInKeyed(p *partition, hash uint32, offset uint64) bool {
	k := s.keyFor(p, hash)
	isNew := len(k.out) == 0 && !k.waits()
	if !s.enqueue(k, offset) {
		s.dropKey(k)
		return false
	}
	s.touch(k, s.now)
	if isNew {
		s.eachYounger(hash, func(younger *orderKey) { s.touch(younger, s.now) })
	}
	return true
}
