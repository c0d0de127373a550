package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/pprof"
	"time"
)

func main() {
	if err := run(); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "storebench:", err)
		os.Exit(1)
	}
}

func run() error {
	var s setting
	flag.DurationVar(&s.duration, "duration", 5*time.Second, "how long each load is measured")
	flag.DurationVar(&s.collect, "gc", 0, "how often the value log is collected; 0: as often as in a server")
	flag.StringVar(&s.dir, "dir", os.TempDir(), "where the stores are made")
	only := flag.String("run", "", "loads whose names match this expression; all when empty")
	profile := flag.String("cpuprofile", "", "file for a CPU profile of all of it")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	if *profile != "" {
		file, err := os.Create(*profile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return measureAll(os.Stdout, s, pattern)
}

func measureAll(out io.Writer, s setting, pattern *regexp.Regexp) error {
	before, err := probe(s.dir)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, header); err != nil {
		return err
	}
	for i := range loads {
		if !pattern.MatchString(loads[i].name) {
			continue
		}
		result, err := loads[i].measure(s)
		if err != nil {
			return fmt.Errorf("%s: %w", loads[i].name, err)
		}
		if _, err := fmt.Fprintln(out, result.row(&loads[i])); err != nil {
			return err
		}
	}
	after, err := probe(s.dir)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nfdatasync of 1 KiB: %.0f/s before, %.0f/s after.\n", before, after)
	return err
}
