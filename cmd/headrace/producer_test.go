package main_test

import (
	"context"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/headrace/headrace/sdk/go"
)

// A client publishes while its server is killed over and over: every message is
// stored, once, in order, and no outcome is unknown.
func TestAClientStoresEverythingOnceWhileTheServerIsKilled(t *testing.T) {
	const kills, perKill = 5, 2000
	dir := filepath.Join(t.TempDir(), "data")
	process := serve(t, dir)
	var address atomic.Pointer[string]
	address.Store(&process.Address)
	client{t, process.Address}.ok("topic", "create", "orders")
	dial := func(ctx context.Context, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", *address.Load())
	}
	publisher, err := headrace.Dial(t.Context(), "killed", headrace.WithDialer(dial),
		headrace.WithPublishBatch(50, 1<<20, 0))
	if err != nil {
		t.Fatal(err)
	}
	var results []*headrace.PublishResult
	for range kills {
		for range perKill {
			m := headrace.Message{Data: strconv.AppendInt(nil, int64(len(results)), 10)}
			results = append(results, publisher.Topic("orders").PublishAsync(t.Context(), m))
		}
		// Some are stored and told, some are not: the kill is in the middle.
		if _, err := results[len(results)-perKill/2].Get(t.Context()); err != nil {
			t.Fatal(err)
		}
		process.Kill()
		process = serve(t, dir)
		address.Store(&process.Address)
	}
	for i, r := range results {
		id, err := r.Get(t.Context())
		if want := headrace.MessageID("0-" + strconv.Itoa(i)); err != nil || id != want {
			t.Fatalf("message %d: %q, %v", i, id, err)
		}
	}
	if err := publisher.Close(); err != nil {
		t.Error(err)
	}
	info := client{t, process.Address}.object("topic", "info", "orders")
	if info["retained_messages"] != float64(kills*perKill) {
		t.Errorf("%v messages are stored of %d", info["retained_messages"], kills*perKill)
	}
	tailed := strings.Fields(client{t, process.Address}.ok("tail", "orders", "--from", "earliest", "-n", "100"))
	for i := range 100 {
		if tailed[2*i+1] != strconv.Itoa(i) {
			t.Fatalf("at offset %d stands %q", i, tailed[2*i+1])
		}
	}
}

func TestPubWithADedupeIDStoresTheFirst(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders", "--dedupe-window", "1h", "--dedupe-max-ids", "100")
	for range 2 {
		if sum := c.object("pub", "orders", "--producer", "loader", "--dedupe-id", "7", "first"); sum["first_id"] != "0-0" {
			t.Errorf("%v", sum)
		}
	}
	if r := c.run("", "pub", "orders", "--dedupe-id", "7", "other"); r.code == 0 || !strings.Contains(r.err+r.out, "DEDUPE_CONFLICT") {
		t.Errorf("%+v", r)
	}
	info := c.object("topic", "info", "orders")
	if info["retained_messages"] != 1.0 || info["dedupe_window_seconds"] != 3600.0 || info["dedupe_max_ids"] != 100.0 {
		t.Errorf("%v", info)
	}
	c.ok("topic", "edit", "orders", "--dedupe-window", "0s")
	if sum := c.object("pub", "orders", "--dedupe-id", "7", "other"); sum["first_id"] != "0-1" {
		t.Errorf("without a window: %v", sum)
	}
}
