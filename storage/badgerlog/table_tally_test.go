package badgerlog

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/sys/unix"

	"github.com/headrace/headrace/storage"
)

const (
	// starvedDirVar names the directory of a process whose limits fall, starvedOfVar
	// what it is starved of.
	starvedDirVar = "BADGERLOG_TEST_STARVED_DIR"
	starvedOfVar  = "BADGERLOG_TEST_STARVED_OF"

	starvedBatchKeys = 400
)

func starvedKey(number, i uint64) string { return fmt.Sprintf("k%05d-%03d", number, i) }

// starved commits batches, prints the number of each that is durable, and lets a limit
// fall just as a compaction is about to build a table. The guards that look at limits
// do not look.
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
	e.logger.events.added = func(compactor int, keys uint64) {
		added(compactor, keys)
		starveOnce()
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
	if of == "descriptors" {
		resource, limit = unix.RLIMIT_NOFILE, 3
	}
	if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: noLimit}); err != nil {
		_ = unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit})
	}
}

// TestTrapTableThatCannotBeBuiltInACompaction: Badger loses the error and deletes what
// the table was made of. Here a real limit falls in that moment, unseen by the guards
// that look at limits: the engine fails and says why, and a restart has all that was
// acknowledged.
func TestTrapTableThatCannotBeBuiltInACompaction(t *testing.T) {
	for _, of := range []string{"file size", "descriptors"} {
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

// TestEachTableOfACompactionIsSeen: Badger's log lines say what this package takes them
// to say.
func TestEachTableOfACompactionIsSeen(t *testing.T) {
	e := mustOpen(t, testOptions(t.TempDir()))
	for number := uint64(1); e.Stats().CheckedTables < 4; number++ {
		if number > 1000 {
			t.Fatalf("no compaction is seen: %+v", e.Stats())
		}
		var ops []storage.Op
		for i := range uint64(starvedBatchKeys) {
			ops = append(ops, put(starvedKey(number, i), strings.Repeat("x", 3000)))
		}
		mustCommit(t, e, batch(number, 1, ops...))
	}
	if err := e.Err(); err != nil {
		t.Error(err)
	}
	if e.rotation.ended.Load() == 0 {
		t.Error("no memtable is seen to end")
	}
}

// tallyOf is a tally of a directory with one table of 4,000 keys, which is copied under
// other numbers.
func tallyOf(t *testing.T) (tally *tableTally, build func(number uint64) string) {
	t.Helper()
	o := testOptions(tableStore(t, 4000))
	tally = newTableTally(&o, newFailStop(o.Logger))
	tables := tally.files()
	if len(tables) != 1 {
		t.Fatalf("the store has the tables %v", tables)
	}
	return tally, func(number uint64) string {
		path := filepath.Join(tally.dir, fmt.Sprintf("%06d.sst", number))
		if err := copySparse(path, tables[0]); err != nil {
			t.Fatal(err)
		}
		return path
	}
}

// TestTallyTellsOwedTablesFromOthers: those that were there, those that are not whole,
// and those with another number of keys do not count.
func TestTallyTellsOwedTablesFromOthers(t *testing.T) {
	tally, build := tallyOf(t)
	tally.added(0, 0)
	if !tally.settle() {
		t.Error("a table without keys is owed")
	}
	tally.added(0, 4000)
	tally.added(1, 4000)
	tally.added(1, 17)
	if tally.settle() {
		t.Error("a table that was there counts")
	}
	whole := build(801)
	half := build(802)
	if err := os.Truncate(half, 1000); err != nil {
		t.Fatal(err)
	}
	if tally.settle() || len(tally.owed) != 2 || tally.owed[4000] != 1 {
		t.Errorf("with one whole table %v are owed", tally.owed)
	}
	if len(tally.built) != 1 || tally.built[0] != whole {
		t.Errorf("built are %v", tally.built)
	}
}

// TestTableThatDoesNotComeHoldsTheCompactionBack, for ever, and the engine fails.
func TestTableThatDoesNotComeHoldsTheCompactionBack(t *testing.T) {
	tally, _ := tallyOf(t)
	tally.timeout = 10 * time.Millisecond
	tally.added(0, 17)
	held := false
	tally.hold = func() { held = true }
	tally.await()
	if err := tally.stop.cause(); err == nil || !strings.Contains(err.Error(), "could not build a table") {
		t.Errorf("the cause is %v", err)
	}
	if !held {
		t.Error("the compaction goes on")
	}
}

// TestTableThatIsLeftOut: it was built, and Badger does not have it when no compaction
// runs any more. One that goes meanwhile was another compaction's.
func TestTableThatIsLeftOut(t *testing.T) {
	for name, c := range map[string]struct {
		ids   []uint64
		goes  bool
		fails bool
	}{
		"in place":     {[]uint64{1, 801}, false, false},
		"left out":     {[]uint64{1}, false, true},
		"merged again": {[]uint64{1}, true, false},
	} {
		tally, build := tallyOf(t)
		synctest.Test(t, func(t *testing.T) {
			tally.opened(func() (tables []badger.TableInfo) {
				for _, id := range c.ids {
					tables = append(tables, badger.TableInfo{ID: id})
				}
				return tables
			})
			tally.added(0, 4000)
			tally.added(1, 4000)
			path := build(801)
			tally.settle()
			tally.done(1)
			if closed(tally.stop.failed) {
				t.Errorf("%s: the engine failed while a compaction runs", name)
			}
			if c.goes {
				time.AfterFunc(time.Second, func() { _ = os.Remove(path) })
			}
			tally.done(0)
			if got := closed(tally.stop.failed); got != c.fails {
				t.Errorf("%s: the engine failed: %v", name, tally.stop.cause())
			}
		})
	}
}
