package scripted

import (
	"testing"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/grpc"
)

// Stream is the server's side of one stream.
type Stream[Request, Response any] struct {
	stream grpc.BidiStreamingServer[Request, Response]
	// sending is held while a frame is sent: a test may send from several
	// goroutines. Capacity 1: one of them at a time.
	sending chan struct{}
	// end takes the stream's status. Capacity 1: the test says it once.
	end chan error
}

// PublishStream is a stream of a publisher.
type PublishStream = Stream[headracev1.PublishStreamRequest, headracev1.PublishStreamResponse]

// SubscribeStream is a stream of a subscriber.
type SubscribeStream = Stream[headracev1.SubscribeRequest, headracev1.SubscribeResponse]

// PublishStream hands a publisher's stream to the test.
func (s *Server) PublishStream(stream grpc.BidiStreamingServer[headracev1.PublishStreamRequest, headracev1.PublishStreamResponse]) error {
	return play(s.Publishes, stream)
}

// Subscribe hands a subscriber's stream to the test.
func (s *Server) Subscribe(stream grpc.BidiStreamingServer[headracev1.SubscribeRequest, headracev1.SubscribeResponse]) error {
	return play(s.Subscribes, stream)
}

// play gives a stream to the test and keeps it open until the test or the client
// ends it.
func play[Q, R any](to chan *Stream[Q, R], stream grpc.BidiStreamingServer[Q, R]) error {
	s := &Stream[Q, R]{stream: stream, sending: make(chan struct{}, 1), end: make(chan error, 1)}
	to <- s
	select {
	case err := <-s.end:
		return err
	case <-stream.Context().Done():
		return stream.Context().Err()
	}
}

// Recv returns the client's next frame. Error: io.EOF when the client
// half-closed; another when the stream broke.
func (s *Stream[Q, R]) Recv() (*Q, error) { return s.stream.Recv() }

// MustRecv is Recv, where an error ends the test.
func (s *Stream[Q, R]) MustRecv(t *testing.T) *Q {
	t.Helper()
	q, err := s.Recv()
	if err != nil {
		t.Fatalf("the client's next frame: %v", err)
	}
	return q
}

// Send sends a frame. An error ends the test.
func (s *Stream[Q, R]) Send(t *testing.T, r *R) {
	t.Helper()
	if err := s.TrySend(r); err != nil {
		t.Fatalf("send %T: %v", r, err)
	}
}

// TrySend sends a frame, if the client is still there.
func (s *Stream[Q, R]) TrySend(r *R) error {
	s.sending <- struct{}{}
	defer func() { <-s.sending }()
	return s.stream.Send(r)
}

// Beat sends a frame every interval until the client is gone.
func (s *Stream[Q, R]) Beat(interval time.Duration, r *R) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-s.Broken():
			return
		}
		if s.TrySend(r) != nil {
			return
		}
	}
}

// End ends the stream with a status, or with OK when err is nil.
func (s *Stream[Q, R]) End(err error) { s.end <- err }

// Broken is closed when the client is gone.
func (s *Stream[Q, R]) Broken() <-chan struct{} { return s.stream.Context().Done() }
