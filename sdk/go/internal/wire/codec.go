package wire

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// Codec is the codec of the client's two streams: a [*PublishFrame] is sent as
// it is, a [*SubscribeFrame] is received by hand, every other message goes
// through the generated code. On the wire it is ordinary Protobuf.
type Codec struct{}

var _ encoding.CodecV2 = Codec{}

// Name is the content subtype of Protobuf.
func (Codec) Name() string { return "proto" }

// Marshal encodes v.
func (Codec) Marshal(v any) (mem.BufferSlice, error) {
	switch v := v.(type) {
	case *PublishFrame:
		v.Body.Ref()
		return mem.BufferSlice{mem.SliceBuffer(v.Header), v.Body}, nil
	case proto.Message:
		b, err := proto.Marshal(v)
		return mem.BufferSlice{mem.SliceBuffer(b)}, err
	}
	return nil, fmt.Errorf("wire: cannot send a %T", v)
}

// Unmarshal decodes data into v.
func (Codec) Unmarshal(data mem.BufferSlice, v any) error {
	switch v := v.(type) {
	case *SubscribeFrame:
		return v.parse(data.Materialize())
	case proto.Message:
		buffer := data.MaterializeToBuffer(mem.DefaultBufferPool())
		defer buffer.Free()
		return proto.Unmarshal(buffer.ReadOnlyData(), v)
	}
	return fmt.Errorf("wire: cannot receive a %T", v)
}
