package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/internal/measure"
	"github.com/headrace/headrace/internal/serverproc"
	"github.com/headrace/headrace/sdk/go"
)

// What is measured.
const (
	publishing = "publish"
	receiving  = "receive"

	topicName        = "messages"
	subscriptionName = "receiver"
)

// run is one run of one program.
type run struct {
	settings *settings
	program  program
	mode     string
	size     int
}

func (r *run) warmup() int { return r.settings.messages / 2 }
func (r *run) count() int  { return r.settings.messages + r.warmup() }

// measure starts a server and runs the program against it.
func (r *run) measure(ctx context.Context) (f figures, err error) {
	dir, err := os.MkdirTemp(r.settings.dir, "headrace-throughput-")
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	server, err := serverproc.Start(serverproc.Options{
		Binary: r.settings.binary, Dir: filepath.Join(dir, "data"), Args: []string{"--log-level", "error"}, Log: os.Stderr,
	})
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	if err := r.prepare(ctx, server.Address); err != nil {
		return f, err
	}
	return r.play(ctx, server)
}

// prepare makes the topic, and for who receives a subscription and what it gets.
func (r *run) prepare(ctx context.Context, address string) (err error) {
	c, err := headrace.Dial(ctx, address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if _, err := c.Topics().Create(ctx, &headracev1.Topic{Name: topicName}); err != nil || r.mode == publishing {
		return err
	}
	_, err = c.Subscriptions().Create(ctx, &headracev1.Subscription{Name: subscriptionName, Topic: topicName})
	if err != nil {
		return err
	}
	var last *headrace.PublishResult
	for range r.count() {
		last = c.Topic(topicName).PublishAsync(ctx, headrace.Message{Data: make([]byte, r.size)})
	}
	_, err = last.Get(ctx)
	return err
}

// play runs the program, and measures from its first word to its second.
func (r *run) play(ctx context.Context, server *serverproc.Process) (f figures, err error) {
	name := topicName
	if r.mode == receiving {
		name = subscriptionName
	}
	numbers := []string{strconv.Itoa(r.count()), strconv.Itoa(r.warmup()), strconv.Itoa(r.size), strconv.Itoa(r.settings.inFlight)}
	arguments := append(append(append([]string{}, r.program.command[1:]...), r.mode, name), numbers...)
	program := exec.CommandContext(ctx, r.program.command[0], arguments...)
	program.Env = append(os.Environ(), "HEADRACE_ADDR="+server.Address)
	program.Stderr = os.Stderr
	out, err := program.StdoutPipe()
	if err != nil {
		return f, err
	}
	if err := program.Start(); err != nil {
		return f, err
	}
	f, err = r.follow(bufio.NewReader(out), program.Process.Pid, server.PID())
	if err != nil {
		_ = program.Process.Kill()
	}
	return f, errors.Join(err, program.Wait())
}

// follow reads what the program says. It waits for its end, which is written when the
// measurement is over, so that the CPU time is still to be had.
func (r *run) follow(out *bufio.Reader, pid, server int) (figures, error) {
	var at [2]stamp
	for i, want := range []string{"begin\n", "end\n"} {
		word, err := out.ReadString('\n')
		if word != want {
			return figures{}, fmt.Errorf("%w: %q, %q was to come (%w)", errProgram, word, want, nilOr(err))
		}
		if at[i], err = takeStamp(pid, server); err != nil {
			return figures{}, err
		}
	}
	return figures{
		messages: r.settings.messages, elapsed: at[1].at.Sub(at[0].at),
		client: at[1].client - at[0].client, server: at[1].server - at[0].server,
	}, nil
}

func nilOr(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}

// stamp is a moment, and the CPU time used up to it.
type stamp struct {
	at             time.Time
	client, server time.Duration
}

func takeStamp(client, server int) (s stamp, err error) {
	s.at = time.Now()
	if s.client, err = measure.ProcessCPU(client); err == nil {
		s.server, err = measure.ProcessCPU(server)
	}
	return s, err
}
