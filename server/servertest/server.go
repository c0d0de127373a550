package servertest

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// Options are how a server is started. The zero value has the defaults.
type Options struct {
	// Home is where the store's records live. Default: a place in memory.
	Home storagetest.StoreHome
	// Store is how messages and delivery state are kept. Default: as the server does it;
	// without a Logger it writes to the test's log.
	Store shardlog.Options
	// Broker is how messages are taken and delivered, with the defaults and the Logger
	// of Store.
	Broker broker.Config
	// Server is how the server answers, with the same. MaxMessageBytes is Broker's unless
	// it is set.
	Server server.Config
	// Dial is added to the options of every connection that the Server makes. Default:
	// none.
	Dial []grpc.DialOption
	// Network puts the loopback interface between server and clients, in place of
	// memory. Default: memory.
	Network bool
}

// Server is a running server with a client's connection to it. It is made by Start. Its
// helpers end the test when they fail, and are for the test's goroutine.
type Server struct {
	*server.Server

	// Broker is what the server stands on, for tests that look inside.
	Broker *broker.Broker
	// Store is where it keeps everything, for the same.
	Store *storagetest.StoreHarness
	// Conn is a stock client's connection, closed at the end of the test.
	Conn *grpc.ClientConn
	// Publisher publishes over Conn.
	Publisher headracev1.PublisherServiceClient
	// Subscriber subscribes, pulls and settles over Conn.
	Subscriber headracev1.SubscriberServiceClient
	// Topics manages topics over Conn.
	Topics headracev1.TopicServiceClient
	// Subscriptions manages subscriptions over Conn.
	Subscriptions headracev1.SubscriptionServiceClient

	t        testing.TB
	dial     []grpc.DialOption
	listener listener
	stop     context.CancelFunc
	// ran has the result of Serve; capacity 1: there is one.
	ran    chan error
	waited sync.Once
	result error
}

// Start starts a server and waits until it serves. It is stopped at the end of the test.
// Settings that the server refuses end the test.
func Start(tb testing.TB, o Options) *Server {
	tb.Helper()
	logger := slog.New(slog.NewTextHandler(tb.Output(), nil))
	o = o.withDefaults(logger)
	store := storagetest.NewStoreHarness(tb, o.Home, o.Store)
	o.Broker.CopyLetter = server.CopyLetter
	b, err := broker.New(store, o.Broker)
	if err != nil {
		tb.Fatalf("broker: %v", err)
	}
	inner, err := server.New(o.Server, b, store)
	if err != nil {
		tb.Fatalf("server: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{
		Server: inner, Broker: b, Store: store,
		t: tb, dial: o.Dial, listener: listen(tb, o.Network), stop: stop, ran: make(chan error, 1),
	}
	go func() { s.ran <- inner.Serve(ctx, s.listener, nil) }()
	<-inner.Serving()
	tb.Cleanup(s.finish)
	s.connect()
	return s
}

func (o Options) withDefaults(logger *slog.Logger) Options {
	if o.Home == nil {
		o.Home = storagetest.MemoryHome()
	}
	for _, l := range []**slog.Logger{&o.Store.Logger, &o.Broker.Logger, &o.Server.Logger} {
		if *l == nil {
			*l = logger
		}
	}
	if o.Server.MaxMessageBytes == 0 {
		o.Server.MaxMessageBytes = o.Broker.MaxMessageBytes
	}
	return o
}

// connect makes the connection and the stubs.
func (s *Server) connect() {
	s.t.Helper()
	s.Conn = s.Dial()
	s.Publisher = headracev1.NewPublisherServiceClient(s.Conn)
	s.Subscriber = headracev1.NewSubscriberServiceClient(s.Conn)
	s.Topics = headracev1.NewTopicServiceClient(s.Conn)
	s.Subscriptions = headracev1.NewSubscriptionServiceClient(s.Conn)
}

// Dial makes one more connection, with these options beside those of Options.Dial. It is
// closed at the end of the test.
func (s *Server) Dial(options ...grpc.DialOption) *grpc.ClientConn {
	s.t.Helper()
	options = append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(s.DialContext),
	}, append(s.dial, options...)...)
	conn, err := grpc.NewClient("passthrough:///headrace", options...)
	if err != nil {
		s.t.Fatalf("dial: %v", err)
	}
	s.t.Cleanup(func() { _ = conn.Close() }) // It may be closed already.
	return conn
}

// DialContext opens a bare connection to the server, whatever the address; it has the form
// that grpc.WithContextDialer and the Go client's WithDialer want. Errors: that the server
// has stopped, or ctx's.
func (s *Server) DialContext(ctx context.Context, _ string) (net.Conn, error) {
	return s.listener.DialContext(ctx)
}

// BeginDrain tells the server to stop in order, as a TERM does, and returns at once. Wait
// waits for it.
func (s *Server) BeginDrain() { s.stop() }

// Wait waits until the server has stopped, and gives what Serve returned: nil after a stop
// in order. It may be called again.
func (s *Server) Wait() error {
	s.waited.Do(func() { s.result = <-s.ran })
	return s.result
}

// finish stops what runs still. What the test wanted of the end, it has checked.
func (s *Server) finish() {
	_ = s.Conn.Close() // It may be closed already.
	s.Stop()
	s.stop()
	_ = s.Wait() // A test may have made the store fail.
}
