package starved

import (
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// TestIdleSessionsAreSmall opens a thousand sessions that do nothing, and looks at what
// the server takes for each, and whether it comes back.
func TestIdleSessionsAreSmall(t *testing.T) {
	const connections, sessionsEach, mostBytes = 10, 100, 64 << 10
	h := newHost(t, t.TempDir()+"/data")
	h.start()
	newClients(h, &headracev1.Topic{})
	memory := func() float64 {
		return h.metric("go_memstats_heap_inuse_bytes") + h.metric("go_memstats_stack_inuse_bytes")
	}
	goroutines, before := h.metric("go_goroutines"), memory()
	var open []*grpc.ClientConn
	for range connections {
		conn, err := grpc.NewClient(h.Address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
		for range sessionsEach {
			openIdle(t, conn)
		}
	}
	if n := h.metric("headrace_subscribe_streams"); n != connections*sessionsEach {
		t.Errorf("%v sessions are open", n)
	}
	each := (memory() - before) / (connections * sessionsEach)
	t.Logf("%.0f bytes of memory and %.1f goroutines for each of %d idle sessions",
		each, (h.metric("go_goroutines")-goroutines)/(connections*sessionsEach), connections*sessionsEach)
	if each > mostBytes {
		t.Errorf("an idle session takes %.0f bytes", each)
	}
	for _, conn := range open {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	eventually(t, "every session and goroutine is gone", func() bool {
		return h.metric("headrace_subscribe_streams") == 0 && h.metric("go_goroutines") <= goroutines+1
	})
}

// openIdle opens a session of its own.
func openIdle(t *testing.T, conn *grpc.ClientConn) {
	t.Helper()
	stream, err := headracev1.NewSubscriberServiceClient(conn).Subscribe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = stream.Send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Open_{
		Open: &headracev1.SubscribeRequest_Open{Subscription: workersName},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := stream.Recv(); err != nil || r.GetOpened() == nil {
		t.Fatalf("open: %v, %v", r, err)
	}
}
