package badgerlog

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// collected is a store whose oldest value log file has the value of a key, and of nothing
// else that is needed.
func collected(t *testing.T, key []byte) Options {
	t.Helper()
	o := testOptions(t.TempDir())
	o.ValueLogFileBytes = record.MaxBatchBytes
	e := mustOpen(t, o)
	large := []byte(strings.Repeat("x", record.MaxBatchBytes/8))
	mustCommit(t, e, batch(1, 1, storage.Op{Key: key, Value: []byte(strings.Repeat("y", record.InlineValueBytes))}))
	segment := func(n uint64) []byte { return record.AppendSegmentKey(nil, n, 0) }
	const segments = 10
	for n := range uint64(segments) {
		mustCommit(t, e, batch(n+2, 1, storage.Op{Key: segment(n), Value: large}))
	}
	var gone []storage.Op
	for n := range uint64(segments) {
		gone = append(gone, storage.Op{Key: segment(n)})
	}
	e = reopened(t, e)
	mustCommit(t, e, batch(segments+2, 1, gone...))
	e = reopened(t, e)
	awaitLevel(t, e) // Two tables are compacted by themselves.
	mustClose(t, e)
	return o
}

// reopened is the engine again, with its memtable as a table.
func reopened(t *testing.T, e *Engine) *Engine {
	t.Helper()
	mustClose(t, e)
	return mustOpen(t, e.options)
}

// awaitLevel waits until no table is left that is not compacted.
func awaitLevel(t *testing.T, e *Engine) {
	t.Helper()
	awaitStats(t, e, "a compaction", func(Stats) bool { return e.db.Levels()[0].NumTables == 0 })
}

func flatten(t *testing.T, e *Engine) {
	t.Helper()
	if err := e.db.Flatten(1); err != nil {
		t.Fatal(err)
	}
}

// versions counts what tables and memtables have of a key, its deletion too.
func versions(t *testing.T, e *Engine, key []byte) (n int) {
	t.Helper()
	err := e.db.View(func(txn *badger.Txn) error {
		it := txn.NewKeyIterator(key, badger.IteratorOptions{AllVersions: true})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			n++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// seen gives the ways of reading that give a key.
func seen(t *testing.T, e *Engine, key []byte) (ways []string) {
	t.Helper()
	if _, err := get(e, string(key)); err == nil {
		ways = append(ways, "get")
	} else if !errors.Is(err, storage.ErrNotFound) {
		t.Fatal(err)
	}
	for name, walk := range walks {
		err := e.View(func(r storage.Reader) error {
			return walk(r, key[:1], nil, func(found []byte, _ storage.Value) (bool, error) {
				if bytes.Equal(found, key) {
					ways = append(ways, name)
				}
				return true, nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return ways
}

var walks = map[string]func(storage.Reader, []byte, []byte, func([]byte, storage.Value) (bool, error)) error{
	"up": storage.Reader.Ascend, "down": storage.Reader.Descend,
}

// TestWhatIsMarkedAsGoneIsGone: for every way of reading, also when it is deleted again,
// and over a restart; its mark stays as long as an older version does.
func TestWhatIsMarkedAsGoneIsGone(t *testing.T) {
	e := mustOpen(t, testOptions(t.TempDir()))
	key := record.AppendDeadLetterKey(nil, 7, storage.DeadLetterID{Sequence: 3})
	mustCommit(t, e, batch(1, 1, storage.Op{Key: key, Value: []byte(strings.Repeat("y", record.InlineValueBytes))}))
	if ways := seen(t, e, key); len(ways) != 3 {
		t.Fatalf("what is there is seen by %q", ways)
	}
	for number := range uint64(2) {
		mustCommit(t, e, batch(2+number, 1, storage.Op{Key: key}))
		e.collector.run(nil)
		if ways, n := seen(t, e, key), versions(t, e, key); len(ways) > 0 || n != 2+int(number) {
			t.Errorf("deleted %d times: seen by %q, %d versions", number+1, ways, n)
		}
		e = reopened(t, e)
		if ways := seen(t, e, key); len(ways) > 0 {
			t.Errorf("deleted %d times, after a restart: seen by %q", number+1, ways)
		}
	}
}

// TestMarksGoInSteps: so many at once, and the rest in the next collections.
func TestMarksGoInSteps(t *testing.T) {
	e := mustOpen(t, testOptions(t.TempDir()))
	const marks = maxBurials + 5
	err := e.db.Update(func(txn *badger.Txn) error {
		for n := range uint64(marks) {
			key := record.AppendDeadLetterKey(nil, 7, storage.DeadLetterID{Sequence: n})
			if err := txn.SetEntry(badger.NewEntry(key, goneValue).WithMeta(goneMark)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for step, want := range []int{5, 0} {
		e.collector.run(nil)
		if left := marksOf(t, e); left != want {
			t.Errorf("after step %d: %d marks are left, want %d", step, left, want)
		}
	}
	if e.burials.left.Load() {
		t.Error("there is something left to do")
	}
}

// marksOf counts the dead letters that are marked as gone.
func marksOf(t *testing.T, e *Engine) (n int) {
	t.Helper()
	err := e.db.View(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.IteratorOptions{Prefix: []byte{byte(record.KindDeadLetter)}})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			n++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTrapCollectionBringsBackWhatWasDeleted: a collection writes a version again that a
// deletion has superseded, above that; a compaction then drops the deletion.
func TestTrapCollectionBringsBackWhatWasDeleted(t *testing.T) {
	for name, key := range map[string][]byte{
		"a dead letter": record.AppendDeadLetterKey(nil, 7, storage.DeadLetterID{Sequence: 3}),
		"dedupe ids":    record.AppendDedupeKey(nil, storage.PartitionID{Topic: 7}, 3),
	} {
		t.Run(name, func(t *testing.T) {
			e := mustOpen(t, collected(t, key))
			mustCommit(t, e, batch(13, 1, storage.Op{Key: key}))
			e = reopened(t, e)
			e.collector.run(nil)
			if e.Stats().GCRewrites == 0 {
				t.Fatal("nothing was collected")
			}
			flatten(t, e)
			if ways := seen(t, e, key); len(ways) > 0 {
				t.Fatalf("what was deleted is seen by %q", ways)
			}
			e = reopened(t, e)
			flatten(t, e)
			e.collector.run(nil)
			e = reopened(t, e)
			flatten(t, e)
			if n := versions(t, e, key); n != 0 {
				t.Errorf("%d versions are left of what was deleted", n)
			}
		})
	}
}
