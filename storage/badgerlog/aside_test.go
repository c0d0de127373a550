package badgerlog

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/headrace/headrace/storage/record"
)

// crashImage gives a copy of an open store's directory: what a kill at this moment
// would leave.
func crashImage(tb testing.TB, dir string) string {
	tb.Helper()
	image := tb.TempDir()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		name, relErr := filepath.Rel(dir, path)
		switch {
		case err != nil || relErr != nil:
			return fmt.Errorf("%w, %w", err, relErr)
		case d.IsDir():
			return os.MkdirAll(filepath.Join(image, name), 0o700)
		default:
			return copySparse(filepath.Join(image, name), path)
		}
	})
	if err != nil {
		tb.Fatal(err)
	}
	return image
}

// awaitQuiet waits until the memtables of an opening have become tables, after which
// Badger's files stay as they are.
func awaitQuiet(t *testing.T, dir string) {
	t.Helper()
	looks := time.NewTicker(time.Millisecond)
	defer looks.Stop()
	ended := nearlyOver(t)
	for {
		names, err := filepath.Glob(filepath.Join(dir, badgerDirName, "*.mem"))
		if err == nil && len(names) <= 1 {
			return
		}
		select {
		case <-looks.C:
		case <-ended:
			t.Fatalf("%d write-ahead logs, %v", len(names), err)
		}
	}
}

// crashed opens a store, commits something and gives what a kill would leave.
func crashed(t *testing.T, dir, value string) string {
	t.Helper()
	o := testOptions(dir)
	o.LevelZeroTables, o.LevelZeroStall = 100, 101 // No compaction moves files about.
	o.ValueLogFileBytes = record.MaxBatchBytes
	e := mustOpen(t, o)
	awaitQuiet(t, dir)
	mustCommit(t, e, batch(e.epoch+1, e.epoch+1, put("a", value), put("large", strings.Repeat(value, 10_000))))
	image := crashImage(t, dir)
	mustClose(t, e)
	return image
}

// logsOf gives the bytes of the files that Badger may cut.
func logsOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	a := aside{badger: dir}
	names, err := a.files()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func sameFiles(a, b map[string][]byte) bool { return maps.EqualFunc(a, b, bytes.Equal) }

// TestTrapBadgerCutsItsLogsAfterACrash: what the crash left is copied before Badger
// sees it, byte for byte. Of a row of crashes the first and the last copy stay; an
// orderly stop ends the row.
func TestTrapBadgerCutsItsLogsAfterACrash(t *testing.T) {
	image := crashed(t, t.TempDir(), "0")
	var first, last map[string][]byte
	check := func(when string, crashes int) {
		t.Helper()
		if got := logsOf(t, filepath.Join(image, asideName, asideFirst)); !sameFiles(got, first) {
			t.Errorf("%s: the first copy has %v", when, slices.Sorted(maps.Keys(got)))
		}
		if got := exists(filepath.Join(image, asideName, asideLast)); got != (crashes > 1) {
			t.Errorf("%s: there is a last copy: %t", when, got)
		}
		if crashes > 1 && !sameFiles(logsOf(t, filepath.Join(image, asideName, asideLast)), last) {
			t.Errorf("%s: the last copy is another", when)
		}
	}
	for crash := 1; crash <= 3; crash++ {
		last = logsOf(t, filepath.Join(image, badgerDirName))
		if crash == 1 {
			first = last
		}
		image = crashed(t, image, strconv.Itoa(crash))
		check(fmt.Sprintf("crash %d", crash), crash)
	}
	last = logsOf(t, filepath.Join(image, badgerDirName))
	mustClose(t, mustOpen(t, testOptions(image)))
	image = crashed(t, image, "4")
	check("an orderly stop", 4)
	first = logsOf(t, filepath.Join(image, badgerDirName))
	image = crashed(t, image, "5")
	check("the first crash after it", 1)
}

// TestOrderlyStopLeavesNoMarker, and nothing is copied; a failed engine leaves it.
func TestOrderlyStopLeavesNoMarker(t *testing.T) {
	dir := t.TempDir()
	e := mustOpen(t, testOptions(dir))
	if !exists(filepath.Join(dir, runningName)) {
		t.Error("an open store has no marker")
	}
	mustCommit(t, e, batch(1, 1, put("a", "1")))
	mustClose(t, e)
	if exists(filepath.Join(dir, runningName)) {
		t.Error("a closed store has a marker")
	}
	e = mustOpen(t, testOptions(dir))
	if s := e.Stats(); s.AsideBytes != 0 || s.AsideTime != 0 {
		t.Errorf("after an orderly stop %d bytes were copied in %v", s.AsideBytes, s.AsideTime)
	}
	_ = e.stop.trip("as told")
	mustClose(t, e)
	if !exists(filepath.Join(dir, runningName)) {
		t.Error("a failed store has no marker")
	}
	e = mustOpen(t, testOptions(dir))
	if s := e.Stats(); s.AsideBytes == 0 || s.AsideTime == 0 {
		t.Errorf("after a failure %d bytes were copied in %v", s.AsideBytes, s.AsideTime)
	}
}

// TestUnreadableMarkerKeepsTheFirstCopy: whoever wrote it, there was a stop before.
func TestUnreadableMarkerKeepsTheFirstCopy(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]int{"0\n": 1, "7\n": 8, "": 2, "x": 2, "-3\n": 2} {
		if err := os.WriteFile(filepath.Join(dir, runningName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := disorderlyStops(dir); err != nil || got != want {
			t.Errorf("%q: %d stops, %v; want %d", text, got, err, want)
		}
	}
}

// TestCopiesAsideKeepHoles: a log of hundreds of megabytes, of which little is
// written, takes little.
func TestCopiesAsideKeepHoles(t *testing.T) {
	image := crashed(t, t.TempDir(), "1")
	e := mustOpen(t, testOptions(image))
	sizes := uint64(0)
	for _, file := range logsOf(t, filepath.Join(image, asideName, asideFirst)) {
		sizes += uint64(len(file))
	}
	if got := e.Stats().AsideBytes; got == 0 || got > sizes/10 {
		t.Errorf("copies of %d bytes take %d", sizes, got)
	}
}

// TestCopiesAsideAreMadeAnewAfterACrashInTheMiddle: of the copying itself.
func TestCopiesAsideAreMadeAnewAfterACrashInTheMiddle(t *testing.T) {
	image := crashed(t, t.TempDir(), "1")
	want := logsOf(t, filepath.Join(image, badgerDirName))
	for _, name := range []string{asidePart, asideOld} {
		if err := os.MkdirAll(filepath.Join(image, asideName, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(image, asideName, name, "00001.mem"), []byte("torn"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mustOpen(t, testOptions(image))
	if !sameFiles(logsOf(t, filepath.Join(image, asideName, asideFirst)), want) {
		t.Error("the copy is another")
	}
	for _, name := range []string{asidePart, asideOld} {
		if exists(filepath.Join(image, asideName, name)) {
			t.Errorf("%s is still there", name)
		}
	}
}

// TestCopiesAsideLeaveTheDiskAboveTheLowMark: without room there is no copy, and the
// store opens; with room for it only in place of an older one, that one goes.
func TestCopiesAsideLeaveTheDiskAboveTheLowMark(t *testing.T) {
	image := crashed(t, crashed(t, crashed(t, t.TempDir(), "1"), "2"), "3")
	lastCopy := filepath.Join(image, asideName, asideLast)
	before := logsOf(t, lastCopy)
	need, err := diskBytesOf(filepath.Join(image, badgerDirName), slices.Collect(maps.Keys(logsOf(t, filepath.Join(image, badgerDirName)))))
	if err != nil {
		t.Fatal(err)
	}
	o := testOptions(image)
	gain := treeBytes(lastCopy)
	for _, c := range []struct {
		free   uint64
		copied bool
	}{
		{o.lowMarkBytes() + need - gain - 1, false},
		{o.lowMarkBytes() + need - gain, true},
	} {
		s := realSystem()
		s.freeBytes = func(string) (uint64, error) { return c.free, nil }
		a := newAside(&o, s)
		if err := a.keep(3); err != nil {
			t.Fatal(err)
		}
		if got := !sameFiles(logsOf(t, lastCopy), before); got != c.copied || (a.took > 0) != c.copied {
			t.Errorf("with %d bytes free there is a new copy: %t, in %v", c.free, got, a.took)
		}
		if exists(filepath.Join(image, asideName, asidePart)) {
			t.Error("half a copy is left")
		}
	}
}
