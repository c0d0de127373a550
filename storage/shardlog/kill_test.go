package shardlog_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

const (
	// killDir names the directory in which a child process publishes until it is
	// killed.
	killDir    = "SHARDLOG_TEST_KILL_DIR"
	killRounds = 5
	// killQueues publish at a time, so that batches hold several publishes.
	killQueues = 8
)

// TestNothingAcknowledgedIsLostWhenTheProcessIsKilled kills a process that publishes
// and prints each offset that was acknowledged, at random times, and reads
// everything back.
func TestNothingAcknowledgedIsLostWhenTheProcessIsKilled(t *testing.T) {
	dir := t.TempDir()
	acked := map[storage.Offset]string{}
	for range killRounds {
		killWhilePublishing(t, dir, acked)
		h := storagetest.NewStoreHarness(t, homeIn(dir), shardlog.Options{})
		var bodies []string
		if topics := h.Topics(); len(topics) > 0 {
			bodies = h.Bodies(storage.PartitionID{Topic: topics[0].ID})
		}
		for at, body := range acked {
			if int(at) >= len(bodies) || bodies[at] != body {
				t.Fatalf("offset %d: acknowledged %q is lost; the head is %d", at, body, len(bodies))
			}
		}
		h.Stop()
	}
	if len(acked) == 0 {
		t.Error("nothing was acknowledged: the rounds are too short")
	}
	t.Logf("%d messages acknowledged", len(acked))
}

// killWhilePublishing runs a child, kills it once it got going, and adds what it
// printed to acked.
func killWhilePublishing(t *testing.T, dir string, acked map[storage.Offset]string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPublishUntilKilled$")
	child.Env = append(os.Environ(), killDir+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if n == 0 {
			time.AfterFunc(rand.N(500*time.Millisecond), func() { _ = child.Process.Kill() })
		}
		var at storage.Offset
		var body string
		// The last line may be cut before its dot.
		if k, _ := fmt.Sscanf(lines.Text(), "ack %d %s", &at, &body); k == 2 && strings.HasSuffix(lines.Text(), " .") {
			acked[at] = body
		}
	}
	_ = child.Wait() // It was killed.
}

// TestPublishUntilKilled is the child of the test above, and nothing on its own.
func TestPublishUntilKilled(t *testing.T) {
	dir := os.Getenv(killDir)
	if dir == "" {
		return
	}
	store := openIn(t, dir)
	p := killTopic(t, store)
	lines := make(chan string) // capacity 0: nothing is said to be acknowledged before it is printed
	for i := range killQueues {
		go publishForEver(store, p, fmt.Sprintf("%d-%d", os.Getpid(), i), lines)
	}
	for line := range lines {
		if _, err := fmt.Fprintln(os.Stdout, line); err != nil {
			t.Fatal(err)
		}
	}
}

func killTopic(t *testing.T, store *shardlog.Store) storage.PartitionID {
	t.Helper()
	if topics := store.Topics(); len(topics) > 0 {
		return storage.PartitionID{Topic: topics[0].ID}
	}
	topic, err := store.CreateTopic(context.Background(), storage.Topic{Name: "orders", Partitions: 1})
	if err != nil {
		t.Fatal(err)
	}
	// It holds everything.
	def := storage.Subscription{Name: "all", Topic: topic.ID}
	if _, err := store.CreateSubscription(context.Background(), def, storage.Start{}); err != nil {
		t.Fatal(err)
	}
	return storage.PartitionID{Topic: topic.ID}
}

func publishForEver(store *shardlog.Store, p storage.PartitionID, name string, lines chan<- string) {
	q := store.NewPublishQueue()
	for i := 0; ; i++ {
		body := fmt.Sprintf("%s-%d", name, i)
		publish := &storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, body)}}
		q.Put(publish, nil)
		<-q.Ready()
		if q.Done() != nil && publish.Err == nil {
			lines <- fmt.Sprintf("ack %d %s .", publish.Appends[0].Base, body)
		}
	}
}

func openIn(t *testing.T, dir string) *shardlog.Store {
	t.Helper()
	engine, err := badgerlog.Open(badgerlog.DefaultOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	store, err := shardlog.Open(t.Context(), engine, shardlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return store
}
