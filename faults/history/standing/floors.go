package standing

import (
	"slices"

	"github.com/headrace/headrace/faults/history"
)

// floor is a partition's: everything below it is settled.
type floor struct {
	// messages stand in the partition, in the order of their offsets; nil: unknown.
	messages []*message
	// seen is the last one, in the server's life of that number; below checked all was
	// looked at.
	seen, life, checked uint64
}

func (a *Account) floor(partition uint64) *floor {
	if a.floors[partition] == nil {
		a.floors[partition] = &floor{}
	}
	return a.floors[partition]
}

func (f *floor) add(m *message) {
	if missing := int(m.at.Offset) + 1 - len(f.messages); missing > 0 {
		f.messages = append(f.messages, slices.Repeat([]*message{nil}, missing)...)
	}
	f.messages[m.at.Offset] = m
	f.checked = min(f.checked, m.at.Offset)
}

// restart forgets what was seen before a seek.
func (f *floor) restart(life uint64) { f.seen, f.life, f.checked = 0, life, 0 }

// floorTold: a floor does not go back while a server lives and nobody seeks, is not below
// where the last seek went, and passes nothing that is live.
func (a *Account) floorTold(e *history.Event) {
	f := a.floor(e.Partition)
	if f.life == a.lives && e.Offset < f.seen {
		a.brokenf(history.WentBack, "floor of partition %d, from %d to %d", e.Partition, f.seen, e.Offset)
	}
	f.seen, f.life = e.Offset, a.lives
	if aim, aimed := a.operator.aimed[e.Partition]; aimed && e.Offset < aim {
		a.brokenf(history.WentBack, "floor of partition %d, %d, below %d, where a seek went", e.Partition, e.Offset, aim)
	}
	for ; f.checked < min(e.Offset, uint64(len(f.messages))); f.checked++ {
		m := f.messages[f.checked]
		if m != nil && !m.redriven && m.surely(live, a.asked) && m.isStored(a.asked) && a.rules.Guarantee != AtMostOnce {
			a.brokenf(history.Lost, "%s at %s, below the floor %d", m.id, m.at, e.Offset)
		}
	}
}
