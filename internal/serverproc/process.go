package serverproc

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// ErrExited is returned when the server ended before it was asked to.
var ErrExited = errors.New("serverproc: the server exited")

// Options say which server to run.
type Options struct {
	// Binary is the path of the headrace binary.
	Binary string
	// Dir is the data directory.
	Dir string
	// Args are further flags of `headrace serve`.
	Args []string
	// Env is the environment as "NAME=value"; nil: this process's own.
	Env []string
	// Log takes the server's log; nil: it is dropped.
	Log io.Writer
}

// Endpoints are where a server listens, as `headrace serve -o jsonl` says it on
// its first line of output.
type Endpoints struct {
	// Address is where clients connect, host:port.
	Address string `json:"address"`
	// OpsAddress is where metrics and health answer; off: nowhere.
	OpsAddress string `json:"ops_address"`
}

// Process is a server that runs as a child process.
type Process struct {
	Endpoints
	command *exec.Cmd
	// first gets the first line of output, and is closed after it or without it.
	// It holds one line, so that nobody has to ask for it.
	first chan []byte
	// exited is closed once the process is gone; waitErr is how it ended.
	exited  chan struct{}
	waitErr error
}

// Start runs a server on free ports of the loopback interface, unless Args say
// otherwise, and waits until it serves. Errors: ErrExited when it did not get so
// far; its log says why.
func Start(o Options) (*Process, error) {
	p, err := Launch(o)
	if err != nil {
		return nil, err
	}
	if err := p.AwaitServing(); err != nil {
		return nil, err
	}
	return p, nil
}

// Launch runs a server without waiting until it serves, for a caller that wants
// to end it before.
func Launch(o Options) (*Process, error) {
	args := append([]string{"serve", "-o", "jsonl", "--dir", o.Dir, "--listen", "127.0.0.1:0", "--ops-listen", "off"}, o.Args...)
	c := exec.Command(o.Binary, args...) //nolint:noctx // It outlives this call, until Stop or Kill.
	c.Env, c.Stderr = o.Env, o.Log
	stdout, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	// A process group of its own: a Ctrl-C in the terminal reaches the parent
	// alone, which stops its server when it is done with it.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", o.Binary, err)
	}
	p := &Process{command: c, first: make(chan []byte, 1), exited: make(chan struct{})}
	go p.follow(stdout)
	return p, nil
}

// follow takes the first line of output, drops the rest and collects the
// process's end, which may only be done when everything was read.
func (p *Process) follow(stdout io.Reader) {
	out := bufio.NewReader(stdout)
	if line, err := out.ReadBytes('\n'); err == nil {
		p.first <- line
	}
	close(p.first)
	_, _ = io.Copy(io.Discard, out)
	p.waitErr = p.command.Wait()
	close(p.exited)
}

// AwaitServing waits until the server says where it listens. Errors: ErrExited.
func (p *Process) AwaitServing() error {
	line, ok := <-p.first
	if !ok {
		<-p.exited
		return fmt.Errorf("%w before it served: %w", ErrExited, p.exitError())
	}
	if err := json.Unmarshal(line, &p.Endpoints); err != nil {
		p.Kill()
		return fmt.Errorf("serverproc: the server's first line is %q: %w", line, err)
	}
	return nil
}

// PID is the process's id.
func (p *Process) PID() int { return p.command.Process.Pid }

// Exited is closed once the process is gone.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// ExitCode is the exit code after Exited: -1 when a signal ended the process.
func (p *Process) ExitCode() int { return p.command.ProcessState.ExitCode() }

// Kill ends the process as a crash would, with SIGKILL, and waits until it is
// gone.
func (p *Process) Kill() {
	_ = p.command.Process.Kill()
	<-p.exited
}

// Stop asks the process to drain and end, with SIGTERM, and waits until it is
// gone. The error says how it ended if not with exit code 0.
func (p *Process) Stop() error {
	p.Terminate()
	<-p.exited
	return p.exitError()
}

// Terminate sends SIGTERM and does not wait.
func (p *Process) Terminate() { _ = p.command.Process.Signal(syscall.SIGTERM) }

// exitError is how the process ended; nil when with exit code 0.
func (p *Process) exitError() error {
	if p.waitErr == nil {
		return nil
	}
	return fmt.Errorf("the server: %w", p.waitErr)
}
