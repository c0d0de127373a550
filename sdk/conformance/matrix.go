package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/headrace/headrace/sdk/conformance/record"
	"github.com/headrace/headrace/sdk/conformance/scenario"
	"github.com/headrace/headrace/sdk/conformance/stage"
)

// matrix is which scenario passes in which language.
type matrix struct {
	scenarios []*scenario.Scenario
	languages []stage.Language
	outcomes  map[cell]stage.Outcome
	mu        sync.Mutex // outcomes, while they come, and the writer of play.
}

type cell struct{ scenario, language string }

func newMatrix(scenarios []*scenario.Scenario, languages []stage.Language) *matrix {
	return &matrix{scenarios: scenarios, languages: languages, outcomes: map[cell]stage.Outcome{}}
}

// play plays every scenario in every language, some at the same time.
func (m *matrix) play(server, dir string, together int, out io.Writer) {
	theatre := stage.Stage{Server: server, Patience: stage.Patience}
	slots := make(chan struct{}, max(1, together)) // one for each that is being played.
	var playing sync.WaitGroup
	for _, s := range m.scenarios {
		for _, l := range m.languages {
			slots <- struct{}{}
			playing.Go(func() {
				defer func() { <-slots }()
				place := filepath.Join(dir, l.Name, s.Name)
				o := theatre.Play(s, l, place)
				m.mu.Lock()
				defer m.mu.Unlock()
				m.outcomes[cell{s.Name, l.Name}] = o
				report(out, s, l, &o, place)
			})
		}
	}
	playing.Wait()
}

// shownEvents is how much of the end of a history is shown when a scenario failed.
const shownEvents = 30

func report(out io.Writer, s *scenario.Scenario, l stage.Language, o *stage.Outcome, place string) {
	verdict := "ok  "
	if len(o.Failures) > 0 {
		verdict = "FAIL"
	}
	fmt.Fprintf(out, "%s %-8s %s (%.1f s)\n", verdict, l.Name, s.Name, o.Took.Seconds())
	if err := keep(o.History, filepath.Join(place, "history")); err != nil {
		fmt.Fprintf(out, "     its history: %v\n", err)
	}
	for _, failure := range o.Failures {
		fmt.Fprintf(out, "     %v\n", failure)
	}
	if len(o.Failures) == 0 {
		return
	}
	events := o.History.Events()
	for _, e := range events[max(0, len(events)-shownEvents):] {
		fmt.Fprintf(out, "     | %s\n", e.String())
	}
	text, err := os.ReadFile(filepath.Join(place, "log"))
	if err == nil {
		fmt.Fprintf(out, "     log:\n%s", tail(string(text)))
	}
}

// shownLogBytes is how much of a log is shown.
const shownLogBytes = 4_000

func tail(s string) string { return s[max(0, len(s)-shownLogBytes):] }

func keep(h *record.History, path string) error {
	var b strings.Builder
	for _, e := range h.Events() {
		b.WriteString(e.String() + "\n")
	}
	err := os.WriteFile(path, []byte(b.String()), 0o600)
	if errors.Is(err, os.ErrNotExist) {
		return nil // The scenario did not get so far as to have a directory.
	}
	return err
}

func (m *matrix) failed() bool {
	for _, o := range m.outcomes {
		if len(o.Failures) > 0 {
			return true
		}
	}
	return len(m.outcomes) == 0
}

func (m *matrix) print(out io.Writer) { fmt.Fprint(out, "\n", m.table()) }

// table is the matrix as a table of Markdown.
func (m *matrix) table() string {
	var b strings.Builder
	b.WriteString("| scenario |")
	for _, l := range m.languages {
		b.WriteString(" " + l.Name + " |")
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(m.languages)) + "\n")
	for _, s := range m.scenarios {
		fmt.Fprintf(&b, "| %s |", s.Title)
		for _, l := range m.languages {
			b.WriteString(" " + m.entry(s, l) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (m *matrix) entry(s *scenario.Scenario, l stage.Language) string {
	o, played := m.outcomes[cell{s.Name, l.Name}]
	switch {
	case !played:
		return "not played"
	case len(o.Failures) > 0:
		return "**failed**"
	case o.Figure != "":
		return "passes; " + o.Figure
	default:
		return "passes"
	}
}
