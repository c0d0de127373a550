package scripted

import (
	"testing"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/grpc"
)

// Stream is the server's side of one stream.
type Stream[Request, Response any] struct {
	stream grpc.BidiStreamingServer[Request, Response]
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
	s := &Stream[Q, R]{stream: stream, end: make(chan error, 1)}
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
func (s *Stream[Q, R]) MustRecv(t testing.TB) *Q {
	t.Helper()
	q, err := s.Recv()
	if err != nil {
		t.Fatalf("the client's next frame: %v", err)
	}
	return q
}

// Send sends a frame. An error ends the test.
func (s *Stream[Q, R]) Send(t testing.TB, r *R) {
	t.Helper()
	if err := s.stream.Send(r); err != nil {
		t.Fatalf("send %T: %v", r, err)
	}
}

// End ends the stream with a status, or with OK when err is nil.
func (s *Stream[Q, R]) End(err error) { s.end <- err }

// Broken is closed when the client is gone.
func (s *Stream[Q, R]) Broken() <-chan struct{} { return s.stream.Context().Done() }
