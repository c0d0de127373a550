package wire

import "google.golang.org/protobuf/encoding/protowire"

// StoredMessage gives the message out of its stored bytes, one element of the field
// `messages`; nil when they are none.
func StoredMessage(stored []byte) []byte {
	number, kind, n := protowire.ConsumeTag(stored)
	if n < 0 || protowire.EncodeTag(number, kind) != uint64(tagMessages) {
		return nil
	}
	body, m := protowire.ConsumeBytes(stored[n:])
	if m < 0 {
		return nil
	}
	return body
}

// WithMessageID gives a stored message anew with an id, unless it carries one: a
// message that takes a detour keeps the id that it had.
func WithMessageID(stored []byte, id string) []byte {
	body := StoredMessage(stored)
	if hasMessageID(body) {
		return append([]byte(nil), stored...)
	}
	field := protowire.AppendTag(nil, fieldMessageID, protowire.BytesType)
	field = protowire.AppendString(field, id)
	out := protowire.AppendVarint([]byte{tagMessages}, uint64(len(body)+len(field)))
	out = append(out, body...)
	return append(out, field...)
}

func hasMessageID(body []byte) bool {
	for len(body) > 0 {
		f, ok := consumeField(body)
		if !ok {
			return false
		}
		if f.number == fieldMessageID {
			return true
		}
		body = body[f.size:]
	}
	return false
}
