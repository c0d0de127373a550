package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/headrace/headrace/internal/measure"
)

// programs are the command lines of the SDKs' programs, by the SDK's name.
type programs []program

type program struct {
	sdk     string
	command []string
}

func (p *programs) String() string { return "" }

// Set takes SDK=COMMAND.
func (p *programs) Set(text string) error {
	sdk, command, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("%q is not SDK=COMMAND", text)
	}
	*p = append(*p, program{sdk, strings.Fields(command)})
	return nil
}

// settings are the same for all rows.
type settings struct {
	binary, dir string
	programs    programs
	messages    int
	inFlight    int
	runs        int
}

func main() {
	var s settings
	flag.StringVar(&s.binary, "server", "", "the headrace binary")
	flag.StringVar(&s.dir, "dir", os.TempDir(), "where servers keep their data")
	flag.Var(&s.programs, "program", "SDK=COMMAND, once for each SDK; the first is what the others are compared with")
	flag.IntVar(&s.messages, "messages", 60_000, "messages of a run after its warm-up, which has half as many")
	flag.IntVar(&s.inFlight, "in-flight", 1000, "messages without a result, or unsettled, at most")
	flag.IntVar(&s.runs, "runs", 1, "runs of each row, in turn; the table has their medians")
	flag.Parse()
	if err := s.run(context.Background()); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "throughput:", err)
		os.Exit(1)
	}
}

// run prints the table.
func (s *settings) run(ctx context.Context) error {
	before, err := measure.Disk(s.dir)
	if err != nil {
		return err
	}
	var rows []row
	for _, mode := range []string{publishing, receiving} {
		for _, size := range []int{1024, 100} {
			part, err := s.rows(ctx, mode, size)
			if err != nil {
				return err
			}
			rows = append(rows, part...)
		}
	}
	after, err := measure.Disk(s.dir)
	if err != nil {
		return err
	}
	printTable(os.Stdout, s, rows, measure.PerSecond(append(before, after...)))
	return nil
}

// rows measures all SDKs in one mode, in turn.
func (s *settings) rows(ctx context.Context, mode string, size int) ([]row, error) {
	found := make([][]figures, len(s.programs))
	for range s.runs {
		for i, p := range s.programs {
			r := run{settings: s, program: p, mode: mode, size: size}
			f, err := r.measure(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s, %s, %d B: %w", p.sdk, mode, size, err)
			}
			found[i] = append(found[i], f)
		}
	}
	var rows []row
	for i, p := range s.programs {
		slices.SortFunc(found[i], func(a, b figures) int { return int(a.elapsed - b.elapsed) })
		rows = append(rows, row{sdk: p.sdk, mode: mode, size: size, figures: found[i][len(found[i])/2]})
	}
	return rows, nil
}

// figures are what one run took, from the end of its warm-up to its end.
type figures struct {
	messages int
	elapsed  time.Duration
	// client and server are the CPU times of the program and of the server.
	client, server time.Duration
}

// errProgram is returned when a program ends early, or says what it should not.
var errProgram = errors.New("the program did not say what it should")
