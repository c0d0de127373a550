package wire

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Attribute is an attribute to be given to a stored message.
type Attribute struct{ Key, Value string }

// Copy gives a stored message anew for another topic, whose position will name it: it
// carries no id. Of its attributes those that begin with a prefix go, and others come
// instead; all else stays as it is. Size is what of the message its publisher answers
// for, as in Limits.MaxMessageBytes.
func Copy(stored []byte, prefix string, attributes ...Attribute) (message []byte, size int) {
	// The tag and the length, which is known last, come to stand right before the body.
	const head = 1 + maxTagBytes
	out := make([]byte, head, head+len(stored)+attributesSize(attributes))
	for rest := StoredMessage(stored); len(rest) > 0; {
		f, ok := consumeField(rest)
		if !ok {
			break // What is stored was walked.
		}
		if !leftOut(f, prefix) {
			out = append(out, rest[:f.size]...)
			if !setByServer(f.number) {
				size += f.size
			}
		}
		rest = rest[f.size:]
	}
	for _, a := range attributes {
		out = protowire.AppendTag(out, fieldAttributes, protowire.BytesType)
		out = protowire.AppendVarint(out, uint64(a.entrySize()))
		out = appendText(appendText(out, attributeKey, a.Key), attributeValue, a.Value)
	}
	before := protowire.AppendVarint([]byte{tagMessages}, uint64(len(out)-head))
	start := head - len(before)
	copy(out[start:], before)
	return out[start:], size
}

// leftOut says whether a copy goes without a field.
func leftOut(f field, prefix string) bool {
	return f.number == fieldMessageID || f.number == fieldAttributes && strings.HasPrefix(keyOf(f.bytes), prefix)
}

// keyOf is the key of an attribute.
func keyOf(entry []byte) (key string) {
	for len(entry) > 0 {
		f, ok := consumeField(entry)
		if !ok {
			return key
		}
		if f.number == attributeKey {
			key = string(f.bytes)
		}
		entry = entry[f.size:]
	}
	return key
}

// The field numbers of an attribute.
const (
	attributeKey   protowire.Number = 1
	attributeValue protowire.Number = 2
)

func appendText(dst []byte, n protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(dst, n, protowire.BytesType), text)
}

func (a Attribute) entrySize() int {
	return 2*protowire.SizeTag(attributeKey) + protowire.SizeBytes(len(a.Key)) + protowire.SizeBytes(len(a.Value))
}

// attributesSize bounds what attributes take on the wire.
func attributesSize(all []Attribute) (n int) {
	for _, a := range all {
		n += a.entrySize() + 2*maxTagBytes
	}
	return n
}

// MessageID is the id that a stored message carries, empty if it carries none.
func MessageID(stored []byte) (id string) {
	for body := StoredMessage(stored); len(body) > 0; {
		f, ok := consumeField(body)
		if !ok {
			return id
		}
		if f.number == fieldMessageID {
			id = string(f.bytes)
		}
		body = body[f.size:]
	}
	return id
}
