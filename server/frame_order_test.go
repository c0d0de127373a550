package server_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/servertest"
)

// illegalFrames is what a client must not do on a stream, and how it ends.
type illegalFrames[F any] struct {
	frames []F
	// halfClose ends the client's side after the frames.
	halfClose bool
	reason    string
	field     string
	// text, where it is given, is what the status says.
	text string
}

var open = subscribeOpen(&headracev1.SubscribeRequest_Open{Subscription: "workers"})

var openManual = subscribeOpen(&headracev1.SubscribeRequest_Open{
	Subscription: "workers", Replenish: headracev1.Replenish_REPLENISH_MANUAL,
})

var openTells = subscribeOpen(&headracev1.SubscribeRequest_Open{
	Subscription: "workers", Features: []headracev1.Feature{headracev1.Feature_FEATURE_STARTED},
})

// opened gives the frames of a stream that was opened first.
func opened(frames ...*headracev1.SubscribeRequest) []*headracev1.SubscribeRequest {
	return append([]*headracev1.SubscribeRequest{open}, frames...)
}

var illegalSubscribeFrames = map[string]illegalFrames[*headracev1.SubscribeRequest]{
	"second Open":                 {frames: opened(open), reason: "FRAME_ORDER"},
	"no frame at all":             {halfClose: true, reason: "FRAME_ORDER"},
	"Window before Open":          {frames: []*headracev1.SubscribeRequest{window(1, 1)}, reason: "FRAME_ORDER"},
	"Grant before Open":           {frames: []*headracev1.SubscribeRequest{grant(1, 1)}, reason: "FRAME_ORDER"},
	"Settle before Open":          {frames: []*headracev1.SubscribeRequest{ack(1, 1, 1)}, reason: "FRAME_ORDER"},
	"Extend before Open":          {frames: []*headracev1.SubscribeRequest{extend(1, time.Second, 1)}, reason: "FRAME_ORDER"},
	"Drain before Open":           {frames: []*headracev1.SubscribeRequest{drain(0)}, reason: "FRAME_ORDER"},
	"Heartbeat before Open":       {frames: []*headracev1.SubscribeRequest{heartbeat()}, reason: "FRAME_ORDER"},
	"empty frame before Open":     {frames: []*headracev1.SubscribeRequest{{}}, reason: "FRAME_ORDER"},
	"Started before Open":         {frames: []*headracev1.SubscribeRequest{started(sequences(1, 1)...)}, reason: "FRAME_ORDER"},
	"Window in a MANUAL session":  {frames: []*headracev1.SubscribeRequest{openManual, window(1, 1)}, reason: "FRAME_ORDER", text: "Window is for REPLENISH_ON_SETTLE sessions"},
	"Grant in ON_SETTLE":          {frames: opened(grant(1, 1)), reason: "FRAME_ORDER", text: "Grant is for REPLENISH_MANUAL sessions"},
	"empty frame":                 {frames: opened(&headracev1.SubscribeRequest{}), reason: "MALFORMED_FRAME", field: "frame"},
	"Started without its feature": {frames: opened(started(sequences(1, 1)...)), reason: "FRAME_ORDER", text: "Started is for sessions that announced FEATURE_STARTED"},
	"Started without ranges":      {frames: []*headracev1.SubscribeRequest{openTells, started()}, reason: "INVALID_FIELD", field: "ranges"},
	"too many started":            {frames: []*headracev1.SubscribeRequest{openTells, started(manySequences(broker.MaxRanges + 1)...)}, reason: "TOO_MANY_RANGES", field: "ranges"},

	"Open without a subscription": {frames: openWith(&headracev1.SubscribeRequest_Open{}), reason: "INVALID_NAME", field: "subscription"},
	"Resume without a session_id": {
		frames: openWith(&headracev1.SubscribeRequest_Open{Subscription: "workers", Resume: &headracev1.SubscribeRequest_Resume{}}),
		reason: "INVALID_FIELD", field: "resume.session_id",
	},
	"Resume with a long session_id": {
		frames: openWith(resuming(string(make([]byte, 65)), 0)), reason: "INVALID_FIELD", field: "resume.session_id",
	},
	"Resume that holds from 0": {
		frames: openWith(resuming("id", 1, sequences(0, 1)...)), reason: "INVALID_FIELD", field: "resume.holding",
	},
	"Resume that holds what it did not receive": {
		frames: openWith(resuming("id", 1, sequences(1, 2)...)), reason: "INVALID_FIELD", field: "resume.holding",
	},
	"Resume that holds too many ranges": {
		frames: openWith(resuming("id", 1<<20, manySequences(broker.MaxRanges+1)...)), reason: "TOO_MANY_RANGES", field: "resume.holding",
	},
	"Open with partitions": {
		frames: openWith(&headracev1.SubscribeRequest_Open{Subscription: "workers", Partitions: []uint32{1}}),
		reason: "NOT_SERVED", field: "open.partitions",
	},
	"Open with an unknown replenish": {
		frames: openWith(&headracev1.SubscribeRequest_Open{Subscription: "workers", Replenish: 9}),
		reason: "INVALID_FIELD", field: "open.replenish",
	},
	"Open with FEATURE_UNSPECIFIED": {
		frames: openWith(&headracev1.SubscribeRequest_Open{Subscription: "workers", Features: []headracev1.Feature{0}}),
		reason: "INVALID_FIELD", field: "features",
	},
	"Open MANUAL with a window": {
		frames: openWith(&headracev1.SubscribeRequest_Open{
			Subscription: "workers", Replenish: headracev1.Replenish_REPLENISH_MANUAL, Window: &headracev1.SubscribeRequest_Window{},
		}),
		reason: "INVALID_FIELD", field: "window",
	},
	"Open with a short lease": {
		frames: openWith(&headracev1.SubscribeRequest_Open{Subscription: "workers", Lease: durationpb.New(time.Second - 1)}),
		reason: "INVALID_FIELD", field: "lease",
	},
	"Open with a long lease": {
		frames: openWith(&headracev1.SubscribeRequest_Open{Subscription: "workers", Lease: durationpb.New(12*time.Hour + 1)}),
		reason: "INVALID_FIELD", field: "lease",
	},
	"Open with small frames": {
		frames: openWith(&headracev1.SubscribeRequest_Open{Subscription: "workers", MaxFrameBytes: 4095}),
		reason: "INVALID_FIELD", field: "max_frame_bytes",
	},
	"Open with large frames": {
		frames: openWith(&headracev1.SubscribeRequest_Open{Subscription: "workers", MaxFrameBytes: 64<<20 + 1}),
		reason: "INVALID_FIELD", field: "max_frame_bytes",
	},
	"Open with a long client_id": {
		frames: openWith(&headracev1.SubscribeRequest_Open{Subscription: "workers", ClientId: string(make([]byte, 256))}),
		reason: "INVALID_FIELD", field: "client_id",
	},
	"Open with an empty label": {
		frames: openWith(&headracev1.SubscribeRequest_Open{Subscription: "workers", Labels: map[string]string{"": "x"}}),
		reason: "INVALID_FIELD", field: "labels",
	},

	"settle number 0":    {frames: opened(ack(0, 1, 1)), reason: "INVALID_FIELD", field: "number"},
	"settle number gap":  {frames: opened(ack(2, 1, 1)), reason: "SETTLE_NUMBER_GAP"},
	"extend number gap":  {frames: opened(ack(1, 1, 1), extend(3, time.Second, 1)), reason: "SETTLE_NUMBER_GAP"},
	"no ranges":          {frames: opened(settle(&headracev1.SubscribeRequest_Settle{Number: 1, Verdict: 1})), reason: "INVALID_FIELD", field: "ranges"},
	"too many ranges":    {frames: opened(settleRanges(broker.MaxRanges + 1)), reason: "TOO_MANY_RANGES", field: "ranges"},
	"too many to extend": {frames: opened(extendRanges(broker.MaxRanges + 1)), reason: "TOO_MANY_RANGES", field: "ranges"},
	"range from 0":       {frames: opened(ack(1, 0, 1)), reason: "INVALID_FIELD", field: "ranges"},
	"inverted range":     {frames: opened(ack(1, 2, 1)), reason: "INVALID_FIELD", field: "ranges"},
	"no verdict": {
		frames: opened(settle(&headracev1.SubscribeRequest_Settle{Number: 1, Ranges: sequences(1, 1)})),
		reason: "INVALID_FIELD", field: "verdict",
	},
	"unknown verdict": {
		frames: opened(settle(&headracev1.SubscribeRequest_Settle{Number: 1, Ranges: sequences(1, 1), Verdict: 9})),
		reason: "INVALID_FIELD", field: "settle.verdict",
	},
	"ACK with a code": {
		frames: opened(settle(&headracev1.SubscribeRequest_Settle{
			Number: 1, Ranges: sequences(1, 1), Verdict: headracev1.Verdict_VERDICT_ACK, Code: "E1",
		})),
		reason: "INVALID_FIELD", field: "code",
	},
	"RELEASE with a reason": {
		frames: opened(settle(&headracev1.SubscribeRequest_Settle{
			Number: 1, Ranges: sequences(1, 1), Verdict: headracev1.Verdict_VERDICT_RELEASE, Reason: "tired",
		})),
		reason: "INVALID_FIELD", field: "reason",
	},
	"REJECT with a delay": {
		frames: opened(settle(&headracev1.SubscribeRequest_Settle{
			Number: 1, Ranges: sequences(1, 1), Verdict: headracev1.Verdict_VERDICT_REJECT, Delay: durationpb.New(time.Second),
		})),
		reason: "INVALID_FIELD", field: "delay",
	},
	"a code of 256 bytes": {
		frames: opened(settle(&headracev1.SubscribeRequest_Settle{
			Number: 1, Ranges: sequences(1, 1), Verdict: headracev1.Verdict_VERDICT_REJECT, Code: strings.Repeat("c", 256),
		})),
		reason: "INVALID_FIELD", field: "code",
	},
	"a reason of 1,025 bytes": {
		frames: opened(settle(&headracev1.SubscribeRequest_Settle{
			Number: 1, Ranges: sequences(1, 1), Verdict: headracev1.Verdict_VERDICT_RETRY, Reason: strings.Repeat("r", 1025),
		})),
		reason: "INVALID_FIELD", field: "reason",
	},
	"ACK with a delay": {
		frames: opened(settle(&headracev1.SubscribeRequest_Settle{
			Number: 1, Ranges: sequences(1, 1), Verdict: headracev1.Verdict_VERDICT_ACK, Delay: durationpb.New(0),
		})),
		reason: "INVALID_FIELD", field: "delay",
	},
	"a delay past 12 h": {
		frames: opened(settle(&headracev1.SubscribeRequest_Settle{
			Number: 1, Ranges: sequences(1, 1), Verdict: headracev1.Verdict_VERDICT_RETRY, Delay: durationpb.New(12*time.Hour + 1),
		})),
		reason: "INVALID_FIELD", field: "delay",
	},
	"a negative delay": {
		frames: opened(settle(&headracev1.SubscribeRequest_Settle{
			Number: 1, Ranges: sequences(1, 1), Verdict: headracev1.Verdict_VERDICT_RETRY, Delay: durationpb.New(-1),
		})),
		reason: "INVALID_FIELD", field: "delay",
	},
	"a delay that is no duration": {
		frames: opened(settle(&headracev1.SubscribeRequest_Settle{
			Number: 1, Ranges: sequences(1, 1), Verdict: headracev1.Verdict_VERDICT_RETRY, Delay: &durationpb.Duration{Seconds: 1, Nanos: -1},
		})),
		reason: "INVALID_FIELD", field: "delay",
	},
	"extend number 0":         {frames: opened(extend(0, time.Second, 1)), reason: "INVALID_FIELD", field: "number"},
	"extend by nothing":       {frames: opened(extend(1, 0, 1)), reason: "INVALID_FIELD", field: "duration"},
	"extend past 12 h":        {frames: opened(extend(1, 12*time.Hour+1, 1)), reason: "INVALID_FIELD", field: "duration"},
	"drain with a long grace": {frames: opened(drain(12*time.Hour + 1)), reason: "INVALID_FIELD", field: "grace"},
}

func TestEveryIllegalFrameOfASubscriberEndsItsStream(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	for name, c := range illegalSubscribeFrames {
		t.Run(name, func(t *testing.T) {
			stub := dialSubscribe(t, s)
			for _, f := range c.frames {
				stub.send(f)
			}
			if c.halfClose {
				_ = stub.stream.CloseSend()
			}
			err := stub.end()
			checkStatus(t, err, codes.InvalidArgument, c.reason, c.field)
			if text := status.Convert(err).Message(); c.text != "" && text != c.text {
				t.Errorf("the status says %q, want %q", text, c.text)
			}
		})
	}
	openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers"}).finish()
}

var illegalPublishFrames = map[string]illegalFrames[*headracev1.PublishStreamRequest]{
	"second Open":           {frames: publishOpened(publishOpen()), reason: "FRAME_ORDER"},
	"no frame at all":       {halfClose: true, reason: "FRAME_ORDER"},
	"batch before Open":     {frames: []*headracev1.PublishStreamRequest{batch("orders", 1, &headracev1.Message{})}, reason: "FRAME_ORDER"},
	"Heartbeat before Open": {frames: []*headracev1.PublishStreamRequest{publishHeartbeat()}, reason: "FRAME_ORDER"},
	"empty frame first":     {frames: []*headracev1.PublishStreamRequest{{}}, reason: "MALFORMED_FRAME", field: "frame"},
	"empty frame":           {frames: publishOpened(&headracev1.PublishStreamRequest{}), reason: "MALFORMED_FRAME", field: "frame"},
	"Open with a long producer_id": {
		frames: []*headracev1.PublishStreamRequest{{Frame: &headracev1.PublishStreamRequest_Open_{
			Open: &headracev1.PublishStreamRequest_Open{ProducerId: strings.Repeat("p", 256)},
		}}},
		reason: "INVALID_FIELD", field: "producer_id",
	},
	"LookUp without a producer": {frames: publishOpened(lookUp("orders", 1)), reason: "FRAME_ORDER"},
	"Open with a long client_id": {
		frames: []*headracev1.PublishStreamRequest{{Frame: &headracev1.PublishStreamRequest_Open_{
			Open: &headracev1.PublishStreamRequest_Open{ClientId: string(make([]byte, 256))},
		}}},
		reason: "INVALID_FIELD", field: "client_id",
	},
	"batch without messages": {frames: publishOpened(batch("orders", 1)), reason: "BATCH_SIZE", field: "messages"},
	"batch of too many messages": {
		frames: publishOpened(batch("orders", 1, make([]*headracev1.Message, 10_001)...)), reason: "BATCH_SIZE", field: "messages",
	},
	"batch of too many bytes": {
		frames: publishOpened(batch("orders", 1,
			&headracev1.Message{Data: make([]byte, 1<<20)}, &headracev1.Message{Data: make([]byte, 1<<20)})),
		reason: "BATCH_SIZE", field: "bytes",
	},
	"first sequence 0": {frames: publishOpened(batch("orders", 0, &headracev1.Message{})), reason: "PUBLISH_SEQUENCE_GAP", field: "first_sequence"},
	"first sequence 2": {frames: publishOpened(batch("orders", 2, &headracev1.Message{})), reason: "PUBLISH_SEQUENCE_GAP", field: "first_sequence"},
	"a sequence again": {frames: publishOpened(batch("orders", 1, &headracev1.Message{}), batch("orders", 1, &headracev1.Message{})), reason: "PUBLISH_SEQUENCE_GAP", field: "first_sequence"},
}

func TestEveryIllegalFrameOfAPublisherEndsItsStream(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	for name, c := range illegalPublishFrames {
		t.Run(name, func(t *testing.T) {
			stub := dialPublish(t, s)
			for _, f := range c.frames {
				stub.send(f)
			}
			if c.halfClose {
				_ = stub.stream.CloseSend()
			}
			checkStatus(t, stub.end(), codes.InvalidArgument, c.reason, c.field)
		})
	}
	stub := openPublish(t, s)
	stub.send(publishHeartbeat())
	stub.finish()
}

func TestAFrameAboveTheReceiveLimitIsRefusedByTheTransport(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	stub := openPublish(t, s)
	stub.send(batch("orders", 1, &headracev1.Message{Data: make([]byte, 5<<20)}))
	if err := stub.end(); status.Code(err) != codes.ResourceExhausted {
		t.Fatalf("the stream ended with %v", err)
	}
	s.Publish("orders", &headracev1.Message{})
}

func TestAPublisherThatPassesItsWindowIsCutOff(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	stub := openPublish(t, s)
	stub.send(batch("orders", 1, make([]*headracev1.Message, 1001)...))
	checkStatus(t, stub.end(), codes.ResourceExhausted, "PUBLISH_WINDOW_EXCEEDED", "")
}
