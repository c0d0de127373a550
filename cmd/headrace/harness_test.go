package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/headrace/headrace/internal/serverproc"
)

// binary is the program under test, built once.
var binary string

func TestMain(m *testing.M) {
	if where := os.Getenv(workerVariable); where != "" {
		workInProcess(where)
		os.Exit(1)
	}
	dir, err := os.MkdirTemp("", "headrace-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(dir, "headrace")
	build := exec.Command("go", "build", "-ldflags", "-X main.version=v0.0.0-test", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// result is what one command line did.
type result struct {
	code     int
	out, err string
}

// client runs command lines against one server.
type client struct {
	t    *testing.T
	addr string
}

// start runs a server for one test, and a client of it.
func start(t *testing.T) (*serverproc.Process, client) {
	t.Helper()
	process := serve(t, filepath.Join(t.TempDir(), "data"))
	return process, client{t, process.Address}
}

// serve runs a server on a directory, and shows its log if the test fails.
func serve(t *testing.T, dir string, args ...string) *serverproc.Process {
	t.Helper()
	var log bytes.Buffer
	process, err := serverproc.Start(serverproc.Options{Binary: binary, Dir: dir, Args: args, Log: &log})
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	t.Cleanup(func() {
		process.Kill()
		if t.Failed() {
			t.Logf("the server logged:\n%s", log.String())
		}
	})
	return process
}

// command is a command line against the client's server, not yet run.
func (c client) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "HEADRACE_") }),
		"HEADRACE_ADDR="+c.addr)
	return cmd
}

// run runs a command line with a standard input.
func (c client) run(in string, args ...string) result {
	c.t.Helper()
	cmd := c.command(args...)
	var out, talk bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &out, &talk
	err := cmd.Run()
	if cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), talk.String()}
}

// ok runs a command line that must succeed and returns its data.
func (c client) ok(args ...string) string {
	c.t.Helper()
	r := c.run("", args...)
	if r.code != 0 {
		c.t.Fatalf("headrace %s: exit code %d\n%s", strings.Join(args, " "), r.code, r.err)
	}
	return r.out
}

// object runs a command line with -o json and returns what it printed.
func (c client) object(args ...string) map[string]any {
	c.t.Helper()
	text := c.ok(append(args, "-o", "json")...)
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		c.t.Fatalf("%v in %s", err, text)
	}
	return object
}

// refused runs a command line that must fail with an exit code and say something.
func (c client) refused(code int, says string, args ...string) {
	c.t.Helper()
	r := c.run("", args...)
	if r.code != code || !strings.Contains(r.err, says) {
		c.t.Errorf("headrace %s: exit code %d, %q; want %d and %q", strings.Join(args, " "), r.code, r.err, code, says)
	}
}
