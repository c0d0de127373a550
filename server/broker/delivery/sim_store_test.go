package delivery_test

import (
	"fmt"
	"runtime/debug"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/server/broker/delivery/model"
)

func stack() []byte { return debug.Stack() }

// simStore is the store and the broker's memory of an episode.
type simStore struct {
	partitions []*simPartition
	loads      []delivery.Load
	// open is the change set on its way.
	open *delivery.ChangeSet
	// forgotten are counts that a restart lost.
	forgotten model.Totals
	// sessions are those of an exactly-once subscription, and version counts commits.
	sessions map[delivery.SessionID]*simSession
	// redriven says that the last partition holds messages that were.
	redriven bool
	version  uint64
}

// simPartition is a partition on disk.
type simPartition struct {
	id       uint32
	segments []delivery.Segment
	holes    []delivery.OffsetRange
	head     uint64
	floor    uint64
	chunks   map[uint64]delivery.Chunk
	// generation rises with each seek.
	generation uint64
	counters   delivery.Counters
	parked     map[uint32]bool
	resident   map[uint64]bool // bases that were given and not unloaded
}

func (st *simStore) init(s *sim) {
	for id := range uint32(1 + s.IntN(3)) {
		st.partitions = append(st.partitions, &simPartition{
			id: id, chunks: make(map[uint64]delivery.Chunk), parked: make(map[uint32]bool), resident: make(map[uint64]bool),
		})
	}
}

// publish adds a segment with messages of some sizes.
func (p *simPartition) publish(sizes []uint64, time int64) delivery.Segment {
	return p.publishKeys(sizes, nil, 0, time)
}

// publishKeys adds one whose messages have keys, 0 for none.
func (p *simPartition) publishKeys(sizes []uint64, keys []int, start uint32, time int64) delivery.Segment {
	segment := delivery.Segment{Base: p.head, Start: start, Time: time}
	for _, key := range keys {
		segment.KeyHashes = append(segment.KeyHashes, delivery.KeyHash{Hash: uint32(key), Present: key > 0})
	}
	for _, size := range sizes {
		start += uint32(size)
		segment.Ends = append(segment.Ends, start)
	}
	p.head += uint64(len(sizes))
	p.segments = append(p.segments, segment)
	return segment
}

// find returns the segments from the one that holds an offset on, at least one,
// below bytes; ok is false when there is none.
func (p *simPartition) find(offset, bytes uint64) (found []delivery.Segment, ok bool) {
	sum := uint64(0)
	for _, g := range p.segments {
		if g.Base+uint64(len(g.Ends)) <= offset {
			continue
		}
		if len(found) == 0 && g.Base > offset {
			return nil, false
		}
		sum += uint64(g.Ends[len(g.Ends)-1] - g.Start)
		if len(found) > 0 && sum > bytes {
			break
		}
		found = append(found, g)
	}
	return found, len(found) > 0
}

// give takes note of segments that are given, and leaves out those that were and are
// there still: as the broker's memory does, which would hold them twice.
func (p *simPartition) give(found []delivery.Segment) (given []delivery.Segment) {
	for _, g := range found {
		if !p.resident[g.Base] {
			p.resident[g.Base] = true
			given = append(given, g)
		}
	}
	return given
}

func (p *simPartition) hole(offset uint64) (delivery.OffsetRange, bool) {
	for _, h := range p.holes {
		if h.First <= offset && offset <= h.Last {
			return h, true
		}
	}
	return delivery.OffsetRange{}, false
}

// cursors is what recovery reads.
func (st *simStore) cursors() (all []delivery.Cursor) {
	for i, p := range st.partitions {
		c := p.cursor()
		c.Redriven = st.redriven && i == len(st.partitions)-1
		all = append(all, c)
	}
	return all
}

func (p *simPartition) cursor() delivery.Cursor {
	c := delivery.Cursor{
		Partition: p.id, Generation: p.generation, Floor: p.floor, Head: p.head, Holes: p.holes, Counters: p.counters,
	}
	for hash, parked := range p.parked {
		if parked {
			c.Parked = append(c.Parked, hash)
		}
	}
	for _, chunk := range p.chunks {
		c.Chunks = append(c.Chunks, chunk)
	}
	return c
}

// atHand says whether the message of a dead letter is.
func (st *simStore) atHand(d *delivery.DeadLetter) error {
	p := st.partitions[d.Partition]
	if g := p.segmentOf(d.Offset); !p.resident[g.Base] {
		return fmt.Errorf("the message of dead letter %d/%d is not at hand", d.Partition, d.Offset)
	}
	return nil
}

// commit makes the change set on its way durable. The messages of its dead letters are
// at hand until then.
func (st *simStore) commit() uint64 {
	for i := range st.open.DeadLetters {
		if err := st.atHand(&st.open.DeadLetters[i]); err != nil {
			panic(err)
		}
	}
	for _, change := range st.open.Partitions {
		p := st.partitions[change.Partition]
		p.floor, p.counters = change.Floor, change.Counters
		for _, chunk := range change.Chunks {
			chunk.Counts = append([]delivery.Count(nil), chunk.Counts...)
			p.chunks[chunk.Index] = chunk
		}
		for _, k := range change.Keys {
			p.parked[k.Hash] = k.Parked
		}
		for _, r := range change.Dropped {
			for index := r.First; index <= r.Last; index++ {
				delete(p.chunks, index)
			}
		}
	}
	st.commitSessions(st.open.Sessions)
	number := st.open.Number
	st.open = nil
	return number
}

// forget gives up everything in memory.
func (st *simStore) forget() {
	st.open, st.loads = nil, nil
	for _, p := range st.partitions {
		clear(p.resident)
	}
}

// segmentOf is the segment that holds an offset.
func (p *simPartition) segmentOf(offset uint64) delivery.Segment {
	for _, g := range p.segments {
		if g.Base <= offset && offset < g.Base+uint64(len(g.Ends)) {
			return g
		}
	}
	return delivery.Segment{}
}

// loadedRun says whether a run lies in one segment at hand.
func (p *simPartition) loadedRun(r delivery.Run) error {
	for _, g := range p.segments {
		end := g.Base + uint64(len(g.Ends))
		if r.First < g.Base || r.First >= end {
			continue
		}
		switch {
		case r.First+uint64(r.Count) > end:
			return fmt.Errorf("run %v crosses the end of a segment", r)
		case !p.resident[g.Base]:
			return fmt.Errorf("run %v is not at hand", r)
		}
		return nil
	}
	return fmt.Errorf("run %v is in no segment", r)
}
