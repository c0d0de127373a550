package main_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestPullAndSettleOnTheCommandLine: shown, held until settled by their tokens.
func TestPullAndSettleOnTheCommandLine(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("pub", "orders", "a", "b", "c", "d")
	if shown := c.ok("pull", "billing", "-n", "1", "--ack"); !strings.Contains(shown, "0-0") || !strings.Contains(shown, "a") {
		t.Errorf("%s", shown)
	}
	var tokens []string
	for line := range strings.Lines(c.ok("pull", "billing", "-o", "jsonl")) {
		var m struct {
			Data  string `json:"data"`
			Token string `json:"delivery_token"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Data == "" || m.Token == "" {
			t.Fatalf("%s: %v", line, err)
		}
		tokens = append(tokens, m.Token)
	}
	if len(tokens) != 3 {
		t.Fatalf("%d tokens", len(tokens))
	}
	c.ok("settle", "billing", tokens[0])
	c.ok("settle", "billing", tokens[1], "--reject", "cannot be read")
	c.refused(1, "STALE_DELIVERY", "settle", "billing", tokens[0], tokens[2], "--release")
	info := c.object("sub", "info", "billing")
	if info["acked"] != 2.0 || info["dead_letters"] != 1.0 || info["released"] != 1.0 {
		t.Errorf("%v", info)
	}
	r := c.run("", "pull", "lost")
	if r.code != 1 || !strings.Contains(r.err, "SUBSCRIPTION_NOT_FOUND") {
		t.Errorf("%v", r)
	}
	c.ok("sub", "pause", "billing")
	if r := c.run("", "pull", "billing", "--wait", "0s"); r.code != 0 || !strings.Contains(r.err, "sub explain") {
		t.Errorf("%v", r)
	}
	c.refused(2, "", "settle", "billing", "x", "--retry", "--release")
}

// TestWhatWasSettledByTokensOutlivesAKill: and what was not comes again, uncharged.
func TestWhatWasSettledByTokensOutlivesAKill(t *testing.T) {
	dir := t.TempDir() + "/data"
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("pub", "orders", "a", "b")
	c.ok("pull", "billing", "-n", "1", "--ack")
	c.ok("pull", "billing", "-n", "1")
	process.Kill()
	c.addr = serve(t, dir).Address
	again := c.ok("pull", "billing", "-o", "jsonl")
	if strings.Count(again, "\n") != 1 || !strings.Contains(again, `"message_id":"0-1"`) || !strings.Contains(again, `"attempt":1`) {
		t.Errorf("%s", again)
	}
}
