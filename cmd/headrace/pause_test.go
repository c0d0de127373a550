package main_test

import (
	"strings"
	"testing"
)

// TestPauseAndResumeOnTheCommandLine: shown in the lists, told as the cause, kept over
// a kill of the server.
func TestPauseAndResumeOnTheCommandLine(t *testing.T) {
	dir := t.TempDir() + "/data"
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("sub", "create", "audit", "--topic", "orders")
	if table := c.ok("sub", "pause", "billing", "audit"); strings.Count(table, "active, paused") != 2 {
		t.Errorf("%s", table)
	}
	c.ok("sub", "resume", "audit")
	process.Kill()
	c.addr = serve(t, dir).Address
	if billing := c.object("sub", "info", "billing"); billing["paused"] != true {
		t.Errorf("%v", billing)
	}
	if audit := c.object("sub", "info", "audit"); audit["paused"] != false {
		t.Errorf("%v", audit)
	}
	c.refused(1, "SUBSCRIPTION_NOT_FOUND", "sub", "pause", "lost")
	c.refused(2, "", "sub", "resume")
}

func TestDispatchCapsOnTheCommandLine(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders")
	created := c.object("sub", "create", "billing", "--topic", "orders", "--max-rate", "2.5", "--max-byte-rate", "1MiB")
	if created["max_messages_per_second"] != 2.5 || created["max_bytes_per_second"] != 1048576.0 {
		t.Errorf("%v", created)
	}
	edited := c.object("sub", "edit", "billing", "--max-rate", "0", "--max-concurrency", "8")
	if edited["max_messages_per_second"] != nil || edited["max_bytes_per_second"] != 1048576.0 || edited["max_concurrency"] != 8.0 {
		t.Errorf("%v", edited)
	}
	if table := c.ok("sub", "ls"); !strings.Contains(table, "1.0 MiB/s, 8 at once") {
		t.Errorf("%s", table)
	}
	c.refused(1, "dispatch_cap.messages_per_second", "sub", "edit", "billing", "--max-rate", "-1")
}
