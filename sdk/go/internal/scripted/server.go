package scripted

import (
	"context"
	"net"
	"sync"
	"testing"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"
)

const (
	// connBytes is the buffer of a connection in memory.
	connBytes = 1 << 20
	// waitingStreams is how many streams may wait for the test to take them.
	waitingStreams = 16
)

// Server is a scripted server. Its unary services are set before it is started,
// nil ones answer UNIMPLEMENTED.
type Server struct {
	headracev1.UnimplementedPublisherServiceServer
	headracev1.UnimplementedSubscriberServiceServer

	// Publishes and Subscribes are the streams that clients opened, in order.
	Publishes  chan *PublishStream
	Subscribes chan *SubscribeStream

	grpc *grpc.Server

	listener *bufconn.Listener
	serving  sync.WaitGroup
}

// Services are what a server registers beside the streams.
type Services struct {
	Topics        headracev1.TopicServiceServer
	Subscriptions headracev1.SubscriptionServiceServer
}

// Start starts a server; it stops at the end of the test, or with Stop.
func Start(t *testing.T, services ...Services) *Server {
	t.Helper()
	s := &Server{
		Publishes:  make(chan *PublishStream, waitingStreams),
		Subscribes: make(chan *SubscribeStream, waitingStreams),
		grpc:       grpc.NewServer(grpc.MaxRecvMsgSize(65 << 20)),
		listener:   bufconn.Listen(connBytes),
	}
	headracev1.RegisterPublisherServiceServer(s.grpc, s)
	headracev1.RegisterSubscriberServiceServer(s.grpc, s)
	for _, extra := range services {
		if extra.Topics != nil {
			headracev1.RegisterTopicServiceServer(s.grpc, extra.Topics)
		}
		if extra.Subscriptions != nil {
			headracev1.RegisterSubscriptionServiceServer(s.grpc, extra.Subscriptions)
		}
	}
	s.serving.Go(func() { _ = s.grpc.Serve(s.listener) }) // Ends with Stop.
	t.Cleanup(s.Stop)
	return s
}

// Dial is a dialer for the client.
func (s *Server) Dial(ctx context.Context, _ string) (net.Conn, error) {
	return s.listener.DialContext(ctx)
}

// Stop breaks every stream and stops. It may be called again.
func (s *Server) Stop() {
	s.grpc.Stop()
	s.serving.Wait()
}
