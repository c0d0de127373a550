package driver

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
)

// maxLineBytes is how long a line of a driver may be: a message of 4 MiB in base64 fits.
const maxLineBytes = 8 << 20

// errEnded is returned when a driver is told something after its end.
var errEnded = errors.New("the driver has ended")

// Process is a driver that runs. It is safe for concurrent use.
type Process struct {
	command *exec.Cmd
	exited  chan struct{}

	mu     sync.Mutex
	input  io.WriteCloser
	closed bool
}

// Start starts a driver. Its events go to told, one after the other, the last one
// before the process counts as ended; what it says to people goes to log.
func Start(argv []string, told func(Event), log io.Writer) (*Process, error) {
	c := exec.Command(argv[0], argv[1:]...) //nolint:noctx // It lives until its input ends, or Kill.
	c.Stderr = log
	// A process group of its own, so that a Ctrl-C lets the runner end it in order.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	input, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", argv[0], err)
	}
	p := &Process{command: c, exited: make(chan struct{}), input: input}
	go p.follow(output, told)
	return p, nil
}

func (p *Process) follow(output io.Reader, told func(Event)) {
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, maxLineBytes)
	for lines.Scan() {
		var e Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			e = Event{Event: "failed", Detail: fmt.Sprintf("the driver said %.200q: %v", lines.Text(), err)}
		}
		told(e)
	}
	_, _ = io.Copy(io.Discard, output)
	_ = p.command.Wait()
	close(p.exited)
}

// Tell tells a command.
func (p *Process) Tell(c Command) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errEnded
	}
	_, err = p.input.Write(append(line, '\n'))
	return err
}

// Exited is closed when the process is gone.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// End lets the driver end: its input is over.
func (p *Process) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.closed = true
		_ = p.input.Close()
	}
}

// Kill ends the process with SIGKILL, with everything that it started, and waits until it
// is gone. One that is gone already is left alone: its number may be another's by now.
func (p *Process) Kill() {
	select {
	case <-p.exited:
		return
	default:
	}
	_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
	<-p.exited
}
