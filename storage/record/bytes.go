package record

import (
	"encoding/binary"
	"time"
)

// reader takes fixed-size fields off the front of a body whose size was checked.
type reader []byte

func (r *reader) uint8() uint8 {
	v := (*r)[0]
	*r = (*r)[1:]
	return v
}

func (r *reader) uint16() uint16 {
	v := binary.BigEndian.Uint16(*r)
	*r = (*r)[2:]
	return v
}

func (r *reader) uint32() uint32 {
	v := binary.BigEndian.Uint32(*r)
	*r = (*r)[4:]
	return v
}

func (r *reader) uint64() uint64 {
	v := binary.BigEndian.Uint64(*r)
	*r = (*r)[8:]
	return v
}

// text takes a text behind its length of one or two bytes off the front; false when
// there is not as much.
func (r *reader) text(into *string, lengthBytes int) bool {
	if len(*r) < lengthBytes {
		return false
	}
	n := int((*r)[0])
	if lengthBytes == 2 {
		n = int(binary.BigEndian.Uint16(*r))
	}
	rest := (*r)[lengthBytes:]
	if len(rest) < n {
		return false
	}
	*into, *r = string(rest[:n]), rest[n:]
	return true
}

func (r *reader) time() time.Time { return timeOf(int64(r.uint64())) }

func (r *reader) totals() Totals { return Totals{Messages: r.uint64(), Bytes: r.uint64()} }

func appendTime(dst []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(nanosOf(t)))
}

func appendTotals(dst []byte, t Totals) []byte {
	dst = binary.BigEndian.AppendUint64(dst, t.Messages)
	return binary.BigEndian.AppendUint64(dst, t.Bytes)
}

// nanosOf gives a time as Unix nanoseconds; the zero time is 0.
func nanosOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// timeOf is the reverse of nanosOf, in UTC.
func timeOf(nanos int64) time.Time {
	if nanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanos).UTC()
}

// Totals are cumulative figures of a partition: every message ever before some
// offset.
type Totals struct {
	Messages, Bytes uint64
}

// Minus takes off what came before.
func (t Totals) Minus(u Totals) Totals {
	return Totals{Messages: t.Messages - u.Messages, Bytes: t.Bytes - u.Bytes}
}

// Plus adds what a run of messages holds.
func (t Totals) Plus(messages, bytes uint64) Totals {
	return Totals{Messages: t.Messages + messages, Bytes: t.Bytes + bytes}
}
