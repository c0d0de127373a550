package mutants

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/headrace/headrace/internal/testscale"
)

const (
	// steps is how long the simulation runs against each mutant.
	steps = "40000"
	// together is how many simulations run at the same time.
	together = 2
)

// faults are all of them.
var faults = slices.Concat(list, guaranteeFaults, dropped, redrivenFaults)

// every says that one fault of so many is tried: `make mutants` tries all.
var every = testscale.Sizes{Full: 1, Ordinary: 8, Race: 32}

// TestMutantsApply: a fault is a change of one place that exists.
func TestMutantsApply(t *testing.T) {
	t.Parallel()
	for _, m := range faults {
		t.Run(strings.ReplaceAll(m.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			mutate(t, m)
		})
	}
}

// TestMutantsAreCaught runs the simulation against the package as it is, where it
// passes, and with one fault at a time, where it must fail.
func TestMutantsAreCaught(t *testing.T) {
	t.Parallel()
	if output, err := simulate(t, nil); err != nil {
		t.Fatalf("the package as it is fails:\n%s", output)
	}
	slots := make(chan struct{}, together)
	for n, m := range faults {
		if n%every.Now() != 0 {
			continue
		}
		t.Run(strings.ReplaceAll(m.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			output, err := simulate(t, mutate(t, m), m.args...)
			switch {
			case err == nil:
				t.Fatal("the simulation passes")
			case !strings.Contains(output, "--- FAIL: TestSimulation"):
				t.Fatalf("the simulation did not fail by itself:\n%s", output)
			}
			t.Log(firstLine(output))
		})
	}
}

// mutate returns an overlay: which file of the package is to be read from where.
func mutate(t *testing.T, m mutant) map[string]string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", m.file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		t.Fatalf("%s has %q %d times", m.file, m.old, n)
	}
	mutated := filepath.Join(t.TempDir(), m.file)
	if err := os.WriteFile(mutated, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]string{path: mutated}
}

// simulate runs the simulation with some files replaced, and with further flags.
func simulate(t *testing.T, replace map[string]string, args ...string) (string, error) {
	t.Helper()
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(path, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"test", "-overlay", path, "-vet=off", "-count=1", "-run", "TestSimulation$", ".", "-args", "-steps=" + steps}, args...)
	cmd := exec.Command("go", args...)
	cmd.Dir = ".."
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// firstLine is what the simulation found first.
func firstLine(output string) string {
	_, found, _ := strings.Cut(output, "simulation_test.go")
	line, _, _ := strings.Cut(found, "\n")
	return line
}
