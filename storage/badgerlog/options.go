package badgerlog

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// Options says where an engine keeps its records, and how. DefaultOptions gives
// the ones to start from.
type Options struct {
	// Dir is the store's directory. It is created when missing, and must be empty
	// or a store.
	Dir string
	// Shards is the number of shards of the store, fixed when it is created.
	// Default: 1.
	Shards uint32

	// MemTableBytes is the size of a memtable. Small ones make deletes reach the
	// value log's garbage collection soon. Default: 16 MiB.
	MemTableBytes int64
	// MemTables is how many memtables there may be. Default: 3.
	MemTables int
	// LevelZeroTables is how many tables of level 0 start a compaction; at
	// LevelZeroStall of them writes wait. Defaults: 2 and 8.
	LevelZeroTables, LevelZeroStall int
	// Compactors is how many compactions run at a time, at least 2. Default: 2.
	Compactors int
	// ValueLogFileBytes is where a value log file ends. The last one is read whole
	// after a crash. Default: 128 MiB.
	ValueLogFileBytes int64

	// RotateBytes is how much may go to the value log before a memtable ends, full or
	// not, so that what was deleted meanwhile can be collected. It is less while the
	// disk is short, and more while little is deleted. Default: 512 MiB.
	RotateBytes int64
	// GCInterval is how often the value log is collected, besides whenever
	// compactions found enough of it dead. Default: 2 minutes; 0 means never at all.
	GCInterval time.Duration
	// GCDiscardRatio is the share of dead bytes from which on a value log file is
	// rewritten, between 0 and 1. Default: 0.5.
	GCDiscardRatio float64
	// GCHoldBack holds collections back while commits take longer than this on
	// average, for a few intervals at most. Default: 100 ms.
	GCHoldBack time.Duration

	// HighMarkBytes is the free space below which publishes are refused. Default
	// (0): six memtables, the largest compaction and 64 MiB.
	HighMarkBytes uint64
	// LowMarkBytes is the free space below which no batch is taken. It must not be
	// above the high mark. Default (0): all memtables and one more, the largest batch
	// and 32 MiB, or the high mark where that is less.
	LowMarkBytes uint64
	// BallastBytes is the size of the file that is given up when the store has to be
	// opened on a full disk; 0: none. Default: 64 MiB.
	BallastBytes uint64
	// CommitTimeout is how long a commit may hang before the engine gives up and
	// fails. Default: 1 minute.
	CommitTimeout time.Duration
	// DescriptorInterval is how often the open descriptors are counted. Default: 1
	// second.
	DescriptorInterval time.Duration

	// Logger gets what an operator should know, and at level debug what Badger
	// says. Default: nothing is logged.
	Logger *slog.Logger
	// Clock gives the time for measuring. Default: time.Now.
	Clock storage.Clock

	// restores: the store is made to be filled by a restoration.
	restores bool
}

// DefaultOptions are the options to start from, for two cores.
func DefaultOptions(dir string) Options {
	return Options{
		Dir:                dir,
		Shards:             1,
		MemTableBytes:      16 << 20,
		MemTables:          3,
		LevelZeroTables:    2,
		LevelZeroStall:     8,
		Compactors:         2,
		ValueLogFileBytes:  128 << 20,
		BallastBytes:       64 << 20,
		RotateBytes:        512 << 20,
		GCInterval:         2 * time.Minute,
		GCDiscardRatio:     0.5,
		GCHoldBack:         100 * time.Millisecond,
		CommitTimeout:      time.Minute,
		DescriptorInterval: time.Second,
		Logger:             slog.New(slog.DiscardHandler),
		Clock:              time.Now,
	}
}

// Validate says what is wrong with the options, all of it.
func (o *Options) Validate() error {
	var wrong []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf("badgerlog: "+format, args...))
		}
	}
	check(o.Dir != "", "Dir is empty")
	check(o.Shards >= 1, "Shards is %d, at least 1 is needed", o.Shards)
	check(o.maxTransactionBytes() > maxWriteBytes,
		"MemTableBytes is %d: a batch of %d bytes must fit 15 %% of it", o.MemTableBytes, maxWriteBytes)
	check(o.MemTables >= 1, "MemTables is %d, at least 1 is needed", o.MemTables)
	check(o.LevelZeroTables >= 1 && o.LevelZeroStall > o.LevelZeroTables,
		"LevelZeroStall (%d) must be above LevelZeroTables (%d), and that above 0", o.LevelZeroStall, o.LevelZeroTables)
	check(o.Compactors >= 2, "Compactors is %d, at least 2 are needed", o.Compactors)
	check(o.ValueLogFileBytes >= record.MaxBatchBytes && o.ValueLogFileBytes < 2<<30,
		"ValueLogFileBytes is %d, legal is %d to 2 GiB", o.ValueLogFileBytes, record.MaxBatchBytes)
	check(o.RotateBytes >= record.MaxBatchBytes, "RotateBytes is %d, at least %d are needed", o.RotateBytes, record.MaxBatchBytes)
	check(o.GCInterval >= 0 && o.GCHoldBack > 0, "GCInterval must not be negative, GCHoldBack must be positive")
	check(o.GCDiscardRatio > 0 && o.GCDiscardRatio < 1, "GCDiscardRatio is %v, legal is between 0 and 1", o.GCDiscardRatio)
	check(o.LowMarkBytes <= o.highMarkBytes(), "LowMarkBytes (%d) is above the high mark (%d)", o.LowMarkBytes, o.highMarkBytes())
	check(o.CommitTimeout > 0 && o.DescriptorInterval > 0, "CommitTimeout and DescriptorInterval must be positive")
	check(o.Logger != nil && o.Clock != nil, "Logger and Clock are needed")
	return errors.Join(wrong...)
}

// maxTransactionBytes is what Badger takes in one transaction.
func (o *Options) maxTransactionBytes() int64 { return 15 * o.MemTableBytes / 100 }

// largestCompactionBytes is what a compaction needs at most before it gives back
// anything: all of level 0 at its stall, and as much of the level below.
func (o *Options) largestCompactionBytes() uint64 {
	return 2 * uint64(o.LevelZeroStall) * uint64(o.MemTableBytes)
}

// highMarkBytes is the free space below which publishes are refused.
func (o *Options) highMarkBytes() uint64 {
	const reserveBytes = 64 << 20
	if o.HighMarkBytes != 0 {
		return o.HighMarkBytes
	}
	return 6*uint64(o.MemTableBytes) + o.largestCompactionBytes() + reserveBytes
}

// lowMarkBytes is the free space below which no batch is taken: all memtables, of
// which each may become a table, and a batch.
func (o *Options) lowMarkBytes() uint64 {
	const reserveBytes = 32 << 20
	if o.LowMarkBytes != 0 {
		return o.LowMarkBytes
	}
	return min(o.pendingTables()*uint64(o.MemTableBytes)+record.MaxBatchBytes+reserveBytes, o.highMarkBytes())
}

// roomToOpenBytes is the free space that opening needs when Badger's write-ahead logs
// take logBytes: every memtable that is replayed becomes a table, a new one is made,
// and the first batch leaves a memtable's room.
func (o *Options) roomToOpenBytes(logBytes uint64) uint64 {
	table := uint64(o.MemTableBytes)
	return min(logBytes+2*table+maxWriteBytes, uint64(o.MemTables+1)*table)
}

// badger gives the options as Badger's.
func (o *Options) badger(dir string, logger badger.Logger) badger.Options {
	b := badger.DefaultOptions(dir)
	b.Logger = logger
	b.SyncWrites = true
	b.DetectConflicts = false
	b.MetricsEnabled = false
	b.MemTableSize = o.MemTableBytes
	b.NumMemtables = o.MemTables
	b.NumLevelZeroTables = o.LevelZeroTables
	b.NumLevelZeroTablesStall = o.LevelZeroStall
	b.NumCompactors = o.Compactors
	b.NumVersionsToKeep = 1
	b.ValueThreshold = record.InlineValueBytes
	b.ValueLogFileSize = o.ValueLogFileBytes
	b.Compression = options.None
	b.BlockCacheSize = 0
	b.IndexCacheSize = 0
	// Not on block read: a block that fails its check ends an iterator, and with it
	// a compaction, without an error, so that one flipped bit would lose the rest
	// of its table. Unchecked it spoils one record, which that one's own checksum
	// tells. Open checks all tables once.
	b.ChecksumVerificationMode = options.NoVerification
	return b
}
