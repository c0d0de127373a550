package badgerlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/headrace/headrace/storage"
)

// victimDirVar names the directory of the process that is to be killed.
const victimDirVar = "BADGERLOG_TEST_VICTIM_DIR"

// victim commits batches for ever and prints the number of each one that is
// durable. Batch n puts n under several keys, large and small, and its own key.
func victim(dir string, out io.Writer) {
	e, err := Open(testOptions(dir))
	if err != nil {
		fmt.Fprintln(out, "open:", err)
		return
	}
	epoch, number := e.epoch+1, lastNumber(e)
	for {
		number++
		if err := e.Commit(victimBatch(number, epoch)); err != nil {
			fmt.Fprintln(out, "commit:", err)
			return
		}
		fmt.Fprintln(out, number)
	}
}

func victimBatch(number, epoch uint64) *storage.Batch {
	text := strconv.FormatUint(number, 10)
	large := strings.Repeat(text+" ", 20_000)
	return batch(number, epoch, put("small", text), put("large", large), put("n"+text, text), put("last", text))
}

// lastNumber is the number of the last batch in the records.
func lastNumber(e *Engine) uint64 {
	text, err := get(e, "last")
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseUint(text, 10, 64)
	return n
}

// TestKillInTheMiddleOfCommits kills a process with SIGKILL while it commits: what
// it said is durable is there, every batch is whole, and the ledger tells of the
// last one.
func TestKillInTheMiddleOfCommits(t *testing.T) {
	const rounds = 4
	dir := t.TempDir()
	for range rounds {
		acked := runVictim(t, dir, 1+rand.IntN(60))
		e := mustOpen(t, testOptions(dir))
		last := lastNumber(e)
		if last < acked || last > acked+1 {
			t.Errorf("batch %d was durable, the last one found is %d", acked, last)
		}
		checkVictimBatch(t, e, last)
		for n := uint64(1); n <= last; n++ {
			text := strconv.FormatUint(n, 10)
			if got, err := get(e, "n"+text); err != nil || got != text {
				t.Fatalf("batch %d of %d: %q, %v", n, last, got, err)
			}
		}
		entries := e.Ledger()
		if n := entries[len(entries)-1].Number; n < last || n > last+1 {
			t.Errorf("the ledger ends with batch %d, the records with %d", n, last)
		}
		mustClose(t, e)
	}
}

// checkVictimBatch checks that a batch is there whole.
func checkVictimBatch(t *testing.T, e *Engine, number uint64) {
	t.Helper()
	for _, op := range victimBatch(number, 0).Ops {
		if got, err := get(e, string(op.Key)); err != nil || got != string(op.Value) {
			t.Errorf("batch %d: %s is another: %v", number, op.Key, err)
		}
	}
}

// runVictim runs a victim until it has committed some batches, kills it, and gives
// the number of the last one that it said is durable.
func runVictim(t *testing.T, dir string, batches int) (acked uint64) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimDirVar+"="+dir)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if acked, err = strconv.ParseUint(lines.Text(), 10, 64); err != nil {
			t.Fatalf("the victim says %q", lines.Text())
		}
		if n == batches {
			// Killed here, it goes on committing until the signal arrives.
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("the victim ended with %v: %s", err, problems.String())
	}
	return acked
}
