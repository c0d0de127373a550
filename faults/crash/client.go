package crash

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/headrace/headrace/faults/history"
)

// client is a client's process.
type client struct {
	role    role
	command *exec.Cmd
	stdin   io.WriteCloser
}

// startClient starts a binary, whose main calls Client when IsClient, in a role. What it
// tells goes to told, what it complains of to log.
func startClient(binary string, r role, told, log io.Writer) (*client, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	c := &client{role: r, command: exec.Command(binary)} //nolint:noctx // It lives until it is killed or its input ends.
	c.command.Env = append(os.Environ(), roleVariable+"="+string(text))
	c.command.Stdout, c.command.Stderr = told, log
	if c.stdin, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	return c, c.command.Start()
}

// calm tells the client that the campaign drains.
func (c *client) calm() {
	_, _ = io.WriteString(c.stdin, "calm\n") // One that has ended needs no word.
}

// kill ends the process with SIGKILL.
func (c *client) kill(recorder *history.Recorder) {
	recorder.Record(history.Event{Kind: history.ClientKilled, Fields: history.Fields{Client: c.role.Client}})
	_ = c.command.Process.Kill()
	_ = c.command.Wait() // It says that it was killed.
}

// stop lets the client end in order, and waits for it.
func (c *client) stop() error {
	_ = c.stdin.Close()
	if err := c.command.Wait(); err != nil {
		return fmt.Errorf("client %d: %w", c.role.Client, err)
	}
	return nil
}

// wake is a writer that signals that something was written, merged while nobody
// looks.
type wake chan struct{}

// Write signals.
func (w wake) Write(b []byte) (int, error) {
	select {
	case w <- struct{}{}:
	default:
	}
	return len(b), nil
}
