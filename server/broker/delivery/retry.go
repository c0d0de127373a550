package delivery

import (
	"slices"
	"time"
)

const (
	// avoidDuration is how long a released message is not offered to the session that
	// released it, and a failed one preferably goes to another.
	avoidDuration = 100 * time.Millisecond
	// jitterPercent is how far a backoff strays from its nominal value, both ways.
	jitterPercent = 20
	// jitterGroup is how many neighbours at the same attempt share one jitter, so
	// that a failed frame costs records by the group and yet spreads out.
	jitterGroup = 16
)

// fail charges first..last of a partition, which a session held, and lets them
// come back when their counts are committed and their time has come.
func (s *State) fail(o *outcome, p *partition, first, last uint64) {
	// What is settled already has nothing to write, but its settle is confirmed by a commit.
	p.journal.save(p)
	for first <= last {
		end, settled := p.clash(first, first|(ChunkOffsets-1))
		end = min(end, last)
		if settled {
			first = end + 1
			continue
		}
		c := p.chunk(first / ChunkOffsets)
		counts, added := c.countsOf(first, end)
		p.counted += added
		p.journal.touch(p, c)
		for len(counts) > 0 {
			if reason := s.doom(o, &counts[0]); reason != 0 {
				s.bury(o, p, c, &counts[0], reason)
				counts = counts[1:]
				continue
			}
			n := s.charge(o, p, c, counts)
			s.await(o, p, c, counts[:n])
			counts = counts[n:]
		}
		first = end + 1
	}
}

// clash says whether first is settled by a hole, and how far within last that
// answer holds.
func (p *partition) clash(first, last uint64) (through uint64, settled bool) {
	if first < p.floor {
		return min(last, p.floor-1), true
	}
	i := p.skip.search(first)
	switch {
	case i == len(p.skip) || p.skip[i].First > last:
		return last, false
	case p.skip[i].First <= first:
		return min(last, p.skip[i].Last), true
	default:
		return p.skip[i].First - 1, false
	}
}

// charge raises the counts of the first messages, as many as share one due time
// and are not given up, and sets it.
func (s *State) charge(o *outcome, p *partition, c *chunk, counts []Count) (n int) {
	atOnce := o.kind == lost || o.kind == mislaid
	grouped := !atOnce && o.delay < 0
	for n < len(counts) && (!grouped || n < jitterGroup) {
		count := &counts[n]
		if n > 0 && (grouped && count.attempt() != counts[0].attempt()-1 || s.doom(o, count) != 0) {
			break
		}
		s.raise(o, p, c, count)
		n++
	}
	due := o.at
	switch {
	case atOnce:
	case o.delay >= 0:
		due += o.delay
	default:
		due += s.backoff(counts[0].attempt() - 1)
	}
	for i := range counts[:n] {
		counts[i].NotBefore = due
	}
	return n
}

// raise counts a failure of one message, and remembers it where messages may be given
// up.
func (s *State) raise(o *outcome, p *partition, c *chunk, count *Count) {
	switch o.kind {
	case retried, rejected:
		count.Failed++
	case mislaid:
		count.Lost++
	default:
		count.Expired++
	}
	if s.config.MaxAttempts > 0 && o.kind != mislaid {
		count.Charged++
	}
	if s.config.DeadLetters {
		o.failure().remember(c, count, p.journal)
	}
}

// mislay gives back what a broken session had not started, and counts it where a
// bound on such losses asks for it.
func (s *State) mislay(o *outcome, p *partition, first, last uint64) {
	if s.config.MaxDeliveries == 0 || !s.config.DeadLetters {
		s.giveBack(o, p, first, last)
		return
	}
	s.fail(o, p, first, last)
}

// await makes a redelivery that waits for the commit of its counts.
func (s *State) await(o *outcome, p *partition, c *chunk, counts []Count) {
	e := redelivery{p: p, where: held, first: counts[0].Offset, last: counts[len(counts)-1].Offset, due: counts[0].NotBefore}
	if (o.kind == retried || o.kind == expired) && s.config.Order == OrderNone {
		e.avoid, e.avoidUntil, e.prefer = o.x, e.due+avoidDuration, true
	}
	if !o.seg.keyed() {
		s.awaitOne(c, e)
		return
	}
	for i := range counts {
		e.first, e.last = counts[i].Offset, counts[i].Offset
		if k := s.keyAt(o.seg, e.first); k != nil {
			c.held = append(c.held, s.comeBack(k, e))
		} else {
			s.awaitOne(c, e)
		}
	}
}

// awaitOne makes a redelivery that waits for the commit of a chunk.
func (s *State) awaitOne(c *chunk, e redelivery) {
	if made := s.add(e); made != nil {
		c.held = append(c.held, made)
		s.pool.later += made.messages()
	}
}

// backoff is the wait after the n-th failure of a message, n from 1.
func (s *State) backoff(n uint32) time.Duration {
	wait := s.config.BackoffMin
	for ; n > 1 && wait < s.config.BackoffMax; n-- {
		wait *= 2
	}
	wait = min(wait, s.config.BackoffMax)
	spread := int64(wait) * jitterPercent / 100
	wait += time.Duration(int64(s.random()%uint64(2*spread+1)) - spread)
	return max(wait, MinRetryDelay)
}

// random steps a splitmix64 generator: jitter needs no better one.
func (s *State) random() uint64 {
	s.seed += 0x9e3779b97f4a7c15
	z := s.seed
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// giveBack makes first..last of a partition due at once, uncharged.
func (s *State) giveBack(o *outcome, p *partition, first, last uint64) {
	e := redelivery{p: p, first: first, last: last, due: o.at}
	if o.kind == released {
		e.avoid, e.avoidUntil = o.x, o.at+avoidDuration
	}
	if !o.seg.keyed() {
		s.giveBackOne(e)
		return
	}
	for offset := first; offset <= last; offset++ {
		e.first, e.last = offset, offset
		k := s.keyAt(o.seg, offset)
		switch {
		case k == nil:
			s.giveBackOne(e)
		case !p.settled(offset): // by a hole
			s.comeBack(k, e)
		}
	}
}

func (s *State) giveBackOne(e redelivery) {
	if made := s.add(e); made != nil {
		s.route(made)
	}
}

// commit frees the redeliveries whose counts are durable now, and confirms
// settles.
func (s *State) commit(number uint64) {
	if !s.journal.carries(number) {
		return
	}
	for _, e := range s.journal.commit() {
		s.reroute(e)
	}
	if s.exact {
		s.ledger.commit()
	}
	s.laid()
	if s.guarded {
		s.release()
	}
	s.confirm()
}

// recover makes a redelivery of every message that came back before a restart. Where
// an order is kept they wait until their keys are known, see stepTo.
func (s *State) recover(p *partition) {
	if p.order != OrderNone {
		return
	}
	indexes := make([]uint64, 0, len(p.chunks))
	for index, c := range p.chunks {
		if len(c.counts) > 0 {
			indexes = append(indexes, index)
		}
	}
	slices.Sort(indexes)
	for _, index := range indexes {
		for _, count := range p.chunks[index].counts {
			if _, held := p.held.find(count.Offset); !held {
				s.restoreOne(p, count)
			}
		}
	}
	s.pool.last = nil
}

// restoreOne makes a redelivery, or a dead letter, of a message that has no key.
func (s *State) restoreOne(p *partition, count Count) {
	if count.Dead != 0 {
		s.mourn(nil, p, count.Offset, count.History.last())
		return
	}
	if e := s.add(redelivery{p: p, first: count.Offset, last: count.Offset, due: count.NotBefore}); e != nil {
		s.route(e)
	}
}
