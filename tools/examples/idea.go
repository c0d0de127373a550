package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// idea is one example, in all languages: they print the same.
type idea struct {
	name string
	// prints is what it prints, to the byte.
	prints string
}

// findIdeas reads examples/expected, a file an idea; only narrows it to one.
func findIdeas(root, only string) ([]idea, error) {
	paths, err := filepath.Glob(filepath.Join(root, "examples", "expected", "*.txt"))
	if err != nil {
		return nil, err
	}
	var ideas []idea
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		if only != "" && only != name {
			continue
		}
		prints, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		ideas = append(ideas, idea{name, string(prints)})
	}
	if len(ideas) == 0 {
		return nil, fmt.Errorf("no such idea: %q", only)
	}
	slices.SortFunc(ideas, func(a, b idea) int { return strings.Compare(a.name, b.name) })
	return ideas, nil
}

// differs tells where what was printed leaves what is expected, or nothing.
func (i idea) differs(printed string) string {
	if printed == i.prints {
		return ""
	}
	want, got := strings.Split(i.prints, "\n"), strings.Split(printed, "\n")
	at := 0
	for at < len(want) && at < len(got) && want[at] == got[at] {
		at++
	}
	return fmt.Sprintf("line %d is %q, expected %q; it printed:\n%s", at+1, lineAt(got, at), lineAt(want, at), printed)
}

func lineAt(lines []string, at int) string {
	if at < len(lines) {
		return lines[at]
	}
	return ""
}
