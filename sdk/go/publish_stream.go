package headrace

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go/internal/wire"
	"google.golang.org/grpc"
)

// publishStream is one open stream. Its send side is the publisher's loop, its
// receive side a goroutine.
type publishStream struct {
	outbox   *outbox
	events   func(Event)
	stream   grpc.BidiStreamingClient[headracev1.PublishStreamRequest, headracev1.PublishStreamResponse]
	silence  *silence
	lastSent time.Time   // loop only.
	leaving  atomic.Bool // the server asked for the end.
	// received is closed when the receiver has returned; failure says why. It
	// carries nothing.
	received chan struct{}
	failure  error
}

func (s *publishStream) handshake(clientID, producerID string) (*headracev1.PublishLimits, error) {
	err := s.stream.Send(&headracev1.PublishStreamRequest{Frame: &headracev1.PublishStreamRequest_Open_{
		Open: &headracev1.PublishStreamRequest_Open{ClientId: clientID, ProducerId: producerID},
	}})
	if err != nil && !errors.Is(err, io.EOF) { // EOF: Recv has the status.
		return nil, err
	}
	first, err := s.stream.Recv()
	if err != nil {
		return nil, err
	}
	s.silence.heard()
	opened := first.GetOpened()
	if opened == nil {
		return nil, errNotOpened
	}
	return opened.GetLimits(), nil
}

// errNotOpened is the end of a stream whose first frame is not Opened.
var errNotOpened = &Error{Message: "the server's first frame is not Opened"}

// send sends batches and heartbeats until the stream ends. It returns nil when
// the stream ended in order: the server or the client wanted it, and everything
// that was sent has its result.
func (s *publishStream) send(ctx context.Context) error {
	timer := time.NewTimer(heartbeatInterval)
	defer timer.Stop()
	s.lastSent = time.Now()
	for !s.mayClose() {
		wait, err := s.turn(time.Now())
		if err != nil {
			return s.cause(ctx, err)
		}
		if wait == 0 {
			continue
		}
		timer.Reset(wait)
		select {
		case <-s.outbox.wake:
			runtime.Gosched() // Publishers that are ready to run join the batch.
		case <-timer.C:
		case <-s.received:
			return s.cause(ctx, s.failure)
		}
	}
	return s.closeAndWait(ctx)
}

// mayClose reports whether the stream should end and nothing on it is open.
func (s *publishStream) mayClose() bool {
	if s.leaving.Load() {
		return s.outbox.landed()
	}
	return s.outbox.finished()
}

// turn sends one frame and returns 0, or returns how long there is nothing to
// send.
func (s *publishStream) turn(now time.Time) (time.Duration, error) {
	wait := never
	if !s.leaving.Load() {
		var frame *wire.PublishFrame
		if frame, wait = s.outbox.take(now); frame != nil {
			s.lastSent = now
			return 0, s.sendBatch(frame)
		}
	}
	if q := s.outbox.question(); q != nil {
		s.lastSent = now
		return 0, s.stream.Send(q)
	}
	beat := heartbeatInterval - now.Sub(s.lastSent)
	if beat <= 0 {
		s.lastSent = now
		return 0, s.stream.Send(publishHeartbeat)
	}
	if wait == never {
		return beat, nil
	}
	return min(wait, beat), nil
}

var publishHeartbeat = &headracev1.PublishStreamRequest{
	Frame: &headracev1.PublishStreamRequest_Heartbeat{Heartbeat: &headracev1.Heartbeat{}},
}

func (s *publishStream) sendBatch(frame *wire.PublishFrame) error {
	defer frame.Body.Free()
	if err := s.stream.SendMsg(frame); err != nil {
		return err
	}
	s.outbox.sent()
	return nil
}

// closeAndWait half-closes and waits for the server's end.
func (s *publishStream) closeAndWait(ctx context.Context) error {
	if err := s.stream.CloseSend(); err != nil {
		return s.cause(ctx, err)
	}
	<-s.received
	if errors.Is(s.failure, io.EOF) {
		return nil
	}
	return s.cause(ctx, s.failure)
}

// cause returns why the stream ended. A failed send says little: the status
// comes from the receiver.
func (s *publishStream) cause(ctx context.Context, err error) error {
	if errors.Is(err, io.EOF) {
		<-s.received
		err = s.failure
	}
	return streamError(ctx, err)
}

// receive takes results and windows until the stream ends.
func (s *publishStream) receive() {
	defer close(s.received)
	for {
		frame, err := s.stream.Recv()
		if err != nil {
			s.failure = err
			return
		}
		s.silence.heard()
		s.take(frame)
	}
}

func (s *publishStream) take(frame *headracev1.PublishStreamResponse) {
	switch f := frame.GetFrame().(type) {
	case *headracev1.PublishStreamResponse_PublishResult_:
		s.outbox.resolve(f.PublishResult)
	case *headracev1.PublishStreamResponse_PublishWindow_:
		s.outbox.raise(f.PublishWindow)
	case *headracev1.PublishStreamResponse_LookedUp_:
		s.outbox.lookedUp(f.LookedUp)
	case *headracev1.PublishStreamResponse_GoAway:
		s.away(f.GoAway)
	}
}

func (s *publishStream) away(g *headracev1.GoAway) {
	s.leaving.Store(true)
	s.outbox.wakeUp()
	s.events(Event{Kind: GoAwayReceived, Detail: goAwayName(g.GetReason())})
}
