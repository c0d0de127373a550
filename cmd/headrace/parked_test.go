package main_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestParkedKeysAreListedAndReleased: by name, or all.
func TestParkedKeysAreListedAndReleased(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders", "--key-failure-policy", "park-key")
	for _, key := range []string{"a", "b"} {
		c.ok("pub", "orders", "--key", key, key+"1", key+"2")
	}
	c.reject(2)
	if info := c.object("sub", "info", "billing"); info["parked_keys"] != 2.0 || info["key_failure_policy"] != "park_key" {
		t.Errorf("info %v", info)
	}
	if table := c.ok("sub", "parked", "billing"); !strings.Contains(table, "WAITING") {
		t.Errorf("the table:\n%s", table)
	}
	c.refused(2, "--all", "sub", "release-key", "billing")
	c.refused(2, "--all", "sub", "release-key", "billing", "a", "--all")
	if released := c.object("sub", "release-key", "billing", "a", "nobody"); released["released"] != 1.0 {
		t.Errorf("released %v", released)
	}
	if left := c.ok("sub", "parked", "billing", "-o", "jsonl"); strings.Count(left, "\n") != 1 || !strings.Contains(left, `"ordering_key":"b"`) {
		t.Errorf("left: %s", left)
	}
	c.refused(1, "INVALID_FIELD", "sub", "release-key", "billing", "--partition", "1")
	if released := c.object("sub", "release-key", "billing", "--partition", "0", "--partition", "65535"); released["released"] != 1.0 {
		t.Errorf("released %v", released)
	}
	if released := c.object("sub", "release-key", "billing", "--all"); released["released"] != 0.0 {
		t.Errorf("released twice: %v", released)
	}
}

// TestParkedAndReleasedKeysSurviveAKill: what was said of them before SIGKILL is so after.
func TestParkedAndReleasedKeysSurviveAKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders", "--key-failure-policy", "park-key")
	for _, key := range []string{"a", "b"} {
		c.ok("pub", "orders", "--key", key, key+"1", key+"2")
	}
	c.reject(2)
	c.ok("sub", "release-key", "billing", "a")
	process.Kill()

	c = client{t, serve(t, dir).Address}
	if left := c.ok("sub", "parked", "billing", "-o", "jsonl"); strings.Count(left, "\n") != 1 || !strings.Contains(left, `"ordering_key":"b"`) {
		t.Errorf("parked after the kill: %s", left)
	}
}
