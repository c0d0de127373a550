package main_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	headrace "github.com/headrace/headrace/sdk/go"
)

// workerVariable makes this test's program a subscriber that can be killed: it names the
// subscription, and the file that holds the server's address.
const workerVariable = "HEADRACE_TEST_WORKER"

const (
	begunWork = "begun" // a handler has the message.
	ackWork   = "acks"  // exactly once: it asks for an ack, and that it be confirmed.
	doneWork  = "done"  // its effect counts: at least once, before the ack; exactly once, after it is confirmed.
	lostWork  = "lost"  // the handler was told to stop, or that its ack came too late.
)

// workInProcess receives with the Go SDK and tells of each message what becomes of it,
// a line each, until it is killed.
func workInProcess(where string) {
	sub, file, _ := strings.Cut(where, " ")
	ctx := context.Background()
	c, err := headrace.Dial(ctx, "the server of the moment", headrace.WithDialer(
		func(ctx context.Context, _ string) (net.Conn, error) {
			addr, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			return new(net.Dialer).DialContext(ctx, "tcp", string(addr))
		}), headrace.WithConnectTimeout(killedWait))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	w := &lineWriter{}
	options := []headrace.ReceiveOption{headrace.WithConcurrency(3), headrace.WithWindow(30, 1<<20)}
	if sub == "at-most-once" {
		options = append(options, headrace.WithManualCredit(3))
	}
	err = c.Subscription(sub).Receive(ctx, func(ctx context.Context, d *headrace.Delivery) error {
		w.say(begunWork, d.Data)
		select {
		case <-time.After(rand.N(30 * time.Millisecond)):
		case <-ctx.Done():
			w.say(lostWork, d.Data)
			return ctx.Err()
		}
		if sub == "exactly-once" {
			w.say(ackWork, d.Data)
			if d.AckConfirm(ctx) != nil {
				w.say(lostWork, d.Data)
				return errors.New("nobody knows")
			}
		}
		w.say(doneWork, d.Data)
		return nil
	}, options...)
	fmt.Fprintln(os.Stderr, err)
}

// lineWriter writes whole lines to the output, which a kill does not take back.
type lineWriter struct{ mu sync.Mutex }

func (w *lineWriter) say(what string, message []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Println(what, string(message))
}

// work is one line of a worker: what became of a message. A kill of the worker is one
// without a message.
type work struct {
	what    string
	message int
}

const killedWorker = "killed"

// history is what the workers of one subscription said, one worker after the other.
type history struct {
	mu   sync.Mutex
	all  []work
	done map[int]bool
	more chan struct{} // of capacity 1: there is more
}

func newHistory() *history { return &history{done: map[int]bool{}, more: make(chan struct{}, 1)} }

func (h *history) add(w work) {
	h.mu.Lock()
	h.all = append(h.all, w)
	if w.what == doneWork {
		h.done[w.message] = true
	}
	h.mu.Unlock()
	select {
	case h.more <- struct{}{}:
	default:
	}
}

func (h *history) doneMessages() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.done)
}

// await waits until so many messages are done.
func (h *history) await(ctx context.Context, t *testing.T, messages int) {
	t.Helper()
	for h.doneMessages() < messages {
		select {
		case <-h.more:
		case <-ctx.Done():
			t.Fatalf("%d of %d messages are done", h.doneMessages(), messages)
		}
	}
}

// workerProcess is a subscriber as a child process.
type workerProcess struct {
	command *exec.Cmd
	history *history
	read    chan struct{} // closed when all is read that it said
}

func startWorker(t *testing.T, sub, addressFile string, h *history) *workerProcess {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &workerProcess{command: exec.Command(program), history: h, read: make(chan struct{})}
	w.command.Env = append(os.Environ(), workerVariable+"="+sub+" "+addressFile)
	w.command.Stderr = os.Stderr
	out, err := w.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(w.read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			what, text, _ := strings.Cut(lines.Text(), " ")
			message, _ := strconv.Atoi(text) // they are numbers
			h.add(work{what, message})
		}
	}()
	return w
}

// kill ends the worker by SIGKILL, and waits until all is known that it said.
func (w *workerProcess) kill() {
	_ = w.command.Process.Kill()
	<-w.read
	_ = w.command.Wait() // It was killed.
	w.history.add(work{what: killedWorker})
}
