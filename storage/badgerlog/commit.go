package badgerlog

import (
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

const (
	// pointerBytes is what Badger counts for a value that lies in the value log.
	pointerBytes = 12
	// entryBytes is what Badger counts for an entry besides key and value.
	entryBytes = 2 + 10
	// maxWriteBytes is what the largest batch is counted as.
	maxWriteBytes = record.MaxBatchInlineBytes + record.MaxBatchKeys*(pointerBytes+entryBytes)
)

// Commit implements storage.Engine. The batch is one transaction of Badger's, and
// durable when Commit returns without an error; the ledger's entry is written by
// then, and synced before the next commit. After ErrUnknown the batch's memory must
// not be reused. ErrNoSpace comes before anything is written, and the engine goes on.
func (e *Engine) Commit(b *storage.Batch) error {
	if !e.gate.enter() {
		return fmt.Errorf("%w: closed", storage.ErrUnavailable)
	}
	defer e.gate.leave()
	size, err := e.admit(b)
	if err != nil {
		return err
	}
	start := e.clock()
	if err := e.ledger.begin(storage.LedgerEntry{Epoch: b.Epoch, Number: b.Number, Hash: b.Hash}); err != nil {
		return fmt.Errorf("%w: %w", storage.ErrUnavailable, e.stop.trip("batch %d: %w", b.Number, err))
	}
	if err := e.write(b); err != nil {
		return fmt.Errorf("%w: %w", storage.ErrUnknown, e.stop.trip("commit of batch %d: %w", b.Number, err))
	}
	// Badger may have logged, and only logged, that it could not sync.
	if err := e.stop.cause(); err != nil {
		return fmt.Errorf("%w: batch %d: %w", storage.ErrUnknown, b.Number, err)
	}
	if e.marked {
		e.burials.left.Store(true)
	}
	e.counters.committed(len(b.Ops), size.all, e.clock().Sub(start))
	e.space.wrote(uint64(size.all))
	e.advice.wrote(size.all)
	e.rotation.wrote(size)
	return nil
}

// batchSize is a batch's size in bytes: what stays beside the keys, and that with
// what goes to the value log; and how many segments it writes and deletes.
type batchSize struct{ inline, all, segments, deleted int }

// admit says whether a batch may be tried, and gives its size.
func (e *Engine) admit(b *storage.Batch) (size batchSize, err error) {
	if err := e.stop.cause(); err != nil {
		return size, fmt.Errorf("%w: %w", storage.ErrUnavailable, err)
	}
	if b.Epoch < e.epoch {
		return size, fmt.Errorf("%w: epoch %d, the store has seen %d", storage.ErrFenced, b.Epoch, e.epoch)
	}
	if size, err = checkSize(b); err != nil {
		return size, err
	}
	if err := e.space.admit(b, size.all); err != nil {
		return size, err
	}
	e.epoch = b.Epoch
	return size, nil
}

// checkSize keeps a batch within what fits one transaction of Badger's. The
// committer keeps within it too, so an error is its bug.
func checkSize(b *storage.Batch) (s batchSize, err error) {
	for i := range b.Ops {
		op := &b.Ops[i]
		size := len(op.Key) + len(op.Value)
		s.all += size
		if len(op.Key) > 0 && record.Kind(op.Key[0]) == record.KindSegment {
			if op.Value == nil {
				s.deleted++
			} else {
				s.segments++
			}
		}
		if len(op.Value) < record.InlineValueBytes {
			s.inline += size
		} else {
			s.inline += len(op.Key)
		}
		if len(op.Key) == 0 || op.Value != nil && len(op.Value) == 0 {
			return s, fmt.Errorf("badgerlog: batch %d: key %x: empty keys and values are not legal", b.Number, op.Key)
		}
		if op.Key[0] == paddingKind {
			return s, fmt.Errorf("badgerlog: batch %d: key %x: its first byte is kept for padding", b.Number, op.Key)
		}
	}
	if len(b.Ops) > record.MaxBatchKeys || s.inline > record.MaxBatchInlineBytes || s.all > record.MaxBatchBytes {
		return s, fmt.Errorf("%w: batch %d: %d operations, %d bytes inline, %d in all",
			storage.ErrTooLarge, b.Number, len(b.Ops), s.inline, s.all)
	}
	return s, nil
}

// write commits a batch as one transaction, and gives up after the time-out.
func (e *Engine) write(b *storage.Batch) error {
	txn := e.db.NewTransaction(true)
	defer txn.Discard()
	e.marked = false
	if err := e.fill(txn, b); err != nil {
		return err
	}
	txn.CommitWith(e.complete)
	e.timer.Reset(e.options.CommitTimeout)
	defer e.timer.Stop()
	select {
	case err := <-e.completed:
		clear(e.entries[:len(b.Ops)])
		return err
	case <-e.stop.failed: // Badger's writer may be held.
		return e.stop.cause()
	case <-e.timer.C:
		return fmt.Errorf("no end after %v", e.options.CommitTimeout)
	}
}

// fill puts a batch's operations into a transaction. Badger keeps its entries until
// the commit has ended and not longer, so that they are reused.
func (e *Engine) fill(txn *badger.Txn, b *storage.Batch) error {
	if n := len(b.Ops); n > len(e.entries) {
		e.entries = make([]badger.Entry, max(n, 2*len(e.entries)))
	}
	for i := range b.Ops {
		op := &b.Ops[i]
		if err := e.set(txn, op, &e.entries[i]); err != nil {
			return fmt.Errorf("key %x: %w", op.Key, err)
		}
	}
	return nil
}

func (e *Engine) set(txn *badger.Txn, op *storage.Op, entry *badger.Entry) error {
	entry.Key, entry.Value = op.Key, op.Value
	if op.Value != nil {
		return txn.SetEntry(entry)
	}
	marks, err := e.marks(txn, op.Key)
	if err != nil {
		return err
	}
	if !marks {
		return txn.Delete(op.Key)
	}
	e.marked, entry.Value = true, goneValue
	return txn.SetEntry(entry.WithMeta(goneMark))
}

// newTimer is a timer that is not running.
func newTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}
