package record

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/headrace/headrace/storage"
)

// Dedupe are the dedupe ids of the messages that a batch stored in a partition:
//
//	version(1) time(8) previous(8) base(8) { hash(8) payload(8) delta }* crc(4)
//
// Deltas are minimal varints: the first id's offset counts from base, the others'
// from the id before; no two ids have one offset.
type Dedupe struct {
	// At is the log time of the messages.
	At time.Time
	// Previous is the batch with the partition's ids before these, 0 when there were
	// none: a record that is missing in between is found.
	Previous uint64
	// IDs are the ids in the order of their offsets, at least one.
	IDs []DedupeEntry
}

// DedupeEntry is the dedupe id of one message.
type DedupeEntry struct {
	Hash, Payload uint64
	Offset        storage.Offset
}

const (
	dedupeVersion   = 1
	dedupeHeadBytes = 8 + 8 + 8
	dedupeIDBytes   = 8 + 8

	// MaxDedupeBytes bounds the value of a record without its ids.
	MaxDedupeBytes = versionBytes + dedupeHeadBytes + crcBytes
	// MaxDedupeIDBytes bounds what each id adds.
	MaxDedupeIDBytes = dedupeIDBytes + 10
)

// AppendDedupe appends the value of a batch's dedupe ids.
func AppendDedupe(dst, key []byte, d *Dedupe) []byte {
	start := len(dst)
	dst = appendTime(append(dst, dedupeVersion), d.At)
	dst = binary.BigEndian.AppendUint64(dst, d.Previous)
	from := d.IDs[0].Offset
	dst = binary.BigEndian.AppendUint64(dst, uint64(from))
	for i := range d.IDs {
		x := &d.IDs[i]
		dst = binary.BigEndian.AppendUint64(dst, x.Hash)
		dst = binary.BigEndian.AppendUint64(dst, x.Payload)
		dst = binary.AppendUvarint(dst, uint64(x.Offset-from))
		from = x.Offset
	}
	return seal(dst, start, key)
}

// DecodeDedupe decodes and checks a batch's dedupe ids.
func DecodeDedupe(key, value []byte) (Dedupe, error) {
	_, batch, err := ParseDedupeKey(key)
	if err != nil {
		return Dedupe{}, err
	}
	body, err := unseal(key, value, dedupeVersion)
	if err != nil {
		return Dedupe{}, err
	}
	if len(body) < dedupeHeadBytes {
		return Dedupe{}, damaged(key, "body of %d bytes", len(body))
	}
	r := reader(body)
	d := Dedupe{At: r.time(), Previous: r.uint64()}
	if d.Previous >= batch && batch > 0 {
		return Dedupe{}, damaged(key, "the batch before is %d", d.Previous)
	}
	var ok bool
	if d.IDs, ok = decodeDedupeIDs(storage.Offset(r.uint64()), r); !ok {
		return Dedupe{}, damaged(key, "dedupe ids make no sense")
	}
	return d, nil
}

func decodeDedupeIDs(from storage.Offset, r reader) (ids []DedupeEntry, ok bool) {
	ids = make([]DedupeEntry, 0, len(r)/(dedupeIDBytes+1))
	for len(r) > dedupeIDBytes {
		x := DedupeEntry{Hash: r.uint64(), Payload: r.uint64()}
		v := varints{rest: r}
		delta := v.take(math.MaxUint64 - uint64(from))
		if v.failed || (delta > 0) != (len(ids) > 0) {
			return nil, false
		}
		from += storage.Offset(delta)
		x.Offset = from
		ids = append(ids, x)
		r = v.rest
	}
	return ids, len(r) == 0 && len(ids) > 0
}
