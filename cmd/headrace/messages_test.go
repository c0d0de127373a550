package main_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPublishedLinesComeOutOfTail(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders")
	if sum := c.object("pub", "orders", "first", "second"); sum["published"] != 2.0 || sum["first_id"] != "0-0" || sum["last_id"] != "0-1" {
		t.Errorf("%v", sum)
	}
	if r := c.run("third\nfourth", "pub", "orders"); r.code != 0 {
		t.Errorf("%+v", r)
	}
	got := c.ok("tail", "orders", "--from", "earliest", "-n", "4")
	if d := cmp.Diff("0-0  first\n0-1  second\n0-2  third\n0-3  fourth\n", got); d != "" {
		t.Error(d)
	}
	if left := c.ok("sub", "ls", "-o", "jsonl"); left != "" {
		t.Errorf("tail left its subscription: %s", left)
	}
}

func TestTailOfASubscriptionAcks(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("pub", "orders", "a", "b", "c")
	if got := c.ok("tail", "--sub", "billing", "-n", "2"); got != "0-0  a\n0-1  b\n" {
		t.Errorf("%q", got)
	}
	info := c.object("sub", "info", "billing")
	if info["acked"] != 2.0 || info["backlog_messages"] != 1.0 || info["expired"] != 0.0 {
		t.Errorf("%v", info)
	}
}

func TestWhatTailWritesPubReads(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "one")
	c.ok("topic", "create", "two")
	lines := `{"data":"x","ordering_key":"k","attributes":{"a":"b"},"content_type":"text/plain"}` + "\n" + `{"data_base64":"/w=="}` + "\n"
	if r := c.run(lines, "pub", "one", "--input", "jsonl"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	tailed := c.ok("tail", "one", "--from", "earliest", "-n", "2", "-o", "jsonl")
	if r := c.run(tailed, "pub", "two", "--input", "jsonl"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	again := c.ok("tail", "two", "--from", "earliest", "-n", "2", "-o", "jsonl")
	if d := cmp.Diff(withoutTimes(t, tailed), withoutTimes(t, again)); d != "" {
		t.Error(d)
	}
}

// withoutTimes reads JSON lines and drops what differs from one publish to the
// next.
func withoutTimes(t *testing.T, text string) []map[string]any {
	t.Helper()
	var lines []map[string]any
	for line := range strings.Lines(text) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatal(err)
		}
		delete(object, "publish_time")
		lines = append(lines, object)
	}
	return lines
}

func TestPubTakesKeysOutOfTheData(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "quakes", "--partitions", "4")
	sum := c.object("pub", "quakes", "--file", "../../examples/data/earthquakes.jsonl", "--key-field", "network")
	if sum["published"] != 1707.0 || sum["failed"] != 0.0 {
		t.Errorf("%v", sum)
	}
	partitions := map[string]any{}
	for _, line := range withoutTimes(t, c.ok("tail", "quakes", "--from", "earliest", "-n", "1707", "-o", "jsonl")) {
		key := line["ordering_key"].(string)
		if p, seen := partitions[key]; seen && p != line["partition"] {
			t.Fatalf("key %s is in two partitions", key)
		}
		partitions[key] = line["partition"]
	}
	if len(partitions) < 5 {
		t.Errorf("keys: %v", partitions)
	}
}

func TestPubSaysWhatFailed(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "small", "--max-message-bytes", "1KiB")
	big := strings.Repeat("x", 2000)
	r := c.run("fits\n"+big+"\nfits too\n", "pub", "small", "-o", "jsonl")
	if r.code != 1 || !strings.Contains(r.err, "MESSAGE_TOO_LARGE") || !strings.Contains(r.err, "1 of 3 messages") {
		t.Errorf("%+v", r)
	}
	if lines := withoutTimes(t, r.out); len(lines) != 3 || lines[0]["message_id"] != "0-0" || lines[1]["error"] == nil || lines[2]["message_id"] != "0-1" {
		t.Errorf("%v", lines)
	}
	c.refused(1, "TOPIC_NOT_FOUND", "pub", "absent", "x")
	if r := c.run("{}\nnot json\n", "pub", "small", "--input", "jsonl"); r.code != 1 || !strings.Contains(r.err, "line 2") {
		t.Errorf("%+v", r)
	}
	c.refused(1, "no such file", "pub", "small", "--file", filepath.Join(t.TempDir(), "absent"))
}

// TestTailEndsWithASignal: an endless tail stops cleanly, closes its JSON and
// removes its subscription.
func TestTailEndsWithASignal(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders")
	c.ok("pub", "orders", "x")
	tail := c.command("tail", "orders", "--from", "earliest", "-o", "json")
	out, err := tail.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tail.Start(); err != nil {
		t.Fatal(err)
	}
	text := bufio.NewReader(out)
	var all strings.Builder
	for !strings.Contains(all.String(), `"data": "x"`) {
		line, err := text.ReadString('\n')
		if err != nil {
			t.Fatalf("%v after %q", err, all.String())
		}
		all.WriteString(line)
	}
	if err := tail.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for line, err := text.ReadString('\n'); err == nil; line, err = text.ReadString('\n') {
		all.WriteString(line)
	}
	if err := tail.Wait(); err != nil {
		t.Error(err)
	}
	var messages []map[string]any
	if err := json.Unmarshal([]byte(all.String()), &messages); err != nil || len(messages) != 1 {
		t.Errorf("%v in %q", err, all.String())
	}
	if left := c.ok("sub", "ls", "-o", "jsonl"); left != "" {
		t.Errorf("tail left its subscription: %s", left)
	}
}
