package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "storebench:", err)
		os.Exit(1)
	}
}

func run() error {
	duration := flag.Duration("duration", 5*time.Second, "how long each load is measured")
	only := flag.String("run", "", "loads whose names match this expression; all when empty")
	dir := flag.String("dir", os.TempDir(), "where the stores are made")
	profile := flag.String("cpuprofile", "", "file for a CPU profile of what is measured")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return err
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
	return measureAll(*dir, *duration, pattern)
}

func measureAll(dir string, duration time.Duration, pattern *regexp.Regexp) error {
	before, err := probe(dir)
	if err != nil {
		return err
	}
	fmt.Println(header)
	for _, l := range loads {
		if !pattern.MatchString(l.name) {
			continue
		}
		result, err := l.measure(dir, duration)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		fmt.Println(result.row(&l))
	}
	after, err := probe(dir)
	if err != nil {
		return err
	}
	fmt.Printf("\nfdatasync of 1 KiB: %.0f/s before, %.0f/s after.\n", before, after)
	return nil
}
