package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

var _ storage.Engine = (*Memory)(nil)

// Memory is an engine in memory. It keeps the promises of storage.Engine, takes
// what record's limits say, and does as told by its faults.
type Memory struct {
	disk   *Disk
	failed chan struct{}

	mu     sync.Mutex
	err    error
	closed bool
	epoch  uint64
	last   uint64
	space  storage.Space
	faults faults
}

// OpenMemory opens an engine over a disk, which no other one may have open.
func OpenMemory(d *Disk) (*Memory, error) {
	m := &Memory{disk: d, failed: make(chan struct{}), space: storage.Space{FreeBytes: math.MaxUint64}}
	if err := d.take(m); err != nil {
		return nil, err
	}
	for _, e := range m.Ledger() {
		m.epoch = max(m.epoch, e.Epoch)
	}
	return m, nil
}

// View implements storage.Engine.
func (m *Memory) View(fn func(storage.Reader) error) error {
	m.mu.Lock()
	closed := m.closed
	m.mu.Unlock()
	if closed {
		return storage.ErrUnavailable
	}
	return fn(memoryReader{m.disk.snapshot()})
}

// Commit implements storage.Engine. It panics when the batch breaks its own rules:
// a key twice, an empty value, a gap in the numbers.
func (m *Memory) Commit(b *storage.Batch) error {
	checkBatch(b)
	f, err := m.admit(b)
	if err != nil {
		return err
	}
	f.wait()
	if f.Err == nil || f.Applied {
		if !m.disk.apply(m, b) {
			return fmt.Errorf("%w: crashed", storage.ErrUnavailable)
		}
		m.disk.note(b)
	}
	if errors.Is(f.Err, storage.ErrUnknown) || errors.Is(f.Err, storage.ErrUnavailable) {
		m.Fail(f.Err)
	}
	return f.Err
}

// admit says whether the batch may be tried, and the fault that it meets.
func (m *Memory) admit(b *storage.Batch) (fault, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed || m.err != nil:
		return fault{}, fmt.Errorf("%w: closed or failed", storage.ErrUnavailable)
	case b.Epoch < m.epoch:
		return fault{}, fmt.Errorf("%w: epoch %d, seen %d", storage.ErrFenced, b.Epoch, m.epoch)
	case tooLarge(b):
		return fault{}, storage.ErrTooLarge
	case !m.space.AcceptsBatches() && !b.TakesReserve:
		return fault{}, storage.ErrNoSpace
	case m.last != 0 && b.Number != m.last+1:
		panic(fmt.Sprintf("storagetest: batch %d after batch %d", b.Number, m.last))
	}
	f := m.faults.take(b.Number)
	m.epoch = b.Epoch
	if f.Err == nil {
		m.last = b.Number
	}
	return f, nil
}

// Ledger implements storage.Engine.
func (m *Memory) Ledger() []storage.LedgerEntry {
	m.disk.mu.Lock()
	defer m.disk.mu.Unlock()
	return slices.Clone(m.disk.ledger)
}

// Space implements storage.Engine.
func (m *Memory) Space() storage.Space {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.space
}

// Failed implements storage.Engine.
func (m *Memory) Failed() <-chan struct{} { return m.failed }

// Err implements storage.Engine.
func (m *Memory) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Close implements storage.Engine.
func (m *Memory) Close() error {
	m.shut()
	return nil
}

// shut refuses everything from now on and gives the disk up.
func (m *Memory) shut() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.disk.leave(m)
}

// checkBatch panics for a batch that no engine may be handed.
func checkBatch(b *storage.Batch) {
	seen := make(map[string]struct{}, len(b.Ops))
	for _, op := range b.Ops {
		if _, twice := seen[string(op.Key)]; twice || len(op.Key) == 0 {
			panic(fmt.Sprintf("storagetest: key %x is empty or twice in batch %d", op.Key, b.Number))
		}
		if op.Value != nil && len(op.Value) == 0 {
			panic(fmt.Sprintf("storagetest: empty value for key %x", op.Key))
		}
		seen[string(op.Key)] = struct{}{}
	}
}

func tooLarge(b *storage.Batch) bool {
	inline, all := 0, 0
	for _, op := range b.Ops {
		all += len(op.Key) + len(op.Value)
		inline += len(op.Key)
		if len(op.Value) < record.InlineValueBytes {
			inline += len(op.Value)
		}
	}
	return len(b.Ops) > record.MaxBatchKeys || inline > record.MaxBatchInlineBytes || all > record.MaxBatchBytes
}

// memoryReader reads one snapshot.
type memoryReader struct{ root *tree }

// Get implements storage.Reader.
func (r memoryReader) Get(key []byte, fn func([]byte) error) error {
	value, ok := r.root.get(key)
	if !ok {
		return storage.ErrNotFound
	}
	return memoryValue(value).Read(fn)
}

// Ascend implements storage.Reader.
func (r memoryReader) Ascend(prefix, from []byte, fn func([]byte, storage.Value) (bool, error)) error {
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	w := memoryWalk{prefix: prefix, fn: fn}
	r.root.ascend(from, w.visit)
	return w.err
}

// Descend implements storage.Reader.
func (r memoryReader) Descend(prefix, from []byte, fn func([]byte, storage.Value) (bool, error)) error {
	above := func(key []byte) bool {
		return bytes.Compare(key, prefix) > 0 && !bytes.HasPrefix(key, prefix) || from != nil && bytes.Compare(key, from) > 0
	}
	w := memoryWalk{prefix: prefix, fn: fn}
	r.root.descend(above, w.visit)
	return w.err
}

// memoryWalk hands keys to fn until the prefix ends, or fn says so.
type memoryWalk struct {
	prefix []byte
	fn     func([]byte, storage.Value) (bool, error)
	err    error
}

func (w *memoryWalk) visit(key, value []byte) (more bool) {
	if !bytes.HasPrefix(key, w.prefix) {
		return false
	}
	more, w.err = w.fn(bytes.Clone(key), memoryValue(value))
	return more && w.err == nil
}

type memoryValue []byte

// Read implements storage.Value. The value is a copy, scribbled over afterwards,
// so that who keeps it is found.
func (v memoryValue) Read(fn func([]byte) error) error {
	if len(v) == 0 {
		return fmt.Errorf("%w: empty value", storage.ErrDataLoss)
	}
	value := bytes.Clone(v)
	defer func() {
		for i := range value {
			value[i] = 0xa5
		}
	}()
	return fn(value)
}
