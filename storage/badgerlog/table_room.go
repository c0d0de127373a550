package badgerlog

import (
	"log/slog"
	"time"
)

// compactedTableBytes is what a compaction's table takes: Badger makes them of 2 MiB on
// the level to which level 0 goes, larger ones below it in stores of gigabytes of
// records.
const compactedTableBytes = 4 << 20

// roomInterval is how often a compaction that waits for room looks for it.
const roomInterval = 100 * time.Millisecond

// tableRoom lets a compaction build a table only when the disk has room for it: Badger
// writes tables through mappings, and a full disk ends the process.
type tableRoom struct {
	// free asks the disk.
	free func() uint64
	// memtable is the size of one, logs what all of them have, which may become
	// tables meanwhile.
	memtable uint64
	logs     func() uint64
	// owed is how many tables are being built.
	owed func() int
	stop *failStop
	log  *slog.Logger
	// quit is closed when the engine closes.
	quit <-chan struct{}
	// hold never returns.
	hold func()
}

// has says whether one more table fits, beside those that are being built, those of the
// memtables, and what memtables get meanwhile.
func (r *tableRoom) has(more uint64) bool {
	return r.free() >= r.logs()+more+uint64(r.owed()+1)*compactedTableBytes
}

// await waits until one more table fits. A compaction that must not go on when the
// engine closes stays where it is: the engine fails, and its input is there at the next
// opening.
func (r *tableRoom) await() {
	if r.has(r.memtable) {
		return
	}
	r.log.Warn("The disk is too full for a compaction: it waits. Make room.", "free_bytes", r.free())
	looks := time.NewTicker(roomInterval)
	defer looks.Stop()
	for {
		select {
		case <-looks.C:
			if r.has(r.memtable) {
				r.log.Info("The disk has room again: the compaction goes on.")
				return
			}
		case <-r.quit:
			if !r.has(0) { // Memtables get nothing any more.
				_ = r.stop.trip("the disk is too full to end a compaction and to close in order: %d bytes are free", r.free())
				r.hold()
			}
			return
		}
	}
}

// pendingTables is how many tables memtables may become at any time: those that wait,
// and the one that is written.
func (o *Options) pendingTables() uint64 { return uint64(o.MemTables) + 1 }

// roomToCloseBytes is what closing needs: what the write-ahead logs hold becomes
// tables.
func (o *Options) roomToCloseBytes(logBytes uint64) uint64 {
	const reserveBytes = 4 << 20
	return logBytes + reserveBytes
}

// collectRatio is the share of dead bytes from which on a value log file is rewritten
// when so much is free: what lives in it is written again before it goes, and has to
// fit above the low mark.
func (o *Options) collectRatio(free uint64) float64 {
	const most = 0.99
	room := free - min(free, o.lowMarkBytes())
	return min(most, max(o.GCDiscardRatio, 1-float64(room)/float64(o.ValueLogFileBytes)))
}
