package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// runDemo runs the demo with services in every language that is ready, and returns
// how many failed. The demo checks by itself what its services did.
func runDemo(ctx context.Context, root, work string, ready []language, report io.Writer) int {
	names := []string{"go"} // it is told by a program in Go
	for _, l := range ready {
		if l.name != "go" {
			names = append(names, l.name)
		}
	}
	demo := language{strings.Join(names, "+"), func(string) ([]string, error) {
		return []string{
			"go", "-C", root, "run", "./examples/go/earthquakes",
			"--languages", strings.Join(names, ","),
			"--headrace", filepath.Join(work, "headrace"),
		}, nil
	}}
	took, printed, wrong := execute(ctx, demo, "demo", "")
	if wrong == "" && !strings.Contains(printed, "Every service got every event") {
		wrong = printed
	}
	fmt.Fprintln(report, line("demo", demo, took, wrong))
	return count(wrong)
}
