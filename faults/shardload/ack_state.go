package shardload

import "github.com/headrace/headrace/storage"

// ackState is the delivery state of one partition for one subscription. All that
// the store is given follows from its three numbers, and it never goes back: a
// higher sequence has no lower floor and no smaller acked set.
type ackState struct {
	// sequence counts the subscription's change sets.
	sequence uint64
	// floor and head bound the offsets whose state is scattered.
	floor, head storage.Offset
}

// The fates of the offsets between floor and head, by their number.
const (
	fates     = 4
	fateAcked = 0
	// fateOpen offsets were never settled nor failed; all others failed.
	fateOpen = 1
)

// manyAttempts makes every attempt count a long number, so that the state fills
// memtables in seconds.
const manyAttempts = 1 << 28

// fate spreads offsets over the fates without a pattern that the store could pack.
func fate(o storage.Offset) uint64 {
	x := uint64(o) * 0x9E3779B97F4A7C15
	return (x >> 40) % fates
}

// advance gives the state with a later sequence and head, and a floor as near to
// the wanted one as is legal: not back, not past the head, on an unsettled offset.
func (s ackState) advance(sequence uint64, floor, head storage.Offset) ackState {
	head = max(head, s.head)
	floor = min(max(floor, s.floor), head)
	for floor < head && fate(floor) == fateAcked {
		floor++
	}
	return ackState{sequence: sequence, floor: floor, head: head}
}

// cursor is the state as the store takes it, the numbers hidden in its counters.
func (s ackState) cursor(partition uint16, scattered bool) storage.CursorChange {
	c := storage.CursorChange{
		Partition: partition, Floor: s.floor,
		Counters: storage.Counters{Delivered: s.sequence, Acked: uint64(s.head)},
	}
	if scattered {
		c.Chunks = s.chunks()
	}
	return c
}

// stateOf is the state that a cursor claims to be.
func stateOf(c *storage.Cursor) ackState {
	return ackState{sequence: c.Counters.Delivered, floor: c.Floor, head: storage.Offset(c.Counters.Acked)}
}

// chunks are the ack chunks from floor to head.
func (s ackState) chunks() []storage.Chunk {
	var chunks []storage.Chunk
	for at := s.floor; at < s.head; {
		end := min(storage.Offset(storage.ChunkOf(at)+1)*storage.ChunkOffsets, s.head)
		chunks = append(chunks, s.chunk(at, end))
		at = end
	}
	return chunks
}

// chunk is the state of [at, end), which lies in one chunk.
func (s ackState) chunk(at, end storage.Offset) storage.Chunk {
	c := storage.Chunk{Index: storage.ChunkOf(at)}
	for ; at < end; at++ {
		switch fate(at) {
		case fateAcked:
			if n := len(c.Acked); n > 0 && c.Acked[n-1].End == at {
				c.Acked[n-1].End++
			} else {
				c.Acked = append(c.Acked, storage.OffsetRange{First: at, End: at + 1})
			}
		case fateOpen:
		default:
			n := manyAttempts + uint32(s.sequence%manyAttempts)
			c.Attempts = append(c.Attempts, storage.AttemptCount{Offset: at, Failed: n, Expired: n})
		}
	}
	return c
}
