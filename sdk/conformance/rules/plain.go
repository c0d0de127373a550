package rules

import (
	"errors"
	"fmt"
	"slices"

	"github.com/headrace/headrace/sdk/conformance/record"
)

// intact: what a handler gets is what somebody published.
func intact(events []record.Event) error {
	for n := range events {
		if e := &events[n]; e.Kind == "started" && e.Fields["intact"] != "yes" {
			return fmt.Errorf("event %d: %q is not as it was published", e.Number, e.Fields["message"])
		}
	}
	return nil
}

// faults are the ends of a stream that only a fault of the client brings about, or one
// of the server itself.
var faults = []string{"InvalidArgument", "Internal", "Unimplemented", "Unknown", "DataLoss", "PROTOCOL_ERROR", "INTERNAL_ERROR"}

func faultless(events []record.Event) error {
	for n := range events {
		if e := &events[n]; e.Kind == "stream.ended" && slices.Contains(faults, e.Fields["status"]) {
			return fmt.Errorf("event %d: a stream ended with %s: %s", e.Number, e.Fields["status"], e.Fields["detail"])
		}
	}
	return nil
}

// understood: the proxy could follow what passed.
func understood(events []record.Event) error {
	for n := range events {
		switch e := &events[n]; e.Kind {
		case "tap.lost", "client.malformed", "server.malformed":
			return fmt.Errorf("event %d: %s: %s", e.Number, e.Kind, e.Fields["detail"])
		}
	}
	return nil
}

// errWindow is returned when a stream was opened with another window than was set.
var errWindow = errors.New("not the window that was set")

// windowsAsSet: an Open asks for the window of a subscriber of its client, as it was set
// or as it was resized, and so does a Window.
func windowsAsSet(events []record.Event) error {
	set := map[string]bool{}
	for n := range events {
		e := &events[n]
		switch {
		case e.Kind == "subscribe", e.Kind == "window":
			set[e.Fields["client"]+" "+e.Fields["messages"]+" "+e.Fields["bytes"]] = true
		case (e.Kind == "client.open" || e.Kind == "client.window") && e.Fields["messages"] != "":
			// A window that was left alone is recorded as 0.
			named := false
			for _, messages := range []string{e.Fields["messages"], "0"} {
				for _, bytes := range []string{e.Fields["bytes"], "0"} {
					named = named || set[e.Fields["link"]+" "+messages+" "+bytes]
				}
			}
			if !named {
				return fmt.Errorf("event %d: %w: %s messages, %s bytes", e.Number, errWindow, e.Fields["messages"], e.Fields["bytes"])
			}
		}
	}
	return nil
}
