package main

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

// event is one line of `go test -json`, as cmd/test2json documents it.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// test names a test, subtests included; a package itself has an empty name.
type test struct{ pkg, name string }

// report collects the events of one run and prints what a reader needs.
type report struct {
	out     io.Writer
	outputs map[test][]string // what running tests have printed so far
	skipped []test
	passed  int
	failed  int
}

func newReport(out io.Writer) *report {
	return &report{out: out, outputs: map[test][]string{}}
}

func (r *report) add(e event) {
	key := test{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		r.print(e.Output)
	case "output":
		r.output(key, e.Output)
	case "pass", "fail", "skip":
		r.end(key, e.Action)
	}
}

// output keeps what a test prints until it is known how the test ends; what a
// package prints is shown at once, but for what its closing line says anyway.
func (r *report) output(key test, text string) {
	switch {
	case key.name != "":
		r.outputs[key] = append(r.outputs[key], text)
	case text != "PASS\n" && !strings.Contains(text, "[no test files]"):
		r.print(text)
	}
}

func (r *report) end(key test, action string) {
	if key.name == "" {
		r.endPackage(key.pkg, action)
		return
	}
	switch action {
	case "pass":
		r.passed++
	case "fail":
		r.failed++
		r.show(key)
	case "skip":
		r.skipped = append(r.skipped, key)
		r.show(key)
	}
	delete(r.outputs, key)
}

// endPackage shows what unfinished tests of a failed package had printed: it
// says where a crash or a time-out struck.
func (r *report) endPackage(pkg, action string) {
	for _, key := range r.unfinished(pkg) {
		if action == "fail" {
			r.failed++
			r.show(key)
		}
		delete(r.outputs, key)
	}
}

func (r *report) unfinished(pkg string) []test {
	var keys []test
	for key := range r.outputs {
		if key.pkg == pkg {
			keys = append(keys, key)
		}
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i].name < keys[j].name })
	return keys
}

func (r *report) show(key test) {
	for _, text := range r.outputs[key] {
		if !strings.HasPrefix(text, "=== ") {
			r.print(text)
		}
	}
}

func (r *report) print(text string) {
	_, _ = io.WriteString(r.out, text)
}

func (r *report) summarize() {
	if len(r.skipped) > 0 {
		r.print("\nSKIPPED, so nothing is known about:\n")
	}
	for _, key := range r.skipped {
		r.print(fmt.Sprintf("  %s %s\n", key.pkg, key.name))
	}
	r.print(fmt.Sprintf("%d passed, %d failed, %d skipped\n", r.passed, r.failed, len(r.skipped)))
}

// complaint says what is wrong with a run in which `go test` itself was content.
func (r *report) complaint(strict bool) string {
	switch {
	case strict && len(r.skipped) > 0:
		return "tests were skipped, and CI=true allows none"
	case strict && r.passed == 0:
		return "no test ran"
	}
	return ""
}
