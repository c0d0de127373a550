package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// notIdeas are folders beside the ideas: the demo, and what is built.
var notIdeas = []string{"earthquakes", "target"}

// TestEveryIdeaIsInEveryLanguageAndInTheTable: the three languages show the same.
func TestEveryIdeaIsInEveryLanguageAndInTheTable(t *testing.T) {
	ideas, err := findIdeas("../..", "")
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("../../examples/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range ideas {
		names = append(names, i.name)
		for _, l := range languages {
			if link := "](" + l.name + "/" + i.name + ")"; !strings.Contains(string(table), link) {
				t.Errorf("examples/README.md has no link %q", link)
			}
		}
	}
	for _, l := range languages {
		if have := folders(t, filepath.Join("../../examples", l.name)); !slices.Equal(have, names) {
			t.Errorf("%s has %v, expected is %v", l.name, have, names)
		}
	}
}

func folders(t *testing.T, directory string) []string {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(notIdeas, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// shell is a language whose examples are shell commands.
func shell(command string) language {
	return language{"shell", func(string) ([]string, error) { return []string{"sh", "-c", command}, nil }}
}

// TestRunsGoRed: whatever an example does wrong is told, and counts.
func TestRunsGoRed(t *testing.T) {
	greeting := idea{"greeting", "hello\nworld\n"}
	for name, c := range map[string]struct {
		language language
		says     string
	}{
		"as expected":           {shell("echo hello; echo world; echo aside >&2"), "ok      shell/greeting"},
		"gets the address":      {shell(`test "$HEADRACE_ADDR" = somewhere && echo hello && echo world`), "ok      shell/greeting"},
		"another line":          {shell("echo hello; echo word"), `line 2 is "word", expected "world"`},
		"a line less":           {shell("echo hello"), `line 2 is "", expected "world"`},
		"a line more":           {shell("echo hello; echo world; echo again"), `line 3 is "again", expected ""`},
		"fails":                 {shell("echo hello; echo world; echo oh >&2; exit 3"), "exit status 3\nhello\nworld\noh"},
		"is not there":          {language{"shell", func(string) ([]string, error) { return []string{"./nowhere"}, nil }}, "no such file"},
		"has nothing to run it": {language{"shell", func(string) ([]string, error) { return nil, errors.New("two files") }}, "two files"},
	} {
		t.Run(name, func(t *testing.T) {
			var report bytes.Buffer
			failed := runAll(t.Context(), []idea{greeting}, []language{c.language}, "somewhere", &report)
			if !strings.Contains(report.String(), c.says) {
				t.Errorf("the report says %q, want %q", report.String(), c.says)
			}
			if wrong := !strings.HasPrefix(c.says, "ok"); wrong != (failed == 1) {
				t.Errorf("%d failed", failed)
			}
		})
	}
}

// TestConclusion: a failure is an error, and so is a language that CI lacks.
func TestConclusion(t *testing.T) {
	for _, c := range []struct {
		failed  int
		missing []string
		stopped error
		ci      bool
		says    string
	}{
		{},
		{ci: true},
		{failed: 2, says: "2 failed"},
		{missing: []string{"Java: needs mvn"}},
		{missing: []string{"Java: needs mvn"}, ci: true, says: "not installed"},
		{stopped: errors.New("the server died"), says: "died"},
	} {
		var report bytes.Buffer
		err := conclude(&report, c.failed, c.missing, c.stopped, c.ci)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c, err)
		}
		for _, m := range c.missing {
			if !strings.Contains(report.String(), m) {
				t.Errorf("%+v: the report says %q", c, report.String())
			}
		}
	}
}

func TestOnlyWhatWasAskedFor(t *testing.T) {
	if ideas, err := findIdeas("../..", "quickstart"); err != nil || len(ideas) != 1 {
		t.Errorf("%v, %v", ideas, err)
	}
	if _, err := findIdeas("../..", "nothing"); err == nil {
		t.Error("an idea that is none is no error")
	}
	if _, err := prepare(context.Background(), "../..", t.TempDir(), "cobol"); err == nil {
		t.Error("a language that is none is no error")
	}
}
