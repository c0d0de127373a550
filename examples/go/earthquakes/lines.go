package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/headrace/headrace/sdk/go"
)

// sentAttribute carries when the publisher sent an event, in Unix nanoseconds.
const sentAttribute = "sent-at"

// lines is a service's output: a file with an event a line, and one with how
// long each first delivery took. Each line is one write, so it is with the
// system before the event is acked, even if the process dies right after.
type lines struct {
	events, latencies *os.File
}

func createLines(dir, name string) (*lines, error) {
	events, err1 := os.Create(filepath.Join(dir, name+".jsonl"))
	latencies, err2 := os.Create(filepath.Join(dir, name+".latencies"))
	return &lines{events, latencies}, errors.Join(err1, err2)
}

// write adds a delivered event. It is for one goroutine at a time.
func (l *lines) write(d *headrace.Delivery) error {
	if err := l.writeLatency(d); err != nil {
		return err
	}
	_, err := fmt.Fprintf(l.events, "%s\n", d.Data)
	return err
}

// writeLatency adds the time from publish to now, in microseconds. A repeated
// delivery says nothing of how fast the server pushes.
func (l *lines) writeLatency(d *headrace.Delivery) error {
	if d.Attempt() > 1 {
		return nil
	}
	sent, err := strconv.ParseInt(d.Attributes[sentAttribute], 10, 64)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(l.latencies, time.Since(time.Unix(0, sent)).Microseconds())
	return err
}

func (l *lines) close() {
	_ = l.events.Close()
	_ = l.latencies.Close()
}
