package main_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/headrace/headrace/sdk/go"
)

// reject has a subscriber of billing reject n messages.
func (c client) reject(n int) {
	c.t.Helper()
	sdk, err := headrace.Dial(c.t.Context(), c.addr)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = sdk.Close() }()
	ctx, stop := context.WithCancel(c.t.Context())
	defer stop()
	for d, err := range sdk.Subscription("billing").Deliveries(ctx) {
		if err != nil {
			c.t.Fatal(err)
		}
		if err := d.RejectConfirm(ctx, "BAD", "cannot be read"); err != nil {
			c.t.Fatal(err)
		}
		n--
		if n == 0 {
			return
		}
	}
}

// TestDeadLettersOnTheCommandLine: listed, shown, exported, redriven and discarded, with
// an outcome for each.
func TestDeadLettersOnTheCommandLine(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders", "--max-attempts", "3", "--max-deliveries", "0")
	c.ok("pub", "orders", "a", "b", "c")
	c.reject(3)

	if info := c.object("sub", "info", "billing"); info["max_attempts"] != 3.0 || info["max_deliveries"] != 0.0 || info["dead_letters"] != 3.0 {
		t.Errorf("%v", info)
	}
	var list []map[string]any
	if err := json.Unmarshal([]byte(c.ok("dlq", "ls", "billing", "-o", "json")), &list); err != nil || len(list) != 3 {
		t.Fatalf("%v, %v", list, err)
	}
	if d := list[1]; d["sequence"] != 2.0 || d["message_id"] != "0-1" || d["reason"] != "rejected" || d["failed"] != 1.0 {
		t.Errorf("%v", d)
	}
	if table := c.ok("dlq", "ls", "billing", "--max", "1"); !strings.Contains(table, "rejected: BAD: cannot be read") || strings.Contains(table, "0-1") {
		t.Errorf("%s", table)
	}
	if none := c.ok("dlq", "ls", "billing", "--reason", "max-attempts", "-o", "jsonl"); none != "" {
		t.Errorf("%s", none)
	}
	if shown := c.ok("dlq", "peek", "billing", "2", "-o", "jsonl"); !strings.Contains(shown, `"data":"b"`) {
		t.Errorf("%s", shown)
	}
	exported := c.ok("dlq", "export", "billing", "1")
	c.ok("topic", "create", "copies")
	if r := c.run(exported, "pub", "copies", "--input", "jsonl"); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if dry := c.ok("dlq", "redrive", "billing", "--dry-run", "-o", "jsonl"); strings.Count(dry, "would be redriven") != 3 {
		t.Errorf("%s", dry)
	}
	c.refused(2, "say --yes", "dlq", "discard", "billing")
	if gone := c.ok("dlq", "discard", "billing", "3", "--yes", "-o", "jsonl"); gone != `{"sequence":3,"outcome":"discarded"}`+"\n" {
		t.Errorf("%s", gone)
	}
	if again := c.ok("dlq", "redrive", "billing", "--yes", "--rate", "100", "-o", "jsonl"); strings.Count(again, `"redriven"`) != 2 {
		t.Errorf("%s", again)
	}
	if got := c.ok("tail", "--sub", "billing", "-n", "2"); got != "0-0  a\n0-1  b\n" {
		t.Errorf("%q", got)
	}
	if left := c.ok("dlq", "ls", "billing", "-o", "jsonl"); left != "" {
		t.Errorf("%s", left)
	}
	c.refused(2, "no reason", "dlq", "ls", "billing", "--reason", "boredom")
	c.refused(2, "is not the sequence", "dlq", "peek", "billing", "x")
	c.refused(1, "SUBSCRIPTION_NOT_FOUND", "dlq", "ls", "nobody")
}
