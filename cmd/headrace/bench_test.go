package main_test

import (
	"os"
	"path/filepath"
	"testing"
)

// figures are those that a report must have, each above 0.
var figures = []string{
	"messages_per_second", "latency_p50_ms", "latency_p99_ms", "server_cpu_us_per_message", "client_cpu_us_per_message",
	"fdatasync_per_second", "published_per_second", "messages", "message_bytes", "in_flight", "batch_messages", "batch_bytes",
}

func TestBenchReports(t *testing.T) {
	for _, mode := range []string{"pub", "e2e"} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			c := client{t, "127.0.0.1:1"} // it starts a server of its own
			report := c.object("bench", mode, "--duration", "1s", "--warmup", "100ms", "--size", "100", "--dir", dir)
			for _, name := range figures {
				if n, ok := report[name].(float64); !ok || n <= 0 {
					t.Errorf("%s is %v", name, report[name])
				}
			}
			if report["mode"] != mode || report["sync_policy"] == "" {
				t.Errorf("%v", report)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestBenchOfARunningServerLeavesNothing(t *testing.T) {
	_, c := start(t)
	report := c.object("bench", "e2e", "--duration", "1s", "--warmup", "50ms", "--addr", c.addr)
	if report["server_cpu_us_per_message"] != nil || report["messages"] == 0.0 {
		t.Errorf("%v", report)
	}
	if left := c.ok("topic", "ls", "-o", "jsonl") + c.ok("sub", "ls", "-o", "jsonl"); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

func TestBenchComparesWithALonePublisher(t *testing.T) {
	c := client{t, "127.0.0.1:1"}
	report := c.object("bench", "pub", "--publishers", "4", "--in-flight", "1", "--lone", "--duration", "1s", "--warmup", "50ms")
	lone, ratio := report["lone_messages_per_second"].(float64), report["ratio_to_lone"].(float64)
	if lone <= 0 || ratio <= 0 || report["publishers"] != 4.0 {
		t.Errorf("%v", report)
	}
}

func TestBenchWritesProfiles(t *testing.T) {
	dir := t.TempDir()
	c := client{t, "127.0.0.1:1"}
	c.ok("bench", "pub", "--duration", "1s", "--warmup", "50ms", "--profile", dir)
	for _, name := range []string{"client.pprof", "server.pprof"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
