package badgerlog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/headrace/headrace/storage"
)

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
