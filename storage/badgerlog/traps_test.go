package badgerlog

import (
	"bytes"
	"errors"
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

// Each trap that Badger sets, and that this package guards against, has a test
// here; those of one file's own have theirs beside it.

// TestTrapValueThatCannotBeReadIsEmpty: Badger gives an empty value and no error.
// The read is ErrDataLoss, and the engine goes on: nothing was damaged by it.
func TestTrapValueThatCannotBeReadIsEmpty(t *testing.T) {
	dir := t.TempDir()
	e := mustOpen(t, testOptions(dir))
	large := strings.Repeat("x", 100<<10)
	mustCommit(t, e, batch(1, 1, put("large", large), put("small", "1")))
	mustClose(t, e)
	// A second value log file, so that the first is not the one that Badger repairs.
	e = mustOpen(t, testOptions(dir))
	mustCommit(t, e, batch(2, 1, put("large2", large)))
	mustClose(t, e)
	removeOldest(t, filepath.Join(dir, badgerDirName), "*.vlog")

	e = mustOpen(t, testOptions(dir))
	if value, err := get(e, "large"); !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("the lost value reads as %d bytes, %v", len(value), err)
	}
	for _, way := range []func(storage.Reader, []byte, []byte, func([]byte, storage.Value) (bool, error)) error{
		storage.Reader.Ascend, storage.Reader.Descend,
	} {
		err := e.View(func(r storage.Reader) error {
			return way(r, []byte("large"), nil, func(key []byte, v storage.Value) (bool, error) {
				if string(key) != "large" {
					return true, nil
				}
				return true, v.Read(func([]byte) error { return nil })
			})
		})
		if !errors.Is(err, storage.ErrDataLoss) {
			t.Errorf("walk over the lost value: %v", err)
		}
	}
	if e.Stats().BadgerErrors == 0 {
		t.Error("the failed read is not counted")
	}
	mustCommit(t, e, batch(3, 1, put("small", "2")))
}

func removeOldest(t *testing.T, dir, pattern string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files %s, %v", len(files), pattern, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
}

// TestTrapValueLogSyncFailureIsOnlyLogged: the commit that meets it does not
// succeed, and no later one is taken.
func TestTrapValueLogSyncFailureIsOnlyLogged(t *testing.T) {
	var e *Engine
	inCommit := false
	o := testOptions(t.TempDir())
	o.Clock = func() time.Time {
		if inCommit { // The clock is read when the commit begins.
			go e.logger.Errorf("Error while curlf sync: %v\n", errors.New("input/output error"))
			<-e.Failed()
		}
		return time.Now()
	}
	e = mustOpen(t, o)
	defer func() { // Here Badger's writer did not meet that error, and is not held.
		close(e.logger.held)
		<-e.logger.holds
		e.logger.holds = nil
	}()
	mustCommit(t, e, batch(1, 1, put("a", "1")))
	inCommit = true
	if err := e.Commit(batch(2, 1, put("a", "2"))); !errors.Is(err, storage.ErrUnknown) {
		t.Errorf("the commit whose sync failed: %v", err)
	}
	inCommit = false
	<-e.Failed()
	if e.Err() == nil || !strings.Contains(e.Err().Error(), "input/output error") {
		t.Errorf("the cause is %v", e.Err())
	}
	if err := e.Commit(batch(3, 1, put("a", "3"))); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("the next commit: %v", err)
	}
	if got := e.Ledger(); len(got) != 0 {
		t.Errorf("the ledger as of the opening is %v", got)
	}
}

// TestTrapTableThatCannotBeBuiltIsOnlyLogged: errors and warnings of compactions
// and flushes make the engine fail; others do not.
func TestTrapTableThatCannotBeBuiltIsOnlyLogged(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		log   func(*badgerLogger)
		fatal bool
	}{
		{func(l *badgerLogger) { l.Errorf("error flushing memtable to disk: %v, retrying", failed) }, true},
		{func(l *badgerLogger) { l.Errorf("something that nobody has seen yet") }, true},
		{func(l *badgerLogger) { l.Warningf("While running doCompact: %v\n", failed) }, true},
		{func(l *badgerLogger) {
			l.Warningf("[Compactor: %d] LOG Compact FAILED with error: %+v: %+v", 1, failed, 2)
		}, true},
		{func(l *badgerLogger) { l.Warningf("While forcing compaction on level 0: %v", failed) }, true},
		{func(l *badgerLogger) { l.Warningf("MANIFEST delete: table %d has already been removed", 3) }, false},
		{func(l *badgerLogger) { l.Infof("L0 was stalled for %s\n", "1s") }, false},
		{func(l *badgerLogger) { l.Debugf("writeRequests called. Writing to value log") }, false},
		{func(l *badgerLogger) { l.Errorf("Unable to read: Key: %v, Version : %v Error: %v", "k", 1, failed) }, false},
	} {
		stop := newFailStop(testOptions("").Logger)
		l := newBadgerLogger(testOptions("").Logger, stop)
		close(l.held)
		c.log(l)
		if got := closed(stop.failed); got != c.fatal {
			t.Errorf("case %v: failed is %t", stop.cause(), got)
		}
	}
}

// TestTrapOpenFailsOnceAfterACrash: a file was created and not yet sized, or one by
// each of several crashes.
func TestTrapOpenFailsOnceAfterACrash(t *testing.T) {
	for _, names := range [][]string{{"00009.mem"}, {"000009.vlog"}, {"00009.mem", "000008.vlog", "000009.vlog"}} {
		dir := t.TempDir()
		e := mustOpen(t, testOptions(dir))
		mustCommit(t, e, batch(1, 1, put("a", "1"), put("b", strings.Repeat("x", 8<<10))))
		mustClose(t, e)
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, badgerDirName, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tries := 0
		s := realSystem()
		s.openBadger = func(o badger.Options) (*badger.DB, error) {
			tries++
			return badger.Open(o)
		}
		e = mustOpenOn(t, testOptions(dir), s)
		if tries != 1+len(names) {
			t.Errorf("%s: opened after %d tries", names, tries)
		}
		if got, err := get(e, "a"); err != nil || got != "1" {
			t.Errorf("%s: a = %q, %v", names, got, err)
		}
		mustCommit(t, e, batch(2, 1, put("a", "2")))
		mustClose(t, e)
	}
}

// TestTrapBadgerCrashesInOpen: the process lives, and says what happened.
func TestTrapBadgerCrashesInOpen(t *testing.T) {
	s := realSystem()
	s.openBadger = func(badger.Options) (*badger.DB, error) {
		var db *badger.DB
		return nil, db.Close()
	}
	dir := t.TempDir()
	_, err := open(testOptions(dir), s)
	if !errors.Is(err, storage.ErrDataLoss) || !strings.Contains(err.Error(), "nil pointer") {
		t.Errorf("open: %v", err)
	}
	mustOpen(t, testOptions(dir)) // The lock is free again.
}

// TestTrapBadgerIgnoresADamagedTable: it opens without the table, and only logs so.
func TestTrapBadgerIgnoresADamagedTable(t *testing.T) {
	s := realSystem()
	s.openBadger = func(o badger.Options) (*badger.DB, error) {
		o.Logger.Errorf("Ignoring table %s", "000001.sst")
		return badger.Open(o)
	}
	dir := t.TempDir()
	if _, err := open(testOptions(dir), s); !errors.Is(err, storage.ErrDataLoss) || !strings.Contains(err.Error(), "000001.sst") {
		t.Errorf("open: %v", err)
	}
	mustOpen(t, testOptions(dir))
}

// tableStore is a closed store whose one table has many keys, each with its own
// name, several times, as its value.
func tableStore(t *testing.T, keys int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	e := mustOpen(t, testOptions(dir))
	for number := range uint64(4) {
		var ops []storage.Op
		for k := range keys / 4 {
			key := fmt.Sprintf("key-%d-%05d", number, k)
			ops = append(ops, put(key, strings.Repeat(key, 5)))
		}
		mustCommit(t, e, batch(number+1, 1, ops...))
	}
	mustClose(t, e)
	return dir
}

// flipTable flips a bit of a store's one table.
func flipTable(t *testing.T, dir string, at func(table []byte) int) {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(dir, badgerDirName, "*.sst"))
	if err != nil || len(tables) != 1 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	table, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	// Written in place: Badger has the file mapped.
	f, err := os.OpenFile(tables[0], os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	i := at(table)
	_, err = f.WriteAt([]byte{table[i] ^ 1}, int64(i))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestTrapFlippedBitInATableIsFoundAtOpen: wherever it is in the data.
func TestTrapFlippedBitInATableIsFoundAtOpen(t *testing.T) {
	for _, share := range []float64{0.01, 0.123, 0.3, 0.5, 0.77, 0.9} {
		dir := tableStore(t, 4000)
		at := func(table []byte) int { return int(share * float64(len(table))) }
		flipTable(t, dir, at)
		if _, err := Open(testOptions(dir)); !errors.Is(err, storage.ErrDataLoss) || !strings.Contains(err.Error(), ".sst") {
			t.Errorf("at %v of the table: %v", share, err)
		}
		flipTable(t, dir, at)
		mustClose(t, mustOpen(t, testOptions(dir)))
	}
}

// TestTrapFlippedBitHidesNoOtherKeys: a bit that flips in the value of a key, once
// the tables are checked, spoils that value and nothing else.
func TestTrapFlippedBitHidesNoOtherKeys(t *testing.T) {
	const keys = 4000
	dir := tableStore(t, keys)
	e := mustOpen(t, testOptions(dir))
	flipTable(t, dir, func(table []byte) int { return bytes.Index(table, []byte("key-2-00500key")) })
	found, spoiled := 0, 0
	err := e.View(func(r storage.Reader) error {
		return r.Ascend(nil, nil, func(key []byte, v storage.Value) (bool, error) {
			found++
			return true, v.Read(func(value []byte) error {
				if string(value) != strings.Repeat(string(key), 5) {
					spoiled++
				}
				return nil
			})
		})
	})
	if err != nil || found != keys || spoiled != 1 {
		t.Errorf("%d of %d keys, %d spoiled, %v", found, keys, spoiled, err)
	}
}

// TestTrapBadgerCrashesOnADamagedBlock: the read is ErrDataLoss, and the engine
// fails. A panic of the reader's own is not hidden.
func TestTrapBadgerCrashesOnADamagedBlock(t *testing.T) {
	e := mustOpen(t, testOptions(t.TempDir()))
	view := func(crash any) (err error) {
		return e.View(func(storage.Reader) error { panic(crash) })
	}
	func() {
		defer func() {
			if crash := recover(); crash != "mine" {
				t.Errorf("recovered %v", crash)
			}
		}()
		_ = view("mine")
	}()
	if e.Err() != nil {
		t.Errorf("a reader's panic makes the engine fail: %v", e.Err())
	}
	if err := view(blockCrash + "\nTable ID: 7\n"); !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("view: %v", err)
	}
	<-e.Failed()
	mustClose(t, e) // Nobody counts as inside any more.
}

// TestTrapFailedBadgerDoesNotClose: Badger retries a flush for ever; closing a
// failed engine ends all the same. A healthy one is waited for.
func TestTrapFailedBadgerDoesNotClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := newFailStop(testOptions("").Logger)
		hang := make(chan struct{})
		result := make(chan error, 1)
		go func() {
			result <- closeInTime(func() error { <-hang; return nil }, stop, nil)
		}()
		time.Sleep(time.Hour) //nolint:forbidigo // in a bubble
		select {
		case err := <-result:
			t.Fatalf("a healthy engine is not waited for: %v", err)
		default:
		}
		_ = stop.trip("as told")
		time.Sleep(failedCloseTimeout) //nolint:forbidigo // in a bubble
		synctest.Wait()
		if err := <-result; err == nil || !strings.Contains(err.Error(), "as told") {
			t.Errorf("close of a failed engine: %v", err)
		}
		holds, began := make(chan struct{}), time.Now()
		close(holds)
		if err := closeInTime(func() error { <-hang; return nil }, stop, holds); err == nil || time.Since(began) > 0 {
			t.Errorf("close of an engine whose writer is held: %v after %v", err, time.Since(began))
		}
		close(hang)
	})
}
