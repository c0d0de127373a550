package badgerlog

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/inspect"
)

// killed gives a directory as a killed process leaves it: tables, value logs, and a
// write-ahead log that was not replayed.
func killed(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	large := strings.Repeat("x", 2<<20)
	e := mustOpen(t, testOptions(dir))
	mustCommit(t, e, batch(1, 1, put("large1", large), put("small", "1")))
	mustClose(t, e)
	e = mustOpen(t, testOptions(dir))
	mustCommit(t, e, batch(2, 1, put("large2", large), put("small", "2")))
	left := t.TempDir()
	copyTree(t, dir, left)
	mustClose(t, e)
	return left
}

// copyTree copies a directory and leaves out the blocks that hold nothing.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(from, path) // It is below from.
		if e.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		return copySparse(filepath.Join(to, name), path)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fingerprint is everything in a directory.
func fingerprint(t *testing.T, dir string) map[string]string {
	t.Helper()
	prints := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		hash, err := hashOf(path, info.Size())
		name, _ := filepath.Rel(dir, path) // It is below dir.
		prints[name] = fmt.Sprintf("%d bytes %x %v", info.Size(), hash, info.ModTime())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return prints
}

// hashOf hashes what lies between a file's holes.
func hashOf(path string, size int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // It was only read.
	hash := sha256.New()
	for at := int64(0); at < size; {
		from, to, err := nextData(f, at, size)
		if err != nil || from >= to {
			return hash.Sum(nil), err
		}
		if _, err := io.Copy(hash, io.NewSectionReader(f, from, to-from)); err != nil {
			return nil, err
		}
		at = to
	}
	return hash.Sum(nil), nil
}

func mustInspect(t *testing.T, dir string) *Inspection {
	t.Helper()
	i, err := Inspect(testOptions(dir), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	return i
}

// TestAnInspectionSeesEverythingAndChangesNothing: also what only lies in the logs of
// a process that was killed, which any opening would replay.
func TestAnInspectionSeesEverythingAndChangesNothing(t *testing.T) {
	dir := killed(t)
	before, scratch := fingerprint(t, dir), t.TempDir()
	i, err := Inspect(testOptions(dir), scratch)
	if err != nil {
		t.Fatal(err)
	}
	if i.Report.Worst > inspect.Note || !i.Records() || len(i.Ledger) != 2 {
		t.Errorf("findings %v, %d ledger entries", i.Report.Findings, len(i.Ledger))
	}
	sizes := map[string]int{}
	err = i.View(func(r storage.Reader) error {
		return r.Ascend(nil, nil, func(key []byte, value storage.Value) (bool, error) {
			return true, value.Read(func(value []byte) error {
				sizes[string(key)] = len(value)
				return nil
			})
		})
	})
	want := map[string]int{"large1": 2 << 20, "large2": 2 << 20, "small": 1}
	if err != nil || !maps.Equal(sizes, want) {
		t.Errorf("%v, %v", sizes, err)
	}
	if err := i.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, fingerprint(t, dir)); diff != "" {
		t.Errorf("the directory changed:\n%s", diff)
	}
	if left, _ := os.ReadDir(scratch); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestDamagedFilesAreFound: each is named, and nothing is changed.
func TestDamagedFilesAreFound(t *testing.T) {
	for name, test := range map[string]struct {
		damage func(t *testing.T, dir string)
		file   string
		says   string
	}{
		"format missing":   {removing(formatName), formatName, "missing"},
		"format damaged":   {flipping(formatName, -3), formatName, "damaged"},
		"ledger missing":   {removing(ledgerName), ledgerName, "missing"},
		"ledger cut":       {cutting(ledgerName, 100), ledgerName, "100 bytes"},
		"records missing":  {removing(badgerDirName), badgerDirName, "missing"},
		"manifest missing": {removing("badger/MANIFEST"), badgerDirName, "MANIFEST is missing"},
		"manifest damaged": {flipping("badger/MANIFEST", 20), badgerDirName, "cannot be opened"},
		"table missing":    {removing("badger/*.sst"), badgerDirName, "table 000001.sst: the file is missing"},
		"table cut":        {cutting("badger/*.sst", 50), badgerDirName, "table 000001.sst"},
		"index damaged":    {flipping("badger/*.sst", -60), badgerDirName, "table 000001.sst"},
		"block damaged":    {flipping("badger/*.sst", 10), badgerDirName, "000001.sst"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := killed(t)
			test.damage(t, dir)
			before := fingerprint(t, dir)
			i := mustInspect(t, dir)
			damage := i.Report.Of(inspect.Damage)
			if len(damage) != 1 || damage[0].File != test.file || !strings.Contains(damage[0].Text, test.says) {
				t.Errorf("findings %v", damage)
			}
			if err := i.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, fingerprint(t, dir)); diff != "" {
				t.Errorf("the directory changed:\n%s", diff)
			}
		})
	}
}

// TestTornLedgerEntriesAreAWarning: no acknowledgement hangs on an old entry.
func TestTornLedgerEntriesAreAWarning(t *testing.T) {
	dir := killed(t)
	flipping(ledgerName, int(ledgerOffset(1))+9)(t, dir)
	i := mustInspect(t, dir)
	if i.Report.Worst != inspect.Warning || len(i.Ledger) != 1 {
		t.Errorf("findings %v, %d entries", i.Report.Findings, len(i.Ledger))
	}
}

func TestAnOpenStoreIsNotInspected(t *testing.T) {
	dir := t.TempDir()
	mustOpen(t, testOptions(dir))
	if _, err := Inspect(testOptions(dir), ""); !errors.Is(err, storage.ErrLocked) {
		t.Error(err)
	}
}

func TestWhatIsNoStoreIsNotInspected(t *testing.T) {
	if _, err := Inspect(testOptions(t.TempDir()), ""); !errors.Is(err, storage.ErrFormat) {
		t.Error(err)
	}
}

// TestTrapAValueThatIsNotWhereItWasHangsTheClose: Badger never gives back the lock of a
// value log in which it found something else. The inspection says what is wrong, and
// ends.
func TestTrapAValueThatIsNotWhereItWasHangsTheClose(t *testing.T) {
	dir := killed(t)
	older, newer := filepath.Join(dir, "badger", "000001.vlog"), filepath.Join(dir, "badger", "000002.vlog")
	// Another value's size where the first one's was.
	flipping("badger/000001.vlog", 20+3)(t, dir)
	flipping("badger/000001.vlog", 20+4)(t, dir)
	if !exists(older) || !exists(newer) {
		t.Fatal("there are no two value logs")
	}
	i := mustInspect(t, dir)
	err := i.View(func(r storage.Reader) error {
		return r.Get([]byte("large1"), func([]byte) error { return nil })
	})
	if !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("the damaged value: %v", err)
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
}

// TestTrapAValueOfNoSizeEndsTheProcess: Badger panics on a size that makes no sense.
// The read is ErrDataLoss, and the engine fails, for the panic left a lock behind.
func TestTrapAValueOfNoSizeEndsTheProcess(t *testing.T) {
	dir := killed(t)
	f, err := os.OpenFile(filepath.Join(dir, "badger", "000001.vlog"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	// The size of the key, which with that of the value is more than 32 bits hold.
	_, err = f.WriteAt([]byte{0xff, 0xff, 0xff, 0xff, 0x0f, 1}, 20+2)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	e := mustOpen(t, testOptions(dir))
	if _, err := get(e, "large1"); !errors.Is(err, storage.ErrDataLoss) || !strings.Contains(err.Error(), fmt.Sprintf("%x", "large1")) {
		t.Errorf("the damaged value: %v", err)
	}
	if e.Err() == nil {
		t.Error("the engine goes on")
	}
}

// TestTrapAMissingManifestHasAllTablesDeleted: Badger makes a new one, and deletes
// what it does not name. The store does not open, and everything is still there.
func TestTrapAMissingManifestHasAllTablesDeleted(t *testing.T) {
	dir := killed(t)
	removing("badger/MANIFEST")(t, dir)
	before, _ := filepath.Glob(filepath.Join(dir, "badger", "*"))
	if _, err := Open(testOptions(dir)); !errors.Is(err, storage.ErrDataLoss) {
		t.Error(err)
	}
	after, _ := filepath.Glob(filepath.Join(dir, "badger", "*"))
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("files changed:\n%s", diff)
	}
}

// TestTrapADamagedTableEndsTheProcess: Badger exits where the end of a table makes no
// sense. Here it is an error with the table's name.
func TestTrapADamagedTableEndsTheProcess(t *testing.T) {
	for _, at := range []int{-1, -4, -8, -20} {
		dir := killed(t)
		flipping("badger/*.sst", at)(t, dir)
		if _, err := Open(testOptions(dir)); !errors.Is(err, storage.ErrDataLoss) || !strings.Contains(err.Error(), "000001.sst") {
			t.Errorf("byte %d from the end: %v", -at, err)
		}
	}
}

// first gives the first file of a pattern.
func first(t *testing.T, dir, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s in %s: %v", pattern, dir, err)
	}
	return files[0]
}

func removing(pattern string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.RemoveAll(first(t, dir, pattern)); err != nil {
			t.Fatal(err)
		}
	}
}

func cutting(pattern string, size int64) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.Truncate(first(t, dir, pattern), size); err != nil {
			t.Fatal(err)
		}
	}
}

// flipping flips a bit of the byte at an offset, from the end when that is negative.
func flipping(pattern string, at int) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		f, err := os.OpenFile(first(t, dir, pattern), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		whence := io.SeekStart
		if at < 0 {
			whence = io.SeekEnd
		}
		offset, err := f.Seek(int64(at), whence)
		var b [1]byte
		_, readErr := f.ReadAt(b[:], offset)
		b[0] ^= 4
		_, writeErr := f.WriteAt(b[:], offset)
		if err := errors.Join(err, readErr, writeErr, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
