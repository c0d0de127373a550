package wire

import (
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one field on the wire: a number for varints, bytes for the rest. A
// known field of another wire type than its own is left alone, as Protobuf
// parsers do: it counts as unknown.
type field struct {
	number protowire.Number
	kind   protowire.Type
	varint uint64
	data   []byte
}

func (f field) uint64(to *uint64) {
	if f.kind == protowire.VarintType {
		*to = f.varint
	}
}

// uint32 keeps the low 32 bits, as Protobuf parsers do.
func (f field) uint32(to *uint32) {
	if f.kind == protowire.VarintType {
		*to = uint32(f.varint)
	}
}

func (f field) text(to *string) error {
	if f.kind != protowire.BytesType {
		return nil
	}
	if !utf8.Valid(f.data) {
		return ErrMalformed
	}
	*to = string(f.data)
	return nil
}

// eachField calls set with each field of a message, unknown ones too.
func eachField(data []byte, set func(field) error) error {
	for len(data) > 0 {
		f, n := nextField(data)
		if n < 0 {
			return ErrMalformed
		}
		if err := set(f); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// nextField returns the first field and its length, negative when there is none.
func nextField(data []byte) (field, int) {
	number, kind, tag := protowire.ConsumeTag(data)
	if tag < 0 {
		return field{}, tag
	}
	f := field{number: number, kind: kind}
	var n int
	switch kind {
	case protowire.VarintType:
		f.varint, n = protowire.ConsumeVarint(data[tag:])
	case protowire.BytesType:
		f.data, n = protowire.ConsumeBytes(data[tag:])
	default:
		n = protowire.ConsumeFieldValue(number, kind, data[tag:])
	}
	if n < 0 {
		return field{}, n
	}
	return f, tag + n
}

// countField returns how often a field occurs.
func countField(data []byte, number protowire.Number) (int, error) {
	count := 0
	err := eachField(data, func(f field) error {
		if f.number == number {
			count++
		}
		return nil
	})
	return count, err
}
