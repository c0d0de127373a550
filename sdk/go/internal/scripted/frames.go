package scripted

import (
	"errors"
	"io"
	"testing"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Status returns a status with a reason of the contract.
func Status(code codes.Code, reason headracev1.ErrorReason, metadata map[string]string) error {
	s := status.New(code, "scripted")
	s, err := s.WithDetails(&errdetails.ErrorInfo{Domain: "headrace", Reason: reason.String(), Metadata: metadata})
	if err != nil {
		panic(err) // Only for code OK.
	}
	return s.Err()
}

// RetryLater returns UNAVAILABLE with a reason and the time to wait.
func RetryLater(reason headracev1.ErrorReason, wait time.Duration) error {
	s, err := status.New(codes.Unavailable, "scripted").WithDetails(
		&errdetails.ErrorInfo{Domain: "headrace", Reason: reason.String()},
		&errdetails.RetryInfo{RetryDelay: durationpb.New(wait)},
	)
	if err != nil {
		panic(err) // Only for code OK.
	}
	return s.Err()
}

// OpenPublish reads Open from a publisher and answers it.
func OpenPublish(t *testing.T, s *PublishStream, limits *headracev1.PublishLimits) *headracev1.PublishStreamRequest_Open {
	t.Helper()
	open := s.MustRecv(t).GetOpen()
	if open == nil {
		t.Fatal("the publisher's first frame is not Open")
	}
	s.Send(t, &headracev1.PublishStreamResponse{Frame: &headracev1.PublishStreamResponse_Opened_{
		Opened: &headracev1.PublishStreamResponse_Opened{Limits: limits},
	}})
	return open
}

// NextBatch returns the publisher's next batch, skipping heartbeats.
func NextBatch(t *testing.T, s *PublishStream) *headracev1.PublishStreamRequest_PublishBatch {
	t.Helper()
	for {
		if b := s.MustRecv(t).GetPublishBatch(); b != nil {
			return b
		}
	}
}

// Stored answers a batch: all of it is stored, from an offset on.
func Stored(b *headracev1.PublishStreamRequest_PublishBatch, partition uint32, offset uint64) *headracev1.PublishStreamResponse {
	return Result(&headracev1.PublishStreamResponse_PublishResult{
		Topic:           b.GetTopic(),
		ThroughSequence: b.GetFirstSequence() + uint64(len(b.GetMessages())) - 1,
		Runs: []*headracev1.PublishedRun{{
			FirstSequence: b.GetFirstSequence(), Partition: partition, FirstOffset: offset,
			Count: uint32(len(b.GetMessages())),
		}},
		Durability: headracev1.Durability_DURABILITY_SYNCED,
	})
}

// Result is a frame with a result.
func Result(r *headracev1.PublishStreamResponse_PublishResult) *headracev1.PublishStreamResponse {
	return &headracev1.PublishStreamResponse{Frame: &headracev1.PublishStreamResponse_PublishResult_{PublishResult: r}}
}

// PublishWindow is a frame with a window.
func PublishWindow(messages, bytes uint64) *headracev1.PublishStreamResponse {
	return &headracev1.PublishStreamResponse{Frame: &headracev1.PublishStreamResponse_PublishWindow_{
		PublishWindow: &headracev1.PublishStreamResponse_PublishWindow{ThroughMessages: messages, ThroughBytes: bytes},
	}}
}

// PublishGoAway is a frame that asks a publisher to go.
func PublishGoAway(reason headracev1.GoAwayReason) *headracev1.PublishStreamResponse {
	return &headracev1.PublishStreamResponse{Frame: &headracev1.PublishStreamResponse_GoAway{
		GoAway: &headracev1.GoAway{Reason: reason, Grace: durationpb.New(30 * time.Second)},
	}}
}

// WaitHalfClose reads until the client half-closes; other frames end the test.
func WaitHalfClose[Q, R any](t *testing.T, s *Stream[Q, R]) {
	t.Helper()
	q, err := s.Recv()
	if !errors.Is(err, io.EOF) {
		t.Fatalf("got %v, %v, want the client to half-close", q, err)
	}
}
