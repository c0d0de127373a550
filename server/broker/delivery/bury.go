package delivery

import (
	"cmp"
	"slices"
)

// MaxBurials is how many letters may wait for a Bury to make more.
const MaxBurials = maxLetters / 2

// Bury gives up the oldest messages of a partition that nobody got yet, at most so many,
// and at most as many as leave MaxBurials letters: there they wait to be put away. What
// was delivered once goes its own way. It is for subscriptions that keep no order.
type Bury struct {
	Partition uint32
	Messages  uint64
}

func (*Bury) event() {}

// Dying counts the messages that were given up and are not put away yet.
func (s *State) Dying() uint64 { return uint64(s.letters.waiting.len() + len(s.letters.sealed)) }

// buryOldest gives up what a Bury names: first what was set aside, then what is fresh.
func (s *State) buryOldest(e *Bury) {
	p := s.partitions[e.Partition]
	if p == nil || p.order != OrderNone || !s.config.DeadLetters {
		return
	}
	left := min(e.Messages, MaxBurials-min(MaxBurials, s.Dying()))
	left -= s.buryMisfits(p, left)
	for left > 0 && p.fresh() > 0 {
		first := p.next
		n := min(p.freshRun(left), left, p.head-first, ChunkOffsets-first%ChunkOffsets)
		s.buryRun(p, first, n)
		p.take(n)
		left -= n
	}
	s.moved(p)
	s.changed = true
}

// buryMisfits gives up the oldest messages that were set aside without having been
// delivered, at most so many.
func (s *State) buryMisfits(p *partition, most uint64) (n uint64) {
	all := slices.DeleteFunc(slices.Concat(s.misfits.aside, s.misfits.beyond), func(m *redelivery) bool {
		return m.p != p || m.again || p.settled(m.first)
	})
	slices.SortFunc(all, func(a, b *redelivery) int { return cmp.Compare(a.first, b.first) })
	for _, m := range all {
		if n == most {
			break
		}
		first := m.first
		s.pool.messages--
		s.dropMisfit(m)
		s.buryRun(p, first, 1)
		n++
	}
	return n
}

// buryRun gives up messages of one chunk. That they were is not written before their
// letters are: after a crash in between they are as if nobody had asked.
func (s *State) buryRun(p *partition, first, n uint64) {
	c := p.chunk(first / ChunkOffsets)
	counts, added := c.countsOf(first, first+n-1)
	p.counted += added
	for i := range counts {
		counts[i].Dead = DeadByBacklog
		s.mourn(nil, p, counts[i].Offset, PastFailure{})
	}
}
