package main_test

import "testing"

// TestGuaranteesOnTheCommandLine: given at creation, shown, kept over a kill of the server.
func TestGuaranteesOnTheCommandLine(t *testing.T) {
	dir := t.TempDir() + "/data"
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "plain", "--topic", "orders")
	c.ok("sub", "create", "gauges", "--topic", "orders", "--guarantee", "at-most-once")
	c.ok("sub", "create", "payments", "--topic", "orders", "--guarantee", "exactly-once")
	process.Kill()
	c.addr = serve(t, dir).Address
	for name, want := range map[string][2]string{
		"plain": {"at_least_once", "key"}, "gauges": {"at_most_once", "none"}, "payments": {"exactly_once", "key"},
	} {
		if info := c.object("sub", "info", name); info["guarantee"] != want[0] || info["order"] != want[1] {
			t.Errorf("%s: %v, %v", name, info["guarantee"], info["order"])
		}
	}
	c.refused(2, "", "sub", "create", "more", "--topic", "orders", "--guarantee", "twice")
	c.refused(1, "INVALID_FIELD", "sub", "create", "more", "--topic", "orders", "--guarantee", "at-most-once", "--order", "key")
}
