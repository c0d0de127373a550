package wire

import (
	"errors"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// The fields of headrace.v1.Message that the client sends or reads.
const (
	fieldData        = 1
	fieldAttributes  = 2
	fieldMessageID   = 3
	fieldPublishTime = 4
	fieldOrderingKey = 5
	fieldDedupeID    = 10
	fieldContentType = 11

	// Of a map's entry.
	fieldKey   = 1
	fieldValue = 2

	// Of google.protobuf.Timestamp.
	fieldSeconds = 1
	fieldNanos   = 2
)

// messagesTag is the tag of field 15, messages, in a PublishBatch and a Batch.
const messagesTag = 15<<3 | byte(protowire.BytesType)

// ErrMalformed is returned when bytes are not an encoding of what they should
// be.
var ErrMalformed = errors.New("wire: malformed frame")

// Message is a message before it is encoded, or after it was decoded; then Data
// is a view of the frame, and the rest is copied.
type Message struct {
	Data        []byte
	Attributes  map[string]string
	OrderingKey string
	ContentType string
	DedupeID    string    // Not decoded.
	MessageID   string    // Set by the server, not encoded.
	PublishTime time.Time // Set by the server, not encoded.
}

// InvalidText returns the name of the first field that is not UTF-8, or "".
func (m *Message) InvalidText() string {
	switch {
	case !utf8.ValidString(m.OrderingKey):
		return "ordering_key"
	case !utf8.ValidString(m.ContentType):
		return "content_type"
	case !utf8.ValidString(m.DedupeID):
		return "dedupe_id"
	}
	for k, v := range m.Attributes {
		if !utf8.ValidString(k) || !utf8.ValidString(v) {
			return "attributes"
		}
	}
	return ""
}

// Size returns the size of the encoded message in bytes.
func (m *Message) Size() int {
	n := sizeOf(fieldData, len(m.Data)) + sizeOf(fieldOrderingKey, len(m.OrderingKey)) +
		sizeOf(fieldContentType, len(m.ContentType)) + sizeOf(fieldDedupeID, len(m.DedupeID))
	for k, v := range m.Attributes {
		n += protowire.SizeTag(fieldAttributes) + protowire.SizeBytes(entrySize(k, v))
	}
	return n
}

// sizeOf returns the size of a bytes field, which is left out when it is empty.
func sizeOf(field protowire.Number, n int) int {
	if n == 0 {
		return 0
	}
	return protowire.SizeTag(field) + protowire.SizeBytes(n)
}

func entrySize(k, v string) int {
	return protowire.SizeTag(fieldKey) + protowire.SizeBytes(len(k)) +
		protowire.SizeTag(fieldValue) + protowire.SizeBytes(len(v))
}

// AppendMessage appends a message, of the size that m.Size returned, to the body
// of a frame.
func AppendMessage(body []byte, m *Message, size int) []byte {
	body = append(body, messagesTag)
	body = protowire.AppendVarint(body, uint64(size))
	if len(m.Data) > 0 {
		body = protowire.AppendTag(body, fieldData, protowire.BytesType)
		body = protowire.AppendBytes(body, m.Data)
	}
	for k, v := range m.Attributes {
		body = protowire.AppendTag(body, fieldAttributes, protowire.BytesType)
		body = protowire.AppendVarint(body, uint64(entrySize(k, v)))
		body = protowire.AppendTag(body, fieldKey, protowire.BytesType)
		body = protowire.AppendString(body, k)
		body = protowire.AppendTag(body, fieldValue, protowire.BytesType)
		body = protowire.AppendString(body, v)
	}
	body = appendText(body, fieldOrderingKey, m.OrderingKey)
	body = appendText(body, fieldDedupeID, m.DedupeID)
	return appendText(body, fieldContentType, m.ContentType)
}

func appendText(b []byte, field protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	b = protowire.AppendTag(b, field, protowire.BytesType)
	return protowire.AppendString(b, s)
}

// FramedSize returns how many bytes a message of that size takes in a body.
func FramedSize(size int) int {
	return 1 + protowire.SizeBytes(size)
}

// CutBody returns how long the first n messages of a body are, framed and
// encoded. The body must be one that AppendMessage made.
func CutBody(body []byte, n int) (framed, encoded int) {
	for range n {
		size, length := protowire.ConsumeVarint(body[framed+1:])
		framed += 1 + length + int(size)
		encoded += int(size)
	}
	return framed, encoded
}

// FittingBody returns how many of the first n messages of a body have at most
// that many encoded bytes together.
func FittingBody(body []byte, n int, bytes uint64) int {
	for i := range n {
		size, length := protowire.ConsumeVarint(body[1:])
		if size > bytes {
			return i
		}
		bytes -= size
		body = body[1+length+int(size):]
	}
	return n
}
