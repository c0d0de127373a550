package wire

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func TestFieldsThatSomeParserRefusesAreRefused(t *testing.T) {
	for name, b := range map[string][]byte{
		"field number 0":            {0x02, 0x00},
		"field number above 2^29-1": {0x82, 0x80, 0x80, 0x80, 0x10, 0x00},
		"start of a group":          {0x0b},
		"end of a group":            {0x0c},
		"wire type 6":               {0x0e},
		"wire type 7":               {0x0f},
		"tag of six bytes":          {0x8a, 0x80, 0x80, 0x80, 0x80, 0x00, 0x00},
		"length of six bytes":       {0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00},
		"cut tag":                   {0x8a},
		"missing length":            {0x0a},
		"cut length":                {0x0a, 0x80},
		"length past the end":       {0x0a, 0x02, 0x00},
		"length of 2^31":            {0x0a, 0x80, 0x80, 0x80, 0x80, 0x08, 0x00},
		"cut varint":                {0x08, 0xff},
		"varint of 65 bits":         {0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02},
		"varint of eleven bytes":    {0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00},
		"cut 4 bytes":               {0x0d, 0, 0, 0},
		"cut 8 bytes":               {0x09, 0, 0, 0, 0, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if f, ok := consumeField(b); ok {
				t.Fatalf("consumeField(%x) accepted %+v", b, f)
			}
		})
	}
}

func TestFieldsThatParsersReadAlikeAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		in   []byte
		want field
	}{
		"varint":            {[]byte{0x08, 0x96, 0x01}, field{number: 1, varint: 150, size: 3}},
		"padded varint":     {[]byte{0x08, 0x96, 0x81, 0x00}, field{number: 1, varint: 150, size: 4}},
		"largest varint":    {protowire.AppendVarint([]byte{0x08}, 1<<64-1), field{number: 1, varint: 1<<64 - 1, size: 11}},
		"bytes":             {[]byte{0x12, 0x01, 0xff, 0x77}, field{number: 2, typ: 2, bytes: []byte{0xff}, size: 3}},
		"padded length":     {[]byte{0x12, 0x81, 0x80, 0x80, 0x80, 0x00, 0xff}, field{number: 2, typ: 2, bytes: []byte{0xff}, size: 7}},
		"padded tag":        {[]byte{0x92, 0x80, 0x80, 0x80, 0x00, 0x00}, field{number: 2, typ: 2, bytes: []byte{}, size: 6}},
		"four bytes":        {[]byte{0x0d, 1, 2, 3, 4}, field{number: 1, typ: 5, size: 5}},
		"eight bytes":       {[]byte{0x09, 1, 2, 3, 4, 5, 6, 7, 8}, field{number: 1, typ: 1, size: 9}},
		"largest number":    {[]byte{0xf8, 0xff, 0xff, 0xff, 0x0f, 0x00}, field{number: 1<<29 - 1, size: 6}},
		"number 19000":      {protowire.AppendVarint(protowire.AppendTag(nil, 19000, 0), 1), field{number: 19000, varint: 1, size: 4}},
		"field not at last": {[]byte{0x08, 0x01, 0x0b}, field{number: 1, varint: 1, size: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := consumeField(c.in)
			same := got.number == c.want.number && got.typ == c.want.typ && got.varint == c.want.varint &&
				got.size == c.want.size && bytes.Equal(got.bytes, c.want.bytes)
			if !ok || !same {
				t.Fatalf("consumeField(%x) = %+v, %v; want %+v", c.in, got, ok, c.want)
			}
		})
	}
}
