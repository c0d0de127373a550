package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// errChecks is returned when the demo ran but a check failed.
var errChecks = errors.New("something is off")

// check compares the outcome with what must hold, and says everything that does
// not.
func check(o outcome) []string {
	c := &checks{events: uint64(len(o.input))}
	for _, s := range o.subs {
		c.checkCounts(s)
		c.checkFiles(o.input, s)
	}
	c.checkAlerts(o)
	return c.failed
}

// report says how the checks went.
func report(w io.Writer, failed []string) error {
	for _, f := range failed {
		fmt.Fprintln(w, "FAILED:", f)
	}
	if len(failed) > 0 {
		return errChecks
	}
	fmt.Fprintln(w, "Every service got every event; nothing was lost, changed or left.")
	return nil
}

type checks struct {
	events uint64
	failed []string
}

// expectf notes a failure unless what holds.
func (c *checks) expectf(holds bool, format string, args ...any) {
	if !holds {
		c.failed = append(c.failed, fmt.Sprintf(format, args...))
	}
}

// checkCounts looks at the server's figures of a subscription.
func (c *checks) checkCounts(s subOutcome) {
	c.expectf(s.published == c.events, "%s: published %d, the input has %d", s.name, s.published, c.events)
	c.expectf(s.acked == c.events, "%s: acked %d of %d", s.name, s.acked, c.events)
	c.expectf(s.backlog == 0, "%s: %d left in the backlog", s.name, s.backlog)
	c.expectf(s.delivered == s.acked+s.redelivered,
		"%s: delivered %d, but acked %d and redelivered %d", s.name, s.delivered, s.acked, s.redelivered)
}

// checkFiles compares what a subscription's services wrote with the input. A line
// more than events is one that was written and not yet acked when its worker
// died; it came again.
func (c *checks) checkFiles(input [][]byte, s subOutcome) {
	want, got := map[string]bool{}, map[string]bool{}
	for _, line := range input {
		want[string(line)] = true
	}
	lines := uint64(0)
	for _, file := range s.files {
		for _, line := range file {
			lines++
			got[string(line)] = true
			c.expectf(want[string(line)], "%s: a line that was not published: %.80q", s.name, line)
		}
	}
	missing := 0
	for line := range want {
		if !got[line] {
			missing++
		}
	}
	c.expectf(missing == 0, "%s: %d events are in no file", s.name, missing)
	c.expectf(lines <= c.events+s.redelivered,
		"%s: %d lines, but only %d events and %d redeliveries", s.name, lines, c.events, s.redelivered)
	if s.name == archiveSub {
		c.expectf(equalLines(s.files, input), "%s: the file is not the input, in order", s.name)
	}
}

// checkAlerts compares the alerts printed with the strong events of the input.
func (c *checks) checkAlerts(o outcome) {
	strong := 0
	for _, line := range o.input {
		if e, err := parseEvent(line); err == nil && e.Magnitude >= alertMagnitude {
			strong++
		}
	}
	c.expectf(len(o.alerts) == strong, "%s: printed %d alerts for %d strong events", alertingSub, len(o.alerts), strong)
}

func equalLines(files [][][]byte, input [][]byte) bool {
	if len(files) != 1 || len(files[0]) != len(input) {
		return false
	}
	for i, line := range files[0] {
		if !bytes.Equal(line, input[i]) {
			return false
		}
	}
	return true
}
