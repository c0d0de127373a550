package badgerlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/headrace/headrace/storage"
)

const (
	// starvedDirVar names the directory of a process whose limits fall, starvedOfVar
	// what it is starved of.
	starvedDirVar = "BADGERLOG_TEST_STARVED_DIR"
	starvedOfVar  = "BADGERLOG_TEST_STARVED_OF"

	starvedBatchKeys = 400
	// atRotationSuffix: the limit falls as a memtable ends.
	atRotationSuffix = " at rotation"
)

func starvedKey(number, i uint64) string { return fmt.Sprintf("k%05d-%03d", number, i) }

// starved commits batches, prints the number of each that is durable, and lets a limit
// fall just as a compaction is about to build a table, or a memtable ends. The guards
// that look at limits do not look.
func starved(dir, of string, out io.Writer) {
	o := testOptions(dir)
	o.DescriptorInterval = time.Hour
	o.CommitTimeout = 5 * time.Second
	e, err := Open(o)
	if err != nil {
		fmt.Fprintln(out, "open:", err)
		return
	}
	added, begun := e.logger.events.added, make(chan struct{})
	starveOnce := sync.OnceFunc(func() {
		starve(of)
		close(begun) // Nothing is committed any more that could run into the limit.
	})
	rotated, atRotation := e.logger.events.rotated, strings.HasSuffix(of, atRotationSuffix)
	e.logger.events.added = func(compactor int, keys uint64) {
		added(compactor, keys)
		if !atRotation {
			starveOnce()
		}
	}
	e.logger.events.rotated = func() {
		rotated()
		if atRotation {
			starveOnce()
		}
	}
	for number := uint64(1); !closed(begun); number++ {
		var ops []storage.Op
		for i := range uint64(starvedBatchKeys) {
			ops = append(ops, put(starvedKey(number, i), strings.Repeat("x", 3000)))
		}
		if err := e.Commit(batch(number, 1, ops...)); err != nil {
			break
		}
		fmt.Fprintln(out, number)
	}
	if _, err := get(e, starvedKey(1, 1)); err != nil && !errors.Is(err, storage.ErrUnavailable) {
		fmt.Fprintln(out, "read:", err)
		return
	}
	select {
	case <-e.Failed():
		fmt.Fprintln(out, "failed:", e.Err())
	case <-time.After(3 * o.CommitTimeout):
		fmt.Fprintln(out, "it goes on")
	}
}

// starve lets a limit of this process fall.
func starve(of string) {
	resource, limit := unix.RLIMIT_FSIZE, uint64(64<<10)
	if strings.HasPrefix(of, "descriptors") {
		resource, limit = unix.RLIMIT_NOFILE, 3
	}
	if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: noLimit}); err != nil {
		_ = unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit})
	}
}

// TestTrapLimitIsMetAtRotation: Badger has no memtable then, and crashes at the next
// read. Here the process lives, says why it stops, and a restart has it all.
func TestTrapLimitIsMetAtRotation(t *testing.T) {
	testStarved(t, "file size"+atRotationSuffix, "descriptors"+atRotationSuffix)
}

// TestTrapTableThatCannotBeBuiltInACompaction: Badger loses the error and deletes what
// the table was made of. Here a real limit falls in that moment, unseen by the guards
// that look at limits: the engine fails and says why, and a restart has all that was
// acknowledged.
func TestTrapTableThatCannotBeBuiltInACompaction(t *testing.T) {
	testStarved(t, "file size", "descriptors")
}

// testStarved starves processes, each of one thing.
func testStarved(t *testing.T, what ...string) {
	t.Helper()
	for _, of := range what {
		t.Run(of, func(t *testing.T) {
			dir := t.TempDir()
			acked, last := runStarved(t, dir, of)
			if !strings.HasPrefix(last, "failed: ") {
				t.Errorf("the last line is %q", last)
			}
			t.Logf("%d batches, then: %s", acked, last)
			e := mustOpen(t, testOptions(dir))
			missing := 0
			for number := uint64(1); number <= acked; number++ {
				for i := range uint64(starvedBatchKeys) {
					if _, err := get(e, starvedKey(number, i)); err != nil {
						missing++
					}
				}
			}
			if missing > 0 || acked == 0 {
				t.Errorf("%d of %d acknowledged keys are missing", missing, acked*starvedBatchKeys)
			}
		})
	}
}

// runStarved runs a process until it has failed, and gives the last batch that it said
// is durable and its last line.
func runStarved(t *testing.T, dir, of string) (acked uint64, last string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), starvedDirVar+"="+dir, starvedOfVar+"="+of)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		last = lines.Text()
		_, _ = fmt.Sscanf(last, "%d", &acked)
	}
	_ = child.Wait() // It exits with 1.
	return acked, last
}
