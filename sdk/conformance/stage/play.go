package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/headrace/headrace/sdk/conformance/record"
	"github.com/headrace/headrace/sdk/conformance/rules"
	"github.com/headrace/headrace/sdk/conformance/scenario"
)

// patience is how long a scenario may take: far longer than any does on a machine that
// is not overloaded.
const patience = 3 * time.Minute

// errPatience is the cause when it took longer.
var errPatience = errors.New("the scenario took too long")

// Language is a language with its driver.
type Language struct {
	Name string
	// Driver is the command that runs it.
	Driver []string
}

// Outcome is what came of a scenario.
type Outcome struct {
	// Failures are what was not as expected; none: it passed.
	Failures []error
	// Figure is the scenario's figure, if it has one.
	Figure string
	// Took is how long it took.
	Took time.Duration
	// History is what happened.
	History *record.History
}

// Play plays a scenario in a language, with a server's binary and in a directory of its
// own, which is emptied.
func Play(s *scenario.Scenario, l Language, binary, dir string) Outcome {
	began := time.Now()
	p := &play{scenario: s, language: l, history: record.New()}
	ctx, stop := context.WithTimeoutCause(context.Background(), patience, errPatience)
	defer stop()
	o := Outcome{History: p.history}
	if err := p.run(ctx, binary, dir); err != nil {
		o.Failures = append(o.Failures, err)
	} else {
		o.Failures = p.judge()
		o.Figure = figure(p.history, s.Figure)
	}
	o.Took = time.Since(began)
	return o
}

// play is one scenario that is played.
type play struct {
	scenario *scenario.Scenario
	language Language
	history  *record.History
	server   *server
	cast     *cast
	log      io.Writer
}

func (p *play) run(ctx context.Context, binary, dir string) (err error) {
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o750)); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	p.log = log
	p.server, err = startServer(binary, filepath.Join(dir, "data"), p.scenario.Setup.Serve, log)
	if err != nil {
		return err
	}
	defer func() { p.server.kill() }()
	if err := p.server.setUp(ctx, p.scenario.Setup); err != nil {
		return err
	}
	p.cast = newCast(p.language, p.history, p.server, log)
	defer p.cast.dismiss()
	for n := range p.scenario.Steps {
		if err := p.step(ctx, &p.scenario.Steps[n]); err != nil {
			return fmt.Errorf("step %d: %w", n+1, err)
		}
	}
	return p.cast.leave(ctx)
}

// judge compares the history with what is expected, and with the standing rules.
func (p *play) judge() []error {
	var failures []error
	for n := range p.scenario.Expect {
		if err := p.scenario.Expect[n].Check(p.history); err != nil {
			failures = append(failures, err)
		}
	}
	for _, rule := range rules.All {
		if slices.Contains(p.scenario.Except, rule.Name) {
			continue
		}
		if err := rule.Check(p.history.Events()); err != nil {
			failures = append(failures, fmt.Errorf("rule %s: %w", rule.Name, err))
		}
	}
	return failures
}

func figure(h *record.History, f *scenario.Figure) string {
	switch {
	case f == nil:
		return ""
	case f.Among != nil:
		return fmt.Sprintf("%s %.2f", f.Name, f.Among.Ratio(h))
	}
	from, to := h.Find(f.From), h.Find(f.To)
	if len(from) == 0 || len(to) == 0 {
		return f.Name + " unknown"
	}
	return fmt.Sprintf("%s %v", f.Name, (to[len(to)-1].At - from[len(from)-1].At).Round(time.Millisecond))
}
