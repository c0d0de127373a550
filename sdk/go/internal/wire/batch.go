package wire

import (
	"slices"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// The fields of a Batch frame.
const (
	fieldBatch        = 2 // of SubscribeResponse
	fieldBatchFirst   = 1
	fieldRuns         = 2
	fieldChargedBytes = 3
	fieldAttempts     = 4
	fieldMessages     = 15
)

// Batch is a decoded Batch frame. Its messages are views of one copy of the
// frame.
type Batch struct {
	FirstSequence uint64
	ChargedBytes  uint64
	Runs          []Run
	Attempts      []AttemptRun
	Messages      [][]byte // encoded; see ParseMessage.
}

// Run is a headrace.v1.PositionRun.
type Run struct {
	Partition   uint32
	FirstOffset uint64
	Count       uint32
}

// AttemptRun is a headrace.v1.SubscribeResponse.AttemptRun.
type AttemptRun struct {
	FirstSequence uint64
	Count         uint32
	Attempt       uint32
}

// SubscribeFrame is a decoded SubscribeResponse: Batch when it carries one, else
// Response.
type SubscribeFrame struct {
	Batch    *Batch
	Response *headracev1.SubscribeResponse
}

// parse decodes a frame, which it keeps.
func (f *SubscribeFrame) parse(frame []byte) error {
	f.Batch, f.Response = nil, nil
	if inner, ok := soleBatch(frame); ok {
		f.Batch = new(Batch)
		return f.Batch.parse(inner)
	}
	f.Response = new(headracev1.SubscribeResponse)
	if err := proto.Unmarshal(frame, f.Response); err != nil {
		return err
	}
	merged := f.Response.GetBatch()
	if merged == nil {
		return nil
	}
	inner, err := proto.Marshal(merged)
	if err != nil {
		return err
	}
	f.Batch, f.Response = new(Batch), nil
	return f.Batch.parse(inner)
}

// soleBatch returns the Batch of a frame that has this field, once, and nothing
// else: what every server writes.
func soleBatch(frame []byte) ([]byte, bool) {
	number, kind, n := protowire.ConsumeTag(frame)
	if n < 0 || number != fieldBatch || kind != protowire.BytesType {
		return nil, false
	}
	inner, length := protowire.ConsumeBytes(frame[n:])
	return inner, length >= 0 && n+length == len(frame)
}

func (b *Batch) parse(data []byte) error {
	count, err := countField(data, fieldMessages)
	if err != nil {
		return err
	}
	b.Messages = make([][]byte, 0, count)
	return eachField(data, func(f field) error {
		switch f.number {
		case fieldBatchFirst:
			f.uint64(&b.FirstSequence)
		case fieldChargedBytes:
			f.uint64(&b.ChargedBytes)
		case fieldRuns:
			return appendMessage(&b.Runs, f, (*Run).set)
		case fieldAttempts:
			return appendMessage(&b.Attempts, f, (*AttemptRun).set)
		case fieldMessages:
			if f.kind == protowire.BytesType {
				b.Messages = append(b.Messages, slices.Clip(f.data))
			}
		default: // Unknown: of a newer server.
		}
		return nil
	})
}

// appendMessage appends what a field's message holds to a list.
func appendMessage[T any](list *[]T, f field, set func(*T, field)) error {
	if f.kind != protowire.BytesType {
		return nil
	}
	var item T
	err := eachField(f.data, func(f field) error {
		set(&item, f)
		return nil
	})
	*list = append(*list, item)
	return err
}

func (r *Run) set(f field) {
	switch f.number {
	case 1:
		f.uint32(&r.Partition)
	case 2:
		f.uint64(&r.FirstOffset)
	case 3:
		f.uint32(&r.Count)
	default: // Unknown.
	}
}

func (r *AttemptRun) set(f field) {
	switch f.number {
	case 1:
		f.uint64(&r.FirstSequence)
	case 2:
		f.uint32(&r.Count)
	case 3:
		f.uint32(&r.Attempt)
	default: // Unknown.
	}
}
