package scripted

import (
	"slices"
	"testing"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/protobuf/types/known/durationpb"
)

// OpenSubscribe reads Open from a subscriber and answers it, as a server with these
// features.
func OpenSubscribe(
	t *testing.T, s *SubscribeStream, limits *headracev1.SessionLimits, features ...headracev1.Feature,
) *headracev1.SubscribeRequest_Open {
	t.Helper()
	return AnswerOpen(t, s, &headracev1.SubscribeResponse_Opened{SessionId: "scripted", Limits: limits, Features: features})
}

// AnswerOpen reads Open from a subscriber and answers it.
func AnswerOpen(t *testing.T, s *SubscribeStream, opened *headracev1.SubscribeResponse_Opened) *headracev1.SubscribeRequest_Open {
	t.Helper()
	open := s.MustRecv(t).GetOpen()
	if open == nil {
		t.Fatal("the subscriber's first frame is not Open")
	}
	s.Send(t, &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_Opened_{Opened: opened}})
	return open
}

// Batch is a frame with a delivery for each text, from a sequence and an offset
// on.
func Batch(sequence, offset uint64, texts ...string) *headracev1.SubscribeResponse {
	b := &headracev1.SubscribeResponse_Batch{
		FirstSequence: sequence,
		Runs:          []*headracev1.PositionRun{{FirstOffset: offset, Count: uint32(len(texts))}},
	}
	for _, text := range texts {
		b.Messages = append(b.Messages, &headracev1.Message{Data: []byte(text)})
	}
	return BatchFrame(b)
}

// Keyed is a frame with a delivery for each key, from a sequence and an offset on; its
// text is its key.
func Keyed(sequence, offset uint64, keys ...string) *headracev1.SubscribeResponse {
	f := Batch(sequence, offset, keys...)
	for i, m := range f.GetBatch().GetMessages() {
		m.OrderingKey = keys[i]
	}
	return f
}

// BatchFrame is a frame with a batch.
func BatchFrame(b *headracev1.SubscribeResponse_Batch) *headracev1.SubscribeResponse {
	return &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_Batch_{Batch: b}}
}

// Next returns the subscriber's next frame that is no heartbeat.
func Next(t *testing.T, s *SubscribeStream) *headracev1.SubscribeRequest {
	t.Helper()
	for {
		if f := s.MustRecv(t); f.GetHeartbeat() == nil {
			return f
		}
	}
}

// NextSettle returns the subscriber's next frame, which must be a Settle.
func NextSettle(t *testing.T, s *SubscribeStream) *headracev1.SubscribeRequest_Settle {
	t.Helper()
	f := Next(t, s)
	if f.GetSettle() == nil {
		t.Fatalf("the next frame is %v, not a settle", f)
	}
	return f.GetSettle()
}

// NextExtend returns the subscriber's next frame, which must be an Extend.
func NextExtend(t *testing.T, s *SubscribeStream) *headracev1.SubscribeRequest_Extend {
	t.Helper()
	f := Next(t, s)
	if f.GetExtend() == nil {
		t.Fatalf("the next frame is %v, not an extend", f)
	}
	return f.GetExtend()
}

// NextStarted returns the subscriber's next frame, which must be a Started.
func NextStarted(t *testing.T, s *SubscribeStream) *headracev1.SubscribeRequest_Started {
	t.Helper()
	f := Next(t, s)
	if f.GetStarted() == nil {
		t.Fatalf("the next frame is %v, not a started", f)
	}
	return f.GetStarted()
}

// NextDrain returns the subscriber's next frame, which must be a Drain.
func NextDrain(t *testing.T, s *SubscribeStream) *headracev1.SubscribeRequest_Drain {
	t.Helper()
	f := Next(t, s)
	if f.GetDrain() == nil {
		t.Fatalf("the next frame is %v, not a drain", f)
	}
	return f.GetDrain()
}

// Confirm is a frame that confirms settles, but for the failures.
func Confirm(through uint64, failures ...*headracev1.SubscribeResponse_SettleFailure) *headracev1.SubscribeResponse {
	return &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_SettleResult_{
		SettleResult: &headracev1.SubscribeResponse_SettleResult{ConfirmedThrough: through, Failures: failures},
	}}
}

// Stale is the failure of a settle or extend for one range.
func Stale(number, first, last uint64) *headracev1.SubscribeResponse_SettleFailure {
	return &headracev1.SubscribeResponse_SettleFailure{
		Number: number, Ranges: Ranges(first, last), Reason: headracev1.ErrorReason_ERROR_REASON_STALE_DELIVERY,
	}
}

// Ranges makes ranges of pairs of first and last.
func Ranges(pairs ...uint64) []*headracev1.SequenceRange {
	var all []*headracev1.SequenceRange
	for pair := range slices.Chunk(pairs, 2) {
		all = append(all, &headracev1.SequenceRange{First: pair[0], Last: pair[len(pair)-1]})
	}
	return all
}

// Recall is a frame that asks for one range back.
func Recall(first, last uint64) *headracev1.SubscribeResponse {
	return &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_Recall_{
		Recall: &headracev1.SubscribeResponse_Recall{Ranges: Ranges(first, last)},
	}}
}

// Revoked is a frame that takes one range away.
func Revoked(first, last uint64, why headracev1.RevokeReason) *headracev1.SubscribeResponse {
	return &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_Revoked_{
		Revoked: &headracev1.SubscribeResponse_Revoked{Ranges: Ranges(first, last), Reason: why},
	}}
}

// Flow is a frame that says why nothing comes.
func Flow(blocked ...headracev1.BlockedBy) *headracev1.SubscribeResponse {
	return &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_FlowState_{
		FlowState: &headracev1.SubscribeResponse_FlowState{BlockedBy: blocked},
	}}
}

// Drained is the frame that answers Drain.
func Drained() *headracev1.SubscribeResponse {
	return &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_Drained_{
		Drained: &headracev1.SubscribeResponse_Drained{},
	}}
}

// GoAway is a frame that asks a subscriber to go.
func GoAway(reason headracev1.GoAwayReason) *headracev1.SubscribeResponse {
	return &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_GoAway{
		GoAway: &headracev1.GoAway{Reason: reason, Grace: durationpb.New(30 * time.Second)},
	}}
}
