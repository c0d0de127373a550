package record

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
)

// Fields are what an event says, by name.
type Fields map[string]string

// Event is one entry of a history.
type Event struct {
	// Number counts the events of a history from 1.
	Number int
	// At is when it was recorded, since the history began.
	At time.Duration
	// Kind is what happened.
	Kind string
	// Fields are the rest.
	Fields Fields
	// Frame is the frame of the contract that passed; nil for what is no frame.
	Frame proto.Message
}

// Int is a field as a number; 0 when it is none.
func (e *Event) Int(field string) int {
	n, err := strconv.Atoi(e.Fields[field])
	if err != nil {
		return 0
	}
	return n
}

// String is the event in one line, for people.
func (e *Event) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%5d %8.3fs %-16s", e.Number, e.At.Seconds(), e.Kind)
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		fmt.Fprintf(&b, " %s=%s", name, shortened(e.Fields[name]))
	}
	return b.String()
}

// maxShownBytes is how much of a field is shown.
const maxShownBytes = 80

func shortened(s string) string {
	quoted := strings.Trim(strconv.Quote(s), `"`)
	if len(quoted) > maxShownBytes {
		return quoted[:maxShownBytes] + "…"
	}
	return quoted
}
