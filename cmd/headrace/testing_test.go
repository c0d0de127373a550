package main_test

import (
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// testControl is the stub that controls a server for tests.
func testControl(t *testing.T, addr string) headracev1.TestControlServiceClient {
	t.Helper()
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return headracev1.NewTestControlServiceClient(conn)
}

// A server for tests has a clock that clients move: what was published is an hour old
// at once. Any other refuses to be controlled.
func TestServeTestingOpensTestControlAndNothingElseDoes(t *testing.T) {
	process := serve(t, filepath.Join(t.TempDir(), "data"), "--testing")
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("pub", "orders", "hello")
	advance := &headracev1.AdvanceClockRequest{By: durationpb.New(time.Hour)}
	if _, err := testControl(t, process.Address).AdvanceClock(t.Context(), advance); err != nil {
		t.Fatal(err)
	}
	if r := c.run("", "lag", "billing", "--critical-age", "59m"); r.code != 4 {
		t.Errorf("an hour later the oldest message is younger than 59 minutes: exit code %d\n%s", r.code, r.out)
	}
	_, plain := start(t)
	if _, err := testControl(t, plain.addr).AdvanceClock(t.Context(), advance); status.Code(err) != codes.Unimplemented {
		t.Errorf("a server that is not for tests: %v, want UNIMPLEMENTED", err)
	}
}

func TestServeTestingStaysOnTheLoopbackInterface(t *testing.T) {
	client{t, ""}.refused(2, "testing: a server for tests listens on the loopback interface only",
		"serve", "--testing", "--insecure", "--listen", "0.0.0.0:0", "--dir", t.TempDir())
}
