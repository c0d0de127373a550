package wire

import (
	"unicode/utf8"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// The field numbers of headrace.v1.PublishStreamRequest and of its PublishBatch.
// PublishRequest has the topic and the messages under the same numbers.
const (
	frameOpen      = 1
	frameBatch     = 2
	frameHeartbeat = 3
	frameLookUp    = 4

	batchTopic         = 1
	batchFirstSequence = 2
	batchOneWay        = 3
)

// PublishKind says which frame a PublishFrame is.
type PublishKind uint8

// The kinds of PublishFrame. PublishNone is a frame that is empty or that holds
// nothing this server's contract knows.
const (
	PublishNone PublishKind = iota
	PublishOpen
	PublishBatch
	PublishHeartbeat
	PublishLookUp
)

// PublishFrame is one PublishStreamRequest, its batch kept as bytes. It is reused:
// receive into it, look at Fault, use it, Release it.
type PublishFrame struct {
	// Kind says which of the following is set.
	Kind PublishKind
	// Open is set with PublishOpen.
	Open *headracev1.PublishStreamRequest_Open
	// Batch is set with PublishBatch.
	Batch Batch
	// LookUp is set with PublishLookUp.
	LookUp *headracev1.PublishStreamRequest_LookUp
	// Fault is why the frame is malformed, else nil.
	Fault error

	buf mem.Buffer
}

// Release gives the frame's memory back. It is safe to call twice.
func (f *PublishFrame) Release() {
	if f.buf != nil {
		f.buf.Free()
		f.buf = nil
	}
}

var _ unmarshaler = (*PublishFrame)(nil)

func (f *PublishFrame) unmarshal(buf mem.Buffer) {
	f.Release()
	*f = PublishFrame{buf: buf}
	f.Fault = f.parse(buf.ReadOnlyData())
}

// parse finds the one frame in b. More than one, which other parsers would merge
// or drop, is a fault.
func (f *PublishFrame) parse(b []byte) error {
	for len(b) > 0 {
		field, ok := consumeField(b)
		if !ok {
			return faultf("the frame's bytes are not well-formed")
		}
		b = b[field.size:]
		if field.number > frameLookUp {
			continue
		}
		if field.typ != protowire.BytesType {
			return faultf("field %d of the frame has the wire type %d", field.number, field.typ)
		}
		if f.Kind != PublishNone {
			return faultf("the frame holds more than one frame")
		}
		if err := f.member(field); err != nil {
			return err
		}
	}
	return nil
}

func (f *PublishFrame) member(field field) error {
	switch field.number {
	case frameOpen:
		f.Kind, f.Open = PublishOpen, new(headracev1.PublishStreamRequest_Open)
		return faultOf(proto.Unmarshal(field.bytes, f.Open))
	case frameBatch:
		f.Kind = PublishBatch
		return f.Batch.parse(field.bytes, batchType)
	case frameLookUp:
		f.Kind, f.LookUp = PublishLookUp, new(headracev1.PublishStreamRequest_LookUp)
		return faultOf(proto.Unmarshal(field.bytes, f.LookUp))
	default:
		f.Kind = PublishHeartbeat
		return faultOf(proto.Unmarshal(field.bytes, new(headracev1.Heartbeat)))
	}
}

// PublishCall is one PublishRequest, kept as bytes.
type PublishCall struct {
	// Batch has no sequence and is not one-way.
	Batch Batch
	// Fault is why the request is malformed, else nil.
	Fault error

	buf mem.Buffer
}

// Release gives the request's memory back. It is safe to call twice.
func (c *PublishCall) Release() {
	if c.buf != nil {
		c.buf.Free()
		c.buf = nil
	}
}

var _ unmarshaler = (*PublishCall)(nil)

func (c *PublishCall) unmarshal(buf mem.Buffer) {
	c.Release()
	*c = PublishCall{buf: buf}
	c.Fault = c.Batch.parse(buf.ReadOnlyData(), callType)
}

// Batch is the messages of one frame for one topic, still encoded.
type Batch struct {
	// Topic is the topic's name as the client wrote it.
	Topic []byte
	// FirstSequence is the publish sequence of the first message.
	FirstSequence uint64
	// OneWay says that no result is wanted.
	OneWay bool
	// Count is how many messages there are, Bytes the sum of their encoded sizes as
	// the client sent them.
	Count, Bytes int

	rest []byte
}

// Next takes the next encoded message off the batch.
func (b *Batch) Next() (body []byte, ok bool) {
	for len(b.rest) > 0 {
		f, _ := consumeField(b.rest)
		b.rest = b.rest[f.size:]
		if f.number == fieldMessages {
			return f.bytes, true
		}
	}
	return nil, false
}

// parse reads the fields around the messages, and sums the messages up without
// looking into them. The last occurrence of a field counts.
func (b *Batch) parse(frame []byte, declared fieldTypes) error {
	b.rest = frame
	for len(frame) > 0 {
		f, ok := consumeField(frame)
		if !ok {
			return faultf("the batch's bytes are not well-formed")
		}
		if err := b.field(f, declared); err != nil {
			return err
		}
		frame = frame[f.size:]
	}
	return nil
}

func (b *Batch) field(f field, declared fieldTypes) error {
	want, known := declared(f.number)
	if !known {
		return nil
	}
	if f.typ != want {
		return faultf("field %d of the batch has the wire type %d", f.number, f.typ)
	}
	switch f.number {
	case fieldMessages:
		b.Count++
		b.Bytes += len(f.bytes)
	case batchTopic:
		if !utf8.Valid(f.bytes) {
			return faultf("the batch's topic is not UTF-8")
		}
		b.Topic = f.bytes
	case batchFirstSequence:
		b.FirstSequence = f.varint
	case batchOneWay:
		b.OneWay = f.varint != 0
	default:
	}
	return nil
}

// callType gives the declared wire types of a PublishRequest's fields.
func callType(n protowire.Number) (protowire.Type, bool) {
	return protowire.BytesType, n == fieldMessages || n == batchTopic
}

// batchType gives the declared wire types of a PublishBatch's fields.
func batchType(n protowire.Number) (protowire.Type, bool) {
	switch n {
	case fieldMessages, batchTopic:
		return protowire.BytesType, true
	case batchFirstSequence, batchOneWay:
		return protowire.VarintType, true
	default:
		return 0, false
	}
}
