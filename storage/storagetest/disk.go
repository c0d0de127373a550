package storagetest

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"github.com/headrace/headrace/storage"
)

// keptVersions is how many batches back a Disk can be rewound.
const keptVersions = 1024

// Disk is what survives of a Memory: the records as of the last durable commit,
// and the ledger. It is safe for concurrent use.
type Disk struct {
	mu   sync.Mutex
	root *tree
	// past are the records before each of the batches.
	past    []*tree
	batches []diskBatch
	ledger  []storage.LedgerEntry
	owner   *Memory
}

// diskBatch is what a batch changed.
type diskBatch struct {
	number uint64
	ops    []storage.Op
}

func (b *diskBatch) apply(root *tree) *tree {
	for _, op := range b.ops {
		if op.Value == nil {
			root = root.remove(op.Key)
		} else {
			root = root.put(op.Key, op.Value)
		}
	}
	return root
}

// NewDisk gives an empty disk.
func NewDisk() *Disk { return &Disk{} }

// Corrupt changes the stored value of a key behind every engine's back. It panics
// when there is no such key.
func (d *Disk) Corrupt(key []byte, change func(value []byte) []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	value, ok := d.root.get(key)
	if !ok {
		panic(fmt.Sprintf("storagetest: no key %x to corrupt", key))
	}
	d.root = d.root.put(bytes.Clone(key), change(bytes.Clone(value)))
}

// Drop loses a key behind every engine's back. It panics when there is no such
// key.
func (d *Disk) Drop(key []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.root.get(key); !ok {
		panic(fmt.Sprintf("storagetest: no key %x to drop", key))
	}
	d.root = d.root.remove(key)
}

// Rewind loses the last n batches, but not what the ledger says of them: a log
// whose tail was not replayed. It panics for more than the disk remembers.
func (d *Disk) Rewind(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := len(d.past) - n
	d.root, d.past, d.batches = d.past[at], d.past[:at], d.batches[:at]
}

// Lose loses the batches of some numbers and keeps those after them, as a log does
// whose older part was not replayed whole. It panics for one that the disk does not
// remember.
func (d *Disk) Lose(first, last uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := slices.IndexFunc(d.batches, func(b diskBatch) bool { return b.number == first })
	later := slices.Clone(d.batches[at:])
	d.root, d.past, d.batches = d.past[at], d.past[:at], d.batches[:at]
	for i := range later {
		if later[i].number > last {
			d.add(later[i])
		}
	}
}

// EditLedger changes what the ledger remembers.
func (d *Disk) EditLedger(change func([]storage.LedgerEntry) []storage.LedgerEntry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ledger = change(d.ledger)
}

// Len is the number of keys.
func (d *Disk) Len() int {
	n := 0
	d.snapshot().ascend(nil, func([]byte, []byte) bool { n++; return true })
	return n
}

func (d *Disk) snapshot() *tree {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.root
}

// take makes m the one engine of the disk.
func (d *Disk) take(m *Memory) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owner != nil {
		return fmt.Errorf("%w: another Memory is open", storage.ErrLocked)
	}
	d.owner = m
	return nil
}

// leave gives the disk up, if m has it.
func (d *Disk) leave(m *Memory) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owner == m {
		d.owner = nil
	}
}

// apply makes a batch durable, unless m has lost the disk.
func (d *Disk) apply(m *Memory, b *storage.Batch) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owner != m {
		return false
	}
	d.add(clonedBatch(b))
	return true
}

// add makes a batch the last one.
func (d *Disk) add(b diskBatch) {
	d.past, d.batches = append(d.past, d.root), append(d.batches, b)
	if len(d.past) > keptVersions {
		d.past, d.batches = append(d.past[:0], d.past[1:]...), append(d.batches[:0], d.batches[1:]...)
	}
	d.root = b.apply(d.root)
}

func clonedBatch(b *storage.Batch) diskBatch {
	c := diskBatch{number: b.Number, ops: make([]storage.Op, len(b.Ops))}
	for i, op := range b.Ops {
		c.ops[i] = storage.Op{Key: bytes.Clone(op.Key), Value: bytes.Clone(op.Value)}
	}
	return c
}

// note writes a batch into the ledger.
func (d *Disk) note(b *storage.Batch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ledger = append(d.ledger, storage.LedgerEntry{Epoch: b.Epoch, Number: b.Number, Hash: b.Hash})
}

// Import applies puts and deletes to a disk that no engine has open, as the records of
// a store that is restored.
func (d *Disk) Import(ops []storage.Op) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, op := range ops {
		if op.Value == nil {
			d.root = d.root.remove(op.Key)
		} else {
			d.root = d.root.put(bytes.Clone(op.Key), bytes.Clone(op.Value))
		}
	}
	return nil
}

// Adopt makes a batch the only one that the ledger knows.
func (d *Disk) Adopt(last storage.LedgerEntry) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ledger = []storage.LedgerEntry{last}
	return nil
}

// View shows the records of a disk that no engine has open.
func (d *Disk) View(fn func(storage.Reader) error) error {
	return fn(memoryReader{d.snapshot()})
}
