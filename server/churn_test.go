package server_test

import (
	"log/slog"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"

	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/internal/testscale"
	"github.com/headrace/headrace/server/servertest"
)

// churnPairs is how many publish streams and sessions come and go. At the full size
// they are 10,000 streams.
var churnPairs = testscale.Sizes{Full: 5000, Ordinary: 1000, Race: 500}

// Invariant 8: 10,000 opened and closed streams leave no goroutine, no memory and no
// phantom session, however they end.
func TestManyStreamsLeaveNothingBehind(t *testing.T) {
	ways := []func(*testing.T, *servertest.Server) (*subscribeStub, *publishStub){
		streamsThatFinish, streamsThatAreCancelled, streamsWhoseConnectionBreaks, streamsThatAreRefused, streamsThatAreEnded,
	}
	s := startQuiet(t, servertest.Options{Network: true})
	s.CreateTopic("orders")
	// However often a stream breaks over a message, it is not given up.
	s.CreateSubscriptionWith(&headracev1.Subscription{
		Name: "workers", Topic: "orders", Retry: &headracev1.RetryPolicy{MaxAttempts: new(uint32), MaxDeliveries: new(uint32)},
	})
	s.Publish("orders", numberedMessages(1, 10)...)
	churn := func(pairs int) {
		t.Run(strconv.Itoa(pairs), func(t *testing.T) { // What it leaves to clean up goes with it.
			for i := range pairs {
				session, publisher := ways[i%len(ways)](t, s)
				session.cancel()
				publisher.cancel()
			}
			awaitNoStreams(t, s)
		})
	}
	many := churnPairs.Now()
	churn(max(many/10, 100)) // What is made once is made.
	goroutines, heap := runtime.NumGoroutine(), liveHeap()
	churn(many)
	poll(t, func() bool { return runtime.NumGoroutine() <= goroutines })
	grown := max(0, liveHeap()-heap)
	t.Logf("%d streams later the heap has %d bytes more, %d a stream", 2*many, grown, grown/(2*many))
	// Each broken session costs the store a batch, which the engine keeps; caches and what
	// is remembered of failures fill up to their bounds.
	const mostBytes, mostOnce = 512, 4 << 20
	if grown > mostBytes*2*many+mostOnce {
		t.Errorf("%d streams leave %d bytes", 2*many, grown)
	}
}

// startQuiet starts a server that logs nothing, for what a test logs stays in memory.
func startQuiet(t *testing.T, o servertest.Options) *servertest.Server {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	o.Store.Logger, o.Broker.Logger, o.Server.Logger = quiet, quiet, quiet
	return servertest.Start(t, o)
}

// The ways to end a publish stream and a session. Each makes one of both.

func streamsThatFinish(t *testing.T, s *servertest.Server) (*subscribeStub, *publishStub) {
	t.Helper()
	session, publisher := openSubscribe(t, s, open.GetOpen()), openPublish(t, s)
	publisher.send(batch("orders", 1, &headracev1.Message{Ttl: durationpb.New(1)}))
	publisher.nextResult()
	publisher.finish()
	session.nextBatch()
	session.finish()
	return session, publisher
}

func streamsThatAreCancelled(t *testing.T, s *servertest.Server) (*subscribeStub, *publishStub) {
	t.Helper()
	session, publisher := openSubscribe(t, s, open.GetOpen()), openPublish(t, s)
	session.cancel()
	publisher.cancel()
	_, _ = session.end(), publisher.end()
	return session, publisher
}

func streamsWhoseConnectionBreaks(t *testing.T, s *servertest.Server) (*subscribeStub, *publishStub) {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///headrace",
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(s.DialContext))
	if err != nil {
		t.Fatal(err)
	}
	publishing, subscribing := s.Publisher, s.Subscriber
	s.Publisher, s.Subscriber = headracev1.NewPublisherServiceClient(conn), headracev1.NewSubscriberServiceClient(conn)
	session, publisher := openSubscribe(t, s, open.GetOpen()), openPublish(t, s)
	s.Publisher, s.Subscriber = publishing, subscribing
	session.nextBatch()
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	_, _ = session.end(), publisher.end()
	return session, publisher
}

func streamsThatAreRefused(t *testing.T, s *servertest.Server) (*subscribeStub, *publishStub) {
	t.Helper()
	session, publisher := dialSubscribe(t, s), dialPublish(t, s)
	session.send(subscribeOpen(&headracev1.SubscribeRequest_Open{Subscription: "nobody"}))
	publisher.send(publishHeartbeat())
	checkStatus(t, session.end(), codes.NotFound, "SUBSCRIPTION_NOT_FOUND", "")
	checkStatus(t, publisher.end(), codes.InvalidArgument, "FRAME_ORDER", "")
	return session, publisher
}

func streamsThatAreEnded(t *testing.T, s *servertest.Server) (*subscribeStub, *publishStub) {
	t.Helper()
	session, publisher := openSubscribe(t, s, open.GetOpen()), openPublish(t, s)
	session.send(ack(7, 1, 1))
	publisher.send(publishOpen())
	checkStatus(t, session.end(), codes.InvalidArgument, "SETTLE_NUMBER_GAP", "")
	checkStatus(t, publisher.end(), codes.InvalidArgument, "FRAME_ORDER", "")
	return session, publisher
}

// awaitNoStreams waits until the server knows of none.
func awaitNoStreams(t *testing.T, s *servertest.Server) {
	t.Helper()
	poll(t, func() bool { return len(subscriptionStats(t, s, "workers").GetSessions()) == 0 })
	poll(t, func() bool {
		for _, name := range []string{
			"headrace_publish_streams", "headrace_subscribe_streams", "headrace_sessions",
			"headrace_outstanding_messages", "headrace_outbound_bytes", "headrace_publishing_bytes",
		} {
			if gauge(t, s, name) != 0 {
				return false
			}
		}
		return true
	})
}

// liveHeap is what the heap holds once garbage is gone.
func liveHeap() int {
	for range 3 {
		debug.FreeOSMemory()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// poll waits for something that no event tells.
func poll(t *testing.T, is func() bool) {
	t.Helper()
	ctx := bounded(t)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("it never came true")
		}
	}
}

func gauge(t *testing.T, s *servertest.Server, name string) float64 {
	t.Helper()
	families, err := s.Metrics().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("no gauge %s", name)
	return 0
}
