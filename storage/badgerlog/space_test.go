package badgerlog

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// disk is a disk whose free space and clock a test sets.
type disk struct {
	free  uint64
	err   error
	now   time.Time
	asked int
}

func (d *disk) watch(mark uint64) *spaceWatch {
	s := realSystem()
	s.freeBytes = func(string) (uint64, error) {
		d.asked++
		return d.free, d.err
	}
	return &spaceWatch{system: s, clock: func() time.Time { return d.now }, high: mark}
}

func TestTrapDiskFullRefusesPublishes(t *testing.T) {
	d := disk{free: 1000}
	w := d.watch(500)
	for _, c := range []struct {
		free    uint64
		err     error
		accepts bool
	}{{1000, nil, true}, {500, nil, true}, {499, nil, false}, {0, nil, false}, {1000, nil, true}, {1000, errors.New("no statfs"), false}} {
		d.free, d.err = c.free, c.err
		d.now = d.now.Add(time.Second)
		if got := w.space().AcceptsPublishes(); got != c.accepts {
			t.Errorf("with %d bytes free (%v): accepts is %t", c.free, c.err, got)
		}
	}
}

// TestSpaceIsMeasuredSeldom: once in a while, and after much was written.
func TestSpaceIsMeasuredSeldom(t *testing.T) {
	d := disk{free: 1 << 40}
	w := d.watch(0)
	asked := func(want int, when string) {
		t.Helper()
		w.space()
		if d.asked != want {
			t.Errorf("%s: measured %d times, expected %d", when, d.asked, want)
		}
	}
	asked(1, "at first")
	asked(1, "at once again")
	d.now = d.now.Add(maxSpaceAge)
	asked(1, "not too old")
	d.now = d.now.Add(1)
	asked(2, "too old")
	w.wrote(maxUnmeasuredBytes)
	asked(2, "much was written")
	w.wrote(1)
	asked(3, "more was written")
	w.high = d.free/2 + 1
	asked(4, "near the mark")
	asked(5, "near the mark once again")
}

// TestSpaceCountsWhatWasWrittenSince: a measurement in between does not overrate, and
// the disk has the last word where it matters.
func TestSpaceCountsWhatWasWrittenSince(t *testing.T) {
	d := disk{free: 10_000}
	w := d.watch(600)
	for _, c := range []struct {
		wrote, says, want uint64
		asked             int
	}{{0, 10_000, 10_000, 1}, {500, 9_000, 9_500, 1}, {8_300, 9_000, 1_200, 1}, {1, 1_100, 1_100, 2}, {5_000, 500, 500, 3}} {
		d.free = c.says
		w.wrote(c.wrote)
		if got := w.space(); got.FreeBytes != c.want || got.AcceptsPublishes() != (c.want >= 600) || d.asked != c.asked {
			t.Errorf("after %d more bytes: %+v, measured %d times", c.wrote, got, d.asked)
		}
	}
}

func TestHighMarkCoversMemtablesAndACompaction(t *testing.T) {
	o := DefaultOptions("dir")
	if got := o.highMarkBytes(); got != 6*16<<20+2*8*16<<20+64<<20 {
		t.Errorf("the mark is %d MiB", got>>20)
	}
	o.HighMarkBytes = 123
	if got := o.highMarkBytes(); got != 123 {
		t.Errorf("the mark that was asked for is %d", got)
	}
}

// TestOpenOnAFullDiskIsRefused: before Badger dies on it.
func TestOpenOnAFullDiskIsRefused(t *testing.T) {
	dir := t.TempDir()
	e := mustOpen(t, testOptions(dir))
	mustCommit(t, e, batch(1, 1, put("a", "1")))
	mustClose(t, e)
	s := realSystem()
	s.freeBytes = func(string) (uint64, error) { return 33 << 20, nil }
	if _, err := open(testOptions(dir), s); !errors.Is(err, storage.ErrNoSpace) || !strings.Contains(err.Error(), "make room") {
		t.Errorf("open with 33 MiB: %v", err)
	}
	s.freeBytes = func(string) (uint64, error) { return 34 << 20, nil }
	e = mustOpenOn(t, testOptions(dir), s)
	if e.Space().AcceptsPublishes() {
		t.Error("publishes are accepted with 34 MiB")
	}
	first := batch(2, 1, put("a", "2"))
	first.TakesReserve = true // As the batch that begins a service does.
	mustCommit(t, e, first)
}

// TestTrapDiskFullBelowTheLowMarkNoBatchIsTaken: nothing of it is written, the engine
// goes on, and takes the same batch when there is room.
func TestTrapDiskFullBelowTheLowMarkNoBatchIsTaken(t *testing.T) {
	o := testOptions(t.TempDir())
	free := uint64(1 << 40)
	s := realSystem()
	s.freeBytes = func(string) (uint64, error) { return free, nil }
	e := mustOpenOn(t, o, s)
	number := uint64(0)
	for _, c := range []struct {
		free           uint64
		reserve, taken bool
	}{
		{o.highMarkBytes(), false, true},
		{o.lowMarkBytes(), false, true},
		{o.lowMarkBytes() - 1, false, false},
		{o.lowMarkBytes() - 1, true, true},
		{uint64(o.MemTableBytes) + 100, true, true},
		{uint64(o.MemTableBytes), true, false},
		{0, true, false},
		{o.lowMarkBytes(), false, true},
	} {
		free = c.free
		b := batch(number+1, 1, put("a", "1"))
		b.TakesReserve = c.reserve
		switch err := e.Commit(b); {
		case c.taken && err == nil:
			number++
		case c.taken || !errors.Is(err, storage.ErrNoSpace):
			t.Errorf("%+v: %v", c, err)
		}
		if e.Err() != nil {
			t.Fatalf("%+v: the engine failed: %v", c, e.Err())
		}
	}
	if n := e.Stats().Commits; n != number {
		t.Errorf("%d commits, %d succeeded", n, number)
	}
	mustClose(t, e)
	e = mustOpen(t, testOptions(o.Dir))
	if entries := e.Ledger(); len(entries) != int(number) {
		t.Errorf("the ledger has %d entries of %d batches", len(entries), number)
	}
}

func TestRoomToOpenCoversWhatIsReplayed(t *testing.T) {
	o := DefaultOptions("dir")
	for logs, want := range map[uint64]uint64{
		0:        2*16<<20 + maxWriteBytes,
		10 << 20: 10<<20 + 2*16<<20 + maxWriteBytes,
		48 << 20: 64 << 20,
	} {
		if got := o.roomToOpenBytes(logs); got != want {
			t.Errorf("with logs of %d bytes: %d, expected %d", logs, got, want)
		}
	}
}

func TestLowMarkCoversMemtablesAndABatch(t *testing.T) {
	o := DefaultOptions("dir")
	if got := o.lowMarkBytes(); got != 4*16<<20+32<<20+record.MaxBatchBytes {
		t.Errorf("the mark is %d MiB", got>>20)
	}
	o.HighMarkBytes = 100 << 20
	if got := o.lowMarkBytes(); got > o.HighMarkBytes {
		t.Errorf("the low mark is %d, the high mark %d", got, o.HighMarkBytes)
	}
	o.LowMarkBytes = 101 << 20
	if err := o.Validate(); err == nil {
		t.Error("a low mark above the high mark is legal")
	}
}
