package model

import (
	"fmt"
	"slices"
)

// Seek tells that partitions were moved: what is before its floor, and what acked names,
// is settled, everything else is fresh. What sessions hold of them is revoked.
func (m *Model) Seek(at Instant, id uint32, floor uint64, acked func(offset uint64) bool) {
	p := m.partitions[id]
	p.floor, p.durableFloor = floor, floor
	p.live = p.live[:0]
	m.hoard = nil
	m.proveClaims(p)
	m.forgetPages(id)
	for k, parked := range m.parked {
		if k.p == p {
			parked.is, parked.durable = false, false
		}
	}
	for _, msg := range p.messages {
		m.takeSought(msg, at)
		msg.counts, msg.codes, msg.avoid = counts{}, []string{}, nil
		msg.delivered, msg.reborn, msg.dropped, msg.sent = false, false, false, false
		msg.durable = durable{settled: msg.hole || msg.offset < floor || acked(msg.offset)}
		msg.state = fresh
		if msg.durable.settled {
			msg.state = settled
		} else {
			p.live = append(p.live, msg)
		}
	}
}

// proveClaims looks that what was settled in a partition is durable, told or not: from
// now on it cannot be seen.
func (m *Model) proveClaims(p *partition) {
	for _, x := range m.sessions {
		for number, s := range x.settles {
			for _, c := range s.claims {
				if c.message.partition == p && !c.holds() {
					m.unproved = fmt.Errorf("session %d: settle %d was cut off by a seek: %v is not durable", x.id, number, c.message)
				}
			}
			s.claims = slices.DeleteFunc(s.claims, func(c claim) bool { return c.message.partition == p })
		}
	}
}

// forgetPages forgets who held what of a partition, as it is stored: it is of the
// generation before.
func (m *Model) forgetPages(id uint32) {
	for _, st := range m.stored {
		for slot, page := range st.pages {
			page.Held = slices.DeleteFunc(slices.Clone(page.Held), func(h HeldMessage) bool { return h.Partition == id })
			st.pages[slot] = page
		}
	}
}

// takeSought takes a message from who holds it.
func (m *Model) takeSought(msg *message, at Instant) {
	if msg.state == outstanding {
		if !msg.holder.absent {
			m.revoke(msg.holder, msg.sequence, "sought")
		}
		msg.leave()
		m.totals.Released++
		msg.due(at, at, nil, false)
	}
}
