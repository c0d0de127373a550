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
					took, wrong := try(ctx, i, l, address)
					mu.Lock()
					fmt.Fprintln(report, line(i, l, took, wrong))
					if wrong != "" {
						failed++
					}
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
func line(i idea, l language, took time.Duration, wrong string) string {
	if wrong != "" {
		return fmt.Sprintf("FAILED  %s/%s: %s", l.name, i.name, strings.TrimRight(wrong, "\n"))
	}
	return fmt.Sprintf("ok      %s/%s  %.1f s", l.name, i.name, took.Seconds())
}

// try runs an idea in a language, and says what is wrong.
func try(ctx context.Context, i idea, l language, address string) (took time.Duration, wrong string) {
	arguments, err := l.command(i.name)
	if err != nil {
		return 0, err.Error()
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
		return took, errors.Join(err, context.Cause(ctx)).Error() + "\n" + out.String() + complaints.String()
	}
	return took, i.differs(out.String())
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
