package headrace_test

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// loopback is a server for benchmarks on a TCP port of this machine. It does as
// little as it can, in the benchmark's own process: it counts the messages of a
// publish frame without decoding them, and sends one encoded batch again and
// again.
type loopback struct {
	headracev1.UnimplementedPublisherServiceServer
	headracev1.UnimplementedSubscriberServiceServer

	// batch is the messages that a subscriber gets in each frame, encoded.
	batch []byte
	count uint64
}

// bytesCodec hands frames over as bytes, and everything else to Protobuf.
type bytesCodec struct{}

func (bytesCodec) Name() string { return "proto" }

func (bytesCodec) Marshal(v any) (mem.BufferSlice, error) {
	if parts, ok := v.([2][]byte); ok {
		return mem.BufferSlice{mem.SliceBuffer(parts[0]), mem.SliceBuffer(parts[1])}, nil
	}
	b, err := proto.Marshal(v.(proto.Message))
	return mem.BufferSlice{mem.SliceBuffer(b)}, err
}

func (bytesCodec) Unmarshal(data mem.BufferSlice, v any) error {
	if b, ok := v.(*[]byte); ok {
		*b = append((*b)[:0], make([]byte, data.Len())...)
		data.CopyTo(*b)
		return nil
	}
	return proto.Unmarshal(data.Materialize(), v.(proto.Message))
}

// startLoopback starts a server that sends batches of count messages of size
// bytes, and a client of it.
func startLoopback(b *testing.B, count, size int, opts ...headrace.DialOption) *headrace.Client {
	b.Helper()
	l := &loopback{count: uint64(count)}
	message := append(protowire.AppendTag(nil, 1, protowire.BytesType), protowire.AppendVarint(nil, uint64(size))...)
	message = append(message, make([]byte, size)...)
	for range count {
		l.batch = protowire.AppendTag(l.batch, 15, protowire.BytesType)
		l.batch = protowire.AppendBytes(l.batch, message)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := grpc.NewServer(grpc.ForceServerCodecV2(bytesCodec{}))
	headracev1.RegisterPublisherServiceServer(server, l)
	headracev1.RegisterSubscriberServiceServer(server, l)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // Ends with Stop.
	c, err := headrace.Dial(b.Context(), listener.Addr().String(), opts...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := c.Close(); err != nil {
			b.Error(err)
		}
		server.Stop()
		serving.Wait()
	})
	return c
}

// PublishStream answers each batch at once.
func (l *loopback) PublishStream(stream grpc.BidiStreamingServer[headracev1.PublishStreamRequest, headracev1.PublishStreamResponse]) error {
	if _, err := stream.Recv(); err != nil {
		return err
	}
	err := stream.Send(&headracev1.PublishStreamResponse{Frame: &headracev1.PublishStreamResponse_Opened_{
		Opened: &headracev1.PublishStreamResponse_Opened{Limits: &headracev1.PublishLimits{MaxMessageBytes: 1 << 20}},
	}})
	var frame []byte
	var sent uint64
	for err == nil {
		if err = stream.RecvMsg(&frame); err != nil {
			break
		}
		first, count, oneWay := countMessages(frame)
		if count == 0 {
			continue
		}
		sent += count
		if err = sendWindow(stream, sent); err == nil && !oneWay {
			err = sendResult(stream, first, count)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func sendWindow(stream grpc.ServerStream, sent uint64) error {
	return stream.SendMsg(&headracev1.PublishStreamResponse{Frame: &headracev1.PublishStreamResponse_PublishWindow_{
		PublishWindow: &headracev1.PublishStreamResponse_PublishWindow{ThroughMessages: sent + 100_000, ThroughBytes: 1 << 60},
	}})
}

func sendResult(stream grpc.ServerStream, first, count uint64) error {
	return stream.SendMsg(&headracev1.PublishStreamResponse{Frame: &headracev1.PublishStreamResponse_PublishResult_{
		PublishResult: &headracev1.PublishStreamResponse_PublishResult{
			Topic: "default/orders", ThroughSequence: first + count - 1,
			Runs: []*headracev1.PublishedRun{{FirstSequence: first, FirstOffset: first, Count: uint32(count)}},
		},
	}})
}

// countMessages looks at a publish frame: nothing for a heartbeat.
func countMessages(frame []byte) (first, count uint64, oneWay bool) {
	number, _, n := protowire.ConsumeTag(frame)
	if number != 2 {
		return 0, 0, false
	}
	batch, _ := protowire.ConsumeBytes(frame[n:])
	for len(batch) > 0 {
		number, kind, n := protowire.ConsumeTag(batch)
		switch number {
		case 2:
			first, _ = protowire.ConsumeVarint(batch[n:])
		case 3:
			oneWay = true
		case 15:
			count++
		default: // Of no interest.
		}
		batch = batch[n+protowire.ConsumeFieldValue(number, kind, batch[n:]):]
	}
	return first, count, oneWay
}

// Subscribe sends batches within the window and confirms settles.
func (l *loopback) Subscribe(stream grpc.BidiStreamingServer[headracev1.SubscribeRequest, headracev1.SubscribeResponse]) error {
	open, err := stream.Recv()
	if err != nil {
		return err
	}
	err = stream.Send(&headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_Opened_{
		Opened: &headracev1.SubscribeResponse_Opened{Features: []headracev1.Feature{
			headracev1.Feature_FEATURE_STARTED, headracev1.Feature_FEATURE_RECALL,
		}},
	}})
	window, next, settled := open.GetOpen().GetWindow().GetMessages(), uint64(1), uint64(0)
	for err == nil {
		for next+l.count-1 <= settled+window && err == nil {
			err = stream.SendMsg(l.frame(next))
			next += l.count
		}
		var frame *headracev1.SubscribeRequest
		if frame, err = stream.Recv(); err != nil {
			break
		}
		if settle := frame.GetSettle(); settle != nil {
			for _, r := range settle.GetRanges() {
				settled += r.GetLast() - r.GetFirst() + 1
			}
			err = stream.Send(&headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_SettleResult_{
				SettleResult: &headracev1.SubscribeResponse_SettleResult{ConfirmedThrough: settle.GetNumber()},
			}})
		}
		if frame.GetDrain() != nil {
			window = 0
			err = stream.Send(&headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_Drained_{
				Drained: &headracev1.SubscribeResponse_Drained{},
			}})
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// frame is a batch that begins with a sequence, encoded: what changes, and the
// messages.
func (l *loopback) frame(first uint64) [2][]byte {
	run := protowire.AppendTag(nil, 2, protowire.VarintType)
	run = protowire.AppendVarint(run, first)
	run = protowire.AppendTag(run, 3, protowire.VarintType)
	run = protowire.AppendVarint(run, l.count)
	head := protowire.AppendTag(nil, 1, protowire.VarintType)
	head = protowire.AppendVarint(head, first)
	head = protowire.AppendTag(head, 2, protowire.BytesType)
	head = protowire.AppendBytes(head, run)
	frame := protowire.AppendTag(nil, 2, protowire.BytesType)
	frame = protowire.AppendVarint(frame, uint64(len(head)+len(l.batch)))
	return [2][]byte{append(frame, head...), l.batch}
}
