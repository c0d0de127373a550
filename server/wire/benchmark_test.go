package wire

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// frameMessages is how many messages the benchmarks put into a frame.
const frameMessages = 64

// BenchmarkWalk measures what a publish frame costs from the transport's buffers
// to stored bytes, per message.
func BenchmarkWalk(b *testing.B) {
	for _, size := range []int{100, 1024, 16 << 10} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			encoded := mustMarshal(b, batchFrame("topic", 1, benchMessages(size)...))
			data := inPieces(encoded)
			codec, w, at := NewCodec(NewPool()), Walker{Limits: DefaultLimits()}, NewPublishTime(readAt)
			var frame PublishFrame
			var out stored
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if n%frameMessages != 0 {
					continue
				}
				_ = codec.Unmarshal(data, &frame)
				walkInto(b, &w, frame.Batch, &out, &at)
				frame.Release()
			}
		})
	}
}

// BenchmarkWalkAgainstUnmarshal measures the standard codec on the same frames,
// for the comparison.
func BenchmarkWalkAgainstUnmarshal(b *testing.B) {
	encoded := mustMarshal(b, batchFrame("topic", 1, benchMessages(1024)...))
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n%frameMessages != 0 {
			continue
		}
		if err := proto.Unmarshal(encoded, new(headracev1.PublishStreamRequest)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncode measures a delivery frame from segments to gRPC's buffers, per
// message.
func BenchmarkEncode(b *testing.B) {
	for _, size := range []int{100, 1024, 16 << 10} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			frame := &BatchFrame{
				FirstSequence: 1 << 20, ChargedBytes: 1 << 30,
				Runs:   []Run{{FirstOffset: 1 << 20, Count: frameMessages}},
				Pieces: [][]byte{benchStored(b, size)},
			}
			codec := NewCodec(NewPool())
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if n%frameMessages != 0 {
					continue
				}
				data, _ := codec.Marshal(frame)
				data.Free()
			}
		})
	}
}

// stored is what storage wants of a batch.
type stored struct {
	messages []byte
	ends     []uint32
}

func walkInto(b *testing.B, w *Walker, batch Batch, out *stored, at *PublishTime) {
	b.Helper()
	out.messages, out.ends = out.messages[:0], out.ends[:0]
	for body, ok := batch.Next(); ok; body, ok = batch.Next() {
		m, failure := w.Walk(body)
		if !failure.OK() {
			b.Fatalf("%+v", failure)
		}
		out.messages = m.AppendTo(out.messages, at)
		out.ends = append(out.ends, uint32(len(out.messages)))
	}
}

// inPieces cuts a frame as HTTP/2 does.
func inPieces(b []byte) mem.BufferSlice {
	const http2FrameBytes = 16 << 10
	var out mem.BufferSlice
	for len(b) > 0 {
		n := min(len(b), http2FrameBytes)
		out = append(out, mem.SliceBuffer(b[:n]))
		b = b[n:]
	}
	return out
}

func benchMessages(size int) []*headracev1.Message {
	rng := rand.NewChaCha8([32]byte{1})
	out := make([]*headracev1.Message, frameMessages)
	for i := range out {
		data := make([]byte, size)
		_, _ = rng.Read(data)
		out[i] = &headracev1.Message{
			Data: data, OrderingKey: fmt.Sprintf("key-%d", i),
			Attributes: map[string]string{"source": "benchmark", "kind": "event"},
		}
	}
	return out
}

func benchStored(b *testing.B, size int) []byte {
	b.Helper()
	encoded := mustMarshal(b, batchFrame("topic", 1, benchMessages(size)...))
	w, at := Walker{Limits: DefaultLimits()}, NewPublishTime(readAt)
	var out stored
	walkInto(b, &w, receive(b, encoded).Batch, &out, &at)
	return out.messages
}
