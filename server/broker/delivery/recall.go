package delivery

import (
	"cmp"
	"math/bits"
	"slices"
	"time"
)

const (
	// recallAge is how long a delivery waits to be started before it may be asked
	// back: what is about to be started is not.
	recallAge = 250 * time.Millisecond
	// recallInterval passes between two looks at who starves.
	recallInterval = 100 * time.Millisecond
	// maxRecallRanges bounds what a session is asked for at once; a block more may come.
	maxRecallRanges = 1000
)

// recalls is when to ask for deliveries back.
type recalls struct {
	// unstarted counts what sessions that answer recalls hold and did not start,
	// asked those of them that they were asked for.
	unstarted, asked uint64
	// next is when to look again, if waiting; last when it was looked at last.
	next    Instant
	last    Instant
	waiting bool
	looked  bool // once
	holders []*session
}

// notRecallable counts the start, or the end, of deliveries that could be asked back.
func (s *State) notRecallable(b *block, mask uint64) {
	n := uint64(bits.OnesCount64(mask &^ b.started))
	b.x.unstarted -= n
	s.recalls.unstarted -= n
	if crossed := mask &^ b.started & b.recalled; crossed != 0 {
		s.recalls.asked -= uint64(bits.OnesCount64(crossed))
		s.changed = true
	}
}

func (b *block) notStarted() uint64 { return uint64(bits.OnesCount64(b.live &^ b.started)) }

func (b *block) askedBack() uint64 { return uint64(bits.OnesCount64(b.live &^ b.started & b.recalled)) }

// recall asks for deliveries that were not started, when a session with credit holds
// nothing and there is nothing for it.
func (s *State) recall() {
	r := &s.recalls
	if due := s.changed || r.waiting && r.next <= s.now; !due {
		return
	}
	r.waiting = false
	blocked := s.capped || !s.ceiling.room().some() // maybe by what others hoard
	if s.openSessions < 2 || s.config.Paused || s.holding || s.hasWork() && !blocked {
		return
	}
	if r.looked && s.now < r.last+recallInterval {
		r.waiting, r.next = true, r.last+recallInterval
		return
	}
	r.last, r.looked = s.now, true
	if wanted := s.starved(); wanted > r.asked {
		left := s.askBack(wanted - r.asked)
		r.waiting, r.next = left > 0, s.now+recallInterval
	}
}

// starved is how many messages the sessions that have nothing should get: as many as
// each of those that hold what was not started.
func (s *State) starved() (wanted uint64) {
	starving, holders := s.recalls.holders[:0], uint64(0)
	for _, x := range s.sessions {
		switch {
		case x.absent:
		case x.unstarted > 0:
			holders++
		case x.stream.held.Messages == 0 && s.servable(x):
			starving = append(starving, x)
		}
	}
	s.recalls.holders = starving
	share := (s.recalls.unstarted + holders) / (holders + uint64(len(starving)) + 1)
	for _, x := range starving {
		wanted += min(x.left().Messages, max(share, 1))
	}
	clear(starving)
	return min(wanted, s.recalls.unstarted)
}

// askBack asks for n deliveries, of the session that has most of them first, and
// returns how many are too young to be asked for.
func (s *State) askBack(n uint64) (left uint64) {
	holders := s.recalls.holders[:0]
	for _, x := range s.sessions {
		if x.unstarted > 0 && !x.absent {
			holders = append(holders, x)
		}
	}
	slices.SortFunc(holders, func(a, b *session) int {
		return cmp.Or(cmp.Compare(b.unstarted, a.unstarted), cmp.Compare(a.id, b.id))
	})
	for _, x := range holders {
		n -= s.askOf(x, n)
	}
	s.recalls.holders = holders
	clear(holders)
	return n
}

// askOf asks a session for up to n deliveries, those first that it would start last.
func (s *State) askOf(x *session, n uint64) (asked uint64) {
	young := s.leaseClock(s.now) - recallAge
	var r *Recall
	for i := len(x.blocks) - 1; i >= 0 && asked < n && (r == nil || len(r.Ranges) < maxRecallRanges); i-- {
		b := x.blocks[i]
		mask := b.live &^ b.started &^ b.recalled
		if b.sent > young || mask == 0 || b.isUnsent() {
			continue
		}
		for uint64(bits.OnesCount64(mask)) > n-asked {
			mask &= mask - 1 // the first of them stays
		}
		if r == nil {
			r = s.out.recall()
			r.Session = x.id
			s.sent(x)
		}
		asked += uint64(bits.OnesCount64(mask))
		b.recalled |= mask
		r.add(b, mask)
	}
	if r != nil {
		slices.Reverse(r.Ranges)
	}
	s.recalls.asked += asked
	return asked
}

// add adds deliveries of a block, the last ones first.
func (r *Recall) add(b *block, mask uint64) {
	at := len(r.Ranges)
	for mask != 0 {
		from, to := firstRun(mask)
		mask &^= bitsOf(from, to)
		r.Ranges = append(r.Ranges, SequenceRange{b.first + uint64(from), b.first + uint64(to) - 1})
	}
	slices.Reverse(r.Ranges[at:])
}
