package delivery

import (
	"math"
	"math/bits"
)

// Leases run on a clock that stands still while the server does not read. It is
// behind the caller's by all stalls so far, so that a stall moves every end at
// once and no record has to be touched.

// never is later than anything, and stays so when a stall is added.
const never = Instant(math.MaxInt64 / 2)

func (s *State) leaseClock(t Instant) Instant { return t - s.stalled }

func newLeases() heap[*block] {
	return heap[*block]{
		less:  func(a, b *block) bool { return a.due < b.due },
		place: func(b *block) *int { return &b.timer },
	}
}

// queueEnd is when what was not started of a block goes to others, unless its
// session is heard.
func (s *State) queueEnd(b *block) Instant {
	if b.x.absent {
		return b.x.resumeBy // exactly once alone has a timer then
	}
	return max(b.sent, b.x.heard) + s.config.QueueLease
}

// judge ends those of some deliveries of a block whose leases ended before an
// event that names them was read, though no timer has fired yet.
func (s *State) judge(b *block, named uint64, at Instant) {
	if b.due <= s.leaseClock(at) && !b.isUnsent() {
		s.expire(b, s.ended(b, s.leaseClock(at))&named, at)
	}
}

// judgeQueue ends the queue leases of a session that had ended before it was heard.
func (s *State) judgeQueue(x *session, at Instant) {
	for _, b := range x.blocks {
		if b.sent+s.config.QueueLease <= s.leaseClock(at) && !b.isUnsent() {
			s.expire(b, b.live&^b.started, at)
		}
	}
	s.tidy(x)
	s.refreshAfter(x)
	s.settleKeys()
}

// rearmQueues sets the timers of what was not started after the queue lease became
// shorter.
func (s *State) rearmQueues() {
	for _, x := range s.sessions {
		for _, b := range x.blocks {
			if b.live&^b.started != 0 {
				s.rearm(b)
			}
		}
	}
}

// expireLeases ends all leases that have ended by now. What looked due may not be
// so any more, for its session was heard.
func (s *State) expireLeases() {
	for s.leases.len() > 0 && s.leases.top().due <= s.leaseClock(s.now) {
		b := s.leases.top()
		mask := s.ended(b, s.leaseClock(s.now))
		if mask == 0 {
			s.rearm(b)
			continue
		}
		x := b.x
		s.expire(b, mask, s.now)
		s.tidy(x)
		s.refreshAfter(x)
	}
}

// expire ends deliveries of a block whose leases ended at a time or before: charged
// if they were started.
func (s *State) expire(b *block, mask uint64, at Instant) {
	ended, unstarted := expired, returned
	if b.x.absent {
		ended, unstarted = lost, mislaid
	}
	s.takeAway(b, mask&b.started, ended, LeaseExpired, at)
	s.takeAway(b, mask&^b.started, unstarted, QueueLeaseEnded, at)
	s.pool.last = nil
}

// takeAway ends deliveries of a block and tells so.
func (s *State) takeAway(b *block, mask uint64, kind outcomeKind, reason RevokeReason, at Instant) {
	if mask == 0 {
		return
	}
	o := outcome{x: b.x, kind: kind, at: at, delay: -1}
	for mask != 0 {
		from, to := firstRun(mask)
		mask &^= bitsOf(from, to)
		s.revoke(b.x, b.first+uint64(from), b.first+uint64(to)-1, reason)
		s.strike(&o, b, from, to)
	}
}

// ended has the live bits whose leases end at a time or before.
func (s *State) ended(b *block, at Instant) (mask uint64) {
	if waits := b.live &^ b.started; waits != 0 && s.queueEnd(b) <= at {
		mask = waits
	}
	works := b.live & b.started
	if b.clocks == nil {
		if b.ends <= at {
			mask |= works
		}
		return mask
	}
	for ; works != 0; works &= works - 1 {
		if i := bits.TrailingZeros64(works); b.clocks.ends[i] <= at {
			mask |= 1 << i
		}
	}
	return mask
}

// prolong moves the ends of the leases of the live bits from..to-1, never back and
// never beyond the cap.
func (s *State) prolong(o *outcome, b *block, from, to uint8) {
	named := bitsOf(from, to)
	s.startWork(b, named, s.leaseClock(o.at))
	if s.exact {
		s.ledger.touch(b.page)
	}
	limit := max(s.config.LeaseCap, o.x.lease)
	if b.clocks == nil && b.live&b.started&^named == 0 {
		b.ends = max(b.ends, min(o.until, b.began+limit))
		if o.until > b.began+limit {
			o.x.fail(o.number, b.first+uint64(from), b.first+uint64(to)-1, LeaseCapped)
		}
		s.rearm(b)
		return
	}
	c := s.apart(b)
	for i := from; i < to; i++ {
		c.ends[i] = max(c.ends[i], min(o.until, c.began[i]+limit))
		if o.until > c.began[i]+limit {
			o.x.fail(o.number, b.first+uint64(i), b.first+uint64(i), LeaseCapped)
		}
	}
	s.rearm(b)
}

// apart gives each work lease of a block an end of its own.
func (s *State) apart(b *block) *clocks {
	if b.clocks != nil {
		return b.clocks
	}
	if n := len(s.spareClocks); n > 0 {
		b.clocks = s.spareClocks[n-1]
		s.spareClocks = s.spareClocks[:n-1]
	} else {
		b.clocks = &clocks{}
	}
	for i := range b.clocks.ends {
		b.clocks.began[i], b.clocks.ends[i] = b.began, b.ends
	}
	return b.clocks
}

// maxSpareClocks bounds the clocks kept for reuse: 1 MiB.
const maxSpareClocks = 1024

func (s *State) freeClocks(b *block) {
	if b.clocks != nil && len(s.spareClocks) < maxSpareClocks {
		s.spareClocks = append(s.spareClocks, b.clocks)
	}
	b.clocks = nil
}

// rearm sets a block's timer to the first end of a lease.
func (s *State) rearm(b *block) {
	if b.x.absent && !s.exact {
		return
	}
	b.due = never
	if b.isUnsent() {
		s.leases.put(b)
		return
	}
	if b.live&^b.started != 0 {
		b.due = s.queueEnd(b)
	}
	works := b.live & b.started
	if b.clocks == nil && works != 0 {
		b.due = min(b.due, b.ends)
		works = 0
	}
	for ; works != 0; works &= works - 1 {
		b.due = min(b.due, b.clocks.ends[bits.TrailingZeros64(works)])
	}
	s.leases.put(b)
}
