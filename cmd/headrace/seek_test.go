package main_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestASeekOnTheCommandLine: what it would do is told, it asks for consent, and moves the
// subscription to a time, an offset, the start and the end.
func TestASeekOnTheCommandLine(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders", "--keep-settled", "24h")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("pub", "orders", "a", "b", "c")
	for _, step := range []struct {
		flags          string
		unacked, acked float64
	}{
		{"--to-end", 0, 3},
		{"--to-offset 0:1", 2, 0},
		{"--to-time 1h", 1, 0},
		{"--to-end", 0, 3},
		{"--to-start", 3, 0},
	} {
		args := append([]string{"sub", "seek", "billing"}, strings.Fields(step.flags)...)
		dry := c.object(append(args, "--dry-run")...)
		done := c.object(append(args, "--yes")...)
		if dry["done"] != false || done["done"] != true || done["generation"] != dry["generation"].(float64)+1 {
			t.Errorf("%s: %v, then %v", step.flags, dry, done)
		}
		for _, got := range []map[string]any{dry, done} {
			if got["unacked"] != step.unacked || got["acked"] != step.acked {
				t.Errorf("%s: %v, want %v unacked, %v acked", step.flags, got, step.unacked, step.acked)
			}
		}
	}
	for args, want := range map[string]string{
		"sub seek billing":                     "one of --to-time, --to-offset, --to-start, --to-end, --to-snapshot is needed",
		"sub seek billing --to-start --to-end": "and only one",
		"sub seek billing --to-time yesterday": "neither a time",
		"sub seek billing --to-offset 3":       "partition:offset",
		"sub seek billing --to-start":          "--yes",
	} {
		c.refused(2, want, strings.Fields(args)...)
	}
	c.refused(1, "POSITION_OUT_OF_RANGE", "sub", "seek", "billing", "--to-offset", "0:9", "--yes")
	c.refused(1, "SUBSCRIPTION_NOT_FOUND", "sub", "seek", "nobody", "--to-start", "--yes")
}

// TestAPeekOnTheCommandLine: what is not acked is shown, as often as one likes.
func TestAPeekOnTheCommandLine(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders", "--partitions", "2")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("pub", "orders", "a", "b", "c")
	for range 2 {
		if lines := strings.Fields(c.ok("peek", "billing", "-o", "jsonl")); len(lines) != 3 {
			t.Errorf("%v", lines)
		}
	}
	if lines := strings.Fields(c.ok("peek", "billing", "-n", "2", "-o", "jsonl")); len(lines) != 2 {
		t.Errorf("%v", lines)
	}
	if table := c.ok("peek", "billing"); !strings.Contains(table, "TAKEN IN") {
		t.Errorf("%s", table)
	}
	c.ok("sub", "seek", "billing", "--to-end", "--yes")
	if lines := c.ok("peek", "billing", "-o", "jsonl"); lines != "" {
		t.Errorf("%s", lines)
	}
	if lines := strings.Fields(c.ok("peek", "billing", "--acked", "-o", "jsonl")); len(lines) != 3 || !strings.Contains(lines[0], `"acked":true`) {
		t.Errorf("%v", lines)
	}
	c.refused(1, "PARTITION_NOT_FOUND", "peek", "billing", "--partition", "7")
	c.refused(2, "--max", "peek", "billing", "-n", "0")
}

// TestSnapshotsOnTheCommandLine: taken, listed, sought to and removed; doctor counts those
// that are left.
func TestSnapshotsOnTheCommandLine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders", "--min-age", "0s")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("pub", "orders", "a", "b", "c")
	taken := c.object("snapshot", "create", "before", "--sub", "billing", "--keep", "1h")
	if taken["name"] != "default/before" || taken["unacked"] != 3.0 || taken["state"] != "active" {
		t.Errorf("%v", taken)
	}
	c.ok("sub", "seek", "billing", "--to-end", "--yes")
	if done := c.object("sub", "seek", "billing", "--to-snapshot", "before", "--yes"); done["unacked"] != 3.0 {
		t.Errorf("%v", done)
	}
	if table := c.ok("snapshot", "ls"); !strings.Contains(table, "default/before") {
		t.Errorf("%s", table)
	}
	c.ok("snapshot", "rm", "before", "--yes")
	c.refused(1, "SNAPSHOT_NOT_FOUND", "sub", "seek", "billing", "--to-snapshot", "before", "--yes")
	c.refused(2, "--sub is missing", "snapshot", "create", "again")
	c.ok("snapshot", "create", "after", "--sub", "billing")
	if err := process.Stop(); err != nil {
		t.Fatal(err)
	}
	if found := c.object("doctor", "--data-dir", dir); found["snapshots"] != 1.0 || found["subscriptions"] != 1.0 {
		t.Errorf("%v", found)
	}
	if r := c.run("", "doctor", "--data-dir", dir); !strings.Contains(r.err, "1 snapshots") {
		t.Errorf("%s", r.err)
	}
}
