package main_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestABufferedTopicSkipsOffsetsAfterAKill: none is given twice; what was consumed, and
// so was durable, is there. A topic of the default durability goes on where it was.
func TestABufferedTopicSkipsOffsetsAfterAKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	process := serve(t, dir)
	c := client{t, process.Address}
	if topic := c.object("topic", "create", "metrics", "--durability", "buffered"); topic["durability"] != "buffered" {
		t.Errorf("%v", topic)
	}
	if topic := c.object("topic", "create", "orders"); topic["durability"] != "synced" {
		t.Errorf("%v", topic)
	}
	for _, topic := range []string{"metrics", "orders"} {
		c.ok("sub", "create", topic+"-sub", "--topic", topic)
		c.ok("pub", topic, "a", "b")
		c.ok("tail", "--sub", topic+"-sub", "-n", "2")
	}
	process.Kill()
	process = serve(t, dir)
	c = client{t, process.Address}
	c.ok("pub", "metrics", "c")
	c.ok("pub", "orders", "c")
	if got := c.ok("tail", "--sub", "metrics-sub", "-n", "1"); got != "0-1048578  c\n" {
		t.Errorf("the buffered topic goes on with %q", got)
	}
	if got := c.ok("tail", "--sub", "orders-sub", "-n", "1"); got != "0-2  c\n" {
		t.Errorf("the synced topic goes on with %q", got)
	}
	if err := process.Stop(); err != nil {
		t.Fatal(err)
	}
	if found := c.object("doctor", "--data-dir", dir); found["worst"] != "note" || found["messages"] != 6.0 {
		t.Errorf("%v", found)
	}
	process = serve(t, dir)
	c = client{t, process.Address}
	c.ok("pub", "metrics", "d")
	if got := c.ok("tail", "--sub", "metrics-sub", "-n", "1"); !strings.HasPrefix(got, "0-1048579 ") {
		t.Errorf("after a stop in order: %q", got)
	}
	c.refused(2, "durability", "topic", "create", "other", "--durability", "eventually")
	c.refused(1, "NOT_SERVED", "topic", "create", "other", "--durability", "replicated")
}
