package backup_test

import (
	"bytes"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/inspect"
)

// journal is an engine that remembers every batch that was committed, so that the
// state as of each of them is known.
type journal struct {
	storage.Engine

	mu      sync.Mutex
	more    *sync.Cond
	batches []storage.Batch
}

func newJournal(engine storage.Engine) *journal {
	j := &journal{Engine: engine}
	j.more = sync.NewCond(&j.mu)
	return j
}

// Commit implements storage.Engine.
func (j *journal) Commit(b *storage.Batch) error {
	err := j.Engine.Commit(b)
	if err != nil {
		return err
	}
	kept := *b
	kept.Ops = nil
	for _, op := range b.Ops {
		kept.Ops = append(kept.Ops, storage.Op{Key: bytes.Clone(op.Key), Value: bytes.Clone(op.Value)})
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.batches = append(j.batches, kept)
	j.more.Broadcast()
	return nil
}

// last is the number of the last batch.
func (j *journal) last() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.batches[len(j.batches)-1].Number
}

// awaitNext waits until one more batch is committed.
func (j *journal) awaitNext() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for n := len(j.batches); n == len(j.batches); {
		j.more.Wait()
	}
}

// asOf is every record as of a batch.
func (j *journal) asOf(number uint64) map[string]string {
	j.mu.Lock()
	defer j.mu.Unlock()
	records := map[string]string{}
	for _, b := range j.batches {
		if b.Number > number {
			break
		}
		for _, op := range b.Ops {
			if op.Value == nil {
				delete(records, string(op.Key))
			} else {
				records[string(op.Key)] = string(op.Value)
			}
		}
	}
	return records
}

// recordsOf is every record that a viewer shows.
func recordsOf(t *testing.T, v inspect.Viewer) map[string]string {
	t.Helper()
	records := map[string]string{}
	err := v.View(func(r storage.Reader) error {
		return r.Ascend(nil, nil, func(key []byte, value storage.Value) (bool, error) {
			name := string(key)
			return true, value.Read(func(value []byte) error {
				records[name] = string(value)
				return nil
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// sameRecords compares records byte by byte, and says which keys differ.
func sameRecords(t *testing.T, want, got map[string]string) {
	t.Helper()
	if maps.Equal(want, got) {
		return
	}
	keys := map[string]bool{}
	for key := range want {
		keys[key] = true
	}
	for key := range got {
		keys[key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if diff := cmp.Diff(want[key], got[key]); diff != "" {
			t.Errorf("key %q (-want +got):\n%.300s", key, diff)
		}
	}
}
