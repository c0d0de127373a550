package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// good is an outcome in which everything holds: 20 events, 5 of them strong, and
// an index of two files of which one has a line that came again.
func good() outcome {
	o := outcome{}
	for i := range 20 {
		o.input = append(o.input, fmt.Appendf(nil, `{"id": "e%d", "magnitude": %d}`, i, i%4*2))
	}
	o.alerts = make([][]byte, 10)
	first, second := slices.Clone(o.input[:9]), slices.Clone(o.input[8:])
	o.subs = []subOutcome{
		{name: alertingSub, published: 20, delivered: 20, acked: 20, files: [][][]byte{slices.Clone(o.input)}},
		{name: archiveSub, published: 20, delivered: 20, acked: 20, files: [][][]byte{slices.Clone(o.input)}},
		{name: indexSub, published: 20, delivered: 23, redelivered: 3, acked: 20, files: [][][]byte{first, second}},
	}
	return o
}

func TestChecksPassWhatHolds(t *testing.T) {
	if failed := check(good()); len(failed) != 0 {
		t.Error(failed)
	}
	if err := report(&bytes.Buffer{}, nil); err != nil {
		t.Error(err)
	}
}

// TestChecksGoRed changes one thing at a time and looks for the check that sees
// it.
func TestChecksGoRed(t *testing.T) {
	for name, c := range map[string]struct {
		breakIt func(*outcome)
		says    string
	}{
		"one event was not published":   {func(o *outcome) { o.subs[0].published = 19 }, "alerting: published 19, the input has 20"},
		"one event was not acked":       {func(o *outcome) { o.subs[1].acked-- }, "archive: acked 19 of 20"},
		"one event is left":             {func(o *outcome) { o.subs[2].backlog = 1 }, "index: 1 left in the backlog"},
		"a delivery is unaccounted for": {func(o *outcome) { o.subs[2].delivered++ }, "index: delivered 24, but acked 20 and redelivered 3"},
		"a line is missing": {func(o *outcome) {
			o.subs[0].files[0] = o.subs[0].files[0][1:]
		}, "alerting: 1 events are in no file"},
		"a line is missing in one of two files": {func(o *outcome) {
			o.subs[2].files[1] = o.subs[2].files[1][:11]
		}, "index: 1 events are in no file"},
		"a line was tampered with": {func(o *outcome) {
			o.subs[0].files[0][3] = []byte(`{"id": "e3", "magnitude": 9}`)
		}, "alerting: a line that was not published"},
		"more lines than deliveries": {func(o *outcome) {
			o.subs[2].files[0] = append(o.subs[2].files[0], o.input[:3]...)
		}, "index: 24 lines, but only 20 events and 3 redeliveries"},
		"two lines of the archive are swapped": {func(o *outcome) {
			lines := o.subs[1].files[0]
			lines[4], lines[5] = lines[5], lines[4]
		}, "archive: the file is not the input, in order"},
		"an alert is missing": {func(o *outcome) { o.alerts = o.alerts[1:] }, "alerting: printed 9 alerts for 10 strong events"},
	} {
		t.Run(name, func(t *testing.T) {
			o := good()
			c.breakIt(&o)
			failed := check(o)
			if !slices.ContainsFunc(failed, func(f string) bool { return strings.Contains(f, c.says) }) {
				t.Errorf("the checks say %q, want %q", failed, c.says)
			}
			if err := report(&bytes.Buffer{}, failed); err == nil {
				t.Error("the report is no error")
			}
		})
	}
}
