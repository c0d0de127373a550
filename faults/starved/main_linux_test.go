package starved

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// long makes the tests take all the time that they can use.
var long = flag.Bool("long", false, "the long versions: whole disks, many rounds")

// patience is how long a test waits for what must come.
const patience = time.Minute

// headraceBinary is the program under test, built once.
var headraceBinary string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "headrace-starved-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	headraceBinary = filepath.Join(dir, "headrace")
	build := exec.Command("go", "build", "-o", headraceBinary, "./cmd/headrace")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// leaveOut skips a test, but not where everything must have run.
func leaveOut(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("NOT TESTED: %s", reason)
	}
	t.Skipf("NOT TESTED: %s", reason)
}

// eventually waits for what no event tells.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.After(patience)
	for !is() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("never: %s", what)
		}
	}
}
