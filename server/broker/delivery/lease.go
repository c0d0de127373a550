package delivery

import "math/bits"

// Leases run on a clock that stands still while the server does not read. It is
// behind the caller's by all stalls so far, so that a stall moves every end at
// once and no record has to be touched.

func (s *State) leaseClock(t Instant) Instant { return t - s.stalled }

func newLeases() heap[*block] {
	return heap[*block]{
		less:  func(a, b *block) bool { return a.due < b.due },
		place: func(b *block) *int { return &b.timer },
	}
}

// judge expires those of some deliveries of a block whose leases ended before an
// event that names them was read, though no timer has fired yet.
func (s *State) judge(b *block, named uint64, at Instant) {
	if b.due <= s.leaseClock(at) {
		s.expire(b, b.ended(s.leaseClock(at))&named, at)
	}
}

// expireLeases expires all leases that have ended by now.
func (s *State) expireLeases() {
	for s.leases.len() > 0 && s.leases.top().due <= s.leaseClock(s.now) {
		b := s.leases.top()
		x := b.x
		s.expire(b, b.ended(s.leaseClock(s.now)), s.now)
		s.tidy(x)
		s.refreshAfter(x)
	}
}

// expire ends deliveries of a block whose leases ended at a time or before.
func (s *State) expire(b *block, mask uint64, at Instant) {
	o := outcome{x: b.x, kind: expired, at: at, delay: -1}
	for mask != 0 {
		from, to := firstRun(mask)
		mask &^= bitsOf(from, to)
		s.revoke(b.x, b.first+uint64(from), b.first+uint64(to)-1, LeaseExpired)
		s.strike(&o, b, from, to)
	}
	s.pool.last = nil
}

// ended has the live bits whose leases end at a time or before.
func (b *block) ended(at Instant) (mask uint64) {
	if b.own == nil {
		return b.live
	}
	for live := b.live; live != 0; live &= live - 1 {
		if i := bits.TrailingZeros64(live); b.own[i] <= at {
			mask |= 1 << i
		}
	}
	return mask
}

// prolong moves the ends of the leases of the live bits from..to-1, never back and
// never beyond the cap.
func (s *State) prolong(o *outcome, b *block, from, to uint8) {
	until, limit := o.until, b.sent+max(s.config.LeaseCap, o.x.lease)
	if until > limit {
		until = limit
		o.x.fail(o.number, b.first+uint64(from), b.first+uint64(to)-1, LeaseCapped)
	}
	if b.own == nil && b.live&^bitsOf(from, to) == 0 {
		b.due = max(b.due, until)
		s.leases.put(b)
		return
	}
	if b.own == nil {
		b.own = new([blockMessages]Instant)
		for i := range b.own {
			b.own[i] = b.due
		}
	}
	for i := from; i < to; i++ {
		b.own[i] = max(b.own[i], until)
	}
	s.rearm(b)
}

// rearm sets a block's timer to the first of its own ends.
func (s *State) rearm(b *block) {
	first := b.live & -b.live
	b.due = b.own[bits.TrailingZeros64(first)]
	for live := b.live &^ first; live != 0; live &= live - 1 {
		b.due = min(b.due, b.own[bits.TrailingZeros64(live)])
	}
	s.leases.put(b)
}
