// Package replay cuts the power of one load at every kind of moment.
//
// A store is loaded on a file system that knows what was synced (fusefs), by victims
// that live one after the other (shardload): they make it, are killed, recover, close
// it in order. What they promise stands in the file system's journal, among the
// operations it depends on. Afterwards the journal is replayed: at a flush of a file,
// or just behind one, the disk is put together as a power cut would have left it then —
// all that was synced before, and of the rest a random part, torn between sectors or
// pages — the store opened on it, everything read, and compared with what had been
// promised up to that point.
//
// Cuts are spread over classes: which kinds of files had something that was not
// synced, and whether the store was being made, recovering, loaded or closing.
package replay
