package badgerlog

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/table"
)

// tallyInterval is how often it is looked whether a table is there.
const tallyInterval = 2 * time.Millisecond

// tableTally sees that each table of a compaction is there before Badger deletes what
// it was made of. Badger loses the error of a table that it could not build, and with
// the table its keys: nothing is logged and nothing returned.
//
//	Badger                                  tally
//	merges keys for a table, logs how many  added: a table with so many keys is owed
//	builds it in another goroutine
//	logs what it found dead                 await: until a file has that many, or for ever
//	writes its manifest, deletes its input
//	logs that it is done                    done: is what was built in place?
//
// A compaction whose table does not come is held there, with its input on the disk and
// in the manifest: the engine fails, and the next opening has it all. A table that was
// built but not synced is missed only once its input is gone; then the engine fails,
// and the chains name what is missing at the next opening.
type tableTally struct {
	dir     string
	timeout time.Duration
	stop    *failStop
	checked atomic.Uint64
	// hold never returns.
	hold func()

	mu sync.Mutex
	// owed are how many tables with so many keys are to come.
	owed map[uint64]int
	// known are tables that nobody owes: those that were there when the first one was
	// owed, and those that came since.
	known map[string]bool
	// active are compactors that began and did not end, built what they built since
	// there was none.
	active map[int]bool
	built  []string
	// placed lists Badger's tables; nil until it is open.
	placed func() []badger.TableInfo
}

func newTableTally(o *Options, stop *failStop) *tableTally {
	return &tableTally{
		dir: filepath.Join(o.Dir, badgerDirName), timeout: o.CommitTimeout, stop: stop, hold: func() { select {} },
		owed: map[uint64]int{}, known: map[string]bool{}, active: map[int]bool{},
	}
}

// opened tells that Badger is open.
func (t *tableTally) opened(placed func() []badger.TableInfo) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.placed = placed
}

// owes is how many tables are to come.
func (t *tableTally) owes() (tables int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range t.owed {
		tables += n
	}
	return tables
}

// added tells that a compactor is about to build a table.
func (t *tableTally) added(compactor int, keys uint64) {
	if keys == 0 {
		return // It builds none.
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active[compactor] = true
	if len(t.owed) == 0 {
		t.known = map[string]bool{}
		for _, path := range t.files() {
			t.known[path] = true
		}
	}
	t.owed[keys]++
}

// await waits until nothing is owed. When that takes too long it makes the engine fail
// and never returns.
func (t *tableTally) await() {
	if t.settle() {
		return
	}
	if t.comes(t.settle) {
		return
	}
	_ = t.stop.trip("badger could not build a table and did not say so: nothing is lost as long as this compaction does not end")
	t.hold()
}

// comes looks until something is so, and says whether it came. It counts looks: while
// the process is stopped no time passes for Badger either.
func (t *tableTally) comes(so func() bool) bool {
	ticks := time.NewTicker(tallyInterval)
	defer ticks.Stop()
	for looks := t.timeout / tallyInterval; looks > 0; looks-- {
		<-ticks.C
		if so() {
			return true
		}
	}
	return false
}

// settle looks for what is owed, and says whether nothing is any more.
func (t *tableTally) settle() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.owed) == 0 {
		return true
	}
	for _, path := range t.files() {
		if t.known[path] {
			continue
		}
		keys, err := tableKeys(path)
		if err != nil || t.owed[keys] == 0 {
			continue // It is being written, or a memtable became it.
		}
		t.known[path] = true
		t.built = append(t.built, path)
		t.checked.Add(1)
		t.owed[keys]--
		if t.owed[keys] == 0 {
			delete(t.owed, keys)
		}
	}
	return len(t.owed) == 0
}

// done tells that a compactor ended. When it was the last, what was built must be in
// place, or gone again.
func (t *tableTally) done(compactor int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.active, compactor)
	if len(t.active) > 0 {
		return
	}
	if t.placed != nil {
		t.checkPlaced()
	}
	t.built = nil
}

// checkPlaced looks for tables that were left out. One that goes within some time had
// another compaction, or a reader.
func (t *tableTally) checkPlaced() {
	placed := map[string]bool{}
	for _, info := range t.placed() {
		placed[table.NewFilename(info.ID, t.dir)] = true
	}
	for _, path := range t.built {
		if !placed[path] && exists(path) && !t.comes(func() bool { return !exists(path) }) {
			_ = t.stop.trip("badger built the table %s and left it out: its records are lost, keep the directory", path)
		}
	}
}

func (t *tableTally) files() []string {
	entries, _ := os.ReadDir(t.dir) // What cannot be read holds no table, and the wait ends.
	var paths []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".sst" {
			paths = append(paths, filepath.Join(t.dir, e.Name()))
		}
	}
	return paths
}

// tableKeys gives how many keys a table has. One that is not whole gives an error.
func tableKeys(path string) (uint64, error) {
	index, err := readIndex(path)
	if err != nil {
		return 0, err
	}
	return uint64(fb.GetRootAsTableIndex(index, 0).KeyCount()), nil
}
