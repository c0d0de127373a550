package main_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// damageLog flips a bit in the middle of the write-ahead log of a store whose server
// was killed.
func damageLog(t *testing.T, dir string) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(dir, "badger", "*.mem"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("the logs %q, %v", logs, err)
	}
	content, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	content[len(bytes.TrimRight(content, "\x00"))/2] ^= 1
	if err := os.WriteFile(logs[0], content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAcceptLossServesWhatIsLeft: a server refuses to start over missing batches,
// names them and the flag, and starts with exactly that, and without it ever after.
func TestAcceptLossServesWhatIsLeft(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	for i := range 20 {
		c.ok("pub", "orders", strconv.Itoa(i))
	}
	process.Kill()
	damageLog(t, dir)

	said := refusesToStart(t, dir)
	flag := regexp.MustCompile(`--accept-loss=(\d+)-(\d+)`).FindStringSubmatch(said)
	if flag == nil {
		t.Fatalf("%s", said)
	}
	wrong := fmt.Sprintf("--accept-loss=%s-9%s", flag[1], flag[2])
	if said := refusesToStart(t, dir, wrong); !strings.Contains(said, flag[0]) || !strings.Contains(said, "something else") {
		t.Errorf("%s: %s", wrong, said)
	}
	process = serve(t, dir, flag[0])
	c = client{t, process.Address}
	c.ok("pub", "orders", "after")
	process.Kill()
	process = serve(t, dir)
	c = client{t, process.Address}
	got := strings.Split(strings.TrimSpace(c.ok("tail", "--sub", "billing", "-n", c.backlog("billing"))), "\n")
	if len(got) < 2 || got[0] != "0-0  0" || !strings.HasSuffix(got[len(got)-1], "  after") {
		t.Errorf("%q", got)
	}
	if err := process.Stop(); err != nil {
		t.Error(err)
	}
	if said := refusesToStart(t, dir, "--accept-loss=1-2"); !strings.Contains(said, "none is missing") {
		t.Errorf("%s", said)
	}
}

// backlog is how many messages of a subscription are not settled.
func (c client) backlog(sub string) string {
	c.t.Helper()
	backlog := c.object("sub", "info", sub)["backlog_messages"]
	return fmt.Sprint(backlog)
}
