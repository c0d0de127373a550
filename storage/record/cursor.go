package record

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/headrace/headrace/storage"
)

// Cursor is a subscription's record in a partition, of constant size:
//
//	version(1) generation(8) floor(8) settled(8) ack_parts(4) ack_sum(8) dead(8) dead_sum(8) dead_last(8)
//	delivered(8) redelivered(8) acked(8) retried(8) released(8) expired(8) rejected(8)
//	dead_lettered(8)
//	removed(8) dropped(8)                            from version 3 on
//	crc(4)
type Cursor struct {
	// Generation grows with each seek; ack chunks of another one are rubbish.
	Generation uint64
	// Floor: every message before it is settled.
	Floor storage.Offset
	// Settled counts the offsets that the ack chunks hold as acked, as they were
	// written: the floor may have passed some since.
	Settled uint64
	// AckParts counts the records of ack chunks, histories and parked keys of the
	// generation, AckSum is the exclusive or of AckHash, HistoryHash and ParkedHash over
	// them: what is found must match.
	AckParts uint32
	AckSum   uint64
	// Dead counts the dead letters kept of the partition, DeadSum is the exclusive or
	// of DeadLetterHash over them, DeadLast the last sequence given.
	Dead, DeadSum, DeadLast uint64
	// Counters are statistics, as of the last change set.
	Counters storage.Counters
}

const (
	cursorVersion   = 3
	cursorBodyBytes = cursorBodyBytes2 + 2*8

	// cursorVersion2 knew nothing that goes unsettled.
	cursorVersion2   = 2
	cursorBodyBytes2 = 8 + 8 + 8 + 4 + 8 + 3*8 + 8*8
)

// AppendCursor appends the value of a cursor.
func AppendCursor(dst, key []byte, c *Cursor) []byte {
	start := len(dst)
	dst = append(dst, cursorVersion)
	dst = binary.BigEndian.AppendUint64(dst, c.Generation)
	dst = binary.BigEndian.AppendUint64(dst, uint64(c.Floor))
	dst = binary.BigEndian.AppendUint64(dst, c.Settled)
	dst = binary.BigEndian.AppendUint32(dst, c.AckParts)
	dst = binary.BigEndian.AppendUint64(dst, c.AckSum)
	dst = binary.BigEndian.AppendUint64(dst, c.Dead)
	dst = binary.BigEndian.AppendUint64(dst, c.DeadSum)
	dst = binary.BigEndian.AppendUint64(dst, c.DeadLast)
	dst = appendCounters(dst, &c.Counters)
	return seal(dst, start, key)
}

func appendCounters(dst []byte, c *storage.Counters) []byte {
	dst = binary.BigEndian.AppendUint64(dst, c.Delivered)
	dst = binary.BigEndian.AppendUint64(dst, c.Redelivered)
	dst = binary.BigEndian.AppendUint64(dst, c.Acked)
	dst = binary.BigEndian.AppendUint64(dst, c.Retried)
	dst = binary.BigEndian.AppendUint64(dst, c.Released)
	dst = binary.BigEndian.AppendUint64(dst, c.Expired)
	dst = binary.BigEndian.AppendUint64(dst, c.Rejected)
	dst = binary.BigEndian.AppendUint64(dst, c.DeadLettered)
	dst = binary.BigEndian.AppendUint64(dst, c.Removed)
	return binary.BigEndian.AppendUint64(dst, c.Dropped)
}

// DecodeCursor decodes and checks a cursor.
func DecodeCursor(key, value []byte) (Cursor, error) {
	if _, _, err := ParseCursorKey(key); err != nil {
		return Cursor{}, err
	}
	version, size := byte(cursorVersion), cursorBodyBytes
	if len(value) > 0 && value[0] == cursorVersion2 {
		version, size = cursorVersion2, cursorBodyBytes2
	}
	body, err := unsealFixed(key, value, version, size)
	if err != nil {
		return Cursor{}, err
	}
	r := reader(body)
	c := Cursor{
		Generation: r.uint64(),
		Floor:      storage.Offset(r.uint64()),
		Settled:    r.uint64(),
		AckParts:   r.uint32(),
		AckSum:     r.uint64(),
		Dead:       r.uint64(),
		DeadSum:    r.uint64(),
		DeadLast:   r.uint64(),
		Counters:   readCounters(&r),
	}
	if len(r) > 0 {
		c.Counters.Removed, c.Counters.Dropped = r.uint64(), r.uint64()
	}
	return c, nil
}

func readCounters(r *reader) storage.Counters {
	return storage.Counters{
		Delivered: r.uint64(), Redelivered: r.uint64(), Acked: r.uint64(),
		Retried: r.uint64(), Released: r.uint64(), Expired: r.uint64(),
		Rejected: r.uint64(), DeadLettered: r.uint64(),
	}
}

// AckHash is what one record of an ack chunk adds to a cursor's AckSum, by
// exclusive or. A record that is replaced or deleted is taken out by adding its
// old version again.
func AckHash(chunk uint64, part uint8, version uint64) uint64 {
	var b [8 + 1 + 8]byte
	binary.BigEndian.PutUint64(b[0:], chunk)
	b[8] = part
	binary.BigEndian.PutUint64(b[9:], version)
	return xxhash.Sum64(b[:])
}
