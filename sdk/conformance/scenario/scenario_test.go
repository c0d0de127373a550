package scenario

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/headrace/headrace/sdk/conformance/scenarios"
)

// TestEveryScenarioIsRead: no file has a field that does not exist.
func TestEveryScenarioIsRead(t *testing.T) {
	all, err := Load(scenarios.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == "" || strings.Contains(s.Name, ".") {
			t.Errorf("a scenario has the name %q", s.Name)
		}
	}
}

const whole = `
title: t
why: w
steps: [{await: {of: {event: started, attempt: 2}}}, {subscribe: {client: c, handle: [{do: ack, after: 2s}]}}]
expect: [{why: w, count: {of: {event: started}, is: 1}}]
`

func TestAScenarioIsRead(t *testing.T) {
	s, err := Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Steps[0].Await.Of["attempt"]; len(got) != 1 || got[0] != "2" {
		t.Errorf("a number is matched as %v", got)
	}
	if got := s.Steps[1].Subscribe.Handle[0].After; got != 2*time.Second {
		t.Errorf("a handler works for %v", got)
	}
}

// TestMistakesInScenariosAreTold: what is misspelt would else be left out in silence.
func TestMistakesInScenariosAreTold(t *testing.T) {
	for _, c := range []struct{ what, old, with string }{
		{"a field that does not exist", "title:", "tilte: x\ntitle:"},
		{"a step of two things", "await: {", "stop: {subscriber: s}, await: {"},
		{"a step of nothing", "{await: {of: {event: started, attempt: 2}}}", "{}"},
		{"an expectation of nothing", ", count: {of: {event: started}, is: 1}", ""},
		{"a scenario without a title", "title: t", ""},
	} {
		if !strings.Contains(whole, c.old) {
			t.Fatalf("%s: the scenario lacks %q", c.what, c.old)
		}
		if _, err := Parse([]byte(strings.Replace(whole, c.old, c.with, 1))); err == nil {
			t.Errorf("%s passes", c.what)
		}
	}
	if _, err := Parse([]byte("title: t\nwhy: w\n")); !errors.Is(err, errIncomplete) {
		t.Errorf("without steps: %v", err)
	}
}
