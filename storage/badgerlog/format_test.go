package badgerlog

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headrace/headrace/storage"
)

func TestStoreKeepsItsID(t *testing.T) {
	dir := t.TempDir()
	e := mustOpen(t, testOptions(dir))
	id := e.StoreID()
	mustClose(t, e)
	e = mustOpen(t, testOptions(dir))
	if e.StoreID() != id || id == (StoreID{}) {
		t.Errorf("the store's id was %v, now it is %v", id, e.StoreID())
	}
	other := mustOpen(t, testOptions(t.TempDir()))
	if other.StoreID() == id {
		t.Error("two stores have one id")
	}
}

// TestGoldenFormatFile holds the format file to the bytes that are on disks.
func TestGoldenFormatFile(t *testing.T) {
	f := format{shards: 3}
	for i := range f.store {
		f.store[i] = byte(i)
	}
	const want = "headrace store\nformat 2\nstore 000102030405060708090a0b0c0d0e0f\nshards 3\ncrc32c 39349992\n"
	if got := string(f.encode()); got != want {
		t.Errorf("got %q, expected %q", got, want)
	}
	if got, err := parseFormat([]byte(want)); err != nil || got != f {
		t.Errorf("parsed %+v, %v", got, err)
	}
}

// TestLockedDirectory: another owner is named, and nothing is touched.
func TestLockedDirectory(t *testing.T) {
	dir := t.TempDir()
	e := mustOpen(t, testOptions(dir))
	_, err := Open(testOptions(dir))
	if !errors.Is(err, storage.ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("second open: %v", err)
	}
	mustCommit(t, e, batch(1, 1, put("a", "1")))
	mustClose(t, e)
	mustOpen(t, testOptions(dir))
}

func TestForeignDirectoryIsRefusedUntouched(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(testOptions(dir)); !errors.Is(err, storage.ErrFormat) || !strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("open: %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("the directory now holds %v, %v", files, err)
	}
}

// TestEmptyFileSystemIsAccepted: a fresh mount has one directory of its own.
func TestEmptyFileSystemIsAccepted(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "lost+found"), 0o700); err != nil {
		t.Fatal(err)
	}
	// And a first opening that was killed leaves this.
	if err := os.WriteFile(filepath.Join(dir, formatName+partSuffix), []byte("headr"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, testOptions(dir))
}

func TestOtherFormatsAreRefused(t *testing.T) {
	f := format{shards: 1}
	good := string(f.encode())
	newer := strings.Replace(good, "format 2", "format 3", 1) + "something new\n"
	shards := format{shards: 2}
	for name, c := range map[string]struct {
		file string
		want error
	}{
		"newer":            {newer, storage.ErrFormat},
		"older":            {signed(strings.Replace(strings.TrimSuffix(good, good[len(good)-16:]), "format 2", "format 1", 1)), storage.ErrFormat},
		"foreign":          {"%PDF-1.7\n", storage.ErrFormat},
		"empty":            {"", storage.ErrFormat},
		"no version":       {formatMagic + "forma", storage.ErrFormat},
		"other shards":     {string(shards.encode()), storage.ErrFormat},
		"cut":              {good[:len(good)-3], storage.ErrDataLoss},
		"longer":           {good + "x", storage.ErrDataLoss},
		"flipped":          {strings.Replace(good, "store 0", "store 1", 1), storage.ErrDataLoss},
		"id is too short":  {signed(formatMagic + "format 2\nstore 00\nshards 1\n"), storage.ErrDataLoss},
		"id is not in hex": {signed(formatMagic + "format 2\nstore zz\nshards 1\n"), storage.ErrDataLoss},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, formatName), []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(testOptions(dir)); !errors.Is(err, c.want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", name, err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
			t.Errorf("%s: the directory now holds %v, %v", name, files, err)
		}
	}
}

func signed(text string) string {
	return text + fmt.Sprintf("crc32c %08x\n", crc32.Checksum([]byte(text), castagnoli))
}

// FuzzParseFormat: what is accepted is exactly what would be written.
func FuzzParseFormat(f *testing.F) {
	good := format{shards: 1}
	f.Add(good.encode())
	f.Add([]byte(signed(formatMagic + "format 2\nstore 00\nshards 1\n")))
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := parseFormat(file)
		switch {
		case err == nil && string(got.encode()) != string(file):
			t.Fatalf("accepted %q as %+v", file, got)
		case err != nil && !errors.Is(err, storage.ErrFormat) && !errors.Is(err, storage.ErrDataLoss):
			t.Fatal(err)
		}
	})
}
