package record

import (
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// history is one of started events: "key/message/attempt" each.
func history(started ...string) *History {
	h := New()
	for _, s := range started {
		parts := strings.Split(s, "/")
		h.Record("started", Fields{"key": parts[0], "message": "m" + parts[1], "number": parts[1], "attempt": parts[2]})
	}
	return h
}

// TestExpectations: each kind of statement holds of one history and not of another.
func TestExpectations(t *testing.T) {
	for _, c := range []struct{ name, statement, holds, broken string }{
		{"count is", `count: {of: {event: started, attempt: "2"}, is: 1}`, "k/1/1 k/1/2", "k/1/2 k/2/2"},
		{"count at least", `count: {of: {event: started}, at_least: 2}`, "k/1/1 k/1/2", "k/1/1"},
		{"count at most", `count: {of: {event: started}, at_most: 1}`, "k/1/1", "k/1/1 k/1/2"},
		{"one of some values", `count: {of: {message: [m1, m3]}, is: 2}`, "k/1/1 k/2/1 k/3/1", "k/1/1 k/2/1"},
		{"every", `every: {of: {event: started}, per: message, is: 1}`, "k/1/1 k/2/1", "k/1/1 k/2/1 k/1/2"},
		{"every, how many", `every: {of: {event: started}, per: message, is: 1, values: 2}`, "k/1/1 k/2/1", "k/1/1"},
		{"order", `order: {of: {event: started}, per: key}`, "k/1/1 j/1/1 k/3/1", "k/1/1 k/3/1 k/2/1"},
		{"order, twice the same", `order: {of: {event: started}, per: key}`, "k/1/1", "k/1/1 k/1/2"},
		{"before", `before: {first: {message: m1}, then: {message: m2}}`, "k/1/1 k/1/2 k/2/1", "k/1/1 k/2/1 k/1/2"},
		{"before, without the first", `before: {first: {message: m1}, then: {message: m2}}`, "k/1/1", "k/2/1"},
		{
			"among", `among: {of: {attempt: "1"}, all: {event: started}, percentile: 100, percent: 50}`,
			"k/1/1 k/1/2 k/2/1", "k/1/1 k/1/2 k/3/2 k/4/2 k/2/1",
		},
	} {
		var x Expectation
		if err := yaml.Unmarshal([]byte(c.statement), &x); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err := x.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := x.Check(history(strings.Fields(c.holds)...)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if x.Check(history(strings.Fields(c.broken)...)) == nil {
			t.Errorf("%s: holds of %q", c.name, c.broken)
		}
	}
}

// TestAnExpectationIsOneStatement: none, or two, is a mistake of the scenario.
func TestAnExpectationIsOneStatement(t *testing.T) {
	if (&Expectation{}).Validate() == nil {
		t.Error("none is enough")
	}
	if (&Expectation{Count: &Count{}, Order: &Order{}}).Validate() == nil {
		t.Error("two are one")
	}
}

// TestWhoAwaitsHearsOfEachEvent: of those before, and of those that come.
func TestWhoAwaitsHearsOfEachEvent(t *testing.T) {
	h := New()
	h.Record("started", Fields{"number": "0"})
	done := make(chan error, 1) // the one answer
	go func() { done <- h.Await(t.Context(), Wait{Of: Match{"event": {"started"}}, Count: 100}) }()
	for n := 1; n < 100; n++ {
		h.Record("started", Fields{"number": strconv.Itoa(n)})
		h.Record("settled", Fields{})
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := h.Await(t.Context(), Wait{Of: Match{"event": {"started"}}, Count: 99 * 50, Sum: "number"}); err != nil {
		t.Error(err)
	}
	events := h.Find(Match{"number": {"99"}})
	if len(events) != 1 || events[0].Int("number") != 99 || events[0].Int("absent") != 0 {
		t.Errorf("%v", events)
	}
}
