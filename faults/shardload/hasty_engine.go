package shardload

import (
	"bytes"
	"sync"

	"github.com/headrace/headrace/storage"
)

// hastyEngine says that a batch is durable before it is: what a store would do that
// does not wait for the disk. The harness must see it.
type hastyEngine struct {
	storage.Engine
	// promised is held while a batch is committed that was promised already: the
	// goroutine that commits it unlocks. It guards err.
	promised sync.RWMutex
	err      error
}

var _ storage.Engine = (*hastyEngine)(nil)

// Commit promises the batch and goes on with it in the background.
func (e *hastyEngine) Commit(b *storage.Batch) error {
	e.promised.Lock()
	if e.err != nil {
		defer e.promised.Unlock()
		return e.err
	}
	own := cloneBatch(b)
	go func() {
		defer e.promised.Unlock()
		e.err = e.Engine.Commit(own)
	}()
	return nil
}

// View waits for what was promised.
func (e *hastyEngine) View(fn func(storage.Reader) error) error {
	e.promised.RLock()
	defer e.promised.RUnlock()
	return e.Engine.View(fn)
}

// Close waits for what was promised.
func (e *hastyEngine) Close() error {
	e.promised.Lock()
	defer e.promised.Unlock()
	return e.Engine.Close()
}

func cloneBatch(b *storage.Batch) *storage.Batch {
	own := *b
	own.Ops = make([]storage.Op, len(b.Ops))
	for i, op := range b.Ops {
		own.Ops[i] = storage.Op{Key: bytes.Clone(op.Key), Value: bytes.Clone(op.Value)}
	}
	return &own
}
