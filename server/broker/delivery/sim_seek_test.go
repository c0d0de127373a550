package delivery_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/headrace/headrace/server/broker/delivery"
)

// seekBack is how far behind the head a seek goes at most, so that an episode stays
// quick.
const seekBack = 150

// hold begins a seek as an owner loop does: it has the state machine stand still, and
// reads nothing of its clients until the seek is over.
func (s *sim) hold() {
	if !s.shutdown {
		s.held = 1 + s.IntN(6)
		s.emit(&delivery.Hold{})
	}
}

// actHeld lets something happen that no client does, or ends the seek.
func (s *sim) actHeld() {
	if s.state.StandsStill() {
		s.held--
	}
	if s.held == 0 || s.one(40) {
		s.seek()
		return
	}
	switch s.IntN(8) {
	case 0:
		s.publish()
	case 1:
		s.hole()
	case 2:
		s.stall()
	case 3:
		s.release()
	case 4, 5:
		s.commit()
	default:
		s.answerLoads()
	}
}

// seek moves some partitions, or gives it up.
func (s *sim) seek() {
	s.held = 0
	if !s.state.StandsStill() || s.one(6) {
		s.emit(&delivery.Hold{End: true})
		return
	}
	e := &delivery.Seek{At: s.at()}
	for _, p := range s.store.partitions {
		if s.one(4) && len(s.store.partitions) > 1 {
			continue // as the replay partition
		}
		p.move(s.Rand)
		chunks := make(map[uint64]delivery.Bitmap)
		for index, chunk := range p.chunks {
			chunks[index] = chunk.Acked
		}
		s.model.Seek(e.At, p.id, p.floor, func(offset uint64) bool {
			bits := chunks[offset/delivery.ChunkOffsets]
			return bits.Has(int(offset % delivery.ChunkOffsets))
		})
		e.Cursors = append(e.Cursors, p.cursor())
	}
	s.emit(e)
}

// move gives a partition a floor, and what is acked above it, in a new generation.
func (p *simPartition) move(r *rand.Rand) {
	p.generation++
	p.floor = p.head - min(p.head, r.Uint64N(seekBack))
	p.chunks = make(map[uint64]delivery.Chunk)
	clear(p.parked)
	if r.IntN(2) == 0 {
		return
	}
	for offset := p.floor; offset < p.head; offset++ {
		if r.IntN(3) > 0 {
			continue
		}
		index := offset / delivery.ChunkOffsets
		chunk := p.chunks[index]
		chunk.Index = index
		chunk.Acked.Set(int(offset%delivery.ChunkOffsets), int(offset%delivery.ChunkOffsets))
		p.chunks[index] = chunk
	}
}

// ofGeneration says whether a change set is of the generation that its partitions are.
func (st *simStore) ofGeneration(set *delivery.ChangeSet) error {
	for i := range set.Partitions {
		change := &set.Partitions[i]
		if is := st.partitions[change.Partition].generation; change.Generation != is {
			return fmt.Errorf("a change of generation %d, partition %d is of %d", change.Generation, change.Partition, is)
		}
	}
	return nil
}
