package badgerlog_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

const (
	damagedLives    = 4
	damagedMessages = 40
)

func damagedBody(i int) string {
	return fmt.Sprintf("%04d-%s", i, strings.Repeat("x", 20_000+i))
}

// damagedHome gives a function that opens an engine in a directory.
func damagedHome(dir string) storagetest.StoreHome {
	return func(tb testing.TB) storage.Engine {
		tb.Helper()
		engine, err := badgerlog.Open(badgerlog.DefaultOptions(dir))
		if err != nil {
			tb.Fatal(err)
		}
		return engine
	}
}

// wholeStore makes a store in several lives, each of which leaves a table and a value
// log file.
func wholeStore(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	h := storagetest.NewStoreHarness(t, damagedHome(dir), shardlog.Options{})
	p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	h.MustSubscribe("billing", p.Topic, storage.Start{})
	for life := range damagedLives {
		if life > 0 {
			h.Reopen()
		}
		for i := range damagedMessages {
			h.MustPublish(p, damagedBody(life*damagedMessages+i))
		}
	}
	h.Stop()
	return dir
}

// outcome is what a damaged store is found to be.
type outcome string

const (
	whole   outcome = "whole"
	refused outcome = "refused"
	fenced  outcome = "found at a read"
	silent  outcome = "silent"
)

// judge opens a damaged store, as a server would, and reads everything.
func judge(t *testing.T, dir string) (outcome, error) {
	t.Helper()
	engine, err := badgerlog.Open(badgerlog.DefaultOptions(dir))
	if err != nil {
		return refusal(err)
	}
	store, err := shardlog.Open(t.Context(), engine, shardlog.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return refusal(errors.Join(err, engine.Close()))
	}
	defer func() { _ = store.Close() }() // It may be damaged.
	topics := store.Topics()
	if len(topics) != 1 {
		return silent, fmt.Errorf("there are %d topics", len(topics))
	}
	return readAll(t, store, storage.PartitionID{Topic: topics[0].ID})
}

func refusal(err error) (outcome, error) {
	if !errors.Is(err, storage.ErrDataLoss) || strings.Contains(err.Error(), "nil pointer") {
		return silent, fmt.Errorf("an error that is not clear: %w", err)
	}
	return refused, err
}

func readAll(t *testing.T, store *shardlog.Store, p storage.PartitionID) (outcome, error) {
	t.Helper()
	var bodies []string
	for at := storage.Offset(0); at < damagedLives*damagedMessages; {
		piece, err := store.Read(t.Context(), p, at)
		switch {
		case errors.Is(err, storage.ErrDataLoss):
			return fenced, err
		case err != nil || piece.Segment == nil:
			return silent, fmt.Errorf("offset %d: %w", at, err)
		}
		bodies = append(bodies, storagetest.BodiesOf(piece.Segment, at)...)
		at = piece.Segment.End()
		piece.Segment.Release()
	}
	for i, body := range bodies {
		if body != damagedBody(i) {
			return silent, fmt.Errorf("message %d is another", i)
		}
	}
	return whole, nil
}

// filesOf lists files of Badger's, the oldest first.
func filesOf(t *testing.T, dir, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "badger", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no files %s: %v", pattern, err)
	}
	slices.Sort(files)
	return files
}

// damage does something to a file.
type damage func(path string, size int64) error

func remove(path string, _ int64) error { return os.Remove(path) }

func cutTo(keep func(size int64) int64) damage {
	return func(path string, size int64) error { return os.Truncate(path, keep(size)) }
}

func flipAt(share float64) damage {
	return func(path string, size int64) error {
		file, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file[int(share*float64(size-1))] ^= 4
		return os.WriteFile(path, file, 0o600)
	}
}

var (
	cutABit = cutTo(func(size int64) int64 { return size - min(size, 3) })
	halve   = cutTo(func(size int64) int64 { return size / 2 })
	empty   = cutTo(func(int64) int64 { return 0 })
)

// TestTrapDamagedFileIsRepairedOrNamed damages each of Badger's files, after a stop in
// order and after one that was not: the store is whole, or refuses, or the damage is
// found at a read; it is never silent, and the process lives.
func TestTrapDamagedFileIsRepairedOrNamed(t *testing.T) {
	store := wholeStore(t)
	for _, kind := range []struct {
		name, pattern string
		newest        bool
		// repaired are damages that must not be noticed.
		repaired []string
	}{
		{"manifest", "MANIFEST", false, nil},
		{"key registry", "KEYREGISTRY", false, []string{"missing", "empty", "cut a bit", "halved", "flipped"}},
		{"discard counts", "DISCARD", false, []string{"missing", "empty", "cut a bit", "halved", "flipped"}},
		{"oldest table", "*.sst", false, nil},
		{"newest table", "*.sst", true, nil},
		{"oldest value log", "*.vlog", false, nil},
		{"newest value log", "*.vlog", true, nil},
	} {
		for name, do := range map[string]damage{
			"missing": remove, "empty": empty, "cut a bit": cutABit, "halved": halve, "flipped": flipAt(0.6),
		} {
			for _, orderly := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%s/orderly=%t", kind.name, name, orderly), func(t *testing.T) {
					dir := copyStore(t, store, orderly)
					files := filesOf(t, dir, kind.pattern)
					path := files[0]
					if kind.newest {
						path = files[len(files)-1]
					}
					info, err := os.Stat(path)
					if err != nil {
						t.Fatal(err)
					}
					if err := do(path, info.Size()); err != nil {
						t.Fatal(err)
					}
					got, err := judge(t, dir)
					t.Logf("%s: %.300v", got, err)
					if got == silent || got != whole && slices.Contains(kind.repaired, name) {
						t.Errorf("%s: %v", got, err)
					}
				})
			}
		}
	}
}

// TestTrapTableThatTheManifestForgotIsKept: after a crash a table that no manifest
// names is what a compaction left half made, and Badger deletes it. When the manifest
// lost its end it is not: a link aside keeps it.
func TestTrapTableThatTheManifestForgotIsKept(t *testing.T) {
	dir := copyStore(t, wholeStore(t), false)
	tables := filesOf(t, dir, "*.sst")
	lost := tables[len(tables)-1]
	want, err := os.ReadFile(lost)
	if err != nil {
		t.Fatal(err)
	}
	manifest := filesOf(t, dir, "MANIFEST")[0]
	info, err := os.Stat(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := cutABit(manifest, info.Size()); err != nil {
		t.Fatal(err)
	}
	if got, err := judge(t, dir); got != refused {
		t.Errorf("%s: %v", got, err)
	}
	if _, err := os.Stat(lost); err == nil {
		t.Error("Badger deletes nothing: this test shows nothing")
	}
	kept, err := os.ReadFile(filepath.Join(dir, "aside", "first", filepath.Base(lost)))
	if err != nil || !slices.Equal(kept, want) {
		t.Errorf("the table is not aside: %v", err)
	}
}

// copyStore copies a store that was stopped in order, and makes it look as if it was
// not.
func copyStore(t *testing.T, from string, orderly bool) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if !orderly {
		if err := os.WriteFile(filepath.Join(to, "running"), []byte("0\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}
