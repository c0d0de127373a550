package delivery

// DropCause says why a subscription does not get what it has not settled.
type DropCause uint8

const (
	// ByRetention: the topic keeps it no longer.
	ByRetention DropCause = iota
	// ByBacklogCap: the subscription's backlog was above its cap.
	ByBacklogCap
)

// Drop settles everything of a partition that is older than an offset, whether
// somebody holds it or not: the floor moves there. A delivery that is out goes on, and
// what becomes of it changes nothing.
type Drop struct {
	Partition uint32
	// Below is where the partition begins for the subscription; beyond the head it
	// means the head.
	Below uint64
	Cause DropCause
}

func (*Drop) event() {}

// drop settles what a Drop names as a hole does, and counts what was not settled.
func (s *State) drop(e *Drop) {
	p := s.partitions[e.Partition]
	if p == nil {
		return
	}
	below := min(e.Below, p.head)
	if below <= p.floor {
		return
	}
	n := below - p.floor - p.settledIn(p.floor, below-1)
	if e.Cause == ByRetention {
		p.counters.Removed += n
	} else {
		p.counters.Dropped += n
	}
	s.hole(&Hole{Partition: p.id, First: p.floor, Last: below - 1})
}
