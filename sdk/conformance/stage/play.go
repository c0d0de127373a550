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

// Patience is how long a scenario may take where nobody says else: far longer than any
// does on a machine that is not overloaded.
const Patience = 3 * time.Minute

var (
	// errPatience is the cause when it took longer.
	errPatience = errors.New("the scenario took too long")
	// errFault is the cause when it could not go on.
	errFault = errors.New("it cannot go on")
)

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

// Stage is where scenarios are played.
type Stage struct {
	// Server is the server's binary.
	Server string
	// Patience is how long a scenario may take.
	Patience time.Duration
}

// Play plays a scenario in a language, in a directory of its own, which is emptied.
func (g Stage) Play(s *scenario.Scenario, l Language, dir string) Outcome {
	began := time.Now()
	p := &play{scenario: s, language: l, history: record.New()}
	ctx, stop := context.WithTimeoutCause(context.Background(), g.Patience, errPatience)
	defer stop()
	o := Outcome{History: p.history}
	ctx, cancel := p.faultless(ctx)
	defer cancel(nil)
	if err := p.run(ctx, g.Server, dir); err != nil {
		o.Failures = append(p.broken(), err)
	} else {
		o.Failures = append(p.unexpected(), p.broken()...)
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

// faultless ends a scenario when a driver could not do what it was told, and when a
// stream ended for a fault of the client: nothing good would come any more.
func (p *play) faultless(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	for _, m := range []record.Match{
		{"event": {"failed"}}, {"event": {"stream.ended"}, "by": {"server"}, "status": {"InvalidArgument"}},
	} {
		go func() {
			if p.history.Await(ctx, record.Wait{Of: m, Count: 1}) == nil {
				cancel(fmt.Errorf("%w: %s", errFault, p.history.Find(m)[0].Fields["detail"]))
			}
		}()
	}
	return ctx, cancel
}

// unexpected says where the history is not what the scenario expects.
func (p *play) unexpected() []error {
	var failures []error
	for n := range p.scenario.Expect {
		if err := p.scenario.Expect[n].Check(p.history); err != nil {
			failures = append(failures, err)
		}
	}
	return failures
}

// broken says which standing rules the history breaks.
func (p *play) broken() []error {
	var failures []error
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
