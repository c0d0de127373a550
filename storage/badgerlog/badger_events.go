package badgerlog

// Badger tells what it does in its background by log lines only. These are the formats
// of those that matter here, as of 4.9.6; tests see each one told by Badger itself.
const (
	rotatedFormat   = "Flushing memtable, mt.size=%d size of flushChan: %d\n"
	discardedFormat = "Discard stats: %v"
)

// badgerEvents are told what Badger does. They are called in Badger's goroutines, and
// must not wait.
type badgerEvents struct {
	// rotated: a memtable ended.
	rotated func()
	// discarded: a compaction found bytes of the value log dead.
	discarded func(bytes uint64)
}

// debug looks whether a line is an event.
func (e *badgerEvents) debug(format string, args []any) {
	switch format {
	case rotatedFormat:
		e.rotated()
	case discardedFormat:
		if byFile, ok := args[0].(map[uint32]int64); ok {
			var bytes int64
			for _, n := range byFile {
				bytes += n
			}
			e.discarded(uint64(bytes))
		}
	}
}
