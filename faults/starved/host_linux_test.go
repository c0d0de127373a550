package starved

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/headrace/headrace/internal/serverproc"
	"github.com/headrace/headrace/sdk/go"
)

// host is a machine that runs one server at a time, all on one directory and one
// address.
type host struct {
	*serverproc.Process

	t       *testing.T
	options serverproc.Options
	log     *serverLog
}

// newHost is a host whose server keeps its data in dir. It starts none.
func newHost(t *testing.T, dir string, args ...string) *host {
	t.Helper()
	h := &host{t: t, log: &serverLog{}}
	h.options = serverproc.Options{
		Binary: headraceBinary, Dir: dir, Log: h.log,
		Args: append([]string{"--ops-listen", "127.0.0.1:0", "--drain-timeout", "1s"}, args...),
	}
	t.Cleanup(func() {
		if h.Process != nil {
			h.Kill()
		}
		if t.Failed() {
			t.Logf("the end of what the servers logged:\n%s", h.log.end())
		}
	})
	return h
}

// start starts a server that must come to serve.
func (h *host) start() {
	h.t.Helper()
	if err := h.tryStart(); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) tryStart() error {
	p, err := serverproc.Start(h.options)
	if err != nil {
		return err
	}
	if h.Process == nil {
		h.options.Args = append(h.options.Args, "--listen", p.Address)
	}
	h.Process = p
	return nil
}

// under runs the next servers under a shell's limits, such as "ulimit -n 100".
func (h *host) under(limits string) {
	h.t.Helper()
	script := filepath.Join(h.t.TempDir(), "headrace")
	text := fmt.Sprintf("#!/bin/sh\nset -e\n%s\nexec %s \"$@\"\n", limits, headraceBinary)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		h.t.Fatal(err)
	}
	h.options.Binary = script
}

// limit changes a limit of the running server.
func (h *host) limit(resource int, n uint64) {
	h.t.Helper()
	if err := unix.Prlimit(h.PID(), resource, &unix.Rlimit{Cur: n, Max: n}, nil); err != nil {
		h.t.Fatal(err)
	}
}

// awaitEnd waits until the server has ended by itself.
func (h *host) awaitEnd() {
	h.t.Helper()
	select {
	case <-h.Exited():
	case <-time.After(patience):
		h.t.Fatal("the server goes on")
	}
}

// dial makes a client that lives through all lives of the server.
func (h *host) dial(options ...headrace.DialOption) *headrace.Client {
	h.t.Helper()
	c, err := headrace.Dial(h.t.Context(), h.Address, append(options, headrace.WithCloseTimeout(time.Second))...)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = c.Close() }) // What it still owed, the witness knows.
	return c
}

// probe asks the operations listener, and gives the status and the text.
func (h *host) probe(path string) (int, string) {
	h.t.Helper()
	r, err := http.Get("http://" + h.OpsAddress + path)
	if err != nil {
		h.t.Fatal(err)
	}
	text, err := io.ReadAll(r.Body)
	if err := errors.Join(err, r.Body.Close()); err != nil {
		h.t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// metric is the value of a metric without labels.
func (h *host) metric(name string) float64 {
	h.t.Helper()
	_, text := h.probe("/metrics")
	for line := range strings.Lines(text) {
		var v float64
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			if _, err := fmt.Sscan(rest, &v); err != nil {
				h.t.Fatalf("%s: %v", line, err)
			}
			return v
		}
	}
	h.t.Fatalf("no metric %s", name)
	return 0
}

// serverLog keeps what servers log. It is safe for concurrent use.
type serverLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *serverLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *serverLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// end is the last of the log.
func (l *serverLog) end() string {
	const shownBytes = 8 << 10
	text := l.String()
	return text[max(0, len(text)-shownBytes):]
}

// lastLine is what an operator sees last.
func (l *serverLog) lastLine() string {
	text := strings.TrimSpace(l.String())
	return text[strings.LastIndexByte(text, '\n')+1:]
}
