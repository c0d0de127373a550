package badgerlog

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/storage"
)

// ledgerOf opens the ledger in a directory.
func ledgerOf(t *testing.T, dir string, store StoreID) *ledger {
	t.Helper()
	l, err := openLedger(filepath.Join(dir, ledgerName), store, false, newFailStop(testOptions("").Logger))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func closeLedger(t *testing.T, l *ledger) {
	t.Helper()
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
}

// write writes entries and closes the ledger.
func write(t *testing.T, dir string, entries ...storage.LedgerEntry) {
	t.Helper()
	l := ledgerOf(t, dir, StoreID{1})
	for _, e := range entries {
		if err := l.begin(e); err != nil {
			t.Fatal(err)
		}
	}
	closeLedger(t, l)
}

func found(t *testing.T, dir string) []storage.LedgerEntry {
	t.Helper()
	l := ledgerOf(t, dir, StoreID{1})
	closeLedger(t, l)
	return l.found
}

func entry(epoch, number uint64) storage.LedgerEntry {
	return storage.LedgerEntry{Epoch: epoch, Number: number, Hash: number * 7}
}

// TestGoldenLedgerSlot holds a slot to the bytes that are on disks.
func TestGoldenLedgerSlot(t *testing.T) {
	l := ledger{store: StoreID{1, 2, 3}}
	e := storage.LedgerEntry{Epoch: 7, Number: 0x40003, Hash: 0x1122334455667788}
	var slot [ledgerSlotBytes]byte
	l.encode(&slot, e)
	const want = "0000000000000007000000000004000311223344556677888c780c3e00000000"
	if got := hex.EncodeToString(slot[:]); got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
	if got, ok := l.decode(slot); !ok || got != e {
		t.Errorf("decoded %+v, %t", got, ok)
	}
	if got := ledgerOffset(0x40003); got != 3*ledgerPageBytes {
		t.Errorf("the slot is at %d", got)
	}
}

func TestLedgerIsARing(t *testing.T) {
	dir := t.TempDir()
	const slots = ledgerPages * ledgerPageSlots
	l := ledgerOf(t, dir, StoreID{1})
	for n := uint64(1); n <= slots+100; n++ {
		if err := l.begin(entry(1, n)); err != nil {
			t.Fatal(err)
		}
	}
	closeLedger(t, l)
	got := found(t, dir)
	if len(got) != slots || got[0] != entry(1, 101) || got[slots-1] != entry(1, slots+100) {
		t.Errorf("%d entries from %v to %v", len(got), got[0], got[len(got)-1])
	}
}

// TestLedgerNeighboursLieInDifferentPages: what tears one entry spares those just
// before it.
func TestLedgerNeighboursLieInDifferentPages(t *testing.T) {
	for n := uint64(1); n < 10_000; n++ {
		for before := uint64(1); before < ledgerPages && before < n; before++ {
			if ledgerOffset(n)/ledgerPageBytes == ledgerOffset(n-before)/ledgerPageBytes {
				t.Fatalf("batches %d and %d share a page", n, n-before)
			}
		}
	}
}

func TestLedgerTornEntryIsNone(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, entry(1, 1), entry(1, 2), entry(1, 3))
	damage(t, filepath.Join(dir, ledgerName), ledgerOffset(3)+10)
	if diff := cmp.Diff([]storage.LedgerEntry{entry(1, 1), entry(1, 2)}, found(t, dir)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// damage flips a bit of a file.
func damage(t *testing.T, path string, at int64) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[at] ^= 1
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLedgerListsOldEpochsFirst: entries of an older owner with higher numbers come
// before those of a newer one, which void them.
func TestLedgerListsOldEpochsFirst(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, entry(1, 9), entry(1, 10), entry(1, 11))
	write(t, dir, entry(2, 10))
	want := []storage.LedgerEntry{entry(1, 9), entry(1, 11), entry(2, 10)}
	if diff := cmp.Diff(want, found(t, dir)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestLedgerOfAHigherEpochFences: the highest epoch of the ledger is the least that
// the engine takes.
func TestLedgerOfAHigherEpochFences(t *testing.T) {
	dir := t.TempDir()
	e := mustOpen(t, testOptions(dir))
	mustCommit(t, e, batch(1, 5, put("a", "1")))
	mustClose(t, e)
	e = mustOpen(t, testOptions(dir))
	if err := e.Commit(batch(2, 4, put("a", "2"))); !errors.Is(err, storage.ErrFenced) {
		t.Errorf("commit of a lower epoch: %v", err)
	}
	if e.Err() != nil {
		t.Errorf("fencing makes the engine fail: %v", e.Err())
	}
}

func TestLedgerOfAnotherStoreHasNoEntries(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, entry(1, 1))
	l := ledgerOf(t, dir, StoreID{2})
	defer closeLedger(t, l)
	if len(l.found) != 0 {
		t.Errorf("found %v", l.found)
	}
}

// TestLedgerIsWrittenBeforeTheBatch: whatever is in the records, the ledger knows.
func TestLedgerIsWrittenBeforeTheBatch(t *testing.T) {
	dir := t.TempDir()
	e := mustOpen(t, testOptions(dir))
	mustCommit(t, e, batch(1, 1, put("a", "1")))
	if err := e.ledger.wait(); err != nil {
		t.Fatal(err)
	}
	if err := e.ledger.file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := e.Commit(batch(2, 1, put("a", "2"))); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("commit without a ledger: %v", err)
	}
	if got, err := get(e, "a"); err != nil || got != "1" {
		t.Errorf("a = %q, %v: it was stored all the same", got, err)
	}
	<-e.Failed()
}

func TestLedgerSyncFailureStops(t *testing.T) {
	dir := t.TempDir()
	l := ledgerOf(t, dir, StoreID{1})
	file := l.file
	// A pipe cannot be synced.
	_, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	l.file = pipe
	l.pending = true
	l.kick <- struct{}{}
	if err := l.wait(); err == nil || !closed(l.stop.failed) {
		t.Errorf("sync of a pipe: %v", err)
	}
	_ = file.Close()
	if err := l.close(); err != nil {
		t.Error(err)
	}
}

func TestLedgerThatIsCutOrMissingIsDataLoss(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"cut":     func(path string) error { return os.Truncate(path, ledgerBytes-1) },
		"longer":  func(path string) error { return os.Truncate(path, ledgerBytes+1) },
		"missing": os.Remove,
	} {
		dir := t.TempDir()
		mustClose(t, mustOpen(t, testOptions(dir)))
		if err := spoil(filepath.Join(dir, ledgerName)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(testOptions(dir)); !errors.Is(err, storage.ErrDataLoss) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzLedgerSlot: what is accepted is exactly what would be written, but for the
// unused bytes.
func FuzzLedgerSlot(f *testing.F) {
	l := ledger{store: StoreID{1}}
	var slot [ledgerSlotBytes]byte
	l.encode(&slot, entry(1, 2))
	f.Add(slot[:])
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < ledgerSlotBytes {
			return
		}
		slot := [ledgerSlotBytes]byte(b)
		if e, ok := l.decode(slot); ok {
			var again [ledgerSlotBytes]byte
			l.encode(&again, e)
			if [28]byte(again[:]) != [28]byte(slot[:]) {
				t.Fatalf("accepted %x as %+v", slot, e)
			}
		}
	})
}
