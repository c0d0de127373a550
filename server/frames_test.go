package server_test

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

func publishOpened(frames ...*headracev1.PublishStreamRequest) []*headracev1.PublishStreamRequest {
	return append([]*headracev1.PublishStreamRequest{publishOpen()}, frames...)
}

func publishHeartbeat() *headracev1.PublishStreamRequest {
	return &headracev1.PublishStreamRequest{
		Frame: &headracev1.PublishStreamRequest_Heartbeat{Heartbeat: &headracev1.Heartbeat{}},
	}
}

func openWith(o *headracev1.SubscribeRequest_Open) []*headracev1.SubscribeRequest {
	return []*headracev1.SubscribeRequest{subscribeOpen(o)}
}

func window(messages, bytes uint64) *headracev1.SubscribeRequest {
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Window_{
		Window: &headracev1.SubscribeRequest_Window{Messages: &messages, Bytes: &bytes},
	}}
}

func grant(sequence, bytes uint64) *headracev1.SubscribeRequest {
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Grant_{
		Grant: &headracev1.SubscribeRequest_Grant{ThroughSequence: sequence, ThroughBytes: bytes},
	}}
}

func started(ranges ...*headracev1.SequenceRange) *headracev1.SubscribeRequest {
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Started_{
		Started: &headracev1.SubscribeRequest_Started{Ranges: ranges},
	}}
}

func heartbeat() *headracev1.SubscribeRequest {
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Heartbeat{Heartbeat: &headracev1.Heartbeat{}}}
}

func settle(s *headracev1.SubscribeRequest_Settle) *headracev1.SubscribeRequest {
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Settle_{Settle: s}}
}

func settleRanges(n int) *headracev1.SubscribeRequest {
	return settle(&headracev1.SubscribeRequest_Settle{
		Number: 1, Ranges: manySequences(n), Verdict: headracev1.Verdict_VERDICT_ACK,
	})
}

func extendRanges(n int) *headracev1.SubscribeRequest {
	f := extend(1, time.Second, 1)
	f.GetExtend().Ranges = manySequences(n)
	return f
}

func manySequences(n int) []*headracev1.SequenceRange {
	out := make([]*headracev1.SequenceRange, n)
	for i := range out {
		out[i] = &headracev1.SequenceRange{First: uint64(2*i + 1), Last: uint64(2*i + 1)}
	}
	return out
}

func extend(number uint64, d time.Duration, last uint64) *headracev1.SubscribeRequest {
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Extend_{
		Extend: &headracev1.SubscribeRequest_Extend{
			Number: number, Ranges: sequences(1, last), Duration: durationpb.New(d),
		},
	}}
}

func drain(grace time.Duration) *headracev1.SubscribeRequest {
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Drain_{
		Drain: &headracev1.SubscribeRequest_Drain{Grace: durationpb.New(grace)},
	}}
}

// resuming is an Open that takes a session up again.
func resuming(id string, through uint64, holding ...*headracev1.SequenceRange) *headracev1.SubscribeRequest_Open {
	return &headracev1.SubscribeRequest_Open{
		Subscription: "workers", Features: resumes,
		Resume: &headracev1.SubscribeRequest_Resume{SessionId: id, ReceivedThrough: through, Holding: holding},
	}
}

// resumes are the features of a client that does what clients can about sessions.
var resumes = []headracev1.Feature{
	headracev1.Feature_FEATURE_STARTED, headracev1.Feature_FEATURE_RECALL, headracev1.Feature_FEATURE_RESUME,
}
