package badgerlog

import (
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/storage"
)

// TestTrapDiskFullCompactionWaits for room, says so, and goes on by itself; when the
// engine closes meanwhile it stays where it is for ever, and the close is not in order.
func TestTrapDiskFullCompactionWaits(t *testing.T) {
	const need = 16<<20 + 3*compactedTableBytes + 5<<20
	synctest.Test(t, func(t *testing.T) {
		var free atomic.Uint64
		quit := make(chan struct{})
		held := false
		stop := newFailStop(testOptions("").Logger)
		r := tableRoom{
			free: free.Load, memtable: 16 << 20, logs: func() uint64 { return 5 << 20 }, owed: func() int { return 2 },
			stop: stop, log: stop.logger, quit: quit, hold: func() { held = true },
		}
		for _, c := range []struct {
			free uint64
			has  bool
		}{{need, true}, {need - 1, false}, {0, false}} {
			free.Store(c.free)
			if r.has(r.memtable) != c.has {
				t.Errorf("with %d bytes free there is room: %t", c.free, !c.has)
			}
		}
		ended := make(chan struct{})
		wait := func() { r.await(); ended <- struct{}{} }
		go wait()
		time.Sleep(time.Hour) //nolint:forbidigo // in a bubble
		free.Store(1 << 30)
		<-ended
		if held || closed(stop.failed) {
			t.Error("with room again it does not go on")
		}
		free.Store(0)
		go wait()
		close(quit)
		<-ended
		if !held || !closed(stop.failed) {
			t.Error("it goes on into a full disk")
		}
	})
}

// TestTrapDiskFullWhenItCloses: Badger would write tables. It is left as a kill would
// leave it, and the next opening has everything.
func TestTrapDiskFullWhenItCloses(t *testing.T) {
	dir := t.TempDir()
	var full atomic.Bool
	s := realSystem()
	s.freeBytes = func(dir string) (uint64, error) {
		if full.Load() {
			return 4096, nil
		}
		return freeBytes(dir)
	}
	e := mustOpenOn(t, testOptions(dir), s)
	mustCommit(t, e, batch(1, 1, put("a", "1")))
	full.Store(true)
	if err := e.Close(); !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("close: %v", err)
	}
	if !exists(filepath.Join(dir, runningName)) {
		t.Error("it counts as a stop in order")
	}
	image := crashImage(t, dir)
	if err := e.db.Close(); err != nil { // What the end of the process does.
		t.Fatal(err)
	}
	e = mustOpen(t, testOptions(image))
	if got, err := get(e, "a"); err != nil || got != "1" {
		t.Errorf("a = %q, %v", got, err)
	}
}

// TestCollectionLeavesTheDiskAboveTheLowMark: the less is free, the more of a file must
// be dead before it is rewritten.
func TestCollectionLeavesTheDiskAboveTheLowMark(t *testing.T) {
	o := testOptions("dir")
	low, file := o.lowMarkBytes(), uint64(o.ValueLogFileBytes)
	for free, want := range map[uint64]float64{
		1 << 40: 0.5, low + file/2: 0.5, low + file/4: 0.75, low: 0.99, 0: 0.99,
	} {
		if got := o.collectRatio(free); got != want {
			t.Errorf("with %d MiB free: %v, want %v", free>>20, got, want)
		}
	}
}
