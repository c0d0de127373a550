package wire

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// FuzzWalker checks that what the walker accepts, Go parses, and to what the
// walker said; and that it is delivered with the same content.
func FuzzWalker(f *testing.F) {
	for _, m := range seedMessages() {
		f.Add(mustMarshal(f, m))
	}
	f.Add([]byte{0x12, 0x06, 0x0a, 0x01, 0x6b, 0x0a, 0x01, 0x6c, 0x92, 0x80, 0x00, 0x00})
	f.Add([]byte{0x22, 0x02, 0x08, 0x01, 0x22, 0x02, 0x10, 0x02, 0xfd, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, body []byte) {
		limits := DefaultLimits()
		w := Walker{Limits: limits}
		m, failure := w.Walk(body)
		if !failure.OK() {
			return
		}
		sent := new(headracev1.Message)
		if err := proto.Unmarshal(body, sent); err != nil {
			t.Fatalf("the walker accepted %x, Go refuses it: %v", body, err)
		}
		checkWithinLimits(t, sent, limits)
		if string(m.Key) != sent.GetOrderingKey() {
			t.Fatalf("key %q, Go reads the key %q", m.Key, sent.GetOrderingKey())
		}
		at := NewPublishTime(readAt)
		stored := m.AppendTo(nil, &at)
		if len(stored) > m.WireSize() {
			t.Fatalf("stored %d bytes, announced at most %d", len(stored), m.WireSize())
		}
		sent.MessageId, sent.PublishTime = "", timestamppb.New(readAt)
		if diff := cmp.Diff(sent, parseStored(t, stored), protocmp.Transform()); diff != "" {
			t.Fatalf("delivered message differs (-sent +delivered):\n%s", diff)
		}
	})
}

// FuzzPublishFrame checks that a frame whose messages all pass is read as Go
// reads it.
func FuzzPublishFrame(f *testing.F) {
	f.Add(mustMarshal(f, openFrame("client")))
	f.Add(mustMarshal(f, batchFrame("topic", 3, seedMessages()...)))
	f.Add([]byte{0x1a, 0x00})
	f.Add([]byte{0x22, 0x07, 0x0a, 0x03, 'a', 'b', 'c', 0x10, 0x05})
	f.Add([]byte{0x12, 0x04, 0x18, 0x02, 0x18, 0x00})
	f.Fuzz(func(t *testing.T, b []byte) {
		frame := receive(t, b)
		defer frame.Release()
		if frame.Fault != nil {
			return
		}
		batch := frame.Batch
		w := Walker{Limits: DefaultLimits()}
		count, size := 0, 0
		for body, ok := batch.Next(); ok; body, ok = batch.Next() {
			if _, failure := w.Walk(body); failure.Reason == headracev1.ErrorReason_ERROR_REASON_MALFORMED_MESSAGE {
				return
			}
			count, size = count+1, size+len(body)
		}
		var want headracev1.PublishStreamRequest
		if err := proto.Unmarshal(b, &want); err != nil {
			t.Fatalf("the frame %x was accepted, Go refuses it: %v", b, err)
		}
		if count != frame.Batch.Count || size != frame.Batch.Bytes {
			t.Fatalf("the batch announces %d messages and %d bytes, has %d and %d", frame.Batch.Count, frame.Batch.Bytes, count, size)
		}
		checkSameFrame(t, frame, &want)
	})
}

func checkSameFrame(t *testing.T, got *PublishFrame, want *headracev1.PublishStreamRequest) {
	t.Helper()
	kind := PublishNone
	switch want.GetFrame().(type) {
	case *headracev1.PublishStreamRequest_Open_:
		kind = PublishOpen
	case *headracev1.PublishStreamRequest_PublishBatch_:
		kind = PublishBatch
	case *headracev1.PublishStreamRequest_Heartbeat:
		kind = PublishHeartbeat
	case *headracev1.PublishStreamRequest_LookUp_:
		kind = PublishLookUp
	}
	b := want.GetPublishBatch()
	if got.Kind != kind || string(got.Batch.Topic) != b.GetTopic() || got.Batch.Count != len(b.GetMessages()) ||
		got.Batch.FirstSequence != b.GetFirstSequence() || got.Batch.OneWay != b.GetOneWay() {
		t.Fatalf("frame read as %+v, Go reads %v", got, want)
	}
	if diff := cmp.Diff(want.GetOpen(), got.Open, protocmp.Transform()); diff != "" {
		t.Fatalf("open (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.GetLookUp(), got.LookUp, protocmp.Transform()); diff != "" {
		t.Fatalf("look-up (-want +got):\n%s", diff)
	}
}

func checkWithinLimits(t *testing.T, m *headracev1.Message, limits Limits) {
	t.Helper()
	within := len(m.GetAttributes()) <= limits.MaxAttributes &&
		len(m.GetOrderingKey()) <= limits.MaxOrderingKeyBytes &&
		len(m.GetContentType()) <= limits.MaxContentTypeBytes &&
		len(m.GetDedupeId()) <= limits.MaxDedupeIDBytes && m.GetDeliverAt() == nil && m.GetDelay() == nil && m.GetTtl() == nil
	for key, value := range m.GetAttributes() {
		within = within && key != "" && len(key) <= limits.MaxAttributeKeyBytes && len(value) <= limits.MaxAttributeValueBytes
	}
	if !within {
		t.Fatalf("the walker accepted a message past its limits: %v", m)
	}
}

func seedMessages() []*headracev1.Message {
	return []*headracev1.Message{
		{},
		{Data: []byte("data"), Attributes: map[string]string{"a": "1", "b\x00": "ü"}, OrderingKey: "key", ContentType: "text/plain"},
		{MessageId: "0-1", PublishTime: timestamppb.New(readAt), Data: make([]byte, 200)},
		{DedupeId: "id", Delay: durationpb.New(1), Ttl: durationpb.New(2), DeliverAt: timestamppb.New(readAt)},
	}
}
