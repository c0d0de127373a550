package backup_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/backup"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/storagetest"
)

// lateEngine applies a batch and does not say so before it is told to.
type lateEngine struct {
	storage.Engine

	applied, answer chan struct{}
}

func (e *lateEngine) Commit(b *storage.Batch) error {
	err := e.Engine.Commit(b)
	if b.Number > 1 {
		close(e.applied)
		<-e.answer
	}
	return err
}

// gateWriter hangs in one of its writes, and tells when it is done with a later one.
type gateWriter struct {
	bytes.Buffer

	hangs, tells  int
	writing, free chan struct{}
	told          chan struct{}
}

func (w *gateWriter) Write(p []byte) (int, error) {
	w.hangs--
	w.tells--
	if w.hangs == 0 {
		close(w.writing)
		<-w.free
	}
	if w.tells == 0 {
		close(w.told)
	}
	return w.Buffer.Write(p)
}

// manyKeys is more than one snapshot is used for.
const manyKeys = 1100

func manyOps(n uint64, previous *record.Header) (*record.Header, []storage.Op) {
	h := &record.Header{Number: n, Epoch: 1}
	if previous != nil {
		h.Previous = previous.Hash()
	}
	key := record.AppendBatchKey(nil, n)
	ops := []storage.Op{{Key: key, Value: record.AppendHeader(nil, key, h)}}
	shard := record.AppendShardKey(nil)
	value, err := record.AppendShard(nil, shard, &record.Shard{Epoch: 1})
	if err != nil {
		panic(err)
	}
	ops = append(ops, storage.Op{Key: shard, Value: value})
	for i := range manyKeys {
		ops = append(ops, storage.Op{Key: fmt.Appendf(nil, "g%04d", i), Value: fmt.Append(nil, n)})
	}
	return h, ops
}

// TestABatchThatOnlyTheLastSnapshotShowedIsInTheBackup: one that was applied and not
// yet answered when the scan ended must be written whole.
func TestABatchThatOnlyTheLastSnapshotShowedIsInTheBackup(t *testing.T) {
	late := &lateEngine{openMemory(t, storagetest.NewDisk()), make(chan struct{}), make(chan struct{})}
	engine := backup.Over(late, identity)
	first, ops := manyOps(1, nil)
	if err := engine.Commit(&storage.Batch{Number: 1, Epoch: 1, Hash: first.Hash(), Ops: ops}); err != nil {
		t.Fatal(err)
	}
	// The magic, three writes of the header, three of the first records, three of the
	// others.
	w := &gateWriter{hangs: 5, tells: 10, writing: make(chan struct{}), free: make(chan struct{}), told: make(chan struct{})}
	result := make(chan error, 1)
	var contents backup.Contents
	go func() {
		var err error
		contents, err = engine.Backup(context.Background(), w)
		result <- err
	}()
	<-w.writing
	committed := make(chan error, 1)
	go func() {
		second, ops := manyOps(2, first)
		committed <- engine.Commit(&storage.Batch{Number: 2, Epoch: 1, Hash: second.Hash(), Ops: ops})
	}()
	<-late.applied
	close(w.free)
	<-w.told
	late.answer <- struct{}{}
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	if err := <-committed; err != nil {
		t.Fatal(err)
	}
	restored := storagetest.NewDisk()
	if _, err := backup.Restore(&w.Buffer, restored); err != nil || contents.LastBatch != 2 {
		t.Fatalf("%+v, %v", contents, err)
	}
	_, ops = manyOps(2, first)
	want := map[string]string{string(record.AppendBatchKey(nil, 1)): recordsOf(t, restored)[string(record.AppendBatchKey(nil, 1))]}
	for _, op := range ops {
		want[string(op.Key)] = string(op.Value)
	}
	sameRecords(t, want, recordsOf(t, restored))
}
