package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	// runTimeout ends an example that hangs.
	runTimeout = 3 * time.Minute
	// ideasAtOnce keep two cores busy.
	ideasAtOnce = 2
)

// runAll runs every idea in every language and returns how many failed. Of one idea
// the languages run one after the other, for they use the same topics: so each finds
// what the one before it left, as a user does who runs an example twice.
func runAll(ctx context.Context, ideas []idea, ready []language, address string, report io.Writer) int {
	next := make(chan idea)
	var mu sync.Mutex // for report and failed
	failed := 0
	var workers sync.WaitGroup
	for range ideasAtOnce {
		workers.Go(func() {
			for i := range next {
				for _, l := range ready {
					took, printed, wrong := execute(ctx, l, i.name, address)
					if wrong == "" {
						wrong = i.differs(printed)
					}
					mu.Lock()
					fmt.Fprintln(report, line(i.name, l, took, wrong))
					failed += count(wrong)
					mu.Unlock()
				}
			}
		})
	}
	for _, i := range ideas {
		next <- i
	}
	close(next)
	workers.Wait()
	return failed
}

// line is what is said of a run.
func line(idea string, l language, took time.Duration, wrong string) string {
	if wrong != "" {
		return fmt.Sprintf("FAILED  %s/%s: %s", l.name, idea, strings.TrimRight(wrong, "\n"))
	}
	return fmt.Sprintf("ok      %s/%s  %.1f s", l.name, idea, took.Seconds())
}

// count is 1 for what is wrong.
func count(wrong string) int {
	if wrong == "" {
		return 0
	}
	return 1
}

// execute runs an idea in a language, and returns what it prints, or what is wrong.
func execute(ctx context.Context, l language, idea, address string) (took time.Duration, printed, wrong string) {
	arguments, err := l.command(idea)
	if err != nil {
		return 0, "", err.Error()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, runTimeout, fmt.Errorf("it did not end within %s", runTimeout))
	defer cancel()
	command := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	command.Env = append(os.Environ(), "HEADRACE_ADDR="+address, "PYTHONDONTWRITEBYTECODE=1")
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	started := time.Now()
	err = command.Run()
	took = time.Since(started)
	if err != nil {
		return took, "", errors.Join(err, context.Cause(ctx)).Error() + "\n" + out.String() + complaints.String()
	}
	return took, out.String(), ""
}

// conclude says at the end, where it is seen, what did not run. In CI that is an
// error.
func conclude(report io.Writer, failed int, missing []string, stopped error, ci bool) error {
	if len(missing) > 0 {
		fmt.Fprintf(report, "\nNOT RUN, because the tools are not installed:\n  %s\n", strings.Join(missing, "\n  "))
	}
	if failed > 0 {
		return errors.Join(fmt.Errorf("%d failed", failed), stopped)
	}
	if len(missing) > 0 && ci {
		return errors.Join(errors.New("a language is not installed"), stopped)
	}
	return stopped
}
