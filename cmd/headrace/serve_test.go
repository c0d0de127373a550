package main_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/headrace/headrace/internal/serverproc"
)

func TestServerKeepsWhatItTookOverAStopAndACrash(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first := serve(t, dir)
	c := client{t, first.Address}
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("pub", "orders", "before the stop")
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	second := serve(t, dir)
	c = client{t, second.Address}
	c.ok("pub", "orders", "before the crash")
	second.Kill()
	third := serve(t, dir)
	c = client{t, third.Address}
	if got := c.ok("tail", "--sub", "billing", "-n", "2"); got != "0-0  before the stop\n0-1  before the crash\n" {
		t.Errorf("%q", got)
	}
}

func TestStopDrainsAnOpenSession(t *testing.T) {
	process, c := start(t)
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	tail := c.command("tail", "--sub", "billing", "-o", "jsonl")
	out, err := tail.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tail.Start(); err != nil {
		t.Fatal(err)
	}
	c.ok("pub", "orders", "x")
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := process.Stop(); err != nil {
		t.Errorf("the server: %v", err)
	}
	_ = tail.Process.Signal(os.Interrupt)
	_ = tail.Wait()
}

// refusesToStart runs a server that must not come up, and returns what it says.
func refusesToStart(t *testing.T, dir string, args ...string) string {
	t.Helper()
	var log bytes.Buffer
	process, err := serverproc.Start(serverproc.Options{Binary: binary, Dir: dir, Args: args, Log: &log})
	if err == nil {
		process.Kill()
		t.Fatal("it serves")
	}
	return log.String()
}

func TestDirectoryInUseIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	serve(t, dir)
	if said := refusesToStart(t, dir); !strings.Contains(said, dir) || !strings.Contains(said, "in use") || !strings.Contains(said, "use another directory") {
		t.Errorf("%s", said)
	}
}

func TestDirectoryOfSomethingElseIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "letter.txt"), []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := refusesToStart(t, dir); !strings.Contains(said, dir) {
		t.Errorf("%s", said)
	}
	if _, err := os.Stat(filepath.Join(dir, "letter.txt")); err != nil {
		t.Error(err)
	}
}

func TestPortInUseIsRefused(t *testing.T) {
	process, _ := start(t)
	if said := refusesToStart(t, filepath.Join(t.TempDir(), "data"), "--listen", process.Address); !strings.Contains(said, process.Address) {
		t.Errorf("%s", said)
	}
}

func TestOperationsAnswerOverHTTP(t *testing.T) {
	process := serve(t, filepath.Join(t.TempDir(), "data"), "--ops-listen", "127.0.0.1:0")
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	for path, want := range map[string]string{"/livez": "", "/readyz": "", "/metrics": "headrace_"} {
		r, err := http.Get("http://" + process.OpsAddress + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %s, %v, %s", path, r.Status, err, body)
		}
		_ = r.Body.Close()
	}
}

func TestDevRemovesItsDirectory(t *testing.T) {
	tmp := t.TempDir()
	dev := exec.Command(binary, "dev", "--listen", "127.0.0.1:0", "--ops-listen", "off", "-o", "jsonl")
	dev.Env = append(os.Environ(), "TMPDIR="+tmp)
	var talk bytes.Buffer
	dev.Stderr = &talk
	out, err := dev.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := dev.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%v: %s", err, talk.String())
	}
	if during, err := os.ReadDir(tmp); err != nil || len(during) != 1 {
		t.Errorf("while it runs: %v, %v", during, err)
	}
	if err := dev.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := dev.Wait(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if !strings.Contains(talk.String(), "headrace topic create") {
		t.Errorf("it does not say what to try: %s", talk.String())
	}
}

// stoppedStore makes a directory with a topic and messages in it, and no server
// on it.
func stoppedStore(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	c.ok("pub", "orders", strings.Repeat("body ", 10_000))
	if err := process.Stop(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestStoreOfAnotherFormatIsRefused(t *testing.T) {
	dir := stoppedStore(t)
	path := filepath.Join(dir, "FORMAT")
	format, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for other, advice := range map[string]string{"format 3": "newer program", "format 1": "before the first release"} {
		changed := bytes.Replace(format, []byte("format 2"), []byte(other), 1)
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if said := refusesToStart(t, dir); !strings.Contains(said, other) || !strings.Contains(said, advice) {
			t.Errorf("%s", said)
		}
	}
	if err := os.WriteFile(path, format, 0o600); err != nil {
		t.Fatal(err)
	}
	serve(t, dir) // the refusal changed nothing
}

func TestDamagedStoreIsRefused(t *testing.T) {
	dir := stoppedStore(t)
	if err := os.Remove(filepath.Join(dir, "badger", "MANIFEST")); err != nil {
		t.Fatal(err)
	}
	said := refusesToStart(t, dir)
	if !strings.Contains(said, dir) || strings.Contains(said, "goroutine") {
		t.Errorf("%s", said)
	}
	for _, what := range []string{"data loss", "copy"} {
		if !strings.Contains(said, what) {
			t.Errorf("it does not say %q: %s", what, said)
		}
	}
}
