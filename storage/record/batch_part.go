package record

import (
	"encoding/binary"
	"math"

	"github.com/headrace/headrace/storage"
)

// partContinues is the kind from which on a part goes on where its partition's part
// before it ended.
const partContinues = 3

// MaxBatchPartBytes bounds what a part of a producer's batch takes.
const MaxBatchPartBytes = 2 + 5 + 3 + 2 + 10

func appendBatchPart(dst []byte, p *storage.BatchPart, next *partEnds) []byte {
	kind := uint64(p.Fate)
	continues := p.Fate == storage.Stored && next.take(p)
	if continues {
		kind = partContinues + uint64(p.Partition)
	}
	dst = binary.AppendUvarint(dst, kind)
	dst = binary.AppendUvarint(dst, uint64(p.Count))
	switch {
	case continues:
	case p.Fate == storage.Refused:
		dst = binary.AppendUvarint(dst, uint64(p.Refusal.Reason))
		dst = binary.AppendUvarint(dst, uint64(p.Refusal.Field))
		dst = binary.AppendUvarint(dst, p.Refusal.Limit)
	default:
		dst = binary.AppendUvarint(dst, uint64(p.Partition))
		dst = binary.AppendUvarint(dst, uint64(p.Offset))
	}
	return dst
}

// partEnds are by partition where the last part of stored messages ended; 0 where
// there was none.
type partEnds [256]storage.Offset

// take notes a part, and says whether it goes on where the one before it ended. Where
// only one part is there is nothing to note.
func (e *partEnds) take(p *storage.BatchPart) (continues bool) {
	if e == nil || int(p.Partition) >= len(e) {
		return false
	}
	end := &e[p.Partition]
	continues = *end > 0 && *end == p.Offset
	*end = p.Offset + storage.Offset(p.Count)
	return continues
}

// decodeBatchParts takes parts until their counts add up.
func decodeBatchParts(v *varints, count uint32) (parts []storage.BatchPart) {
	var next partEnds
	for count > 0 && !v.failed {
		p := decodeBatchPart(v, &next)
		if p.Count == 0 || p.Count > count {
			v.failed = true
		}
		count -= p.Count
		parts = append(parts, p)
	}
	return parts
}

func decodeBatchPart(v *varints, next *partEnds) (p storage.BatchPart) {
	kind := v.take(partContinues + uint64(len(next)) - 1)
	p.Count = uint32(v.take(math.MaxUint32))
	switch kind {
	case uint64(storage.Refused):
		p.Refusal.Reason, p.Refusal.Field = uint16(v.take(math.MaxUint16)), uint8(v.take(math.MaxUint8))
		p.Refusal.Limit = v.take(math.MaxUint64)
		return p
	case uint64(storage.Duplicate), uint64(storage.Stored):
		p.Fate = storage.Fate(kind)
		p.Partition, p.Offset = uint16(v.take(math.MaxUint16)), storage.Offset(v.take(math.MaxUint64))
	default:
		p.Fate = storage.Stored
		p.Partition = uint16(kind - partContinues)
		p.Offset = next[p.Partition]
		v.failed = v.failed || p.Offset == 0
	}
	if uint64(p.Offset) > math.MaxUint64-uint64(p.Count) {
		v.failed = true
	}
	if p.Fate == storage.Stored && next.take(&p) != (kind >= partContinues) {
		v.failed = true // It has a shorter encoding.
	}
	return p
}

// varints takes minimal varints off the front of a body.
type varints struct {
	rest   []byte
	failed bool
}

// take takes the next one, which is at most most.
func (v *varints) take(most uint64) uint64 {
	x, n := binary.Uvarint(v.rest)
	if n <= 0 || n != uvarintBytes(x) || x > most {
		v.failed = true
		v.rest = nil
		return 0
	}
	v.rest = v.rest[n:]
	return x
}

// fixed takes eight bytes.
func (v *varints) fixed() uint64 {
	if len(v.rest) < 8 {
		v.failed = true
		v.rest = nil
		return 0
	}
	x := binary.BigEndian.Uint64(v.rest)
	v.rest = v.rest[8:]
	return x
}
