//go:build !race

package badgerlog

import (
	"testing"

	"github.com/headrace/headrace/internal/testscale"
	"github.com/headrace/headrace/storage/record"
)

// Badger's collector reads the newest version of a memtable that its writer is about to
// raise, without a lock (DB.MaxVersion): the race detector would report that, and nothing
// of ours is in it.

// TestTrapSpaceComesBackAsFastAsItIsTaken: what passes through is hundreds of times
// what a memtable holds of it, and neither fills the disk nor needs a timer.
func TestTrapSpaceComesBackAsFastAsItIsTaken(t *testing.T) {
	o := spaceOptions(t.TempDir())
	e := mustOpen(t, o)
	p := passing{e: e}
	files := testscale.Sizes{Full: 50, Ordinary: 10, Race: 10}.Now()
	for range files * record.MaxBatchBytes / passingBytes {
		p.commit(t)
		// The disk of a test may be faster than its collector; that is not the point.
		awaitStats(t, e, "the value log gets smaller", func(s Stats) bool { return s.ValueLogBytes < uint64(files/2*record.MaxBatchBytes) })
	}
	awaitStats(t, e, "memtables ended early", func(s Stats) bool { return s.EarlyTables > 2 && s.GCRewrites > 2 })
}
