package record

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/headrace/headrace/storage"
)

// Pointer says where a run of offsets of a partition lies: in a commit segment,
// or nowhere, as a hole. The key holds the first offset; the next pointer begins
// where this one's span ends, so that a missing one is found.
//
//	version(1) 1 batch(8) chunk(2) first_byte(4) bytes(4) first_message(4) messages(4) log_time(8) before(16) crc(4)
//	version(1) 2 span(8) messages(8) bytes(8)                                          log_time(8) before(16) crc(4)
type Pointer struct {
	// Hole: the offsets' messages are gone or never were, and count as settled for
	// every subscription. At is zero then.
	Hole bool
	// Span is how many offsets the pointer covers, at least 1.
	Span uint64
	// Messages and Bytes are what the run held when it was written. A run in a
	// segment has Messages = Span; a skip of offsets has 0.
	Messages, Bytes uint64
	// At is where the run lies.
	At Location
	// LogTime is when the messages were taken in.
	LogTime time.Time
	// Before is what the partition held, ever, before the first offset.
	Before Totals
}

// Location is a place inside a commit segment.
type Location struct {
	// Batch and Chunk name the commit segment.
	Batch uint64
	Chunk uint16
	// FirstByte is where the run begins in the segment's bodies, in bytes;
	// FirstMessage is the index of its first message in the segment.
	FirstByte, FirstMessage uint32
}

const (
	pointerVersion = 1

	// The forms of a pointer. They are stored: never renumber.
	pointerSegment = 1
	pointerHole    = 2

	segmentPointerBodyBytes = 1 + 8 + 2 + 4 + 4 + 4 + 4 + 8 + 16
	holePointerBodyBytes    = 1 + 8 + 8 + 8 + 8 + 16
)

// End is the offset after the run that begins at base.
func (p *Pointer) End(base storage.Offset) storage.Offset { return base + storage.Offset(p.Span) }

// After is what the partition held, ever, before the offset after the run.
func (p *Pointer) After() Totals { return p.Before.Plus(p.Messages, p.Bytes) }

// Place is what a lookup of the pointer tells.
func (p *Pointer) Place() storage.Place {
	return storage.Place{LogTime: p.LogTime, MessagesBefore: p.Before.Messages, BytesBefore: p.Before.Bytes}
}

// AppendPointer appends the value of a pointer.
func AppendPointer(dst, key []byte, p *Pointer) []byte {
	start := len(dst)
	dst = append(dst, pointerVersion)
	if p.Hole {
		dst = appendHoleSpan(dst, p)
	} else {
		dst = appendSegmentSpan(dst, p)
	}
	dst = appendTotals(appendTime(dst, p.LogTime), p.Before)
	return seal(dst, start, key)
}

func appendSegmentSpan(dst []byte, p *Pointer) []byte {
	dst = binary.BigEndian.AppendUint64(append(dst, pointerSegment), p.At.Batch)
	dst = binary.BigEndian.AppendUint16(dst, p.At.Chunk)
	dst = binary.BigEndian.AppendUint32(dst, p.At.FirstByte)
	dst = binary.BigEndian.AppendUint32(dst, uint32(p.Bytes))
	dst = binary.BigEndian.AppendUint32(dst, p.At.FirstMessage)
	return binary.BigEndian.AppendUint32(dst, uint32(p.Span))
}

func appendHoleSpan(dst []byte, p *Pointer) []byte {
	dst = binary.BigEndian.AppendUint64(append(dst, pointerHole), p.Span)
	dst = binary.BigEndian.AppendUint64(dst, p.Messages)
	return binary.BigEndian.AppendUint64(dst, p.Bytes)
}

// DecodePointer decodes and checks a pointer.
func DecodePointer(key, value []byte) (Pointer, error) {
	_, base, err := ParsePointerKey(key)
	if err != nil {
		return Pointer{}, err
	}
	body, err := unseal(key, value, pointerVersion)
	if err != nil {
		return Pointer{}, err
	}
	p, ok := decodePointerBody(body)
	if !ok || p.Span == 0 || p.Messages > p.Span || uint64(base) > math.MaxUint64-p.Span {
		return Pointer{}, damaged(key, "pointer makes no sense")
	}
	return p, nil
}

func decodePointerBody(body []byte) (p Pointer, ok bool) {
	r := reader(body)
	switch {
	case len(body) == segmentPointerBodyBytes && body[0] == pointerSegment:
		r.uint8()
		p.At.Batch, p.At.Chunk, p.At.FirstByte = r.uint64(), r.uint16(), r.uint32()
		p.Bytes, p.At.FirstMessage = uint64(r.uint32()), r.uint32()
		p.Span = uint64(r.uint32())
		p.Messages = p.Span
	case len(body) == holePointerBodyBytes && body[0] == pointerHole:
		r.uint8()
		p.Hole = true
		p.Span, p.Messages, p.Bytes = r.uint64(), r.uint64(), r.uint64()
	default:
		return p, false
	}
	p.LogTime, p.Before = r.time(), r.totals()
	return p, true
}
