package wire

import (
	"errors"
	"fmt"

	"google.golang.org/grpc/encoding"
	encodingproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// ErrMalformed is returned when a frame or a request is not a strict encoding of
// its type.
var ErrMalformed = errors.New("malformed frame")

// Codec is the server's codec. It has the standard codec's name, and what it
// writes and reads is standard Protobuf; it is to be installed with
// grpc.ForceServerCodecV2, so that clients of the same process keep theirs.
type Codec struct {
	pool     mem.BufferPool
	standard encoding.CodecV2
}

var _ encoding.CodecV2 = (*Codec)(nil)

// NewCodec makes a codec that takes its buffers from pool.
func NewCodec(pool mem.BufferPool) *Codec {
	return &Codec{pool: pool, standard: encoding.GetCodecV2(encodingproto.Name)}
}

// Name is "proto".
func (c *Codec) Name() string { return encodingproto.Name }

// marshaler is a frame that writes itself into a pooled buffer.
type marshaler interface {
	marshal(pool mem.BufferPool) (mem.BufferSlice, error)
}

// unmarshaler is a frame that keeps the bytes it came in. It owns buf.
type unmarshaler interface {
	unmarshal(buf mem.Buffer)
}

// Marshal encodes v: a BatchFrame by byte ranges, anything else by the standard
// codec.
func (c *Codec) Marshal(v any) (mem.BufferSlice, error) {
	if m, ok := v.(marshaler); ok {
		return m.marshal(c.pool)
	}
	return c.standard.Marshal(v)
}

// Unmarshal decodes data into v: PublishFrame, PublishCall and Inbound keep what
// is wrong to themselves, anything else goes to the standard codec.
func (c *Codec) Unmarshal(data mem.BufferSlice, v any) error {
	u, ok := v.(unmarshaler)
	if !ok {
		return c.standard.Unmarshal(data, v)
	}
	u.unmarshal(data.MaterializeToBuffer(c.pool))
	return nil
}

// Inbound is a frame or request that the standard codec reads. Where gRPC would
// end the call with INTERNAL for a malformed one, Inbound keeps the fault.
type Inbound struct {
	// Frame is what is read into; the caller sets it.
	Frame proto.Message
	// Fault is why the frame is malformed, else nil.
	Fault error
}

var _ unmarshaler = (*Inbound)(nil)

func (i *Inbound) unmarshal(buf mem.Buffer) {
	defer buf.Free()
	i.Fault = faultOf(proto.Unmarshal(buf.ReadOnlyData(), i.Frame))
}

func faultf(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrMalformed}, args...)...)
}

func faultOf(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrMalformed, err)
}
