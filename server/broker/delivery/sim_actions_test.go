package delivery_test

import (
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// one says yes once in n times.
func (s *sim) one(n int) bool { return s.IntN(n) == 0 }

// action is something that may happen, with how often.
type action struct {
	weight int
	do     func()
}

// randomActions gives each episode its own mixture: some have no failures, some
// hardly anything else.
func (s *sim) randomActions() []action {
	all := []action{
		{30, s.publish}, {60, s.settle}, {12, s.attach}, {25, s.answerLoads}, {25, s.commit},
		{8, s.credit}, {4, s.leave}, {4, s.extend}, {15, s.start}, {3, s.writable}, {3, s.heard}, {2, s.detach}, {1, s.drain},
		{1, s.hole}, {1, s.drop}, {1, s.bury}, {1, s.stall}, {1, s.configure}, {1, s.restart}, {1, s.release}, {3, s.resume}, {1, s.move},
		{2, s.hold}, {0, s.stop}, {1, s.fault},
	}
	for i := range all {
		switch s.IntN(4) {
		case 0:
			all[i].weight *= 3
		case 1:
			all[i].weight /= 2
		}
	}
	if s.one(10) {
		all[len(all)-2].weight = 1
	}
	return all
}

// act lets one random thing happen.
func (s *sim) act() {
	if s.held > 0 {
		s.actHeld()
		return
	}
	sum := 0
	for _, a := range s.actions {
		sum += a.weight
	}
	n := s.IntN(sum)
	for _, a := range s.actions {
		if n -= a.weight; n < 0 {
			a.do()
			return
		}
	}
}

func (s *sim) publish() {
	s.state.Stats(&s.stats)
	if s.stats.Backlog > 150 {
		return
	}
	p := s.store.partitions[s.IntN(len(s.store.partitions))]
	sizes := make([]uint64, 1+s.IntN(30))
	for i := range sizes {
		sizes[i] = uint64(1 + s.IntN(100))
		if s.one(40) {
			sizes[i] = uint64(1 + s.IntN(4000))
		}
	}
	keys := make([]int, len(sizes))
	for i := range keys {
		if !s.one(4) {
			keys[i] = 1 + s.IntN(s.keys)
		}
	}
	segment := p.publishKeys(sizes, keys, uint32(s.IntN(1000)), int64(s.now))
	s.model.Publish(p.id, sizes, keys)
	s.emit(&delivery.Head{Partition: p.id, Next: p.head})
	if s.one(2) {
		p.resident[segment.Base] = true
		s.emit(&delivery.Loaded{Partition: p.id, Segments: []delivery.Segment{segment}})
	}
}

func (s *sim) drain() {
	if c := s.anyClient(); c != nil && !c.pulls {
		e := &delivery.Drain{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}, Grace: time.Duration(s.IntN(5000)) * time.Millisecond}
		s.model.Drain(uint64(c.id), e.At, e.Grace)
		s.emit(e)
	}
}

// move asks a session, or all, to leave their streams.
func (s *sim) move() {
	e := &delivery.Move{At: s.at(), Grace: time.Duration(s.IntN(5000)) * time.Millisecond, Reason: delivery.GoAwayRebalance}
	if c := s.anyClient(); c != nil && !s.one(4) {
		e.Session, e.Reason = c.id, delivery.GoAwayStream
	}
	s.model.Move(uint64(e.Session), e.At, e.Grace)
	s.emit(e)
}

// hole settles a part of a partition, or skips beyond its head.
func (s *sim) hole() {
	p := s.store.partitions[s.IntN(len(s.store.partitions))]
	first := p.head
	if s.one(2) && p.head > p.floor {
		first = p.floor + s.Uint64N(p.head-p.floor)
	}
	last := first + uint64(s.IntN(20))
	if s.one(5) {
		last = first + uint64(s.IntN(9000))
	}
	if first < p.head {
		last = min(last, p.head-1)
	}
	p.head = max(p.head, last+1)
	p.holes = append(p.holes, delivery.OffsetRange{First: first, Last: last})
	s.model.Hole(p.id, first, last)
	s.emit(&delivery.Hole{Partition: p.id, First: first, Last: last})
}

// drop takes the oldest messages of a partition away, whoever holds them.
func (s *sim) drop() {
	p := s.store.partitions[s.IntN(len(s.store.partitions))]
	below := p.floor
	if p.head > p.floor {
		below += s.Uint64N(p.head - p.floor + 2)
	}
	cause := delivery.DropCause(s.IntN(2))
	s.model.Drop(p.id, below, cause == delivery.ByRetention)
	s.emit(&delivery.Drop{Partition: p.id, Below: below, Cause: cause})
}

// bury gives up the oldest messages of a partition that nobody got.
func (s *sim) bury() {
	if s.config.Order != delivery.OrderNone || !s.config.DeadLetters {
		return
	}
	p := s.store.partitions[s.IntN(len(s.store.partitions))]
	n := 1 + s.Uint64N(20)
	s.model.Bury(p.id, n)
	s.emit(&delivery.Bury{Partition: p.id, Messages: n})
}

// release lets the parked keys of a partition go on.
func (s *sim) release() {
	id := uint32(s.IntN(len(s.store.partitions)))
	s.model.Release(id)
	s.emit(&delivery.ReleaseKeys{Partition: id, All: true})
}

func (s *sim) stall() {
	d := time.Duration(s.IntN(20_000)) * time.Millisecond
	s.model.Stall(d)
	s.emit(&delivery.Stalled{Duration: d})
}

func (s *sim) configure() {
	fresh := s.randomConfig()
	fresh.Mode, fresh.Order, fresh.Seed = s.config.Mode, s.config.Order, s.config.Seed
	fresh.Guarantee = s.config.Guarantee
	if fresh.Order != delivery.OrderNone {
		fresh.MaxWaiting = 0
	}
	s.config = fresh
	s.model.Configure(s.rules())
	s.emit(&delivery.Configure{Config: s.config})
}

func (s *sim) stop() {
	grace := time.Duration(s.IntN(5000)) * time.Millisecond
	at := s.at()
	s.model.Shutdown(at, grace)
	s.emit(&delivery.Shutdown{At: at, Grace: grace})
	s.shutdown = true
}

// answerLoads answers one load, or all.
func (s *sim) answerLoads() {
	all := s.one(2)
	for len(s.store.loads) > 0 {
		i := s.IntN(len(s.store.loads))
		load := s.store.loads[i]
		s.store.loads = append(s.store.loads[:i], s.store.loads[i+1:]...)
		s.answerLoad(load)
		if !all {
			return
		}
	}
}

func (s *sim) answerLoad(load delivery.Load) {
	p := s.store.partitions[load.Partition]
	if segments, ok := p.find(load.Offset, load.Bytes); ok {
		if given := p.give(segments); len(given) > 0 {
			s.emit(&delivery.Loaded{Partition: p.id, Segments: given})
		}
		return
	}
	if h, ok := p.hole(load.Offset); ok {
		s.emit(&delivery.Hole{Partition: p.id, First: h.First, Last: h.Last})
	}
}

func (s *sim) commit() {
	if s.store.open == nil {
		return
	}
	number := s.store.commit()
	s.model.Committed(number)
	s.emit(&delivery.Committed{Number: number})
	if s.config.Guarantee != delivery.AtLeastOnce && s.failure == nil {
		s.failure = s.turn() // what it sends comes before what happens next
	}
}
