package wire

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// Lengths and tags longer than this are refused: Java and Python read them as 32
// bits, so a longer one could mean different things to different parsers.
const maxTagBytes = 5

// field is one field as it stands on the wire:
//
//	tag (varint: number << 3 | type)   value
//	                                   varint        type 0
//	                                   8 bytes       type 1
//	                                   length bytes  type 2
//	                                   4 bytes       type 5
type field struct {
	number protowire.Number
	typ    protowire.Type
	// bytes is the content of a field of type 2.
	bytes []byte
	// varint is the value of a field of type 0.
	varint uint64
	// size is how much the whole field takes, tag included, in bytes.
	size int
}

// consumeField reads the first field of b, which is not empty. It is false for
// anything that some parser would refuse: groups, the number 0, a cut value.
func consumeField(b []byte) (f field, ok bool) {
	tag, n := consumeShortVarint(b)
	f.number, f.typ = protowire.Number(tag>>3), protowire.Type(tag&7)
	if n == 0 || tag>>3 < 1 || tag>>3 > uint64(protowire.MaxValidNumber) {
		return f, false
	}
	switch f.typ {
	case protowire.BytesType:
		return f.withBytes(b, n)
	case protowire.VarintType:
		return f.withVarint(b, n)
	case protowire.Fixed32Type:
		f.size = n + 4
	case protowire.Fixed64Type:
		f.size = n + 8
	default:
		return f, false
	}
	return f, f.size <= len(b)
}

// withBytes completes a field of type 2 whose tag takes n bytes of b.
func (f field) withBytes(b []byte, n int) (field, bool) {
	length, m := consumeShortVarint(b[n:])
	n += m
	if m == 0 || length > uint64(len(b)-n) {
		return f, false
	}
	f.size = n + int(length)
	f.bytes = b[n:f.size]
	return f, true
}

// withVarint completes a field of type 0 whose tag takes n bytes of b.
func (f field) withVarint(b []byte, n int) (field, bool) {
	value, m := binary.Uvarint(b[n:])
	f.varint, f.size = value, n+m
	return f, m > 0
}

// consumeShortVarint reads a varint of at most maxTagBytes; size is 0 when there
// is none.
func consumeShortVarint(b []byte) (value uint64, size int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	value, n := binary.Uvarint(b[:min(len(b), maxTagBytes)])
	return value, max(n, 0)
}

// fieldTypes gives the declared wire types of a message's fields by number.
type fieldTypes func(protowire.Number) (typ protowire.Type, known bool)

// wellFormed says whether b is a sequence of whole fields, the known ones of
// their declared types.
func wellFormed(b []byte, declared fieldTypes) bool {
	for len(b) > 0 {
		f, ok := consumeField(b)
		if !ok {
			return false
		}
		if typ, known := declared(f.number); known && typ != f.typ {
			return false
		}
		b = b[f.size:]
	}
	return true
}
