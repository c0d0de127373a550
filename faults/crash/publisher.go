package crash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/headrace/headrace/faults/history"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

const (
	ledgerName  = "ledger"
	ledgerTopic = 1
	partitions  = 4

	// maxBatchMessages bounds a batch, maxInFlight what waits for results.
	maxBatchMessages = 12
	maxInFlight      = 120
	// mostPause bounds the pause between two batches: subscribers are to keep up.
	mostPause = 20 * time.Millisecond
	// keys spread a publisher's messages over partitions.
	keys = 8
	// lastResults is how long a publisher that stops waits for results.
	lastResults = 20 * time.Second
	// streamsPerClient bounds the streams of one client, which are publishers of
	// their own.
	streamsPerClient = 1 << 20
)

// publisher publishes through one stream after the other.
type publisher struct {
	conn     *grpc.ClientConn
	recorder *history.Recorder
	client   uint64
	random   *rand.Rand
	// told gets a line when a stream got its first result.
	told    io.Writer
	streams uint64
}

func (p *publisher) run(ctx context.Context) error {
	for ctx.Err() == nil {
		p.streams++
		if p.streams == streamsPerClient {
			return errors.New("too many streams")
		}
		// A broken stream is what this is about.
		_ = p.stream(ctx)
		pause(ctx)
	}
	return nil
}

// stream opens a stream and publishes until it breaks or ctx ends.
func (p *publisher) stream(ctx context.Context) error {
	// The stream outlives ctx, so that what is on its way gets its results.
	streamCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	grpcStream, err := headracev1.NewPublisherServiceClient(p.conn).PublishStream(streamCtx)
	if err != nil {
		return err
	}
	open := &headracev1.PublishStreamRequest{Frame: &headracev1.PublishStreamRequest_Open_{Open: &headracev1.PublishStreamRequest_Open{}}}
	if err := grpcStream.Send(open); err != nil {
		return err
	}
	if _, err := grpcStream.Recv(); err != nil {
		return err
	}
	s := newPublishing(p, grpcStream)
	received := make(chan struct{})
	go func() {
		defer close(received)
		s.receive()
	}()
	s.send(ctx)
	waiting := time.AfterFunc(lastResults, cancel)
	<-received
	waiting.Stop()
	return nil
}

type publishStream = grpc.BidiStreamingClient[headracev1.PublishStreamRequest, headracev1.PublishStreamResponse]

// publishing is one stream. Its messages are numbered as its publish sequences are.
type publishing struct {
	*publisher
	id     uint64
	stream publishStream

	mu sync.Mutex
	// sent and sentBytes were sent, through have results, the window allows the rest.
	sent, sentBytes, through    uint64
	windowMessages, windowBytes uint64
	broken                      bool
	// wake has capacity 1: there may be room again.
	wake chan struct{}
}

func newPublishing(p *publisher, s publishStream) *publishing {
	return &publishing{
		publisher: p, id: p.client*streamsPerClient + p.streams, stream: s, wake: make(chan struct{}, 1),
		windowMessages: 1_000, windowBytes: 4 << 20,
	}
}

// send publishes until the stream breaks or ctx ends, and then closes its half.
func (s *publishing) send(ctx context.Context) {
	for ctx.Err() == nil {
		messages, bytes := s.batch()
		if !s.room(ctx, uint64(len(messages)), bytes) {
			break
		}
		pauseFor(ctx, time.Duration(s.random.Int64N(int64(mostPause))))
		s.recorder.Record(s.event(history.Publishing, s.sent+1, uint64(len(messages))))
		err := s.stream.Send(&headracev1.PublishStreamRequest{
			Frame: &headracev1.PublishStreamRequest_PublishBatch_{PublishBatch: &headracev1.PublishStreamRequest_PublishBatch{
				Topic: ledgerName, FirstSequence: s.sent + 1, Messages: messages,
			}},
		})
		s.mu.Lock()
		s.sent += uint64(len(messages))
		s.sentBytes += bytes
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
	_ = s.stream.CloseSend() // What is wrong shows where the stream is read.
}

// batch makes the next messages.
func (s *publishing) batch() (messages []*headracev1.Message, bytes uint64) {
	for n := range 1 + s.random.IntN(maxBatchMessages) {
		id := history.MessageID{Publisher: s.id, Number: s.sent + 1 + uint64(n)}
		m := &headracev1.Message{Data: encodeBody(ledgerTopic, id)}
		if key := keyOf(id); key > 0 {
			m.OrderingKey = fmt.Sprintf("%d-%d", s.id, key)
		}
		messages = append(messages, m)
		bytes += uint64(proto.Size(m))
	}
	return messages, bytes
}

// keyOf is which of its publisher's keys a message has; 0: none.
func keyOf(id history.MessageID) uint64 {
	return rand.New(rand.NewPCG(id.Number, id.Publisher)).Uint64N(keys + 1)
}

// room waits until a batch may be sent; false when it never may.
func (s *publishing) room(ctx context.Context, messages, bytes uint64) bool {
	for {
		s.mu.Lock()
		broken := s.broken
		free := s.sent+messages <= s.windowMessages && s.sentBytes+bytes <= s.windowBytes && s.sent-s.through <= maxInFlight
		s.mu.Unlock()
		if broken || free {
			return !broken
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return false
		}
	}
}

func (s *publishing) event(k history.Kind, first, count uint64) history.Event {
	return history.Event{Kind: k, Fields: history.Fields{Topic: ledgerTopic, Publisher: s.id, Number: first, Count: count}}
}

// receive records results until the stream ends, and what has none then.
func (s *publishing) receive() {
	for {
		frame, err := s.stream.Recv()
		if err != nil {
			break
		}
		switch f := frame.GetFrame().(type) {
		case *headracev1.PublishStreamResponse_PublishResult_:
			s.result(f.PublishResult)
		case *headracev1.PublishStreamResponse_PublishWindow_:
			s.mu.Lock()
			s.windowMessages, s.windowBytes = f.PublishWindow.GetThroughMessages(), f.PublishWindow.GetThroughBytes()
			s.mu.Unlock()
		}
		s.signal()
	}
	s.mu.Lock()
	s.broken = true
	first, count := s.through+1, s.sent-s.through
	s.mu.Unlock()
	s.signal()
	if count > 0 {
		s.recorder.Record(s.event(history.Unknown, first, count))
	}
}

func (s *publishing) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *publishing) result(r *headracev1.PublishStreamResponse_PublishResult) {
	var events []history.Event
	for _, run := range r.GetRuns() {
		e := s.event(history.Published, run.GetFirstSequence(), uint64(run.GetCount()))
		e.Partition, e.Offset = uint64(run.GetPartition()), run.GetFirstOffset()
		events = append(events, e)
	}
	for _, failure := range r.GetFailures() {
		kind := history.Refused
		if failure.GetReason() == headracev1.ErrorReason_ERROR_REASON_UNKNOWN_OUTCOME {
			kind = history.Unknown
		}
		events = append(events, s.event(kind, failure.GetFirstSequence(), uint64(failure.GetCount())))
	}
	s.recorder.Record(events...)
	s.mu.Lock()
	first := s.through == 0
	s.through = r.GetThroughSequence()
	s.mu.Unlock()
	if first && len(r.GetRuns()) > 0 {
		_, _ = io.WriteString(s.told, "told\n")
	}
}
