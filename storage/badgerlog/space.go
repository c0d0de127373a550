package badgerlog

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/headrace/headrace/storage"
)

// maxSpaceAge is how old a measurement of the disk may be. It is measured anew when it
// is older, or when much was written since; and always when there is less than twice
// the high mark, for others may be filling the disk.
const (
	maxSpaceAge        = 100 * time.Millisecond
	maxUnmeasuredBytes = 16 << 20
)

// spaceWatch knows how full the disk is, without asking it more often than needed.
// It is safe for concurrent use.
type spaceWatch struct {
	dir    string
	system system
	clock  storage.Clock
	// high is the mark below which publishes are refused, low the one below which
	// every batch is, but for those that may go down to the reserve.
	high, low, reserve uint64

	last    atomic.Pointer[spaceAt]
	written atomic.Uint64
}

type spaceAt struct {
	free uint64
	when time.Time
}

func newSpaceWatch(o *Options, s system) *spaceWatch {
	return &spaceWatch{
		dir: o.Dir, system: s, clock: o.Clock,
		high: o.highMarkBytes(), low: o.lowMarkBytes(), reserve: uint64(o.MemTableBytes),
	}
}

// space is the state of the disk: at most maxSpaceAge old, near the marks as it is.
func (w *spaceWatch) space() storage.Space {
	at := w.last.Load()
	if at == nil || w.clock().Sub(at.when) > maxSpaceAge {
		at = w.measure()
	}
	// What was written since is gone.
	free := at.free - min(at.free, w.written.Load())
	if free/2 < w.high {
		free = w.measure().free
	}
	return storage.Space{FreeBytes: free, HighMarkBytes: w.high, LowMarkBytes: w.low}
}

// admit refuses a batch that could make Badger meet a full disk, which kills the
// process.
func (w *spaceWatch) admit(b *storage.Batch, bytes int) error {
	free := w.space().FreeBytes
	need := w.low
	if b.TakesReserve {
		need = min(need, w.reserve+uint64(bytes))
	}
	if free < need {
		return fmt.Errorf("%w: batch %d: %d MiB are free, %d MiB are kept", storage.ErrNoSpace, b.Number, free>>20, need>>20)
	}
	return nil
}

// wrote tells of a commit.
func (w *spaceWatch) wrote(bytes uint64) {
	if w.written.Add(bytes) > maxUnmeasuredBytes {
		w.measure()
	}
}

// measure asks the disk. When that fails the disk counts as full.
func (w *spaceWatch) measure() *spaceAt {
	at := &spaceAt{when: w.clock()}
	w.written.Store(0)
	if free, err := w.system.freeBytes(w.dir); err == nil {
		at.free = free
	}
	w.last.Store(at)
	return at
}

// checkRoom refuses to open on a disk that Badger could not open on.
func checkRoom(s system, dir string, need uint64) error {
	free, err := s.freeBytes(dir)
	if err != nil {
		return fmt.Errorf("badgerlog: free space of %s: %w", dir, err)
	}
	if free < need {
		return fmt.Errorf("%w: opening %s needs %d MiB, %d MiB are free: make room on that disk",
			storage.ErrNoSpace, dir, need>>20, free>>20)
	}
	return nil
}
