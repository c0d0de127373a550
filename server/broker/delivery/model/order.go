package model

import "fmt"

func (m *Model) parkOf(msg *message) *park {
	id := keyID{msg.partition, msg.key}
	if m.parked[id] == nil {
		m.parked[id] = &park{}
	}
	return m.parked[id]
}

// settledNow says whether a message is done with, as far as order is concerned: a dead
// letter only once it is stored.
func (msg *message) settledNow() bool {
	if msg.counts.dead != "" {
		return msg.gone()
	}
	return msg.state == settled || msg.gone()
}

// inOrder says why a message may not go to a session for the sake of its key.
func (m *Model) inOrder(msg *message, x *Session) error {
	if msg.key == 0 {
		return nil
	}
	if m.parkOf(msg).is {
		return fmt.Errorf("its key is parked")
	}
	if other := m.otherFirst(msg); other != nil {
		return fmt.Errorf("%v of another partition goes first", other)
	}
	ahead := uint64(0)
	for _, other := range msg.partition.live {
		switch {
		case other.key != msg.key || other == msg || other.settledNow():
		case other.offset > msg.offset && other.state == outstanding:
			return fmt.Errorf("session %d holds %v behind it", other.holder.id, other)
		case other.offset > msg.offset:
		case other.state != outstanding:
			return fmt.Errorf("%v of its key is before it", other)
		case other.holder != x || !x.keyBatches:
			return fmt.Errorf("session %d holds %v before it", other.holder.id, other)
		case other.attempt > 1 || msg.counts.attempt() > 1:
			return fmt.Errorf("it may not go along with %v, one of which failed", other)
		default:
			ahead++
		}
	}
	if most := x.mostOfKey(); m.rules.Order == "key" && ahead > 0 && ahead >= most {
		return fmt.Errorf("session %d holds %d of its key, at most %d", x.id, ahead, most)
	}
	return nil
}

// mostOfKey is how many messages of a key a session may hold: a tenth of its window, of
// one below 320 half but 32 at most; 32 without one; one always.
func (x *Session) mostOfKey() uint64 {
	switch w := x.window.Messages; {
	case x.manual:
		return 32
	case w < 2:
		return 1
	case w < 64:
		return w / 2
	case w < 320:
		return 32
	default:
		return w / 10
	}
}

// otherFirst is a message of another partition that goes before one with its key: one
// that was redriven, or, before those, one that is out.
func (m *Model) otherFirst(msg *message) *message {
	if !m.rules.Redriven {
		return nil
	}
	redriven := m.partitions[uint32(len(m.partitions)-1)]
	for _, p := range m.partitions {
		if p == msg.partition || p != redriven && msg.partition != redriven {
			continue
		}
		for _, other := range p.live {
			if other.key == msg.key && !other.settledNow() && (p == redriven || other.state == outstanding) {
				return other
			}
		}
	}
	return nil
}

// firstOfKey says whether nothing of its key is before a message.
func (m *Model) firstOfKey(msg *message) bool {
	if msg.key == 0 {
		return true
	}
	if m.parkOf(msg).is || m.otherFirst(msg) != nil {
		return false
	}
	for _, other := range msg.partition.live {
		if other.key == msg.key && other != msg && !other.settledNow() && (other.offset < msg.offset || other.state == outstanding) {
			return false
		}
	}
	return true
}

// keepOrder takes back what is outstanding behind a message of its key that is not.
func (m *Model) keepOrder(at Instant) {
	if m.rules.Order == "" {
		return
	}
	for _, p := range m.partitions {
		open := make(map[int]bool)
		for _, msg := range p.live {
			switch {
			case msg.key == 0 || msg.settledNow() && msg.state != outstanding: // what a hole settled is taken back, too
			case msg.state != outstanding:
				open[msg.key] = true
			case open[msg.key]:
				if msg.unsent() {
					msg.holder.late[msg.sequence] = true
				} else if !msg.holder.absent {
					m.revoke(msg.holder, msg.sequence, "key order")
				}
				msg.leave()
				m.totals.Released++
				msg.due(at, at, nil, false)
			}
		}
	}
}

// KeyChange is a key that is written as parked, or as released.
type KeyChange struct {
	Key    int
	Parked bool
}

// Release tells that parked keys of a partition go on.
func (m *Model) Release(id uint32) {
	for k, p := range m.parked {
		if k.p.id == id {
			p.is = false
		}
	}
}
