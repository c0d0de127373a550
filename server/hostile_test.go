package server_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

// rawFrame is a frame or request whose bytes a test made.
type rawFrame []byte

// bytesCodec sends raw frames as they are.
type bytesCodec struct{}

var _ encoding.CodecV2 = bytesCodec{}

func (bytesCodec) Name() string { return "proto" }

func (bytesCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.(rawFrame))}, nil
}

func (bytesCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*rawFrame) = data.Materialize()
	return nil
}

func rawCodec() grpc.CallOption { return grpc.ForceCodecV2(bytesCodec{}) }

// hostileMethods are the streams that hostile bytes are sent to, each with frames
// that are good.
func hostileMethods(tb testing.TB) map[string][]proto.Message {
	tb.Helper()
	return map[string][]proto.Message{
		headracev1.PublisherService_PublishStream_FullMethodName: {
			publishOpen(), batch("orders", 1, numberedMessages(1, 3)...), batch("orders", 4, &headracev1.Message{
				OrderingKey: "k", Attributes: map[string]string{"a": "b"},
			}), publishHeartbeat(),
		},
		headracev1.SubscriberService_Subscribe_FullMethodName: {
			open, window(10, 1000), ack(1, 1, 1), extend(2, time.Minute, 3), heartbeat(), drain(0),
		},
	}
}

func TestHostileFramesEndTheirStreamAndNothingElse(t *testing.T) {
	const rounds = 300
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for method, frames := range hostileMethods(t) {
		for range rounds {
			sendHostile(t, s, method, mutated(t, rng, frames))
		}
	}
	s.Publish("orders", numberedMessages(1, 1)...)
	session := openSubscribe(t, s, open.GetOpen())
	session.nextBatch()
	session.finish()
}

// FuzzSubscribeStream and FuzzPublishStream send fuzzed bytes behind a good Open.
func FuzzSubscribeStream(f *testing.F) {
	fuzzStream(f, headracev1.SubscriberService_Subscribe_FullMethodName)
}

// FuzzPublishStream is FuzzSubscribeStream for publishers.
func FuzzPublishStream(f *testing.F) {
	fuzzStream(f, headracev1.PublisherService_PublishStream_FullMethodName)
}

func fuzzStream(f *testing.F, method string) {
	f.Helper()
	frames := hostileMethods(f)[method]
	for _, frame := range frames[1:] {
		f.Add([]byte(encode(f, frame)))
	}
	s := servertest.Start(f, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	f.Fuzz(func(t *testing.T, b []byte) {
		sendHostile(t, s, method, []rawFrame{encode(t, frames[0]), b})
	})
}

// mutated gives the frames encoded, with a few bytes changed, cut or put in.
func mutated(tb testing.TB, rng *rand.Rand, frames []proto.Message) []rawFrame {
	tb.Helper()
	var out []rawFrame
	for _, frame := range frames {
		b := encode(tb, frame)
		for range rng.IntN(3) {
			if len(b) == 0 {
				break
			}
			at := rng.IntN(len(b))
			switch rng.IntN(3) {
			case 0:
				b[at] = byte(rng.Uint32())
			case 1:
				b = b[:at]
			case 2:
				b = append(b[:at:at], append([]byte{byte(rng.Uint32())}, b[at:]...)...)
			}
		}
		out = append(out, b)
	}
	return out
}

// sendHostile sends frames and reads to the end of the stream, which must come and
// must not blame the server.
func sendHostile(tb testing.TB, s *servertest.Server, method string, frames []rawFrame) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), streamWait)
	defer cancel()
	desc := &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}
	stream, err := s.Conn.NewStream(ctx, desc, method, rawCodec())
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range frames {
		if stream.SendMsg(f) != nil {
			break
		}
	}
	if err := stream.CloseSend(); err != nil {
		tb.Fatal(err)
	}
	for err == nil {
		err = stream.RecvMsg(new(rawFrame))
	}
	switch code := status.Code(ignoreEOF(err)); code {
	case codes.OK, codes.InvalidArgument, codes.NotFound, codes.ResourceExhausted, codes.FailedPrecondition:
	default:
		tb.Fatalf("%s ended with %v after %x", method, err, frames)
	}
}

func encode(tb testing.TB, m proto.Message) rawFrame {
	tb.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		tb.Fatal(fmt.Errorf("encode: %w", err))
	}
	return b
}
