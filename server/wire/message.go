package wire

import (
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// The field numbers of headrace.v1.Message.
const (
	fieldData        = 1
	fieldAttributes  = 2
	fieldMessageID   = 3
	fieldPublishTime = 4
	fieldOrderingKey = 5
	fieldDedupeID    = 10
	fieldContentType = 11
	fieldDeliverAt   = 12
	fieldDelay       = 13
	fieldTTL         = 14

	lastKnownField = fieldTTL
)

// fieldMessages is the number of the field `messages` in every frame that has
// one; its tag fits one byte.
const (
	fieldMessages = 15
	tagMessages   = fieldMessages<<3 | byte(protowire.BytesType)
)

// Limits bound one message. They are the server's, but for MaxMessageBytes, which
// is the topic's.
type Limits struct {
	// MaxMessageBytes bounds the encoded message as the publisher means it: the
	// fields that the server sets are neither counted when they come in nor when
	// they are added.
	MaxMessageBytes int
	// MaxAttributes bounds the attributes as they stand on the wire, repeated keys
	// included.
	MaxAttributes int
	// MaxAttributeKeyBytes, MaxAttributeValueBytes, MaxOrderingKeyBytes,
	// MaxContentTypeBytes and MaxDedupeIDBytes bound every occurrence of the string.
	MaxAttributeKeyBytes   int
	MaxAttributeValueBytes int
	MaxOrderingKeyBytes    int
	MaxContentTypeBytes    int
	MaxDedupeIDBytes       int
}

// DefaultLimits are the limits of the protocol.
func DefaultLimits() Limits {
	return Limits{
		MaxMessageBytes:        1 << 20,
		MaxAttributes:          100,
		MaxAttributeKeyBytes:   256,
		MaxAttributeValueBytes: 1024,
		MaxOrderingKeyBytes:    1024,
		MaxContentTypeBytes:    256,
		MaxDedupeIDBytes:       256,
	}
}

// Failure says what is wrong with one message. The zero Failure means nothing.
type Failure struct {
	Reason headracev1.ErrorReason
	// Field is the message's field at fault, where one is.
	Field string
	// Limit is the limit that was passed, in the field's unit; 0 when none was.
	Limit uint64
}

// OK says that nothing is wrong.
func (f Failure) OK() bool { return f.Reason == headracev1.ErrorReason_ERROR_REASON_UNSPECIFIED }

// Message is one message that was walked and found good. It points into the
// frame that it came from.
type Message struct {
	// Key is the ordering key, DedupeID the dedupe id, empty when there is none.
	Key, DedupeID []byte
	// Data is the payload.
	Data []byte

	body []byte
	// kept is what is left of body without the fields that the server sets.
	kept int
}

// AppendTo appends the message's wire bytes to dst, as one element of the field
// `messages`: tag, length, what the publisher sent without the fields that the
// server sets, the publish time.
func (m *Message) AppendTo(dst []byte, at *PublishTime) []byte {
	dst = append(dst, tagMessages)
	dst = protowire.AppendVarint(dst, uint64(m.kept+len(at.field())))
	if m.kept == len(m.body) {
		dst = append(dst, m.body...)
	} else {
		dst = appendKept(dst, m.body)
	}
	return append(dst, at.field()...)
}

// WireSize bounds what AppendTo appends, in bytes.
func (m *Message) WireSize() int { return m.kept + messageOverheadBytes }

// messageOverheadBytes bounds what is added to a message: tag, length and the
// publish time.
const messageOverheadBytes = 1 + maxTagBytes + maxPublishTimeBytes

// appendKept appends the fields of body that the server does not set.
func appendKept(dst, body []byte) []byte {
	for len(body) > 0 {
		f, _ := consumeField(body)
		if !setByServer(f.number) {
			dst = append(dst, body[:f.size]...)
		}
		body = body[f.size:]
	}
	return dst
}

func setByServer(n protowire.Number) bool { return n == fieldMessageID || n == fieldPublishTime }

// Walker checks messages one after the other. It is reused, by one goroutine.
type Walker struct {
	// Limits may be changed between messages.
	Limits Limits

	key, id    []byte
	data       []byte
	attributes int
	failure    Failure
}

// Walk checks the encoded message body and says what it found. The message is
// meaningless unless the failure is OK.
func (w *Walker) Walk(body []byte) (Message, Failure) {
	*w = Walker{Limits: w.Limits}
	m := Message{body: body, kept: len(body)}
	for rest := body; len(rest) > 0; {
		f, ok := consumeField(rest)
		if !ok || !w.field(f) {
			m.Data = w.data
			return m, malformed(f.number)
		}
		if setByServer(f.number) {
			m.kept -= f.size
		}
		rest = rest[f.size:]
	}
	m.Key, m.DedupeID, m.Data = w.key, w.id, w.data
	return m, w.verdict(m.kept)
}

// verdict is the failure of a message that is well-formed.
func (w *Walker) verdict(kept int) Failure {
	if kept > w.Limits.MaxMessageBytes {
		return Failure{
			Reason: headracev1.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE,
			Limit:  uint64(w.Limits.MaxMessageBytes),
		}
	}
	return w.failure
}

// field checks one field. It is false when the field is malformed; what is
// merely not allowed is noted.
func (w *Walker) field(f field) bool {
	if f.number > lastKnownField || fieldNames[f.number] == "" {
		return true
	}
	if f.typ != protowire.BytesType {
		return false
	}
	switch f.number {
	case fieldAttributes:
		return w.attribute(f.bytes)
	case fieldOrderingKey:
		w.key = f.bytes
		return w.text(f, w.Limits.MaxOrderingKeyBytes)
	case fieldContentType:
		return w.text(f, w.Limits.MaxContentTypeBytes)
	case fieldDedupeID:
		w.id = f.bytes
		return w.text(f, w.Limits.MaxDedupeIDBytes)
	case fieldMessageID:
		return utf8.Valid(f.bytes)
	case fieldPublishTime:
		return wellFormed(f.bytes, timestampType)
	case fieldDeliverAt, fieldDelay, fieldTTL:
		w.note(notServed(f.number))
		return wellFormed(f.bytes, timestampType)
	default:
		w.data = f.bytes
		return true
	}
}

// text checks a string field and its length.
func (w *Walker) text(f field, limit int) bool {
	if len(f.bytes) > limit {
		w.note(tooLong(fieldNames[f.number], limit))
	}
	return utf8.Valid(f.bytes)
}

// attribute checks one entry of the map of attributes: a message with the key in
// field 1 and the value in field 2, of which the last occurrences count.
func (w *Walker) attribute(entry []byte) bool {
	var key []byte
	for len(entry) > 0 {
		f, ok := consumeField(entry)
		if !ok {
			return false
		}
		if f.number == 1 || f.number == 2 {
			if f.typ != protowire.BytesType || !utf8.Valid(f.bytes) {
				return false
			}
			w.attributePart(f, &key)
		}
		entry = entry[f.size:]
	}
	w.countAttribute(key)
	return true
}

// attributePart notes a key or a value that is too long.
func (w *Walker) attributePart(f field, key *[]byte) {
	limit := w.Limits.MaxAttributeValueBytes
	if f.number == 1 {
		*key, limit = f.bytes, w.Limits.MaxAttributeKeyBytes
	}
	if len(f.bytes) > limit {
		w.note(tooLong(fieldNames[fieldAttributes], limit))
	}
}

func (w *Walker) countAttribute(key []byte) {
	w.attributes++
	if w.attributes > w.Limits.MaxAttributes {
		w.note(tooLong(fieldNames[fieldAttributes], w.Limits.MaxAttributes))
	}
	if len(key) == 0 {
		w.note(Failure{
			Reason: headracev1.ErrorReason_ERROR_REASON_INVALID_FIELD,
			Field:  fieldNames[fieldAttributes],
		})
	}
}

// note keeps the first failure.
func (w *Walker) note(f Failure) {
	if w.failure.OK() {
		w.failure = f
	}
}

func malformed(n protowire.Number) Failure {
	f := Failure{Reason: headracev1.ErrorReason_ERROR_REASON_MALFORMED_MESSAGE}
	if n > 0 && n <= lastKnownField {
		f.Field = fieldNames[n]
	}
	return f
}

func notServed(n protowire.Number) Failure {
	return Failure{Reason: headracev1.ErrorReason_ERROR_REASON_NOT_SERVED, Field: fieldNames[n]}
}

func tooLong(field string, limit int) Failure {
	return Failure{
		Reason: headracev1.ErrorReason_ERROR_REASON_INVALID_FIELD,
		Field:  field,
		Limit:  uint64(limit),
	}
}

// timestampType gives the declared types of google.protobuf.Timestamp and of
// google.protobuf.Duration, which are alike: seconds and nanos.
func timestampType(n protowire.Number) (protowire.Type, bool) {
	return protowire.VarintType, n == 1 || n == 2
}

// FieldNumber is the number of a field of Message by its name, 0 when there is none:
// what is stored of a failure in its place.
func FieldNumber(name string) uint8 {
	for number, known := range fieldNames {
		if known == name && name != "" {
			return uint8(number)
		}
	}
	return 0
}

// FieldName is the name of a field of Message by its number, empty when there is
// none.
func FieldName(number uint8) string {
	if int(number) < len(fieldNames) {
		return fieldNames[number]
	}
	return ""
}

// fieldNames are the names of Message's fields by number. All of them have the
// wire type 2.
var fieldNames = [lastKnownField + 1]string{
	fieldData:        "data",
	fieldAttributes:  "attributes",
	fieldMessageID:   "message_id",
	fieldPublishTime: "publish_time",
	fieldOrderingKey: "ordering_key",
	fieldDedupeID:    "dedupe_id",
	fieldContentType: "content_type",
	fieldDeliverAt:   "deliver_at",
	fieldDelay:       "delay",
	fieldTTL:         "ttl",
}
