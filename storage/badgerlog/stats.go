package badgerlog

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
)

// Stats are an engine's figures at one moment. Counters count from Open.
type Stats struct {
	// Commits that succeeded, their operations and bytes, and how long they took
	// together.
	Commits, Ops, Bytes uint64
	CommitTime          time.Duration
	// LedgerWrites counts entries of the commit ledger.
	LedgerWrites uint64
	// GCRuns counts collections of the value log, GCRewrites the files that they
	// rewrote, GCHeldBack those that slow commits held back, GCErrors those that
	// failed.
	GCRuns, GCRewrites, GCHeldBack, GCErrors uint64
	// EarlyTables counts memtables that were ended before they were full, so that
	// space comes back.
	EarlyTables uint64
	// CheckedTables counts tables of compactions that were seen to be there before
	// what they were made of was deleted.
	CheckedTables uint64
	// BadgerErrors counts the errors that Badger logged.
	BadgerErrors uint64
	// LSMBytes, LogBytes and ValueLogBytes are what Badger's tables, write-ahead
	// logs and value logs take on disk.
	LSMBytes, LogBytes, ValueLogBytes uint64
	// FreeBytes is what the disk has left, HighMarkBytes the mark below which
	// publishes are refused, LowMarkBytes the one below which nothing is stored.
	FreeBytes, HighMarkBytes, LowMarkBytes uint64
	// BallastBytes is what the ballast takes; 0: there is none to give up.
	BallastBytes uint64
	// AsideBytes is what copies take that openings made after stops that were not in
	// order. AsideTime is how long this opening took for its copy; 0: it made none.
	AsideBytes uint64
	AsideTime  time.Duration
	// Descriptors are open, of DescriptorLimit.
	Descriptors, DescriptorLimit uint64
}

// counters are what the committer counts.
type counters struct {
	commits, ops, bytes atomic.Uint64
	nanos, average      atomic.Int64
}

// averageShift makes the average one over some 8 commits.
const averageShift = 3

// committed counts a commit. Committer only.
func (c *counters) committed(ops, bytes int, took time.Duration) {
	c.commits.Add(1)
	c.ops.Add(uint64(ops))
	c.bytes.Add(uint64(bytes))
	c.nanos.Add(int64(took))
	average := c.average.Load()
	c.average.Store(average + (int64(took)-average)>>averageShift)
}

// commitAverage is how long commits took lately.
func (c *counters) commitAverage() time.Duration { return time.Duration(c.average.Load()) }

// Stats gives the engine's figures. It looks at Badger's files, so it is for every
// few seconds.
func (e *Engine) Stats() Stats {
	space := e.Space()
	s := Stats{
		Commits:         e.counters.commits.Load(),
		Ops:             e.counters.ops.Load(),
		Bytes:           e.counters.bytes.Load(),
		CommitTime:      time.Duration(e.counters.nanos.Load()),
		LedgerWrites:    e.ledger.writes.Load(),
		GCRuns:          e.collector.runs.Load(),
		GCRewrites:      e.collector.rewrites.Load(),
		GCHeldBack:      e.collector.heldBack.Load(),
		GCErrors:        e.collector.errors.Load(),
		EarlyTables:     e.rotation.forced.Load(),
		CheckedTables:   e.tally.checked.Load(),
		BadgerErrors:    e.logger.errors.Load(),
		FreeBytes:       space.FreeBytes,
		HighMarkBytes:   space.HighMarkBytes,
		LowMarkBytes:    space.LowMarkBytes,
		BallastBytes:    e.ballast.held(),
		AsideBytes:      e.aside.held(),
		AsideTime:       e.aside.took,
		Descriptors:     e.limits.open.Load(),
		DescriptorLimit: e.limits.limit.Load(),
	}
	s.addFiles(filepath.Join(e.options.Dir, badgerDirName))
	return s
}

// addFiles adds up Badger's files. One that vanishes meanwhile counts nothing.
func (s *Stats) addFiles(dir string) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			continue
		}
		switch filepath.Ext(f.Name()) {
		case ".sst":
			s.LSMBytes += diskBytes(info)
		case ".mem":
			s.LogBytes += diskBytes(info)
		case ".vlog":
			s.ValueLogBytes += diskBytes(info)
		}
	}
}

// logBytes is what Badger's write-ahead logs take on disk.
func logBytes(dir string) uint64 {
	var s Stats
	s.addFiles(dir)
	return s.LogBytes
}

// diskBytes is what a file takes on disk: Badger's logs are sparse.
func diskBytes(info os.FileInfo) uint64 {
	const blockBytes = 512
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Blocks) * blockBytes
	}
	return uint64(info.Size())
}
