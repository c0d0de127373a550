package wire

import (
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
)

// The fields of a publish frame.
const (
	fieldPublishBatch  = 2 // of PublishStreamRequest
	fieldTopic         = 1
	fieldFirstSequence = 2
	fieldOneWay        = 3
)

// PublishFrame is a PublishStreamRequest that carries a PublishBatch, encoded.
// Whoever sends it keeps a reference to Body until SendMsg has returned; gRPC
// takes its own.
type PublishFrame struct {
	Header []byte
	Body   mem.Buffer
}

// AppendPublishHeader appends what stands before a body of that length.
func AppendPublishHeader(b []byte, topic string, firstSequence uint64, oneWay bool, bodyBytes int) []byte {
	n := sizeOf(fieldTopic, len(topic)) + protowire.SizeTag(fieldFirstSequence) +
		protowire.SizeVarint(firstSequence) + bodyBytes
	if oneWay {
		n += protowire.SizeTag(fieldOneWay) + protowire.SizeVarint(1)
	}
	b = protowire.AppendTag(b, fieldPublishBatch, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(n))
	b = appendText(b, fieldTopic, topic)
	b = protowire.AppendTag(b, fieldFirstSequence, protowire.VarintType)
	b = protowire.AppendVarint(b, firstSequence)
	if oneWay {
		b = protowire.AppendTag(b, fieldOneWay, protowire.VarintType)
		b = protowire.AppendVarint(b, 1)
	}
	return b
}
