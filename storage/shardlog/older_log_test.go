package shardlog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

const (
	// twoLogsDir names the directory of the child of the test below.
	twoLogsDir = "SHARDLOG_TEST_TWO_LOGS_DIR"
	// writtenLogBytes is what a log takes on the disk once it has several batches.
	writtenLogBytes = 256 << 10
)

// TestTrapFlippedBitInTheOlderOfTwoLogs: a crash leaves two write-ahead logs, and one
// bit of the older one flips. Badger opens, has the newest batches and none of those
// behind the bit; the store refuses and names them, and what Badger cut off lies
// aside.
func TestTrapFlippedBitInTheOlderOfTwoLogs(t *testing.T) {
	dir, logs := twoLogs(t)
	flipped := flipInTheMiddle(t, logs[0])

	for _, try := range []string{"the first try", "the second try"} {
		err := tryHome(t, dir)
		var first, last uint64
		if found := missing.FindStringSubmatch(fmt.Sprint(err)); found != nil {
			first, _ = strconv.ParseUint(found[1], 10, 64)
			last, _ = strconv.ParseUint(found[2], 10, 64)
		}
		if !errors.Is(err, storage.ErrDataLoss) || first <= 1 || last <= first {
			t.Errorf("%s: the store opens with %v", try, err)
		}
		aside, err := os.ReadFile(filepath.Join(dir, "aside", "first", filepath.Base(logs[0])))
		if err != nil || !bytes.Equal(aside, flipped) {
			t.Errorf("%s: the copy aside is not what the crash and the bit left: %v", try, err)
		}
		if cut, err := os.ReadFile(logs[0]); err == nil && len(cut) >= len(flipped) {
			t.Errorf("%s: Badger cut nothing off: this test shows nothing", try)
		}
	}
}

// twoLogs gives a directory that a child was killed in, and the write-ahead logs that
// it left. The older one may have become a table just before the kill: then there is
// another child.
func twoLogs(t *testing.T) (dir string, logs []string) {
	t.Helper()
	const maxChildren = 10
	for range maxChildren {
		dir = t.TempDir()
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPublishUntilThereAreTwoLogs$")
		child.Env = append(os.Environ(), twoLogsDir+"="+dir)
		if out, err := child.CombinedOutput(); child.ProcessState.ExitCode() != -1 {
			t.Fatalf("the child was not killed: %v: %s", err, out)
		}
		if logs = writtenLogs(t, dir); len(logs) >= 2 {
			return dir, logs
		}
	}
	t.Fatalf("%d children left no two logs, the last one %v", maxChildren, logs)
	return "", nil
}

var missing = regexp.MustCompile(`batches (\d+)-(\d+) are missing`)

// tryHome opens a store, which is expected to fail.
func tryHome(t *testing.T, dir string) error {
	t.Helper()
	engine := homeIn(dir)(t)
	store, err := shardlog.Open(t.Context(), engine, shardlog.Options{})
	if err == nil {
		_ = store.Close()
	}
	_ = engine.Close()
	return err
}

// writtenLogs lists the write-ahead logs with batches in them, the oldest first.
func writtenLogs(t *testing.T, dir string) (logs []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "badger", "*.mem"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		var s unix.Stat_t
		if err := unix.Stat(path, &s); err == nil && s.Blocks*512 >= writtenLogBytes {
			logs = append(logs, path)
		}
	}
	return logs
}

// flipInTheMiddle flips a bit amid what is written of a file, and gives its bytes.
func flipInTheMiddle(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file[len(bytes.TrimRight(file, "\x00"))/2] ^= 1
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestPublishUntilThereAreTwoLogs is the child of the test above, and nothing on its
// own. It publishes to many partitions, so that memtables fill, and kills itself when
// one is full and not yet a table while the next one has batches.
func TestPublishUntilThereAreTwoLogs(t *testing.T) {
	dir := os.Getenv(twoLogsDir)
	if dir == "" {
		return
	}
	engine, err := badgerlog.Open(badgerlog.DefaultOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	store, err := shardlog.Open(t.Context(), engine, shardlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := store.NewPublishQueue()
	appends := manyPartitions(t, store)
	for len(writtenLogs(t, dir)) < 2 {
		q.Put(&storage.Publish{Appends: appends}, nil)
		<-q.Ready()
		if publish := q.Done(); publish.Err != nil {
			t.Fatal(publish.Err)
		}
	}
	if err := unix.Kill(os.Getpid(), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {} // The signal is on its way.
}

// manyPartitions gives an append for each partition of some topics.
func manyPartitions(t *testing.T, store *shardlog.Store) (appends []storage.Append) {
	t.Helper()
	const topics, partitions = 8, 256
	for n := range topics {
		topic, err := store.CreateTopic(context.Background(), storage.Topic{Name: fmt.Sprint("topic-", n), Partitions: partitions})
		if err != nil {
			t.Fatal(err)
		}
		for p := range uint16(partitions) {
			appends = append(appends, storagetest.NewAppend(storage.PartitionID{Topic: topic.ID, Partition: p}, "x"))
		}
	}
	return appends
}
