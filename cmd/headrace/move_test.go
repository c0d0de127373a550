package main_test

import "testing"

// TestSubMoveAsksSessionsToGo: all or one; a session or subscription that is not there is
// refused by name.
func TestSubMoveAsksSessionsToGo(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders")
	created := c.object("sub", "create", "billing", "--topic", "orders", "--mode", "failover", "--resume-window", "1m")
	if created["mode"] != "failover" || created["resume_window_seconds"] != 60.0 {
		t.Errorf("%v", created)
	}
	if moved := c.object("sub", "move", "billing"); moved["sessions"] != 0.0 {
		t.Errorf("%v", moved)
	}
	c.refused(1, "SESSION_NOT_FOUND", "sub", "move", "billing", "--session", "s1")
	c.refused(1, "SUBSCRIPTION_NOT_FOUND", "sub", "move", "lost")
	c.refused(1, "resume_window", "sub", "edit", "billing", "--resume-window", "13h")
}
