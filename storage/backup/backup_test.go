package backup_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/backup"
	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

var identity = backup.Identity{Store: [16]byte{1, 2, 3}, Shards: 1}

// place is where a store lives, and where one is restored.
type place struct {
	engine func(t *testing.T) storage.Engine
	// restore gives a new, empty target; open opens what was restored there.
	restore func(t *testing.T) (target backup.Target, open func() storage.Engine)
}

var places = map[string]place{
	"memory": {engine: func(t *testing.T) storage.Engine {
		t.Helper()
		return openMemory(t, storagetest.NewDisk())
	}, restore: func(t *testing.T) (backup.Target, func() storage.Engine) {
		t.Helper()
		disk := storagetest.NewDisk()
		return disk, func() storage.Engine { return openMemory(t, disk) }
	}},
	"badger": {engine: func(t *testing.T) storage.Engine {
		t.Helper()
		engine, err := badgerlog.Open(badgerlog.DefaultOptions(t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		return engine
	}, restore: func(t *testing.T) (backup.Target, func() storage.Engine) {
		t.Helper()
		o := badgerlog.DefaultOptions(filepath.Join(t.TempDir(), "restored"))
		r, err := badgerlog.BeginRestoration(o)
		if err != nil {
			t.Fatal(err)
		}
		return r, func() storage.Engine {
			if err := r.Finish(); err != nil {
				t.Fatal(err)
			}
			engine, err := badgerlog.Open(o)
			if err != nil {
				t.Fatal(err)
			}
			return engine
		}
	}},
}

func openMemory(t *testing.T, disk *storagetest.Disk) *storagetest.Memory {
	t.Helper()
	m, err := storagetest.OpenMemory(disk)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// pacedWriter lets at least one batch be committed before each of the first writes,
// so that a backup overlaps with the load, and ends the load with the last of them, so
// that it does not outrun a backup on a slow machine.
type pacedWriter struct {
	bytes.Buffer

	journal *journal
	waits   int
	last    func()
}

func (w *pacedWriter) Write(p []byte) (int, error) {
	if w.waits > 0 {
		w.waits--
		w.journal.awaitNext()
		if w.waits == 0 {
			w.last()
		}
	}
	return w.Buffer.Write(p)
}

// TestARestoredStoreIsTheStoreAsOfTheBackupsLastBatch: with a load going on during the
// backup, every record is byte by byte what it was, everything acknowledged up to
// there is readable, and recovery finds nothing to complain about.
func TestARestoredStoreIsTheStoreAsOfTheBackupsLastBatch(t *testing.T) {
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			j := newJournal(place.engine(t))
			engine := backup.Over(j, identity)
			l := startLoad(t, engine)
			for range 100 {
				j.awaitNext()
			}
			before := j.last()
			w := &pacedWriter{journal: j, waits: 30, last: l.enough}
			contents, err := engine.Backup(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			l.stop(t)
			if contents.Identity != identity || contents.LastBatch < before || contents.Batches < 10 {
				t.Errorf("%+v; the last batch before was %d", contents, before)
			}
			target, open := place.restore(t)
			restored, err := backup.Restore(&w.Buffer, target)
			if err != nil {
				t.Fatal(err)
			}
			if restored.LastBatch != contents.LastBatch || restored.Messages != contents.Messages {
				t.Errorf("restored %+v of %+v", restored, contents)
			}
			sameRecords(t, j.asOf(contents.LastBatch), recordsOf(t, target))
			opensInSilence(t, open(), l, restored)
		})
	}
}

// opensInSilence opens what was restored, compares what is readable with what was
// acknowledged, and wants no complaint.
func opensInSilence(t *testing.T, engine storage.Engine, l *load, restored backup.Contents) {
	t.Helper()
	var complaints strings.Builder
	logger := slog.New(slog.NewTextHandler(&complaints, &slog.HandlerOptions{Level: slog.LevelWarn}))
	h := storagetest.NewStoreHarness(t, func(testing.TB) storage.Engine { return engine },
		shardlog.Options{Logger: logger})
	h.Damaged = true // The walk would need a second engine; Restore has done it.
	next := map[storage.PartitionID]storage.Offset{}
	for _, p := range restored.Positions {
		next[p.Partition] = p.Next
	}
	found := 0
	for p := range l.acked {
		id := storage.PartitionID{Topic: l.topic.ID, Partition: uint16(p)}
		if h.Head(id) != next[id] {
			t.Errorf("%v ends at %d, the backup says %d", id, h.Head(id), next[id])
		}
		first, bodies := h.Retained(id)
		for at, body := range l.acked[p] {
			if at < first || at >= next[id] {
				continue
			}
			found++
			if bodies[at-first] != body {
				t.Errorf("%v, offset %d: another message than was acknowledged", id, at)
			}
		}
	}
	if found == 0 {
		t.Error("nothing that was acknowledged is retained: the test shows nothing")
	}
	h.MustPublish(storage.PartitionID{Topic: l.topic.ID}, "the next one")
	h.Stop()
	h.Store = nil
	if complaints.Len() > 0 {
		t.Errorf("recovery complains:\n%s", complaints.String())
	}
}

// TestAStoppedStoreIsBackedUpAsItIs: without a commit there is nothing to redo.
func TestAStoppedStoreIsBackedUpAsItIs(t *testing.T) {
	disk := stoppedDisk(t)
	var file bytes.Buffer
	contents, err := backup.Write(t.Context(), &file, disk, identity)
	if err != nil || contents.Batches != 0 || contents.FirstBatch != 0 || contents.Messages != 3 {
		t.Fatalf("%+v, %v", contents, err)
	}
	restored := storagetest.NewDisk()
	if _, err := backup.Restore(&file, restored); err != nil {
		t.Fatal(err)
	}
	sameRecords(t, recordsOf(t, disk), recordsOf(t, restored))
}

// stoppedDisk has a store with three messages and a subscription.
func stoppedDisk(t *testing.T) *storagetest.Disk {
	t.Helper()
	disk := storagetest.NewDisk()
	h := storagetest.NewStoreHarness(t, func(testing.TB) storage.Engine { return openMemory(t, disk) }, shardlog.Options{})
	h.Damaged = true // The test does as it likes with the disk.
	topic := h.MustCreateTopic("orders", 2)
	h.MustSubscribe("billing", topic.ID, storage.Start{})
	h.MustPublish(storage.PartitionID{Topic: topic.ID}, "a", "b")
	h.MustPublish(storage.PartitionID{Topic: topic.ID, Partition: 1}, strings.Repeat("c", 5000))
	h.Stop()
	h.Store = nil
	return disk
}

// TestADamagedRecordIsNotBackedUp: the backup says which one it is.
func TestADamagedRecordIsNotBackedUp(t *testing.T) {
	disk := stoppedDisk(t)
	key := record.AppendPointerKey(nil, storage.PartitionID{Topic: 1}, 0)
	disk.Corrupt(key, func(value []byte) []byte {
		value[3] ^= 1
		return value
	})
	if _, err := backup.Write(t.Context(), io.Discard, disk, identity); !errors.Is(err, storage.ErrDataLoss) {
		t.Error(err)
	}
}

// stuckWriter hangs in its first write until it is let go.
type stuckWriter struct{ writing, free chan struct{} }

func (w *stuckWriter) Write(p []byte) (int, error) {
	select {
	case w.writing <- struct{}{}:
	default:
	}
	<-w.free
	return len(p), nil
}

// TestASlowReaderFailsTheBackupAndNoCommit: what waits is bounded, and dropped.
func TestASlowReaderFailsTheBackupAndNoCommit(t *testing.T) {
	engine := backup.Over(openMemory(t, storagetest.NewDisk()), identity)
	w := &stuckWriter{writing: make(chan struct{}, 1), free: make(chan struct{})}
	result := make(chan error, 1)
	go func() {
		_, err := engine.Backup(context.Background(), w)
		result <- err
	}()
	<-w.writing
	if _, err := engine.Backup(t.Context(), io.Discard); !errors.Is(err, backup.ErrRunning) {
		t.Errorf("a second backup: %v", err)
	}
	const largeBytes = 32 << 20
	large := bytes.Repeat([]byte{'x'}, largeBytes)
	for n := range uint64(10) {
		b := &storage.Batch{Number: n + 1, Epoch: 1, Ops: []storage.Op{{Key: []byte{'s'}, Value: large}}}
		if err := engine.Commit(b); err != nil {
			t.Fatal(err)
		}
	}
	close(w.free)
	if err := <-result; !errors.Is(err, backup.ErrTooSlow) {
		t.Errorf("the slow backup: %v", err)
	}
}

func TestABackupEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := backup.Write(ctx, io.Discard, stoppedDisk(t), identity); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
