package badgerlog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headrace/headrace/storage"
)

func mustBeginRestoration(t *testing.T, dir string) *Restoration {
	t.Helper()
	r, err := BeginRestoration(testOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() }) // It may be closed already.
	if err := r.Import([]storage.Op{put("a", "1"), put("b", "2")}); err != nil {
		t.Fatal(err)
	}
	if err := r.Import([]storage.Op{put("a", "3"), {Key: []byte("b")}}); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestARestoredStoreOpensWithItsRecordsAndItsLastBatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	r := mustBeginRestoration(t, dir)
	last := storage.LedgerEntry{Epoch: 4, Number: 77, Hash: 5}
	if err := r.Adopt(last); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	e := mustOpen(t, testOptions(dir))
	if found := e.Ledger(); len(found) != 1 || found[0] != last {
		t.Errorf("ledger %v", found)
	}
	if value, err := get(e, "a"); value != "3" || err != nil {
		t.Errorf("%q, %v", value, err)
	}
	if _, err := get(e, "b"); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
	if err := e.Commit(batch(78, 3)); !errors.Is(err, storage.ErrFenced) {
		t.Errorf("an older epoch: %v", err)
	}
}

// TestWhatWasNotRestoredToTheEndIsRefused: by Open and by a second restoration, at
// whatever moment the first one ended.
func TestWhatWasNotRestoredToTheEndIsRefused(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	r := mustBeginRestoration(t, whole)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	begun := t.TempDir()
	if err := os.WriteFile(filepath.Join(begun, restoringName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{whole, begun} {
		if _, err := Open(testOptions(dir)); !errors.Is(err, storage.ErrFormat) || !strings.Contains(err.Error(), "not restored to the end") {
			t.Errorf("open: %v", err)
		}
		if _, err := BeginRestoration(testOptions(dir)); !errors.Is(err, storage.ErrFormat) {
			t.Errorf("restore again: %v", err)
		}
	}
}

func TestOnlyAnEmptyDirectoryIsRestoredInto(t *testing.T) {
	store, other := t.TempDir(), t.TempDir()
	mustClose(t, mustOpen(t, testOptions(store)))
	if err := os.WriteFile(filepath.Join(other, "letter"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{store, other} {
		if _, err := BeginRestoration(testOptions(dir)); !errors.Is(err, storage.ErrFormat) {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(other); len(left) != 1 {
		t.Errorf("something was written: %v", left)
	}
}
