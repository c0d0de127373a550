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
