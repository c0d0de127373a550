package main_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// publisher is a `headrace pub` that publishes "0", "1", … one line after the other
// until it is stopped.
type publisher struct {
	command *exec.Cmd
	in      io.WriteCloser
	quit    chan struct{}
	written chan struct{}
}

func startPublisher(t *testing.T, c client, topic string) *publisher {
	t.Helper()
	p := &publisher{command: c.command("pub", topic), quit: make(chan struct{}), written: make(chan struct{})}
	var err error
	if p.in, err = p.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.written)
		for n := 0; ; n++ {
			select {
			case <-p.quit:
				return
			default:
			}
			if _, err := fmt.Fprintf(p.in, "%d\n", n); err != nil {
				return
			}
		}
	}()
	return p
}

// stop kills it: where it had come to is not asked.
func (p *publisher) stop() {
	close(p.quit)
	_ = p.command.Process.Kill() // Its pipe ends with it.
	<-p.written
	_ = p.command.Wait() // It was killed.
}

// TestABackupUnderLoadIsRestored: what comes back begins at the beginning, misses
// nothing up to the position of the backup, and has the acks.
func TestABackupUnderLoadIsRestored(t *testing.T) {
	home := t.TempDir()
	process := serve(t, filepath.Join(home, "data"))
	c := client{t, process.Address}
	c.ok("topic", "create", "orders", "--min-age", "1h")
	c.ok("sub", "create", "billing", "--topic", "orders", "--from", "earliest")
	p := startPublisher(t, c, "orders")
	c.ok("tail", "--sub", "billing", "-n", "50")
	acked := c.object("sub", "info", "billing")["acked"].(float64)

	file := filepath.Join(home, "store.backup")
	made := c.object("backup", "--to", file)
	c.refused(2, "exists", "backup", "--to", file)
	p.stop()
	positions := made["positions"].([]any)
	next := int(positions[0].(map[string]any)["next_offset"].(float64))
	if made["topics"] != 1.0 || len(positions) != 1 || made["messages"] != float64(next) || next < 50 {
		t.Fatalf("%v", made)
	}

	restored := filepath.Join(home, "restored")
	back := c.object("restore", "--from", file, "--data-dir", restored)
	if back["last_batch"] != made["last_batch"] || back["messages"] != made["messages"] {
		t.Errorf("restored %v of %v", back, made)
	}
	c.ok("doctor", "--data-dir", restored)
	c.refused(1, "not empty", "restore", "--from", file, "--data-dir", restored)
	again := client{t, serve(t, restored).Address}
	var want strings.Builder
	for n := range next {
		fmt.Fprintf(&want, "0-%d  %d\n", n, n)
	}
	if got := again.ok("tail", "orders", "--from", "earliest", "-n", strconv.Itoa(next)); got != want.String() {
		t.Errorf("%d bytes of messages, %d expected", len(got), want.Len())
	}
	if got := again.object("sub", "info", "billing")["acked"].(float64); got < acked {
		t.Errorf("%v acked, %v were before the backup", got, acked)
	}
	if more := again.object("pub", "orders", "more"); more["first_id"] != fmt.Sprintf("0-%d", next) {
		t.Errorf("the next message: %v", more)
	}
}

// TestAStoppedStoreIsBackedUpInPlace: with --data-dir, and not while a server runs.
func TestAStoppedStoreIsBackedUpInPlace(t *testing.T) {
	home := t.TempDir()
	dir, file := filepath.Join(home, "data"), filepath.Join(home, "store.backup")
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	c.ok("pub", "orders", "a", "b")
	c.refused(1, "in use", "backup", "--to", file, "--data-dir", dir)
	process.Kill() // A crash: the messages are in logs that no opening has replayed.
	if made := c.object("backup", "--to", file, "--data-dir", dir); made["messages"] != 2.0 {
		t.Errorf("%v", made)
	}
	c.refused(1, "no server answers", "backup", "--to", file+"2")
}

// TestWhoeverIsKilledLeavesNoBackupOrAWholeOne: the server or the one who asks, in the
// middle.
func TestWhoeverIsKilledLeavesNoBackupOrAWholeOne(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "data")
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders", "--min-age", "1h")
	p := startPublisher(t, c, "orders")
	for round := range 6 {
		file := filepath.Join(home, fmt.Sprintf("%d.backup", round))
		command := c.command("backup", "--to", file)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		// The kill comes later each time: while it connects, receives, verifies.
		awaitPart(file, time.Duration(round)*5*time.Millisecond)
		last := round == 5
		if last {
			process.Kill()
		} else if err := command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = command.Wait() // It was killed, or its server.
		if _, err := os.Stat(file); err == nil {
			c.ok("restore", "--from", file, "--data-dir", file+".restored")
		}
	}
	p.stop()
	c = client{t, serve(t, dir).Address}
	c.ok("backup", "--to", filepath.Join(home, "last.backup"))
}

// awaitPart waits until the file is being written, and then a little.
func awaitPart(file string, more time.Duration) {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		if _, err := os.Stat(file + ".part"); err == nil {
			break
		}
		if _, err := os.Stat(file); err == nil {
			break
		}
	}
	time.Sleep(more) //nolint:forbidigo // when the kill comes is chance: each time later
}

// TestADamagedBackupLeavesADirectoryThatNobodyOpens: neither a server nor a second
// restoration.
func TestADamagedBackupLeavesADirectoryThatNobodyOpens(t *testing.T) {
	home := t.TempDir()
	_, c := start(t)
	c.ok("topic", "create", "orders")
	c.ok("pub", "orders", "a")
	file, dir := filepath.Join(home, "store.backup"), filepath.Join(home, "restored")
	c.ok("backup", "--to", file)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, whole[:len(whole)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	c.refused(1, "cut off", "restore", "--from", file, "--data-dir", dir)
	c.refused(1, "not restored to the end", "serve", "--dir", dir, "--listen", "127.0.0.1:0", "--ops-listen", "off")
	c.refused(1, "not restored to the end", "restore", "--from", file, "--data-dir", dir)
	c.refused(4, "damaged", "doctor", "--data-dir", dir)
}
