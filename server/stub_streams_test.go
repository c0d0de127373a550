package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

// streamWait bounds each stream of a test, so that one that hangs fails.
const streamWait = 5 * time.Minute

// publishStub is a publish stream of the generated client.
type publishStub struct {
	t      testing.TB
	stream headracev1.PublisherService_PublishStreamClient
	cancel context.CancelFunc
	opened *headracev1.PublishStreamResponse_Opened
	window *headracev1.PublishStreamResponse_PublishWindow
}

// dialPublish begins a publish stream and sends nothing.
func dialPublish(t *testing.T, s *servertest.Server) *publishStub {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), streamWait)
	t.Cleanup(cancel)
	stream, err := s.Publisher.PublishStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return &publishStub{t: t, stream: stream, cancel: cancel}
}

// openPublish begins a publish stream and opens it.
func openPublish(t *testing.T, s *servertest.Server) *publishStub {
	t.Helper()
	p := dialPublish(t, s)
	p.send(publishOpen())
	p.opened = p.next().GetOpened()
	if p.opened == nil {
		t.Fatal("the first answer is not Opened")
	}
	return p
}

func (p *publishStub) send(f *headracev1.PublishStreamRequest) {
	p.t.Helper()
	if err := p.stream.Send(f); err != nil && !errors.Is(err, io.EOF) {
		p.t.Fatal(err)
	}
}

func (p *publishStub) next() *headracev1.PublishStreamResponse {
	p.t.Helper()
	r, err := p.stream.Recv()
	if err != nil {
		p.t.Fatalf("receive: %v", err)
	}
	if w := r.GetPublishWindow(); w != nil {
		p.window = w
	}
	return r
}

// nextResult skips to the next result.
func (p *publishStub) nextResult() *headracev1.PublishStreamResponse_PublishResult {
	p.t.Helper()
	for {
		if r := p.next().GetPublishResult(); r != nil {
			return r
		}
	}
}

// await waits until the messages up to a sequence have their results, all of them
// good.
func (p *publishStub) await(through uint64) {
	p.t.Helper()
	for {
		r := p.nextResult()
		if len(r.GetFailures()) > 0 {
			p.t.Fatalf("result = %v", r)
		}
		if r.GetThroughSequence() == through {
			return
		}
	}
}

// finish half-closes and expects the stream to end well.
func (p *publishStub) finish() {
	p.t.Helper()
	if err := p.stream.CloseSend(); err != nil {
		p.t.Fatal(err)
	}
	if err := p.end(); err != nil {
		p.t.Fatalf("the stream ended with %v", err)
	}
}

// end reads to the end of the stream and gives its error, nil for OK.
func (p *publishStub) end() error {
	for {
		if _, err := p.stream.Recv(); err != nil {
			return ignoreEOF(err)
		}
	}
}

// subscribeStub is a Subscribe stream of the generated client.
type subscribeStub struct {
	t         testing.TB
	stream    headracev1.SubscriberService_SubscribeClient
	cancel    context.CancelFunc
	opened    *headracev1.SubscribeResponse_Opened
	confirmed uint64
	failures  []*headracev1.SubscribeResponse_SettleFailure
	charged   uint64
	received  uint64 // the last sequence
	flow      *headracev1.SubscribeResponse_FlowState
}

// dialSubscribe begins a Subscribe stream and sends nothing.
func dialSubscribe(t *testing.T, s *servertest.Server) *subscribeStub {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), streamWait)
	t.Cleanup(cancel)
	stream, err := s.Subscriber.Subscribe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return &subscribeStub{t: t, stream: stream, cancel: cancel}
}

// openSubscribe begins a Subscribe stream and opens it.
func openSubscribe(t *testing.T, s *servertest.Server, open *headracev1.SubscribeRequest_Open) *subscribeStub {
	t.Helper()
	c := dialSubscribe(t, s)
	c.send(subscribeOpen(open))
	c.opened = c.next().GetOpened()
	if c.opened == nil {
		t.Fatal("the first answer is not Opened")
	}
	return c
}

func (c *subscribeStub) send(f *headracev1.SubscribeRequest) {
	c.t.Helper()
	if err := c.stream.Send(f); err != nil && !errors.Is(err, io.EOF) {
		c.t.Fatal(err)
	}
}

func (c *subscribeStub) next() *headracev1.SubscribeResponse {
	c.t.Helper()
	r, err := c.stream.Recv()
	if err != nil {
		c.t.Fatalf("receive: %v", err)
	}
	c.note(r)
	return r
}

// note remembers what a test may ask for.
func (c *subscribeStub) note(r *headracev1.SubscribeResponse) {
	switch frame := r.GetFrame().(type) {
	case *headracev1.SubscribeResponse_SettleResult_:
		c.confirmed = frame.SettleResult.GetConfirmedThrough()
		c.failures = append(c.failures, frame.SettleResult.GetFailures()...)
	case *headracev1.SubscribeResponse_Batch_:
		c.charged = frame.Batch.GetChargedBytes()
		c.received = frame.Batch.GetFirstSequence() + uint64(len(frame.Batch.GetMessages())) - 1
	case *headracev1.SubscribeResponse_FlowState_:
		c.flow = frame.FlowState
	}
}

// await reads until a frame is the one that is waited for.
func (c *subscribeStub) await(is func(*headracev1.SubscribeResponse) bool) *headracev1.SubscribeResponse {
	c.t.Helper()
	for {
		if r := c.next(); is(r) {
			return r
		}
	}
}

func (c *subscribeStub) nextBatch() *headracev1.SubscribeResponse_Batch {
	c.t.Helper()
	return c.await(func(r *headracev1.SubscribeResponse) bool { return r.GetBatch() != nil }).GetBatch()
}

func (c *subscribeStub) awaitConfirmed(number uint64) {
	c.t.Helper()
	for c.confirmed < number {
		c.next()
	}
}

// finish half-closes and expects the stream to end well.
func (c *subscribeStub) finish() {
	c.t.Helper()
	if err := c.stream.CloseSend(); err != nil {
		c.t.Fatal(err)
	}
	if err := c.end(); err != nil {
		c.t.Fatalf("the stream ended with %v", err)
	}
}

// end reads to the end of the stream and gives its error, nil for OK.
func (c *subscribeStub) end() error {
	for {
		r, err := c.stream.Recv()
		if err != nil {
			return ignoreEOF(err)
		}
		c.note(r)
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func publishOpen() *headracev1.PublishStreamRequest {
	return &headracev1.PublishStreamRequest{Frame: &headracev1.PublishStreamRequest_Open_{
		Open: &headracev1.PublishStreamRequest_Open{ClientId: "test"},
	}}
}

func subscribeOpen(open *headracev1.SubscribeRequest_Open) *headracev1.SubscribeRequest {
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Open_{Open: open}}
}

func batch(topic string, first uint64, messages ...*headracev1.Message) *headracev1.PublishStreamRequest {
	return &headracev1.PublishStreamRequest{Frame: &headracev1.PublishStreamRequest_PublishBatch_{
		PublishBatch: &headracev1.PublishStreamRequest_PublishBatch{
			Topic: topic, FirstSequence: first, Messages: messages,
		},
	}}
}

func ack(number, first, last uint64) *headracev1.SubscribeRequest {
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Settle_{
		Settle: &headracev1.SubscribeRequest_Settle{
			Number: number, Ranges: sequences(first, last), Verdict: headracev1.Verdict_VERDICT_ACK,
		},
	}}
}

func sequences(first, last uint64) []*headracev1.SequenceRange {
	return []*headracev1.SequenceRange{{First: first, Last: last}}
}

// numberedMessages makes messages "message first", "message first+1" and so on.
func numberedMessages(first, count int) []*headracev1.Message {
	out := make([]*headracev1.Message, count)
	for i := range out {
		out[i] = &headracev1.Message{Data: []byte(fmt.Sprintf("message %d", first+i))}
	}
	return out
}

func subscriptionStats(t *testing.T, s *servertest.Server, name string) *headracev1.SubscriptionStats {
	t.Helper()
	r, err := s.Subscriptions.GetSubscriptionStats(t.Context(), &headracev1.GetSubscriptionStatsRequest{Subscription: name})
	if err != nil {
		t.Fatal(err)
	}
	return r.GetStats()
}

func checkProto(t *testing.T, want, got proto.Message) {
	t.Helper()
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Fatalf("%T (-want +got):\n%s", got, diff)
	}
}

func durationOf(d time.Duration) *durationpb.Duration { return durationpb.New(d) }
