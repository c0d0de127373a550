package model

import (
	"fmt"
	"slices"
)

// PartitionChange is what a change set says of one partition.
type PartitionChange struct {
	Partition uint32
	Floor     uint64
	Chunks    []Chunk
	// Dropped are ranges of chunk indexes that go.
	Dropped []Range
	// Keys are those that were parked or released.
	Keys []KeyChange
}

// Chunk is the whole content of a chunk above the floor.
type Chunk struct {
	Index  uint64
	Acked  func(offset uint64) bool
	Counts []Count
}

// Count is how often the delivery of a message came to nothing.
type Count struct {
	Offset                uint64
	Failed, Expired, Lost uint32
	Charged               uint32
	Dead                  string
	NotBefore             Instant
}

// changes is a change set that is not committed yet.
type changes struct {
	number     uint64
	partitions []partitionChange
	dead       []*message
	sessions   []SessionChange
}

type partitionChange struct {
	p      *partition
	floor  uint64
	states []messageChange
	keys   []KeyChange
}

type messageChange struct {
	message *message
	durable durable
}

// DeadLetter is a message that is stored away.
type DeadLetter struct {
	Partition             uint32
	Offset                uint64
	Reason                string
	Failed, Expired, Lost uint32
	// Codes are what was said of its last failures, LastCode of the very last.
	Codes    []string
	LastCode string
}

// Changed judges a change set: it must say what is true now, of whole chunks, and
// come only when the one before is committed. Dead letters are settled by it.
func (m *Model) Changed(number uint64, partitions []PartitionChange, dead []DeadLetter) error {
	if m.open != nil {
		return fmt.Errorf("change set %d while %d is on its way", number, m.open.number)
	}
	if number != m.nextChange {
		return fmt.Errorf("change set %d, expected %d", number, m.nextChange)
	}
	m.nextChange++
	m.open = &changes{number: number}
	for i := range dead {
		if err := m.putAway(&dead[i]); err != nil {
			return fmt.Errorf("change set %d: dead letter %d/%d: %w", number, dead[i].Partition, dead[i].Offset, err)
		}
	}
	for i := range partitions {
		if err := m.changePartition(&partitions[i]); err != nil {
			return fmt.Errorf("change set %d: %w", number, err)
		}
	}
	for _, msg := range m.open.dead {
		if msg.reborn && msg.key != 0 && m.open.parks(msg) {
			m.parkOf(msg).is = true
		}
		if msg.key != 0 && !msg.reborn && m.parkOf(msg).is && !m.open.parks(msg) {
			return fmt.Errorf("change set %d: the key of dead letter %v is not parked by it", number, msg)
		}
		if !m.open.settles(msg) {
			return fmt.Errorf("change set %d: dead letter %v is not settled by it", number, msg)
		}
	}
	return nil
}

// putAway judges a dead letter. Its message must be settled by the same set, as the
// rest of it will show.
func (m *Model) putAway(d *DeadLetter) error {
	msg := m.partitions[d.Partition].at(d.Offset)
	switch {
	case msg == nil || msg.state != dying || msg.durable.settled:
		return fmt.Errorf("it was not given up")
	case msg.counts.dead != d.Reason:
		return fmt.Errorf("reason %s, expected %s", d.Reason, msg.counts.dead)
	case msg.counts.failed != d.Failed || msg.counts.expired != d.Expired || msg.counts.lost != d.Lost:
		return fmt.Errorf("counts %d, %d, %d, expected %v", d.Failed, d.Expired, d.Lost, msg.counts)
	case len(d.Codes) > keptFailures:
		return fmt.Errorf("%d failures", len(d.Codes))
	}
	if n := len(msg.codes); n > 0 {
		known := d.Codes[max(0, len(d.Codes)-n):]
		if d.LastCode != msg.codes[n-1] || len(known) < min(n, keptFailures) || !slices.Equal(known, msg.codes[n-len(known):]) {
			return fmt.Errorf("failures %v and %s, expected %v", d.Codes, d.LastCode, msg.codes)
		}
	}
	msg.state = settled
	m.totals.DeadLettered++
	m.open.dead = append(m.open.dead, msg)
	return nil
}

// parks says whether a change set parks the key of a message.
func (c *changes) parks(msg *message) bool {
	for i := range c.partitions {
		for _, k := range c.partitions[i].keys {
			if c.partitions[i].p == msg.partition && k == (KeyChange{msg.key, true}) {
				return true
			}
		}
	}
	return false
}

// settles says whether a change set settles a message.
func (c *changes) settles(msg *message) bool {
	for i := range c.partitions {
		for _, s := range c.partitions[i].states {
			if s.message == msg && s.durable.settled {
				return true
			}
		}
	}
	return false
}

func (m *Model) changePartition(c *PartitionChange) error {
	p := m.partitions[c.Partition]
	if c.Floor < p.floor {
		return fmt.Errorf("the floor of partition %d goes back from %d to %d", p.id, p.floor, c.Floor)
	}
	change := partitionChange{p: p, floor: c.Floor, keys: c.Keys}
	for _, msg := range p.live {
		if msg.offset >= c.Floor {
			break
		}
		if msg.state != settled && !msg.gone() {
			return fmt.Errorf("floor %d is above %v, which is not settled", c.Floor, msg)
		}
		change.states = append(change.states, messageChange{msg, durable{settled: true}})
	}
	p.floor = c.Floor
	for _, r := range c.Dropped {
		if (r.Last+1)*chunkMessages > c.Floor {
			return fmt.Errorf("chunks %d..%d are dropped with the floor at %d", r.First, r.Last, c.Floor)
		}
	}
	for i := range c.Chunks {
		if err := change.chunk(&c.Chunks[i]); err != nil {
			return err
		}
	}
	m.open.partitions = append(m.open.partitions, change)
	return nil
}

func (c *partitionChange) chunk(k *Chunk) error {
	written := make(map[uint64]Count, len(k.Counts))
	for _, count := range k.Counts {
		written[count.Offset] = count
	}
	first := max(k.Index*chunkMessages, c.floor)
	for offset := first; offset < (k.Index+1)*chunkMessages; offset++ {
		msg := c.p.at(offset)
		if msg == nil {
			break
		}
		if msg.durable.settled && msg.state == settled {
			if !k.Acked(offset) && !msg.hole {
				return fmt.Errorf("%v was acked, and is not any more", msg)
			}
			continue
		}
		count := written[offset]
		delete(written, offset)
		d := durable{
			settled: k.Acked(offset), notBefore: count.NotBefore,
			counts: counts{count.Failed, count.Expired, count.Lost, count.Charged, count.Dead},
		}
		if err := msg.agrees(d, count); err != nil {
			return err
		}
		c.states = append(c.states, messageChange{msg, d})
	}
	for offset := range written {
		return fmt.Errorf("counts of offset %d of partition %d, which is settled", offset, c.p.id)
	}
	return nil
}

// agrees says whether what is written of a message is true.
func (msg *message) agrees(d durable, count Count) error {
	acked := msg.state == settled
	switch {
	case msg.durable.settled:
		return nil
	case d.settled != acked:
		return fmt.Errorf("%v is written as acked: %v", msg, d.settled)
	case !acked && d.counts != msg.counts:
		return fmt.Errorf("%v has counts %v, written %v", msg, msg.counts, d.counts)
	case msg.state == waiting && d.counts != (counts{}) && !msg.plausible(count.NotBefore):
		return fmt.Errorf("%v is written as due at %v, expected %v..%v", msg, count.NotBefore, msg.dueFrom, msg.dueBy)
	}
	return nil
}

// plausible says whether a written due time can be the one of the last failure; a
// release after it made the message due earlier than it was then.
func (msg *message) plausible(due Instant) bool {
	return due <= msg.dueBy || msg.dueFrom == msg.dueBy
}

// Committed tells that a change set is durable.
func (m *Model) Committed(number uint64) {
	if m.open == nil || m.open.number != number {
		return
	}
	for _, c := range m.open.partitions {
		for _, s := range c.states {
			s.message.durable = s.message.durable.join(s.durable)
		}
		for _, k := range c.keys {
			m.parked[keyID{c.p, k.Key}].durable = k.Parked
		}
		c.p.durableFloor = c.floor
		c.p.prune()
	}
	sessions := m.open.sessions
	m.open = nil
	m.storeSessions(sessions)
}

// join is what a store knows after a write. A hole stays one.
func (d durable) join(written durable) durable {
	written.settled = written.settled || d.settled
	return written
}

// Floor returns the floor of a partition as last written.
func (m *Model) Floor(id uint32) uint64 { return m.partitions[id].floor }
