package node

import (
	"time"

	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/shardlog"
)

// makeRestless sets every size to the smallest and every interval to a short one, so
// that a test which runs for seconds meets what otherwise happens within days:
// rotation, compaction, collection of the value log, trimming, holes, moves.
func makeRestless(engine *badgerlog.Options, store *shardlog.Options) {
	engine.MemTableBytes = 12_500_000
	engine.LevelZeroTables, engine.LevelZeroStall = 1, 4
	engine.ValueLogFileBytes = record.MaxBatchBytes
	engine.GCInterval = 100 * time.Millisecond
	engine.GCDiscardRatio = 0.1
	engine.GCHoldBack = time.Minute
	engine.HighMarkBytes = 128 << 20
	store.RetentionInterval = 20 * time.Millisecond
	store.HoleAge, store.HoleInterval = 50*time.Millisecond, 20*time.Millisecond
	store.MoveAge, store.MoveBytesPerSecond = 50*time.Millisecond, 256<<20
}
