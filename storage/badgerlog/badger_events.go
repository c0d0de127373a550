package badgerlog

// Badger tells what it does in its background by log lines only. These are the formats
// of those that matter here, as of 4.9.6; tests see each one told by Badger itself.
const (
	rotatedFormat   = "Flushing memtable, mt.size=%d size of flushChan: %d\n"
	addedFormat     = "[%d] LOG Compact. Added %d keys. Skipped %d keys. Iteration took: %v"
	discardedFormat = "Discard stats: %v"
	compactedFormat = "[Compactor: %d] Compaction for level: %d DONE"
)

// badgerEvents are told what Badger does, in Badger's goroutines.
type badgerEvents struct {
	// rotated: a memtable ended. Commits wait for it.
	rotated func()
	// added: a compactor merged so many keys, and is about to build a table of them.
	added func(compactor int, keys uint64)
	// discarded: a compactor began its last table of a part, and found bytes of the
	// value log dead. It does not delete what it read before this returns.
	discarded func(bytes uint64)
	// compacted: a compactor put its tables in the place of what it read.
	compacted func(compactor int)
}

// debug looks whether a line is an event.
func (e *badgerEvents) debug(format string, args []any) {
	switch format {
	case rotatedFormat:
		e.rotated()
	case addedFormat:
		compactor, _ := args[0].(int)
		keys, _ := args[1].(uint64)
		e.added(compactor, keys)
	case discardedFormat:
		byFile, _ := args[0].(map[uint32]int64)
		var bytes uint64
		for _, n := range byFile {
			bytes += uint64(n)
		}
		e.discarded(bytes)
	case compactedFormat:
		compactor, _ := args[0].(int)
		e.compacted(compactor)
	}
}
