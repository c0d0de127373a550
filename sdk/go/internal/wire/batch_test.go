package wire

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"
)

func batchFrame(b *headracev1.SubscribeResponse_Batch) *headracev1.SubscribeResponse {
	return &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_Batch_{Batch: b}}
}

func sampleBatch() *headracev1.SubscribeResponse_Batch {
	return &headracev1.SubscribeResponse_Batch{
		FirstSequence: 7,
		ChargedBytes:  999,
		Runs: []*headracev1.PositionRun{
			{Partition: 3, FirstOffset: 1 << 40, Count: 1}, {FirstOffset: 5, Count: 1},
		},
		Attempts: []*headracev1.SubscribeResponse_AttemptRun{{FirstSequence: 8, Count: 1, Attempt: 4}},
		Messages: []*headracev1.Message{
			{Data: []byte("one"), PublishTime: &timestamppb.Timestamp{Seconds: 5, Nanos: 6}},
			{Data: []byte("two"), Attributes: map[string]string{"a": "b"}},
		},
	}
}

func encode(tb testing.TB, m proto.Message) []byte {
	tb.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// checkSame compares a decoded frame with what the generated code says of it.
func checkSame(t *testing.T, frame []byte, want *headracev1.SubscribeResponse) {
	t.Helper()
	var got SubscribeFrame
	if err := (Codec{}).Unmarshal(mem.BufferSlice{mem.SliceBuffer(frame)}, &got); err != nil {
		t.Fatal(err)
	}
	if want.GetBatch() == nil {
		if diff := cmp.Diff(want, got.Response, protocmp.Transform()); diff != "" {
			t.Error(diff)
		}
		return
	}
	back, err := generated(got.Batch)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range want.GetBatch().GetMessages() {
		m.PublishTime = stampOf(m.GetPublishTime().AsTime())
	}
	ignored := protocmp.IgnoreUnknown()
	served := protocmp.IgnoreFields(&headracev1.Message{}, "dedupe_id", "deliver_at", "delay", "ttl")
	if diff := cmp.Diff(want.GetBatch(), back, protocmp.Transform(), ignored, served); diff != "" {
		t.Error(diff)
	}
}

func generated(b *Batch) (*headracev1.SubscribeResponse_Batch, error) {
	g := &headracev1.SubscribeResponse_Batch{FirstSequence: b.FirstSequence, ChargedBytes: b.ChargedBytes}
	for _, r := range b.Runs {
		g.Runs = append(g.Runs, &headracev1.PositionRun{Partition: r.Partition, FirstOffset: r.FirstOffset, Count: r.Count})
	}
	for _, r := range b.Attempts {
		g.Attempts = append(g.Attempts, &headracev1.SubscribeResponse_AttemptRun{
			FirstSequence: r.FirstSequence, Count: r.Count, Attempt: r.Attempt,
		})
	}
	for _, raw := range b.Messages {
		var m Message
		if err := ParseMessage(raw, &m); err != nil {
			return nil, err
		}
		message := &headracev1.Message{
			Data: m.Data, Attributes: m.Attributes, MessageId: m.MessageID,
			OrderingKey: m.OrderingKey, ContentType: m.ContentType,
		}
		message.PublishTime = stampOf(m.PublishTime)
		g.Messages = append(g.Messages, message)
	}
	return g, nil
}

// stampOf makes timestamps comparable: a Go time knows neither nanoseconds out of
// range nor the difference between none and the epoch.
func stampOf(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		t = time.Unix(0, 0)
	}
	return timestamppb.New(t)
}

func TestABatchDecodesToWhatTheGeneratedCodeReads(t *testing.T) {
	want := batchFrame(sampleBatch())
	checkSame(t, encode(t, want), want)
}

func TestOtherFramesGoThroughTheGeneratedCode(t *testing.T) {
	want := &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_Drained_{
		Drained: &headracev1.SubscribeResponse_Drained{},
	}}
	checkSame(t, encode(t, want), want)
}

func TestABatchFieldThatOccursTwiceMerges(t *testing.T) {
	one := encode(t, batchFrame(sampleBatch()))
	frame := append(append([]byte{}, one...), one...)
	want := new(headracev1.SubscribeResponse)
	if err := proto.Unmarshal(frame, want); err != nil {
		t.Fatal(err)
	}
	if n := len(want.GetBatch().GetMessages()); n != 4 {
		t.Fatalf("the generated code merged to %d messages", n)
	}
	checkSame(t, frame, want)
}

func TestUnknownFieldsAreTolerated(t *testing.T) {
	unknown := protowire.AppendTag(nil, 900, protowire.Fixed64Type)
	unknown = protowire.AppendFixed64(unknown, 1)
	inner := append(encode(t, sampleBatch()), unknown...)
	frame := protowire.AppendTag(nil, fieldBatch, protowire.BytesType)
	frame = protowire.AppendBytes(frame, inner)
	for _, frame := range [][]byte{frame, append(frame, unknown...)} {
		want := new(headracev1.SubscribeResponse)
		if err := proto.Unmarshal(frame, want); err != nil {
			t.Fatal(err)
		}
		checkSame(t, frame, want)
	}
}

func TestABrokenFrameIsAnError(t *testing.T) {
	good := encode(t, batchFrame(sampleBatch()))
	for n := 1; n < len(good); n++ {
		if err := new(SubscribeFrame).parse(good[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes were accepted", n, len(good))
		}
	}
}

func TestDecodedMessagesDoNotShareGRPCsBuffer(t *testing.T) {
	frame := encode(t, batchFrame(sampleBatch()))
	var got SubscribeFrame
	if err := (Codec{}).Unmarshal(mem.BufferSlice{mem.SliceBuffer(frame)}, &got); err != nil {
		t.Fatal(err)
	}
	clear(frame)
	var m Message
	if err := ParseMessage(got.Batch.Messages[0], &m); err != nil || string(m.Data) != "one" {
		t.Errorf("data %q, error %v after the buffer was reused", m.Data, err)
	}
}

const maxFuzzedBytes = 4 << 10

func FuzzSubscribeFrame(f *testing.F) {
	f.Add(encode(f, batchFrame(sampleBatch())))
	f.Add(encode(f, batchFrame(&headracev1.SubscribeResponse_Batch{})))
	f.Add(append(encode(f, batchFrame(sampleBatch())), encode(f, batchFrame(sampleBatch()))...))
	f.Add([]byte{0x12, 0x00, 0x7a, 0x01, 0x0b})
	f.Fuzz(func(t *testing.T, frame []byte) {
		if len(frame) > maxFuzzedBytes {
			return // Comparing thousands of messages is slow and finds no more.
		}
		want := new(headracev1.SubscribeResponse)
		accepted := proto.Unmarshal(frame, want) == nil
		var got SubscribeFrame
		err := got.parse(frame)
		if got.Batch != nil && err == nil {
			_, err = generated(got.Batch)
		}
		if !accepted {
			return // The hand-written parser may be more tolerant.
		}
		if err != nil {
			t.Fatalf("refused what the generated code reads: %v", err)
		}
		checkSame(t, frame, want)
	})
}
