package backup_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/backup"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/storagetest"
)

var update = flag.Bool("update", false, "write the golden bytes anew")

// golden is a small backup with every kind of block, always the same.
func golden(tb testing.TB) []byte {
	tb.Helper()
	disk := storagetest.NewDisk()
	engine, err := storagetest.OpenMemory(disk)
	if err != nil {
		tb.Fatal(err)
	}
	e := backup.Over(engine, identity)
	headers := goldenCommit(tb, e, nil, 1)
	// The second batch comes between the header and the first records: it is redone.
	w := &hookWriter{at: 4, hook: func() { goldenCommit(tb, e, headers, 2) }}
	if _, err := e.Backup(tb.Context(), w); err != nil {
		tb.Fatal(err)
	}
	return w.Bytes()
}

func goldenCommit(tb testing.TB, e storage.Engine, previous *record.Header, n uint64) *record.Header {
	tb.Helper()
	h := &record.Header{Number: n, Epoch: 1}
	if previous != nil {
		h.Previous = previous.Hash()
	}
	p := storage.PartitionID{Topic: 1}
	put := func(key, value []byte) storage.Op { return storage.Op{Key: key, Value: value} }
	header, partition, topic := record.AppendBatchKey(nil, n), record.AppendPartitionKey(nil, p), record.AppendTopicKey(nil, 1)
	value, err := record.AppendTopic(nil, topic, &storage.Topic{ID: 1, Name: "orders", Partitions: 1, State: storage.Active})
	if err != nil {
		tb.Fatal(err)
	}
	ops := []storage.Op{
		put(header, record.AppendHeader(nil, header, h)),
		put(topic, value),
		put(partition, record.AppendPartition(nil, partition, &record.Partition{
			First: record.Mark{Offset: 3}, Head: record.Mark{Offset: storage.Offset(3 + n), Before: record.Totals{Messages: n, Bytes: 10 * n}},
		})),
	}
	if n > 1 {
		ops = append(ops, storage.Op{Key: []byte("gone")})
	} else {
		ops = append(ops, put([]byte("gone"), []byte("value")))
	}
	if err := e.Commit(&storage.Batch{Number: n, Epoch: 1, Hash: h.Hash(), Ops: ops}); err != nil {
		tb.Fatal(err)
	}
	return h
}

// hookWriter calls hook after its first writes.
type hookWriter struct {
	bytes.Buffer

	at   int
	hook func()
}

func (w *hookWriter) Write(p []byte) (int, error) {
	w.at--
	if w.at == 0 {
		w.hook()
	}
	return w.Buffer.Write(p)
}

// TestTheFormatStaysAsItIs: a changed layout needs a new version.
func TestTheFormatStaysAsItIs(t *testing.T) {
	const path = "testdata/golden.txt"
	text := hex.Dump(golden(t))
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != text {
		t.Errorf("golden bytes (%v):\n%s", err, text)
	}
	contents, err := backup.Verify(bytes.NewReader(golden(t)))
	if err != nil || contents.FirstBatch != 2 || contents.LastBatch != 2 || contents.Records != 4 || contents.Batches != 1 ||
		contents.Topics != 1 || contents.Messages != 2 || contents.Bytes != 20 || len(contents.Positions) != 1 || contents.Positions[0].Next != 5 {
		t.Errorf("%+v, %v", contents, err)
	}
}

// TestEveryFlippedBitAndEveryCutIsFound: also bytes that are added or doubled.
func TestEveryFlippedBitAndEveryCutIsFound(t *testing.T) {
	file := golden(t)
	refused := func(what string, at int, damaged []byte) {
		t.Helper()
		if _, err := backup.Verify(bytes.NewReader(damaged)); !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("%s at %d: %v", what, at, err)
		}
		if _, err := backup.Restore(bytes.NewReader(damaged), storagetest.NewDisk()); !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("%s at %d, restored: %v", what, at, err)
		}
	}
	for at := range file {
		for bit := range 8 {
			damaged := bytes.Clone(file)
			damaged[at] ^= 1 << bit
			refused("a flipped bit", at, damaged)
		}
		refused("a cut", at, file[:at])
	}
	refused("a byte more", len(file), append(bytes.Clone(file), 0))
	refused("twice", len(file), append(bytes.Clone(file), file...))
}

func FuzzVerify(f *testing.F) {
	f.Add(golden(f))
	f.Add([]byte("headrace backup\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if _, err := backup.Verify(bytes.NewReader(file)); err == nil && !bytes.HasPrefix(file, []byte("headrace backup\n")) {
			t.Error("that is no backup")
		}
	})
}

func TestAFileGetsItsNameWhenItIsWholeAndVerified(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.backup")
	file := golden(t)
	contents, size, err := backup.WriteFile(path, func(w io.Writer) error {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("it has its name while it is written: %v", err)
		}
		_, err := w.Write(file)
		return err
	})
	if err != nil || size != int64(len(file)) || contents.LastBatch != 2 {
		t.Fatalf("%+v of %d bytes, %v", contents, size, err)
	}
	if _, _, err := backup.WriteFile(path, func(io.Writer) error { return nil }); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file was written over: %v", err)
	}
}

func TestAFileThatIsNotWholeIsNotThere(t *testing.T) {
	for name, fill := range map[string]func(io.Writer) error{
		"cut":    func(w io.Writer) error { _, err := w.Write(golden(t)[:100]); return err },
		"failed": func(io.Writer) error { return errors.New("the connection broke") },
	} {
		dir := t.TempDir()
		if _, _, err := backup.WriteFile(filepath.Join(dir, "store.backup"), fill); err == nil {
			t.Errorf("%s: no error", name)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("%s: left %s", name, strings.Join(left, " "))
		}
	}
}
