package main_test

import (
	"strings"
	"testing"
)

// TestExplainOnTheCommandLine: why nothing flows, and where a message and a key stand.
func TestExplainOnTheCommandLine(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("pub", "orders", "--key", "k", "a", "b", "c")
	c.reject(1)
	c.ok("sub", "pause", "billing")

	flow := c.object("sub", "explain", "billing")
	if flow["paused"] != true || flow["backlog_messages"] != 2.0 || flow["blocked_by"].([]any)[0] != "no_session" {
		t.Errorf("%v", flow)
	}
	if oldest := flow["oldest"].(map[string]any); oldest["offset"] != 1.0 {
		t.Errorf("the oldest: %v", oldest)
	}
	if table := c.ok("sub", "explain", "billing"); !strings.Contains(table, "paused, no_session") || !strings.Contains(table, "0-1 is ") {
		t.Errorf("%s", table)
	}
	if dead := c.object("sub", "explain", "billing", "--message", "0-0"); dead["standing"] != "dead_letter" || dead["dead_letter"] != 1.0 {
		t.Errorf("%v", dead)
	}
	if table := c.ok("sub", "explain", "billing", "--message", "0-0"); !strings.Contains(table, "dead letter 1") || !strings.Contains(table, "BAD: cannot be read") {
		t.Errorf("%s", table)
	}
	if table := c.ok("sub", "explain", "billing", "--key", "another"); !strings.Contains(table, "free") {
		t.Errorf("%s", table)
	}
	c.refused(1, "message_id", "sub", "explain", "billing", "--message", "seventeen")
	c.refused(1, "SESSION_NOT_FOUND", "sub", "explain", "billing", "--session", "s0")
	c.refused(2, "", "sub", "explain", "billing", "--session", "s0", "--key", "k")
}
