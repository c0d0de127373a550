package record

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
)

// History is a row of events. It is safe for concurrent use.
type History struct {
	began time.Time

	mu     sync.Mutex
	events []Event
	// changed is closed, and made anew, with every event.
	changed chan struct{}
}

// New begins a history.
func New() *History {
	return &History{began: time.Now(), changed: make(chan struct{})}
}

// Record appends an event.
func (h *History) Record(kind string, fields Fields) { h.RecordFrame(kind, fields, nil) }

// RecordFrame appends an event that is a frame.
func (h *History) RecordFrame(kind string, fields Fields, frame proto.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, Event{
		Number: len(h.events) + 1, At: time.Since(h.began), Kind: kind, Fields: fields, Frame: frame,
	})
	close(h.changed)
	h.changed = make(chan struct{})
}

// Events are those so far.
func (h *History) Events() []Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clip(h.events)
}

// Find gives the events that a match picks.
func (h *History) Find(m Match) []Event {
	var found []Event
	for _, e := range h.Events() {
		if m.Matches(&e) {
			found = append(found, e)
		}
	}
	return found
}

// Wait is what somebody waits for: at least Count events that a match picks.
type Wait struct {
	Of    Match
	Count int
	// Sum is a field that is to come to Count all together, instead of the events.
	Sum string
	// Distinct is a field that is to have Count values, instead of the events.
	Distinct string
}

// of is what an event adds.
func (w *Wait) of(e *Event) int {
	switch {
	case !w.Of.Matches(e):
		return 0
	case w.Sum != "":
		return e.Int(w.Sum)
	default:
		return 1
	}
}

// Await waits. Errors: ctx's cause, with how much there is.
func (h *History) Await(ctx context.Context, w Wait) error {
	seen, found, values := 0, 0, map[string]bool{}
	for {
		h.mu.Lock()
		events, changed := h.events, h.changed
		h.mu.Unlock()
		for ; seen < len(events); seen++ {
			value := events[seen].Fields[w.Distinct]
			if w.Distinct == "" || !values[value] {
				found += w.of(&events[seen])
			}
			values[value] = values[value] || w.Of.Matches(&events[seen])
		}
		if found >= w.Count {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%d of %d events %s: %w", found, w.Count, w.Of, context.Cause(ctx))
		}
	}
}
