package storage

// Engine keeps one shard's records: an ordered map from keys to values that
// changes by batches. A batch is atomic, conditional on the owner's epoch and
// durable on return. Badger is the first engine; a replicated log with a view
// beside it can be another.
//
// View and Commit may be called at the same time; Commit is called by one
// goroutine at a time.
type Engine interface {
	// View runs fn over one consistent snapshot of everything committed. fn must
	// be short, 50 ms at most, and must not keep what it is handed.
	View(fn func(Reader) error) error
	// Commit applies a batch. It blocks for a bounded time only, and keeps none
	// of the batch's memory. Errors: ErrFenced, ErrNoSpace, ErrTooLarge,
	// ErrUnavailable (surely not applied), ErrUnknown (may be applied). After
	// ErrUnknown the engine takes no more batches; after ErrNoSpace, which is for a
	// disk below the low mark, the same batch can be tried again.
	Commit(b *Batch) error
	// Ledger lists what the engine remembers of batches apart from the records
	// themselves, oldest first, so that recovery can tell a lost tail. Engines
	// without such a memory return nothing.
	Ledger() []LedgerEntry
	// Space says how full the engine's disk is.
	Space() Space
	// Failed is closed when the engine can no longer vouch for what it stored:
	// after it every Commit fails, and the process should stop.
	Failed() <-chan struct{}
	// Err is why Failed was closed, else nil.
	Err() error
	// Close flushes and closes. It is safe to call twice.
	Close() error
}

// Reader reads one snapshot. A damaged value is never handed out: where the
// engine can tell, the call fails with ErrDataLoss.
type Reader interface {
	// Get calls fn with the value of key, or returns ErrNotFound. The value is
	// valid within fn only.
	Get(key []byte, fn func(value []byte) error) error
	// Ascend calls fn for each key that has the prefix and is >= from (from nil:
	// the first), in order, until fn returns false or an error.
	Ascend(prefix, from []byte, fn func(key []byte, value Value) (more bool, err error)) error
	// Descend calls fn for each key that has the prefix and is <= from (from nil:
	// the last), in reverse order, until fn returns false or an error.
	Descend(prefix, from []byte, fn func(key []byte, value Value) (more bool, err error)) error
}

// Value reads the value under an iterator only when asked to.
type Value interface {
	// Read calls fn with the value, which is valid within fn only.
	Read(fn func(value []byte) error) error
}

// Batch is one group commit: puts and deletes that become durable together.
// Applying it is blind and deterministic: no reads, clocks or randomness. The
// committer owns a batch and reuses it after Commit returned.
type Batch struct {
	// Number counts the batches of the shard from 1, without gaps.
	Number uint64
	// Epoch is the owner's. An engine refuses a batch of an epoch below the
	// highest it has seen.
	Epoch uint64
	// Hash is the batch's own hash: over its header and over the hash of the
	// batch before it.
	Hash uint64
	// TakesReserve lets the batch use what lies below the low mark: for the small
	// ones that begin and end a service, which a full disk must not keep from it.
	TakesReserve bool
	// Ops are the changes; no key occurs twice.
	Ops []Op
}

// Op is one change: a put, or a delete when Value is nil. Key and Value may share
// memory with other operations and are valid until Commit returns.
type Op struct {
	Key, Value []byte
}

// LedgerEntry is what an engine's ledger says of one batch.
type LedgerEntry struct {
	Epoch, Number, Hash uint64
}

// Space is the state of the engine's disk.
type Space struct {
	// FreeBytes is what is left for the store.
	FreeBytes uint64
	// HighMarkBytes is the free space below which publishes are refused.
	HighMarkBytes uint64
	// LowMarkBytes is the free space below which no batch is taken, so that the
	// engine never meets a full disk. It is not above the high mark.
	LowMarkBytes uint64
}

// AcceptsPublishes is false when the disk is below the high mark: settles, trims
// and deletes go on.
func (s Space) AcceptsPublishes() bool { return s.FreeBytes >= s.HighMarkBytes }

// AcceptsBatches is false when the disk is below the low mark: everything waits,
// but for batches that take the reserve.
func (s Space) AcceptsBatches() bool { return s.FreeBytes >= s.LowMarkBytes }
