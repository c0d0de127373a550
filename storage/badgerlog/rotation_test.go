package badgerlog

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// spaceOptions make files as small as they may be, and collect only what compactions
// found dead, however slow the machine makes commits.
func spaceOptions(dir string) Options {
	o := testOptions(dir)
	o.ValueLogFileBytes, o.RotateBytes = record.MaxBatchBytes, record.MaxBatchBytes
	o.GCInterval, o.GCHoldBack = time.Hour, time.Hour
	return o
}

// passing commits batches whose values are deleted by the next, and nothing else.
type passing struct {
	e      *Engine
	number uint64
}

const passingBytes = 2 << 20

func (p *passing) commit(t *testing.T) {
	t.Helper()
	p.number++
	ops := []storage.Op{{Key: record.AppendSegmentKey(nil, p.number, 0), Value: []byte(strings.Repeat("x", passingBytes))}}
	if p.number > 1 {
		ops = append(ops, storage.Op{Key: record.AppendSegmentKey(nil, p.number-1, 0)})
	}
	mustCommit(t, p.e, batch(p.number, 1, ops...))
}

// awaitStats waits until the figures are as told, and gives up a little before the
// tests' own time is over.
func awaitStats(t *testing.T, e *Engine, what string, ok func(Stats) bool) {
	t.Helper()
	looks := time.NewTicker(10 * time.Millisecond)
	defer looks.Stop()
	ended := nearlyOver(t)
	for {
		s := e.Stats()
		if ok(s) {
			return
		}
		select {
		case <-looks.C:
		case <-e.Failed():
			t.Fatalf("%s: the engine failed: %v", what, e.Err())
		case <-ended:
			t.Fatalf("%s: it never came: %+v", what, s)
		}
	}
}

// TestTrapSpaceComesBackOnAShortDisk: publishes are refused, everything was deleted,
// and nothing more is written that would fill a memtable.
func TestTrapSpaceComesBackOnAShortDisk(t *testing.T) {
	o := spaceOptions(t.TempDir())
	o.RotateBytes = 1 << 40
	var short atomic.Bool
	s := realSystem()
	s.freeBytes = func(string) (uint64, error) {
		if short.Load() {
			return o.highMarkBytes() - 1, nil
		}
		return 1 << 40, nil
	}
	e := mustOpenOn(t, o, s)
	p := passing{e: e}
	const files = 4
	for range files * record.MaxBatchBytes / passingBytes {
		p.commit(t)
	}
	if s := e.Stats(); s.EarlyTables != 0 || s.GCRewrites != 0 {
		t.Errorf("with room %d memtables ended early, %d files were collected", s.EarlyTables, s.GCRewrites)
	}
	short.Store(true)
	e.rotation.rotate(e.rotation.compacted, nil) // As its loop does.
	awaitStats(t, e, "files are collected", func(s Stats) bool { return s.GCRewrites >= files-1 })
}

// TestShortDiskIsLookedAtWhileSegmentsGo: at each tick until the table that has the last
// deletes is not alone, for one table is not compacted.
func TestShortDiskIsLookedAtWhileSegmentsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, padded := rotationOf(t, 200<<20, 150<<20)
		quit := make(chan struct{})
		go r.loop(time.Second, quit)
		for i, c := range []struct {
			deleted int
			padded  bool
		}{{0, true}, {0, false}, {3, true}, {0, true}, {0, false}, {2, true}, {1, true}, {0, true}, {0, false}} {
			r.wrote(batchSize{all: 1, deleted: c.deleted})
			time.Sleep(time.Second) //nolint:forbidigo // in a bubble
			synctest.Wait()
			if got := padded.Swap(0) > 0; got != c.padded {
				t.Errorf("table %d, with %d deletes: padded is %t", i, c.deleted, got)
			}
			r.rotated()
		}
		close(quit)
	})
}

// rotationOf is a rotation on a disk with so much free below the mark; padding is
// counted.
func rotationOf(t *testing.T, high, free uint64) (*rotation, *atomic.Int64) {
	t.Helper()
	o := testOptions(t.TempDir())
	o.HighMarkBytes, o.LowMarkBytes = high, 10<<20
	s := realSystem()
	s.freeBytes = func(string) (uint64, error) { return free, nil }
	var padded atomic.Int64
	r := newRotation(&o, newSpaceWatch(&o, s), newFailStop(o.Logger))
	r.pad = func() error { padded.Add(1); return nil }
	return r, &padded
}

// TestMemtablesEndSoonerOnAShortDisk: after a quarter of what is left above the mark,
// but not after every few messages.
func TestMemtablesEndSoonerOnAShortDisk(t *testing.T) {
	for free, want := range map[uint64]uint64{
		1 << 40: 512 << 20, 100<<20 + 4<<29: 512 << 20, 100<<20 + 4<<28: 256 << 20, 101 << 20: 64 << 20, 1 << 20: 64 << 20,
	} {
		r, _ := rotationOf(t, 100<<20, free)
		if got := r.limit(); got != want {
			t.Errorf("with %d MiB free: after %d MiB, want %d", free>>20, got>>20, want>>20)
		}
	}
}

// TestMemtablesEndForWhatWasDeleted: padding one is not worth while when nothing was,
// and waits when it was little.
func TestMemtablesEndForWhatWasDeleted(t *testing.T) {
	const limit, segment, enough = 512 << 20, 1 << 20, 512 / minDeadShare
	for _, c := range []struct {
		written, deleted int
		due              bool
	}{
		{limit - segment, 2 * enough, false}, {limit, enough, true}, {limit, enough - 1, false}, {limit, 0, false},
		{maxLimits*limit - segment, 1, false}, {maxLimits * limit, 1, true}, {maxLimits * limit, 0, false},
	} {
		r, _ := rotationOf(t, 100<<20, 1<<40)
		r.wrote(batchSize{inline: 5, all: c.written + 5, segments: c.written / segment, deleted: c.deleted})
		if got := r.due(); got != c.due || (len(r.kick) == 1) != c.due {
			t.Errorf("%d MiB written, %d segments deleted: due is %t, want %t", c.written>>20, c.deleted, got, c.due)
		}
	}
}

// TestPaddingEnds: when the memtable did, when it never does, when there is no room
// for it, when the engine stops.
func TestPaddingEnds(t *testing.T) {
	const mib = 1 << 20
	for name, c := range map[string]struct {
		free uint64
		pad  func(r *rotation, n int64) error
		want int64
	}{
		"the memtable ended":     {1 << 40, func(r *rotation, n int64) error { r.endAt(n, 5); return nil }, 5},
		"it never ends":          {1 << 40, func(*rotation, int64) error { return nil }, maxPaddingTables * 16 * mib / (paddingBytes * paddingKeys)},
		"there is no room":       {10*mib + 32*mib - 1, nil, 0},
		"the engine has failed":  {1 << 40, func(r *rotation, _ int64) error { return r.stop.trip("as told") }, 1},
		"padding fails for good": {1 << 40, func(*rotation, int64) error { return errors.New("input/output error") }, 1},
	} {
		r, padded := rotationOf(t, 20*mib, c.free)
		r.pad = func() error { return c.pad(r, padded.Add(1)) }
		r.rotate(1, nil)
		if got := padded.Load(); got != c.want {
			t.Errorf("%s: padded %d times, want %d", name, got, c.want)
		}
		if failed := closed(r.stop.failed); failed != strings.Contains(name, "fail") {
			t.Errorf("%s: the engine failed: %t", name, failed)
		}
	}
}

func (r *rotation) endAt(n, at int64) {
	if n == at {
		r.rotated()
	}
}

// TestReadersSeeNoPadding, whichever way they go; and no batch may write there.
func TestReadersSeeNoPadding(t *testing.T) {
	e := mustOpen(t, testOptions(t.TempDir()))
	mustCommit(t, e, batch(1, 1, put("a", "1"), put("z", "2")))
	if err := padding(e.db); err != nil {
		t.Fatal(err)
	}
	for name, walk := range walks {
		for _, from := range [][]byte{nil, []byte("a"), []byte("z"), {paddingKind}, {paddingKind, 0, 9}} {
			var keys []string
			err := e.View(func(r storage.Reader) error {
				return walk(r, nil, from, func(key []byte, _ storage.Value) (bool, error) {
					keys = append(keys, string(key))
					return true, nil
				})
			})
			if err != nil || strings.Contains(fmt.Sprint(keys), "\xff") {
				t.Errorf("%s from %q: %q, %v", name, from, keys, err)
			}
			if name == "down" && from == nil && len(keys) != 2 {
				t.Errorf("%s from the end: %q", name, keys)
			}
		}
	}
	if err := e.Commit(batch(2, 1, put("\xff\x00\x01", "3"))); err == nil {
		t.Error("a batch may write to padding")
	}
}
