package badgerlog

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/headrace/headrace/storage/record"
)

const (
	// paddingKind begins the keys of padding. No record's does, and no reader sees
	// them.
	paddingKind = 0xff
	// paddingBytes is the size of a padding value: as large as one that stays out of
	// the value log may be, so that there are few.
	paddingBytes = record.InlineValueBytes - 64
	// paddingKeys are written by a transaction, always the same ones, so that one
	// megabyte stays of all padding.
	paddingKeys = 256
	// maxPaddingTables is after how many memtables' worth of padding one that does not
	// end is given up.
	maxPaddingTables = 2
	// shortInterval is how often, at most, a memtable ends for what was deleted while
	// the disk is short.
	shortInterval = 5 * time.Second
	// minDeadShare is the part of what may go to the value log that must have been
	// deleted for a memtable to end: padding costs about as much as what it pads. What
	// is dead although little was deleted waits for maxLimits times as much.
	minDeadShare = 4
	maxLimits    = 4
)

// rotation ends memtables early. What was deleted in the value log can be collected
// only when the deletes have become a table and that was compacted; but a pointer
// takes a hundredth of what it points to, so that gigabytes go to the value log before
// a memtable is full. Badger has no way to end one but to fill it: so, once enough
// went to the value log, padding does.
type rotation struct {
	// every is what may go to the value log before a memtable ends, least what at
	// least goes when the disk is short.
	every, least uint64
	// table is the size of a memtable; compacted is how many of them start a
	// compaction.
	table, compacted uint64
	space            *spaceWatch
	stop             *failStop
	// pad writes some padding.
	pad func() error

	// written went to the value log since the memtable began, deleted are the segments
	// that were deleted since.
	written, deleted atomic.Uint64
	// owed are the memtables that must still end until what the last ones deleted is
	// surely compacted: a table alone is not. At an opening nobody knows.
	owed atomic.Uint64
	// allBytes and allSegments went to the value log since the engine was opened.
	allBytes, allSegments atomic.Uint64
	// ended counts memtables that ended, forced those that padding ended.
	ended, forced atomic.Uint64
	// kick has capacity 1: a memtable is to end.
	kick chan struct{}
}

func newRotation(o *Options, space *spaceWatch, stop *failStop) *rotation {
	r := &rotation{
		every: uint64(o.RotateBytes), least: min(uint64(o.RotateBytes), uint64(o.ValueLogFileBytes)/2),
		table: uint64(o.MemTableBytes), compacted: uint64(o.LevelZeroTables), space: space, stop: stop, kick: make(chan struct{}, 1),
	}
	r.owed.Store(r.compacted - 1)
	return r
}

// wrote tells of a commit.
func (r *rotation) wrote(size batchSize) {
	apart := uint64(size.all - size.inline)
	r.allBytes.Add(apart)
	r.allSegments.Add(uint64(size.segments))
	r.deleted.Add(uint64(size.deleted))
	r.written.Add(apart)
	if r.due() {
		select {
		case r.kick <- struct{}{}:
		default:
		}
	}
}

// due says whether a memtable is to end.
func (r *rotation) due() bool {
	written, limit := r.written.Load(), r.limit()
	if written < limit {
		return false
	}
	dead := r.dead()
	return dead >= limit/minDeadShare || dead > 0 && written >= maxLimits*limit
}

// dead is about how much was deleted in the value log since the memtable began: how
// large a segment was that goes is not known, but how large they are on average.
func (r *rotation) dead() uint64 {
	return r.deleted.Load() * (r.allBytes.Load() / max(1, r.allSegments.Load()))
}

// limit is what may go to the value log now: less where the disk is short, so that
// what is dead does not fill it.
func (r *rotation) limit() uint64 {
	space := r.space.space()
	spare := space.FreeBytes - min(space.FreeBytes, space.HighMarkBytes)
	return min(r.every, max(r.least, spare/4))
}

// rotated tells that a memtable ended.
func (r *rotation) rotated() {
	r.written.Store(0)
	if r.deleted.Swap(0) > 0 {
		r.owed.Store(r.compacted - 1)
	} else if owed := r.owed.Load(); owed > 0 {
		r.owed.Store(owed - 1)
	}
	r.ended.Add(1)
}

// loop ends memtables when told to; and below the high mark at each tick until what was
// deleted is compacted, for there what is dead keeps publishers waiting.
func (r *rotation) loop(interval time.Duration, quit <-chan struct{}) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-r.kick:
			if r.due() {
				r.rotate(1, quit)
			}
		case <-ticker.C:
			if tables := r.unfinished(); tables > 0 && !r.space.space().AcceptsPublishes() {
				r.rotate(tables, quit)
			}
		case <-quit:
			return
		}
	}
}

// unfinished is how many memtables must end until all that was deleted is compacted.
func (r *rotation) unfinished() uint64 {
	if r.deleted.Load() > 0 {
		return r.compacted
	}
	return r.owed.Load()
}

// rotate pads memtables until some of them ended.
func (r *rotation) rotate(tables uint64, quit <-chan struct{}) {
	before := r.ended.Load()
	for range maxPaddingTables * tables * r.table / (paddingBytes * paddingKeys) {
		if closed(quit) || closed(r.stop.failed) || !r.hasRoom(tables) {
			return
		}
		if err := r.pad(); err != nil {
			_ = r.stop.trip("pad a memtable: %w", err)
			return
		}
		if ended := r.ended.Load() - before; ended >= tables {
			r.forced.Add(ended)
			return
		}
	}
}

// hasRoom says whether some memtables and their tables fit above the low mark.
func (r *rotation) hasRoom(tables uint64) bool {
	space := r.space.space()
	return space.FreeBytes >= space.LowMarkBytes+2*tables*r.table
}

// padding writes the padding keys as a transaction of their own.
func padding(db *badger.DB) error {
	value := make([]byte, paddingBytes)
	return db.Update(func(txn *badger.Txn) error {
		for i := range uint16(paddingKeys) {
			if err := txn.Set(binary.BigEndian.AppendUint16([]byte{paddingKind}, i), value); err != nil {
				return fmt.Errorf("padding: %w", err)
			}
		}
		return nil
	})
}
