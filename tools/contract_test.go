package tools_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// exitBreaking is buf's exit code for findings, unlike 1, its code for errors.
const exitBreaking = 100

// TestBreakingChangesTurnRed shows that the comparison with the baseline is no
// formality: it makes one change to a copy of the contract and looks at buf's
// verdict.
func TestBreakingChangesTurnRed(t *testing.T) {
	cases := []struct {
		name, file, old, new string
		breaks               bool
	}{
		{name: "nothing changed", file: "message.proto"},
		{
			name: "a comment reworded", file: "message.proto",
			old: "// The payload,", new: "// The body,",
		},
		{
			name: "a field added", file: "message.proto",
			old: "  bytes data = 1;", new: "  bytes data = 1;\n  // New.\n  bytes later = 99;",
		},
		{
			name: "a field renumbered", file: "message.proto", breaks: true,
			old: "string ordering_key = 5;", new: "string ordering_key = 6;",
		},
		{
			name: "a field's type changed", file: "message.proto", breaks: true,
			old: "string ordering_key = 5;", new: "bytes ordering_key = 5;",
		},
		{
			name: "a field renamed", file: "message.proto", breaks: true,
			old: "string ordering_key = 5;", new: "string key = 5;",
		},
		{
			name: "an enum value removed", file: "message.proto", breaks: true,
			old: "  DURABILITY_BUFFERED = 2;", new: "",
		},
		{
			name: "a method removed", file: "publisher_service.proto", breaks: true,
			old: "rpc Publish(PublishRequest) returns (PublishResponse);", new: "",
		},
	}
	root := copyContract(t)
	baseline := filepath.Join(root, "baseline.binpb")
	if output, err := buf(root, "build", "--exclude-source-info", "-o", baseline); err != nil {
		t.Fatalf("buf build: %v\n%s", err, output)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			edit(t, filepath.Join(root, "proto/headrace/v1", c.file), c.old, c.new)
			output, err := buf(root, "breaking", "--against", baseline)
			if got := exitCode(t, err); (got == exitBreaking) != c.breaks || got != 0 && got != exitBreaking {
				t.Errorf("buf breaking exits with %d; want a break: %v\n%s", got, c.breaks, output)
			}
		})
	}
}

// TestBaselineMovesOnlyWithALineInTheChangelog runs the script that guards the
// committed baseline.
func TestBaselineMovesOnlyWithALineInTheChangelog(t *testing.T) {
	root := copyContract(t)
	changelog := filepath.Join(root, "CHANGELOG.md")
	baseline := filepath.Join(root, "proto/baseline.binpb")
	write(t, changelog, "# Changelog\n")

	output, err := baselineScript(root, "move")
	if err == nil {
		t.Fatalf("the baseline moved without a line in the changelog:\n%s", output)
	}
	if _, err := os.Stat(baseline); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a refused move left a baseline behind: %v", err)
	}
	_, line, found := strings.Cut(output, "contract baseline ")
	if !found {
		t.Fatalf("the refusal does not say which line to write:\n%s", output)
	}

	write(t, changelog, "# Changelog\n\n- contract baseline "+line+"\n")
	if output, err := baselineScript(root, "move"); err != nil {
		t.Fatalf("move: %v\n%s", err, output)
	}
	if output, err := baselineScript(root, "verify"); err != nil {
		t.Fatalf("verify: %v\n%s", err, output)
	}

	write(t, baseline, "another contract")
	if output, err := baselineScript(root, "verify"); err == nil {
		t.Errorf("a baseline moved by hand passes:\n%s", output)
	}
}

// copyContract copies proto/ and what buf needs to a directory of its own.
func copyContract(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"buf.yaml", "proto", "tools/go.mod", "tools/go.sum"} {
		to := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
			t.Fatal(err)
		}
		if output, err := exec.Command("cp", "-R", filepath.Join("..", name), to).CombinedOutput(); err != nil {
			t.Fatalf("cp %s: %v\n%s", name, err, output)
		}
	}
	if err := os.Remove(filepath.Join(root, "proto/baseline.binpb")); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "go.mod"), "module github.com/headrace/headrace\n\ngo 1.26\n")
	return root
}

// edit replaces the only occurrence of old in a file until the test ends.
func edit(t *testing.T, path, old, with string) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if old != "" && strings.Count(string(before), old) != 1 {
		t.Fatalf("%q does not occur exactly once in %s", old, path)
	}
	write(t, path, strings.Replace(string(before), old, with, 1))
	t.Cleanup(func() { write(t, path, string(before)) })
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func buf(root string, arguments ...string) (string, error) {
	command := exec.Command("go", append([]string{"tool", "-modfile=tools/go.mod", "buf"}, arguments...)...)
	command.Dir = root
	output, err := command.CombinedOutput()
	return string(output), err
}

func baselineScript(root, verb string) (string, error) {
	command := exec.Command("./baseline", verb)
	command.Env = append(os.Environ(), "HEADRACE_ROOT="+root)
	output, err := command.CombinedOutput()
	return string(output), err
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit == nil {
		return 0
	}
	return exit.ExitCode()
}
