package delivery

import (
	"cmp"
	"slices"
	"time"
)

// outcome is how deliveries of one session end, or that they go on.
type outcome struct {
	x    *session
	kind outcomeKind
	// at is when the event that causes it was read.
	at Instant
	// number is that of the settle or extension.
	number uint64
	// delay is a retry's own; negative: none.
	delay time.Duration
	// until is where an extension wants the leases to end, on the lease clock.
	until Instant
	// durable is set when something changed that must be committed; letter is the
	// ticket of the last dead letter, see letters.
	durable bool
	letter  uint64
	// said is what is remembered of a failure; nil as long as nothing has failed.
	said *remembering
	// seg is the segment that is being finished.
	seg *segment
}

type outcomeKind uint8

const (
	acked    outcomeKind = iota
	retried              // failed, backs off
	rejected             // failed, and given up
	released             // given back by the client, which does not get it at once
	extended             // goes on
	expired              // its lease ended: charged, backs off
	lost                 // its stream broke: charged, due at once
	mislaid              // its stream broke before it was started: counted apart, due at once
	returned             // taken back by the server or a clean close: uncharged
)

// settle applies a Settle.
func (s *State) settle(e *Settle) {
	x := s.hear(e.Stamp)
	if x == nil || !s.numbered(x, e.Number, e.At) {
		return
	}
	o := outcome{x: x, at: e.At, number: e.Number, delay: -1}
	switch e.Verdict {
	case Ack:
		o.kind = acked
	case Retry:
		o.kind = retried
		if e.Delay >= 0 {
			o.delay = min(max(e.Delay, MinRetryDelay), MaxRetryDelay)
		}
	case Release:
		o.kind = released
	default:
		if !s.config.DeadLetters {
			s.refuse(&o, e.Ranges)
			return
		}
		o.kind = rejected
	}
	if s.config.DeadLetters && (o.kind == retried || o.kind == rejected) {
		o.said = &remembering{failure: failureOf(&o, e.Code, e.Reason)}
	}
	s.apply(&o, e.Ranges)
}

// extend applies an Extend.
func (s *State) extend(e *Extend) {
	x := s.hear(e.Stamp)
	if x == nil || !s.numbered(x, e.Number, e.At) {
		return
	}
	duration := orDefault(max(e.Duration, 0), x.lease)
	o := outcome{x: x, kind: extended, at: e.At, number: e.Number, until: s.leaseClock(e.At) + min(duration, MaxLease)}
	s.apply(&o, e.Ranges)
}

// numbered says whether a number is the next of its session. One already applied
// changes nothing, a gap ends the session.
func (s *State) numbered(x *session, number uint64, at Instant) bool {
	switch {
	case number == x.applied+1:
		x.applied = number
		return true
	case number <= x.applied:
		s.repeat(x, number)
	default:
		s.end(x, EndSettleGap, at)
	}
	return false
}

// refuse answers a verdict that is not served.
func (s *State) refuse(o *outcome, all []SequenceRange) {
	for _, r := range s.disjoint(all) {
		if r.First <= r.Last {
			o.x.fail(o.number, r.First, r.Last, NotServed)
		}
	}
	s.awaitCommit(o)
}

// apply ends or prolongs the deliveries of ranges.
func (s *State) apply(o *outcome, all []SequenceRange) {
	for _, r := range s.disjoint(all) {
		s.walk(o, r)
	}
	s.pool.last = nil
	s.tidy(o.x)
	s.awaitCommit(o)
	s.refreshAfter(o.x)
}

// disjoint returns the ranges ascending and apart, so that a frame costs no more
// than what it names. A client that sends them so costs nothing more.
func (s *State) disjoint(all []SequenceRange) []SequenceRange {
	inOrder := true
	for i := 1; i < len(all); i++ {
		inOrder = inOrder && all[i-1].Last < all[i].First
	}
	if inOrder {
		return all
	}
	s.scratch = append(s.scratch[:0], all...)
	sorted := s.scratch
	slices.SortFunc(sorted, func(a, b SequenceRange) int { return cmp.Compare(a.First, b.First) })
	merged := sorted[:0]
	for _, r := range sorted {
		if n := len(merged); n > 0 && r.First <= merged[n-1].Last {
			merged[n-1].Last = max(merged[n-1].Last, r.Last)
			continue
		}
		merged = append(merged, r)
	}
	return merged
}

// walk applies an outcome to what is outstanding of a range; the rest of it is a
// failure of the settle.
func (s *State) walk(o *outcome, r SequenceRange) {
	x := o.x
	if r.First == 0 && r.First <= r.Last {
		x.fail(o.number, 0, 0, Unknown)
	}
	next, last := max(r.First, 1), min(r.Last, x.given())
	for i := x.find(next); i < len(x.blocks) && next <= last; i++ {
		b := x.blocks[i]
		if b.first > last {
			break
		}
		named := b.mask(next, last)
		s.judge(b, named, o.at)
		for mask := named & b.live; mask != 0; {
			from, to := firstRun(mask)
			mask &^= bitsOf(from, to)
			if start := b.first + uint64(from); start > next {
				s.stale(o, next, start-1)
			}
			next = b.first + uint64(to)
			s.strike(o, b, from, to)
		}
	}
	if next <= last {
		s.stale(o, next, last)
	}
	if beyond := max(r.First, x.given()+1); beyond <= r.Last {
		x.fail(o.number, beyond, r.Last, Unknown)
	}
}

// strike applies an outcome to the live bits from..to-1 of a block.
func (s *State) strike(o *outcome, b *block, from, to uint8) {
	if o.kind == extended {
		s.prolong(o, b, from, to)
		return
	}
	if o.x.answersRecall {
		s.notRecallable(b, bitsOf(from, to))
	}
	b.live &^= bitsOf(from, to)
	if s.exact {
		s.struck(o, b)
	}
	for i := range b.runs {
		r := &b.runs[i]
		low, high := max(from, r.at), min(to, r.at+r.n)
		if low < high {
			s.finish(o, r.seg, r.first+uint64(low-r.at), uint64(high-low))
		}
	}
	if b.live == 0 {
		s.leases.remove(b)
		o.x.dead++
	} else if b.clocks != nil {
		s.rearm(b)
	}
}

// finish ends the delivery of n messages from an offset on.
func (s *State) finish(o *outcome, g *segment, first, n uint64) {
	p, last := g.p, first+n-1
	s.discharge(o.x, n, g.bytes(first, n))
	o.seg = g
	if g.keyed() {
		s.endedOf(g, first, n, o.at)
	}
	switch o.kind {
	case acked:
		o.durable = true
		o.x.acked += n
		p.ack(first, last)
	case retried:
		o.durable = true
		p.counters.Retried += n
		s.fail(o, p, first, last)
	case rejected:
		o.durable = true
		p.counters.Rejected += n
		s.fail(o, p, first, last)
	case expired, lost:
		p.counters.Expired += n
		s.fail(o, p, first, last)
	case mislaid:
		p.counters.Released += n
		s.mislay(o, p, first, last)
	default:
		p.counters.Released += n
		s.giveBack(o, p, first, last)
	}
}

// endAll ends everything that a session holds. What its stream lost is charged only
// as far as it was started.
func (s *State) endAll(x *session, kind outcomeKind, at Instant) {
	s.dropUnsent(x, at)
	o := outcome{x: x, kind: kind, at: at, delay: -1}
	for _, b := range x.blocks {
		for b.live != 0 {
			from, to := firstRun(b.live)
			if kind == lost {
				s.splitLost(&o, b, from, &to)
			}
			s.strike(&o, b, from, to)
		}
	}
	s.pool.last = nil
	s.tidy(x)
	s.refreshAfter(x)
}

// stale answers for sequences that are not the session's any more.
func (s *State) stale(o *outcome, first, last uint64) {
	x := o.x
	switch {
	case s.forgets && (o.kind == acked || o.kind == extended):
		return // it was settled before it was sent, and has no lease
	case o.kind != acked || len(x.book.acked) == 0:
		x.fail(o.number, first, last, Stale)
		return
	}
	for _, r := range x.book.acked[x.book.acked.search(first):] {
		if r.First > last {
			break
		}
		if r.First > first {
			x.fail(o.number, first, r.First-1, Stale)
		}
		first = r.Last + 1
	}
	if first <= last {
		x.fail(o.number, first, last, Stale)
	}
}
