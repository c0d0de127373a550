package wire

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

func TestABatchFrameIsWhatStandardMarshalGives(t *testing.T) {
	for name, frame := range map[string]*BatchFrame{
		"one message": {FirstSequence: 1, ChargedBytes: 5, Runs: []Run{{Count: 1}}, Pieces: pieces(t, "a")},
		"large numbers": {
			FirstSequence: 1 << 63, ChargedBytes: 1 << 62,
			Runs:   []Run{{Partition: 255, FirstOffset: 1 << 60, Count: 1 << 31}},
			Pieces: pieces(t, "a"),
		},
		"everything": {
			FirstSequence: 300, ChargedBytes: 70_000,
			Runs:     []Run{{Partition: 1, FirstOffset: 9, Count: 2}, {Partition: 0, FirstOffset: 1000, Count: 1}},
			Attempts: []AttemptRun{{FirstSequence: 301, Count: 2, Attempt: 2}, {FirstSequence: 303, Count: 1, Attempt: 900}},
			Pieces:   pieces(t, "a", "bb", "ccc"),
		},
		"empty": {},
	} {
		t.Run(name, func(t *testing.T) {
			encoded := marshalFrame(t, NewPool(), frame)
			if frame.Size() != len(encoded) {
				t.Errorf("Size = %d, encoded %d bytes", frame.Size(), len(encoded))
			}
			var got headracev1.SubscribeResponse
			if err := proto.Unmarshal(encoded, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(asResponse(t, frame), &got, protocmp.Transform()); diff != "" {
				t.Fatalf("frame (-want +got):\n%s", diff)
			}
			if !bytes.Equal(encoded, mustMarshal(t, &got)) {
				t.Fatalf("encoded\n%x, standard marshal gives\n%x", encoded, mustMarshal(t, &got))
			}
		})
	}
}

func TestTheBytesOfABatchFrame(t *testing.T) {
	frame := &BatchFrame{
		FirstSequence: 5, ChargedBytes: 300,
		Runs:     []Run{{Partition: 1, FirstOffset: 2, Count: 1}},
		Attempts: []AttemptRun{{FirstSequence: 5, Count: 1, Attempt: 2}},
		Pieces:   pieces(t, "a"),
	}
	const want = "121c" + // batch, 28 bytes
		"0805" + // first_sequence
		"1206" + "080110021801" + // runs: partition, first_offset, count
		"18ac02" + // charged_bytes
		"2206" + "080510011802" + // attempts: first_sequence, count, attempt
		"7a05" + "0a03612d30" // messages: data
	if got := hex.EncodeToString(marshalFrame(t, NewPool(), frame)); got != want {
		t.Fatalf("encoded\n got %s\nwant %s", got, want)
	}
}

func TestAFrameKeepsItsBytesUntilTheyAreFreed(t *testing.T) {
	pool := NewPoisonedPool()
	frame := &BatchFrame{FirstSequence: 1, Runs: []Run{{Count: 1}}, Pieces: pieces(t, "a")}
	data, err := NewCodec(pool).Marshal(frame)
	if err != nil {
		t.Fatal(err)
	}
	want := data.Materialize()
	for _, p := range frame.Pieces {
		clear(p)
	}
	frame.Reset()
	if !bytes.Equal(data.Materialize(), want) {
		t.Fatal("the frame's bytes changed with its pieces")
	}
	kept := data[0].ReadOnlyData()
	data.Free()
	if !bytes.Equal(kept, bytes.Repeat([]byte{poisonByte}, len(kept))) {
		t.Fatal("a freed frame was not poisoned: its bytes did not go back to the pool")
	}
}

func TestOtherMessagesGoThroughTheStandardCodec(t *testing.T) {
	c := NewCodec(NewPool())
	want := &headracev1.GetTopicRequest{Topic: "topic"}
	data, err := c.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got := new(headracev1.GetTopicRequest)
	if err := c.Unmarshal(data, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Fatalf("message (-want +got):\n%s", diff)
	}
	if err := c.Unmarshal(mem.BufferSlice{mem.SliceBuffer{0x0b}}, got); err == nil {
		t.Fatal("the standard codec accepted malformed bytes")
	}
}

func TestAnInboundFrameKeepsItsFault(t *testing.T) {
	c := NewCodec(NewPool())
	var frame headracev1.SubscribeRequest
	in := Inbound{Frame: &frame}
	unmarshal(t, c, []byte{0x42, 0x00}, &in)
	if in.Fault != nil || frame.GetHeartbeat() == nil {
		t.Fatalf("heartbeat read as %v, fault %v", &frame, in.Fault)
	}
	unmarshal(t, c, []byte{0x42, 0x05}, &in)
	if !errors.Is(in.Fault, ErrMalformed) {
		t.Fatalf("a cut frame: %v", in.Fault)
	}
}

// marshalFrame encodes a frame with buffers of pool.
func marshalFrame(tb testing.TB, pool mem.BufferPool, f *BatchFrame) []byte {
	tb.Helper()
	data, err := NewCodec(pool).Marshal(f)
	if err != nil {
		tb.Fatal(err)
	}
	defer data.Free()
	return data.Materialize()
}

// pieces makes one stored message for each name.
func pieces(tb testing.TB, names ...string) [][]byte {
	tb.Helper()
	var out [][]byte
	for _, name := range names {
		body := mustMarshal(tb, &headracev1.Message{Data: []byte(name + "-0")})
		out = append(out, append([]byte{tagMessages, byte(len(body))}, body...))
	}
	return out
}

// asResponse is the frame as generated code has it.
func asResponse(tb testing.TB, f *BatchFrame) *headracev1.SubscribeResponse {
	tb.Helper()
	b := &headracev1.SubscribeResponse_Batch{FirstSequence: f.FirstSequence, ChargedBytes: f.ChargedBytes}
	for _, r := range f.Runs {
		b.Runs = append(b.Runs, &headracev1.PositionRun{
			Partition: r.Partition, FirstOffset: r.FirstOffset, Count: r.Count,
		})
	}
	for _, a := range f.Attempts {
		b.Attempts = append(b.Attempts, &headracev1.SubscribeResponse_AttemptRun{
			FirstSequence: a.FirstSequence, Count: a.Count, Attempt: a.Attempt,
		})
	}
	for _, p := range f.Pieces {
		b.Messages = append(b.Messages, parseStored(tb, p))
	}
	return &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_Batch_{Batch: b}}
}
