package shardlog_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// imageOf copies a directory as it is while its store is open and idle: what a
// killed process would leave. Files are mostly empty; what is not written stays so.
func imageOf(t *testing.T, dir string) string {
	t.Helper()
	image := t.TempDir()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(image, name), 0o700)
		}
		return copySparse(path, filepath.Join(image, name))
	})
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func copySparse(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	block, zeros := make([]byte, 64<<10), make([]byte, 64<<10)
	for at := int64(0); ; {
		n, err := in.Read(block)
		if errors.Is(err, io.EOF) {
			return out.Truncate(at)
		}
		if err != nil {
			return err
		}
		if !bytes.Equal(block[:n], zeros[:n]) {
			if _, err := out.WriteAt(block[:n], at); err != nil {
				return err
			}
		}
		at += int64(n)
	}
}

// logsOf gives the write-ahead logs of a Badger store, oldest first.
func logsOf(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "badger", "*.mem"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

// flipIn flips a bit in the middle of what is written of a file.
func flipIn(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := len(bytes.TrimRight(content, "\x00")) / 2
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte{content[at] ^ 1}, int64(at)); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// publishAndAck publishes n messages one by one, named by their offsets, and acks
// each second one.
func publishAndAck(h *storagetest.StoreHarness, p storage.PartitionID, s storage.SubscriptionID, n int) {
	for range n {
		at := h.MustPublish(p, strconv.Itoa(int(h.Head(p))))
		if at%2 == 1 {
			var acked []storage.OffsetRange
			for i := storage.Offset(1); i <= at; i += 2 {
				acked = append(acked, storage.OffsetRange{First: i, End: i + 1})
			}
			h.MustCommit(&storage.ChangeSet{Subscription: s, Cursors: []storage.CursorChange{{
				Chunks: []storage.Chunk{{Acked: acked}},
			}}})
		}
	}
}

// badgerWithTopic is a store on Badger in a directory, with a topic and a
// subscription.
func badgerWithTopic(t *testing.T, dir string) (*storagetest.StoreHarness, storage.PartitionID, storage.SubscriptionID) {
	t.Helper()
	h := storagetest.NewStoreHarness(t, homeIn(dir), shardlog.Options{})
	topic := h.MustCreateTopic("orders", 1)
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	return h, storage.PartitionID{Topic: topic.ID}, s.ID
}

// acceptsWhatIsMissing wants an image to be refused, to be opened with exactly what
// it misses, and to serve then and at each later opening; it gives the retained
// bodies.
func acceptsWhatIsMissing(t *testing.T, image string, p storage.PartitionID, s storage.SubscriptionID) []string {
	t.Helper()
	h := storagetest.NewClosedHarness(t, homeIn(imageOf(t, image)), shardlog.Options{})
	gaps := refusedGaps(t, h)
	t.Logf("missing: %v", gaps)
	h.AcceptLoss(shardlog.BatchRange{First: gaps[0].First, Last: gaps[0].Last + 1})
	refusedGaps(t, h)
	h.AcceptLoss(gaps...)
	h.Open()
	h.AcceptLoss()
	bodies := h.Bodies(p)
	h.MustPublish(p, "next")
	h.Crash()
	h.Open()
	h.Reopen()
	if got := h.Bodies(p); !slices.Equal(got, append(bodies, "next")) {
		t.Errorf("%d messages, then %d", len(bodies), len(got))
	}
	if _, err := h.Cursors(t.Context(), s); err != nil {
		t.Error(err)
	}
	return bodies
}

// TestALossInTheOlderOfTwoLogsOfBadgerIsAccepted: Badger opens, with the newest commits and
// without those behind the bit. The chain names them, and the loss can be accepted.
func TestALossInTheOlderOfTwoLogsOfBadgerIsAccepted(t *testing.T) {
	dir := t.TempDir()
	h, p, s := badgerWithTopic(t, dir)
	publishAndAck(h, p, s, 40)
	first := imageOf(t, dir)
	h.Stop()
	h.Store = nil

	// The second life begins with a table of the first log and a log of its own.
	dir = imageOf(t, first)
	h = storagetest.NewStoreHarness(t, homeIn(dir), shardlog.Options{})
	publishAndAck(h, p, s, 20)
	image := imageOf(t, dir)
	h.Stop()
	h.Store = nil
	bringBackTheOlderLog(t, first, image)

	whole := storagetest.NewStoreHarness(t, homeIn(imageOf(t, image)), shardlog.Options{})
	if n := len(whole.Bodies(p)); n != 60 {
		t.Fatalf("%d messages before the damage", n)
	}
	flipIn(t, logsOf(t, image)[0])
	bodies := acceptsWhatIsMissing(t, image, p, s)
	if n := len(bodies); n < 21 || n >= 60 || bodies[n-1] != "59" || bodies[0] != "0" {
		t.Errorf("%d messages left: %q", n, bodies)
	}
}

// bringBackTheOlderLog makes an image of a store's second life what a kill before
// the first log was flushed would have left: the log is still there, and the tables
// do not know of it.
func bringBackTheOlderLog(t *testing.T, first, image string) {
	t.Helper()
	logs := logsOf(t, first)
	if len(logs) != 1 {
		t.Fatalf("the first life has the logs %q", logs)
	}
	for _, file := range []string{logs[0], filepath.Join(first, "badger", "MANIFEST")} {
		if err := copySparse(file, filepath.Join(image, "badger", filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
	}
	tables, err := filepath.Glob(filepath.Join(image, "badger", "*.sst"))
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if err := os.Remove(table); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(logsOf(t, image)); n != 2 {
		t.Fatalf("%d logs", n)
	}
}

// TestALostTailOfBadgersLogIsAccepted: Badger opens without what came behind the bit. The
// ledger names it, and the loss can be accepted.
func TestALostTailOfBadgersLogIsAccepted(t *testing.T) {
	dir := t.TempDir()
	h, p, s := badgerWithTopic(t, dir)
	publishAndAck(h, p, s, 40)
	image := imageOf(t, dir)
	flipIn(t, logsOf(t, image)[0])
	bodies := acceptsWhatIsMissing(t, image, p, s)
	if n := len(bodies); n == 0 || n >= 40 || bodies[n-1] != strconv.Itoa(n-1) {
		t.Errorf("%d messages left: %q", n, bodies)
	}
}
