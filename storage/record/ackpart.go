package record

import (
	"encoding/binary"
	"math"

	"github.com/headrace/headrace/storage"
)

// AckPart is one record of an ack chunk. A chunk is written as one or more parts,
// all with the same version: part 0 holds the settled set, and every part holds a
// run of the attempts.
//
//	version(1) ack_version(8) parts(1) set attempts(2) attempt* crc(4)
//
//	set      0                                  none: every part but the first
//	         1 bitmap(512)                      bit i&7 of byte i>>3 is offset i
//	         2 runs(2) { first(2) last(2) }*    where that is not larger
//	attempt  offset delta, failed, expired, lost, charged, dead, not_before as minimal
//	         varints
//
// Offsets count from the chunk's first one, deltas from the attempt before.
type AckPart struct {
	// Version grows by each writing of the chunk.
	Version uint64
	// Chunk is storage.ChunkOf of the offsets.
	Chunk uint64
	// Part counts from 0; Parts is how many the chunk has.
	Part, Parts uint8
	// Acked are the settled ranges, as in storage.Chunk; only in part 0.
	Acked []storage.OffsetRange
	// Attempts are the part's charged attempts, as in storage.Chunk.
	Attempts []storage.AttemptCount
}

const (
	ackVersion = 2

	// The forms of a settled set. They are stored: never renumber.
	ackNone   = 0
	ackBitmap = 1
	ackRuns   = 2

	ackBitmapBytes = storage.ChunkOffsets / 8
	ackRunBytes    = 2 + 2
	maxAckRuns     = ackBitmapBytes / ackRunBytes

	ackHeadBytes     = 8 + 1 + 1
	ackOverheadBytes = versionBytes + ackHeadBytes + 2 + crcBytes

	// MaxAckPartBytes bounds the value of a part, so that it stays inline in the
	// engine.
	MaxAckPartBytes = 3 << 10

	// maxAckChunk keeps the end of a chunk's offsets within 64 bits.
	maxAckChunk = math.MaxUint64/storage.ChunkOffsets - 1
)

// SplitChunk appends the parts as which a chunk is written. They share c's memory.
func SplitChunk(dst []AckPart, c *storage.Chunk, version uint64) []AckPart {
	first := len(dst)
	rest := c.Attempts
	room := MaxAckPartBytes - ackOverheadBytes - ackSetBytes(len(c.Acked))
	for part := 0; part == 0 || len(rest) > 0; part++ {
		n := attemptsThatFit(rest, chunkStart(c.Index), room)
		dst = append(dst, AckPart{Version: version, Chunk: c.Index, Part: uint8(part), Attempts: rest[:n]})
		rest = rest[n:]
		room = MaxAckPartBytes - ackOverheadBytes
	}
	dst[first].Acked = c.Acked
	for i := first; i < len(dst); i++ {
		dst[i].Parts = uint8(len(dst) - first)
	}
	return dst
}

// JoinChunk makes a chunk of its parts, in order, and checks that they are all
// there and of one version.
func JoinChunk(parts []AckPart) (storage.Chunk, error) {
	if len(parts) == 0 || len(parts) != int(parts[0].Parts) {
		return storage.Chunk{}, damaged(nil, "ack chunk with %d parts", len(parts))
	}
	c := storage.Chunk{Index: parts[0].Chunk, Acked: parts[0].Acked}
	for i := range parts {
		p := &parts[i]
		if p.Chunk != c.Index || int(p.Part) != i || p.Parts != parts[0].Parts || p.Version != parts[0].Version {
			return storage.Chunk{}, damaged(nil, "ack chunk %d: part %d does not belong", c.Index, p.Part)
		}
		if !follows(c.Attempts, p.Attempts) {
			return storage.Chunk{}, damaged(nil, "ack chunk %d: part %d out of order", c.Index, p.Part)
		}
		c.Attempts = append(c.Attempts, p.Attempts...)
	}
	return c, nil
}

// follows says whether b's offsets come after a's.
func follows(a, b []storage.AttemptCount) bool {
	return len(a) == 0 || len(b) == 0 || a[len(a)-1].Offset < b[0].Offset
}

// AppendAckPart appends the value of one part of an ack chunk.
func AppendAckPart(dst, key []byte, p *AckPart) []byte {
	start := len(dst)
	dst = append(dst, ackVersion)
	dst = binary.BigEndian.AppendUint64(dst, p.Version)
	dst = append(dst, p.Parts)
	dst = appendAckSet(dst, p)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(p.Attempts)))
	from := chunkStart(p.Chunk)
	for _, a := range p.Attempts {
		dst = appendAttempt(dst, from, a)
		from = a.Offset
	}
	return seal(dst, start, key)
}

func appendAckSet(dst []byte, p *AckPart) []byte {
	switch {
	case p.Part > 0:
		return append(dst, ackNone)
	case len(p.Acked) > maxAckRuns:
		return appendAckBitmap(append(dst, ackBitmap), p)
	default:
		return appendAckRuns(append(dst, ackRuns), p)
	}
}

func appendAckRuns(dst []byte, p *AckPart) []byte {
	from := chunkStart(p.Chunk)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(p.Acked)))
	for _, r := range p.Acked {
		dst = binary.BigEndian.AppendUint16(dst, uint16(r.First-from))
		dst = binary.BigEndian.AppendUint16(dst, uint16(r.End-1-from))
	}
	return dst
}

func appendAckBitmap(dst []byte, p *AckPart) []byte {
	var bits [ackBitmapBytes]byte
	from := chunkStart(p.Chunk)
	for _, r := range p.Acked {
		for i := r.First - from; i < r.End-from; i++ {
			bits[i>>3] |= 1 << (i & 7)
		}
	}
	return append(dst, bits[:]...)
}

func appendAttempt(dst []byte, from storage.Offset, a storage.AttemptCount) []byte {
	for _, v := range attemptFields(from, a) {
		dst = binary.AppendUvarint(dst, v)
	}
	return dst
}

// attemptFields are the numbers of an attempt, in the order of attemptBounds.
func attemptFields(from storage.Offset, a storage.AttemptCount) [7]uint64 {
	return [...]uint64{
		uint64(a.Offset - from), uint64(a.Failed), uint64(a.Expired), uint64(a.Lost),
		uint64(a.Charged), uint64(a.Dead), uint64(a.NotBefore)}
}

// attemptBounds are the largest legal numbers of an attempt.
var attemptBounds = [...]uint64{
	storage.ChunkOffsets, math.MaxUint32, math.MaxUint32, math.MaxUint32,
	math.MaxUint32, uint64(storage.DeadBacklog), storage.MaxNotBefore,
}

// attemptsThatFit counts the attempts at the front of all that fit room bytes.
func attemptsThatFit(all []storage.AttemptCount, from storage.Offset, room int) int {
	for i, a := range all {
		for _, v := range attemptFields(from, a) {
			room -= uvarintBytes(v)
		}
		if room < 0 {
			return i
		}
		from = a.Offset
	}
	return len(all)
}

func ackSetBytes(runs int) int {
	if runs > maxAckRuns {
		return ackBitmapBytes
	}
	return 2 + runs*ackRunBytes
}

func chunkStart(chunk uint64) storage.Offset { return storage.Offset(chunk * storage.ChunkOffsets) }

func uvarintBytes(v uint64) int {
	n := 1
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}
