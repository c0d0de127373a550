package delivery

import (
	"fmt"
	"math/bits"
	"strings"
)

// Check walks the whole state and says what is inconsistent in it.
func Check(s *State) error {
	for _, p := range s.order {
		if err := p.check(); err != nil {
			return fmt.Errorf("partition %d: %w", p.id, err)
		}
	}
	if err := s.checkHeld(); err != nil {
		return err
	}
	if err := s.checkKeys(); err != nil {
		return err
	}
	return s.checkPool()
}

// checkKeys compares the sums over all keys with what is counted, and looks for keys
// that wait for nothing.
func (s *State) checkKeys() error {
	var queued, behind uint64
	bytes := 0
	for id, k := range s.keys.byID {
		queued += uint64(k.queue.len())
		behind += uint64(len(k.returned))
		bytes += keyBytes + k.queue.bytes()
		idle := len(k.out) == 0 && k.exposed == nil && k.dying == 0 && !k.parked && s.hasTurn(k)
		if idle {
			return fmt.Errorf("key %d/%d is kept for nothing: %d returned, %d queued", id.p.id, id.hash, len(k.returned), k.queue.len())
		}
	}
	if queued != s.keys.queued || behind != s.keys.behind || bytes != s.keys.bytes {
		return fmt.Errorf("keys have %d queued, %d behind, %d bytes; counted %d, %d, %d",
			queued, behind, bytes, s.keys.queued, s.keys.behind, s.keys.bytes)
	}
	return nil
}

func (p *partition) check() error {
	above, ahead, counted := uint64(0), uint64(0), 0
	for offset := p.floor; offset < p.head; offset++ {
		if p.settled(offset) {
			above++
		}
		c := p.chunks[offset/ChunkOffsets]
		if c != nil && c.find(offset) != nil {
			if p.settled(offset) {
				return fmt.Errorf("offset %d is settled and counted", offset)
			}
			counted++
		}
		if offset >= p.next && (p.settled(offset) || p.order == OrderNone && c != nil && c.find(offset) != nil || p.holds(offset)) {
			ahead++
		}
	}
	switch {
	case p.next < p.floor || p.next > p.head:
		return fmt.Errorf("next %d is not within %d..%d", p.next, p.floor, p.head)
	case above != p.above:
		return fmt.Errorf("%d settled above the floor, counted %d", above, p.above)
	case ahead != p.ahead:
		return fmt.Errorf("%d not fresh above next, counted %d", ahead, p.ahead)
	case counted != p.counted:
		return fmt.Errorf("%d counts, counted %d", counted, p.counted)
	case p.floor < p.head && p.settled(p.floor):
		return fmt.Errorf("floor %d is settled", p.floor)
	}
	return p.checkSegments()
}

func (p *partition) checkSegments() error {
	bytes, n := uint64(0), 0
	for _, g := range p.loaded {
		if g.ahead {
			bytes += g.bytes(g.base, uint64(len(g.ends)))
			n++
		}
		if !g.ahead && g.wanted == 0 {
			return fmt.Errorf("segment %d is kept for nothing", g.base)
		}
	}
	if bytes != p.aheadBytes || n != p.aheadCount {
		return fmt.Errorf("%d bytes in %d segments ahead, counted %d in %d", bytes, n, p.aheadBytes, p.aheadCount)
	}
	return nil
}

// checkHeld compares what sessions hold with what the ceilings say.
func (s *State) checkHeld() error {
	all := Credit{}
	for _, x := range s.sessions {
		held := Credit{}
		for _, b := range x.blocks {
			held.Messages += uint64(bits.OnesCount64(b.live))
			held.Bytes += b.liveBytes()
			if (b.live != 0 && (!x.absent || s.exact)) != (b.timer != 0) {
				return fmt.Errorf("session %d: block %d has %x live and timer %d", x.id, b.first, b.live, b.timer)
			}
		}
		if unstarted := x.countUnstarted(); x.answersRecall && unstarted != x.unstarted {
			return fmt.Errorf("session %d did not start %d, counted %d", x.id, unstarted, x.unstarted)
		}
		held.Messages, held.Bytes = held.Messages+x.forgotten(s).Messages, held.Bytes+x.forgotten(s).Bytes
		if bad := x.checkPages(); s.exact && bad != "" {
			return fmt.Errorf("session %d: %s", x.id, bad)
		}
		if held != x.stream.held {
			return fmt.Errorf("session %d holds %v, charged %v", x.id, held, x.stream.held)
		}
		all.Messages += held.Messages
		all.Bytes += held.Bytes
	}
	if all != s.ceiling.held {
		return fmt.Errorf("sessions hold %v, charged %v", all, s.ceiling.held)
	}
	return nil
}

func (x *session) countUnstarted() (n uint64) {
	for _, b := range x.blocks {
		n += uint64(bits.OnesCount64(b.live &^ b.started))
	}
	return n
}

func (b *block) liveBytes() (n uint64) {
	for _, r := range b.runs {
		for i := range r.n {
			if b.live>>(r.at+i)&1 != 0 {
				n += r.seg.bytes(r.first+uint64(i), 1)
			}
		}
	}
	return n
}

// checkPool compares the counts of the pool with what is in its places.
func (s *State) checkPool() error {
	var later, absentAll, others uint64
	seen := make(map[*redelivery]bool)
	note := func(e *redelivery, sum *uint64) {
		if !seen[e] {
			seen[e] = true
			*sum += e.messages()
		}
	}
	for _, e := range s.pool.timers.items {
		if e.where == waiting {
			note(e, &later)
		}
	}
	for _, p := range s.order {
		for _, e := range p.absent.items {
			note(e, &absentAll)
		}
		for _, c := range p.chunks {
			for _, e := range c.held {
				note(e, &later)
			}
		}
	}
	if s.journal.inFlight {
		for _, e := range s.journal.freed {
			note(e, &later)
		}
	}
	for _, e := range s.journal.orphans {
		note(e, &later)
	}
	for _, e := range s.pool.ready.items {
		note(e, &others)
	}
	for _, k := range s.keys.byID {
		for _, e := range k.returned {
			note(e, &later)
		}
	}
	for _, x := range s.sessions {
		for _, e := range x.shunned.items {
			note(e, &others)
		}
		for _, e := range x.own.items {
			note(e, &others)
		}
	}
	for _, e := range append(s.misfits.aside, s.misfits.beyond...) {
		note(e, &others)
	}
	if later != s.pool.later || absentAll != s.pool.absent || later+absentAll+others != s.pool.messages {
		return fmt.Errorf("pool holds %d later, %d absent, %d others; counted %d, %d, %d in all",
			later, absentAll, others, s.pool.later, s.pool.absent, s.pool.messages)
	}
	return nil
}

// Keys is how many keys are busy, and the memory that they take.
func Keys(s *State) (n, bytes int) { return len(s.keys.byID), s.keys.bytes }

// LimitKeys sets the bound on the memory of keys.
func LimitKeys(s *State, bytes int) { s.keys.limit = bytes }

// Dump describes the state for a log.
func Dump(s *State) string {
	var out strings.Builder
	for _, p := range s.order {
		fmt.Fprintf(&out, "p%d floor %d next %d head %d fresh %d aheadEnd %d open %d loading %v@%d asked %v@%d absent %d loaded",
			p.id, p.floor, p.next, p.head, p.fresh(), p.aheadEnd, p.openAt, p.isLoading, p.loading, p.isAsked, p.asked, p.absentMessages)
		for _, g := range p.loaded {
			fmt.Fprintf(&out, " %d(%v,%d)", g.base, g.ahead, g.wanted)
		}
		out.WriteString("\n")
	}
	for _, m := range s.misfits.aside {
		fmt.Fprintf(&out, "aside %d/%d size %d wants %v at hand %v holder %v\n", m.p.id, m.first, m.size, m.wants, m.seg != nil, holderID(m))
	}
	for _, m := range s.misfits.beyond {
		fmt.Fprintf(&out, "beyond %d/%d size %d\n", m.p.id, m.first, m.size)
	}
	for _, x := range s.sessions {
		fmt.Fprintf(&out, "session %d left %v held %v limit %v waits %d eligible %d short %d holds %v maxMessage %d\n",
			x.id, x.left(), x.stream.held, x.stream.limit, x.waitsFor, x.eligibleAt, x.shortAt, x.holds != nil, x.maxMessage)
	}
	fmt.Fprintf(&out, "pool messages %d later %d absent %d ready %d shunners %d max %d wanted segments %d\n", s.pool.messages,
		s.pool.later, s.pool.absent, s.pool.ready.len(), s.pool.shunners.len(), s.config.MaxWaiting, s.wantedSegments)
	return out.String()
}

func holderID(m *redelivery) SessionID {
	if m.holder == nil {
		return 0
	}
	return m.holder.id
}
