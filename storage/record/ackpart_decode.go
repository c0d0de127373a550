package record

import (
	"encoding/binary"
	"math/bits"

	"github.com/headrace/headrace/storage"
)

// DecodeAckPart decodes and checks one part of an ack chunk.
func DecodeAckPart(key, value []byte) (AckPart, error) {
	k, err := ParseAckKey(key)
	if err != nil {
		return AckPart{}, err
	}
	body, err := unseal(key, value, ackVersion)
	if err != nil {
		return AckPart{}, err
	}
	p := AckPart{Chunk: k.Chunk, Part: k.Part}
	if k.Chunk > maxAckChunk || !p.decode(body) {
		return AckPart{}, damaged(key, "ack chunk makes no sense")
	}
	return p, nil
}

func (p *AckPart) decode(body []byte) bool {
	if len(body) < ackHeadBytes {
		return false
	}
	r := reader(body)
	p.Version, p.Parts = r.uint64(), r.uint8()
	rest, ok := p.decodeSet(r)
	return ok && p.Part < p.Parts && p.decodeAttempts(rest)
}

// decodeSet decodes the settled set and gives what follows it.
func (p *AckPart) decodeSet(body []byte) (rest []byte, ok bool) {
	form, body := body[0], body[1:]
	switch {
	case form == ackNone && p.Part > 0:
		return body, true
	case form == ackBitmap && p.Part == 0 && len(body) >= ackBitmapBytes:
		p.Acked = bitmapRuns(body[:ackBitmapBytes], chunkStart(p.Chunk))
		return body[ackBitmapBytes:], len(p.Acked) > maxAckRuns
	case form == ackRuns && p.Part == 0:
		return p.decodeRuns(body)
	default:
		return nil, false
	}
}

func (p *AckPart) decodeRuns(body []byte) (rest []byte, ok bool) {
	if len(body) < 2 {
		return nil, false
	}
	r := reader(body)
	n := int(r.uint16())
	if n > maxAckRuns || len(r) < n*ackRunBytes {
		return nil, false
	}
	from, least := chunkStart(p.Chunk), 0
	for range n {
		first, last := int(r.uint16()), int(r.uint16())
		if first < least || last < first || last >= storage.ChunkOffsets {
			return nil, false
		}
		p.Acked = append(p.Acked, storage.OffsetRange{First: from + storage.Offset(first), End: from + storage.Offset(last) + 1})
		least = last + 2
	}
	return r, true
}

func (p *AckPart) decodeAttempts(body []byte) bool {
	if len(body) < 2 {
		return false
	}
	n := int(binary.BigEndian.Uint16(body))
	body = body[2:]
	from := chunkStart(p.Chunk)
	for i := range n {
		a, size := decodeAttempt(body, from)
		if size == 0 || storage.ChunkOf(a.Offset) != p.Chunk || (i > 0 && a.Offset == from) {
			return false
		}
		p.Attempts = append(p.Attempts, a)
		body, from = body[size:], a.Offset
	}
	return len(body) == 0
}

// decodeAttempt decodes one attempt and its size in bytes, 0 when it is not one.
func decodeAttempt(b []byte, from storage.Offset) (a storage.AttemptCount, size int) {
	var field [len(attemptBounds)]uint64
	for i := range field {
		v, n := binary.Uvarint(b[size:])
		if n <= 0 || n != uvarintBytes(v) || v > attemptBounds[i] {
			return a, 0
		}
		field[i] = v
		size += n
	}
	return storage.AttemptCount{
		Offset: from + storage.Offset(field[0]),
		Failed: uint32(field[1]), Expired: uint32(field[2]), Lost: uint32(field[3]),
		Charged: uint32(field[4]), Dead: storage.DeadReason(field[5]),
		NotBefore: int64(field[6]),
	}, size
}

// bitmapRuns gives the runs of set bits as ranges of offsets.
func bitmapRuns(bitmap []byte, from storage.Offset) []storage.OffsetRange {
	var runs []storage.OffsetRange
	for i := nextBit(bitmap, 0, 0); i < storage.ChunkOffsets; {
		end := nextBit(bitmap, i, 0xff)
		runs = append(runs, storage.OffsetRange{First: from + storage.Offset(i), End: from + storage.Offset(end)})
		i = nextBit(bitmap, end, 0)
	}
	return runs
}

// nextBit gives the index of the first set bit at or after i, counting in bitmap
// with every bit flipped when flip is 0xff; the number of bits when there is none.
func nextBit(bitmap []byte, i int, flip byte) int {
	for i < len(bitmap)*8 {
		if b := (bitmap[i>>3] ^ flip) >> (i & 7); b != 0 {
			return i + bits.TrailingZeros8(b)
		}
		i = (i>>3 + 1) << 3
	}
	return i
}
