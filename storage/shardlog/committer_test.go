package shardlog_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// memoryStore opens a store in memory and gives its engine.
func memoryStore(t *testing.T) (*storagetest.StoreHarness, *storagetest.Memory) {
	t.Helper()
	h := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{})
	return h, memoryOf(h)
}

func memoryOf(h *storagetest.StoreHarness) *storagetest.Memory {
	return h.Engine.(*storagetest.Memory)
}

// put queues a publish of one message in a queue of its own.
func put(t *testing.T, h *storagetest.StoreHarness, p storage.PartitionID, body string) storage.PublishQueue {
	t.Helper()
	q := h.NewPublishQueue()
	if !q.Put(&storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, body)}}, nil) {
		t.Fatal("the queue takes nothing")
	}
	return q
}

func TestWhatWaitsIsCommittedAsOne(t *testing.T) {
	h, m := memoryStore(t)
	p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	reached, release := m.Block()
	first := put(t, h, p, "first")
	<-reached
	before := h.Metrics().Commits
	var queues []storage.PublishQueue
	for i := range 64 {
		queues = append(queues, put(t, h, p, strconv.Itoa(i)))
	}
	release()
	h.Await(first)
	for _, q := range queues {
		if done := h.Await(q); done.Err != nil {
			t.Error(done.Err)
		}
	}
	if n := h.Metrics().Commits - before; n != 2 {
		t.Errorf("%d commits for one publish and 64 more behind it", n)
	}
}

func TestNothingIsVisibleBeforeItIsDurable(t *testing.T) {
	h, m := memoryStore(t)
	p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	wake := make(chan struct{}, 1)
	cancel := h.Watch(p, wake)
	defer cancel()
	reached, release := m.Block()
	q := put(t, h, p, "a")
	<-reached
	if h.Head(p) != 0 || h.Tail(p, 0) != nil || q.Done() != nil || len(wake) != 0 {
		t.Error("visible while it is being committed")
	}
	release()
	<-wake
	if h.Head(p) != 1 {
		t.Errorf("head %d after the wake", h.Head(p))
	}
	s := h.Tail(p, 0)
	if s == nil {
		t.Fatal("not in the tail after the wake")
	}
	s.Release()
	h.Await(q)
}

func TestASubscriberAtTheTailReadsNoDisk(t *testing.T) {
	h, _ := memoryStore(t)
	p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	before := h.Metrics()
	for i := range 100 {
		h.MustPublish(p, strconv.Itoa(i))
		piece, err := h.Read(t.Context(), p, storage.Offset(i))
		if err != nil {
			t.Fatal(err)
		}
		piece.Segment.Release()
	}
	after := h.Metrics()
	if after.DiskReads != before.DiskReads || after.RingHits != before.RingHits+100 {
		t.Errorf("%d disk reads, %d ring hits", after.DiskReads-before.DiskReads, after.RingHits-before.RingHits)
	}
}

func TestAFailedCommitIsFinal(t *testing.T) {
	for _, applied := range []bool{false, true} {
		t.Run(fmt.Sprintf("applied %v", applied), func(t *testing.T) {
			h, m := memoryStore(t)
			p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
			h.MustPublish(p, "kept")
			reached, release := m.Block()
			m.FailNext(storagetest.Fault{Err: storage.ErrUnknown, Applied: applied})
			failing := put(t, h, p, "in doubt")
			<-reached
			behind := put(t, h, p, "behind")
			release()
			if err := h.Await(failing).Err; !errors.Is(err, storage.ErrUnknown) {
				t.Errorf("in the failed batch: %v", err)
			}
			if err := h.Await(behind).Err; !errors.Is(err, storage.ErrUnavailable) {
				t.Errorf("behind it: %v", err)
			}
			<-h.Failed()
			if !errors.Is(h.Err(), storage.ErrUnknown) {
				t.Errorf("why it failed: %v", h.Err())
			}
			if h.NewPublishQueue().Put(&storage.Publish{}, nil) {
				t.Error("a failed store takes work")
			}
			if _, err := h.CreateTopic(t.Context(), storage.Topic{Name: "x", Partitions: 1}); !errors.Is(err, storage.ErrUnavailable) {
				t.Errorf("catalog of a failed store: %v", err)
			}
			h.Crash()
			h.Open()
			want := []string{"kept"}
			if applied {
				want = append(want, "in doubt")
			}
			if got := h.Bodies(p); !slices.Equal(got, want) {
				t.Errorf("after the recovery: %q", got)
			}
		})
	}
}

func TestWhatIsSurelyNotStoredIsUnavailable(t *testing.T) {
	for _, err := range []error{storage.ErrFenced, storage.ErrTooLarge, storage.ErrUnavailable} {
		t.Run(err.Error(), func(t *testing.T) {
			h, m := memoryStore(t)
			p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
			m.FailNext(storagetest.Fault{Err: err})
			if got := h.Await(put(t, h, p, "a")).Err; !errors.Is(got, storage.ErrUnavailable) {
				t.Errorf("got %v", got)
			}
			<-h.Failed()
			if !errors.Is(h.Err(), err) {
				t.Errorf("why it failed: %v", h.Err())
			}
		})
	}
}

func TestAnEngineThatFailsInTheBackgroundEndsTheStore(t *testing.T) {
	h, m := memoryStore(t)
	p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	s := h.MustSubscribe("billing", p.Topic, storage.Start{})
	m.Fail(storage.ErrUnknown)
	<-h.Failed()
	change := &storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{}}}
	if err := h.Commit(change); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("state: %v", err)
	}
}

func TestBelowTheHighMarkOnlyPublishesAreRefused(t *testing.T) {
	h, m := memoryStore(t)
	topic := h.MustCreateTopic("orders", 1)
	p := storage.PartitionID{Topic: topic.ID}
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	h.MustPublish(p, "a")
	m.SetSpace(storage.Space{FreeBytes: 1, HighMarkBytes: 2})
	if h.AcceptsPublishes() {
		t.Error("accepts publishes")
	}
	if err := h.Await(put(t, h, p, "b")).Err; !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("publish: %v", err)
	}
	if _, err := h.CreateTopic(t.Context(), storage.Topic{Name: "x", Partitions: 1}); !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("create a topic: %v", err)
	}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 1}}})
	h.Tick()
	if stats, err := h.Stats(p); err != nil || stats.First != 1 {
		t.Errorf("not trimmed: %+v, %v", stats, err)
	}
	if err := h.DeleteSubscription(t.Context(), s.ID); err != nil {
		t.Errorf("delete: %v", err)
	}
	m.SetSpace(storage.Space{FreeBytes: 2, HighMarkBytes: 2})
	h.MustPublish(p, "c")
}

func TestRefusalsKeepTheOrderOfResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, m := memoryStore(t)
		p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
		nowhere := storage.PartitionID{Topic: 99}
		q := h.NewPublishQueue()
		_, release := m.Block()
		q.Put(&storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, "a")}}, nil)
		synctest.Wait()
		q.Put(&storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, "b"), storagetest.NewAppend(nowhere, "b")}}, nil)
		synctest.Wait() // The committer has looked at it.
		if q.Done() != nil {
			t.Error("a refusal overtook a commit")
		}
		release()
		for i, want := range []error{nil, storage.ErrNotFound} {
			if got := h.Await(q).Err; !errors.Is(got, want) {
				t.Errorf("publish %d: %v", i, got)
			}
		}
		if got := h.Bodies(p); !slices.Equal(got, []string{"a"}) {
			t.Errorf("half of a refused publish is stored: %q", got)
		}
	})
}

func TestTooLargeAPublishIsRefused(t *testing.T) {
	h, _ := memoryStore(t)
	topic := h.MustCreateTopic("orders", 256)
	many := &storage.Publish{}
	for i := range 12_000 {
		many.Appends = append(many.Appends, storagetest.NewAppend(storage.PartitionID{Topic: topic.ID, Partition: uint16(i % 256)}, "x"))
	}
	if err := h.Publish(many); !errors.Is(err, storage.ErrTooLarge) {
		t.Errorf("12,000 appends: %v", many.Err)
	}
	p := storage.PartitionID{Topic: topic.ID}
	large := &storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, strings.Repeat("x", 34<<20))}}
	if err := h.Publish(large); !errors.Is(err, storage.ErrTooLarge) {
		t.Errorf("34 MiB: %v", large.Err)
	}
}

func TestAPublishWaitsWhileItsQueueIsFull(t *testing.T) {
	h, m := memoryStore(t)
	p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	reached, release := m.Block()
	q := put(t, h, p, "first")
	<-reached
	large := func() *storage.Publish {
		return &storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, strings.Repeat("x", 3<<20))}}
	}
	for range 2 {
		if !q.Put(large(), nil) {
			t.Fatal("refused")
		}
	}
	stop := make(chan struct{})
	close(stop)
	if q.Put(large(), stop) {
		t.Error("more than 8 MiB are queued")
	}
	done := make(chan bool)
	go func() { done <- q.Put(large(), nil) }()
	release()
	for range 4 {
		if p := h.Await(q); p.Err != nil {
			t.Error(p.Err)
		}
	}
	if !<-done {
		t.Error("the one that waited was refused")
	}
}

func TestACloseCommitsWhatWasHandedOver(t *testing.T) {
	h, m := memoryStore(t)
	p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	reached, release := m.Block()
	first := put(t, h, p, "a")
	<-reached
	second := put(t, h, p, "b")
	closed := make(chan error)
	go func() { closed <- h.Close() }()
	release()
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	for _, q := range []storage.PublishQueue{first, second} {
		if p := q.Done(); p == nil || p.Err != nil {
			t.Errorf("not done, or failed: %+v", p)
		}
	}
	h.Open()
	if got := h.Bodies(p); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("after the opening: %q", got)
	}
}

// TestABatchKeepsWithinWhatEnginesTake queues more than fits one batch in keys, in
// inline bytes and in bytes: the memory engine refuses a batch that is too large.
func TestABatchKeepsWithinWhatEnginesTake(t *testing.T) {
	h, m := memoryStore(t)
	const topics, appends = 20, 1000
	var partitions []storage.PartitionID
	for i := range topics {
		topic := h.MustCreateTopic(strconv.Itoa(i), 256)
		for j := range topic.Partitions {
			partitions = append(partitions, storage.PartitionID{Topic: topic.ID, Partition: j})
		}
	}
	reached, release := m.Block()
	first := put(t, h, partitions[0], "first")
	<-reached
	before := h.Metrics().Commits
	q := h.NewPublishQueue()
	next := 0
	for _, size := range []int{0, 1, 300} {
		for range 6 {
			publish := &storage.Publish{}
			for range appends {
				next = (next + 1) % len(partitions)
				publish.Appends = append(publish.Appends, storagetest.NewAppend(partitions[next], strings.Repeat("x", size)))
			}
			if !q.Put(publish, nil) {
				t.Fatal("refused")
			}
		}
	}
	release()
	h.Await(first)
	for range 18 {
		if p := h.Await(q); p.Err != nil {
			t.Error(p.Err)
		}
	}
	if n := h.Metrics().Commits - before; n < 4 {
		t.Errorf("18,000 appends in %d commits", n)
	}
}

// TestACloseCommitsWhatIsHeldBack closes a store while a batch lingers.
func TestACloseCommitsWhatIsHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, m := memoryStore(t)
		p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
		_, release := m.Block()
		queues := []storage.PublishQueue{put(t, h, p, "a")}
		synctest.Wait()
		queues = append(queues, put(t, h, p, "b"), put(t, h, p, "c"))
		synctest.Wait()
		_, releaseTwo := m.Block()
		release()
		synctest.Wait()         // b and c are being committed.
		time.Sleep(time.Second) //nolint:forbidigo // the bubble's clock: the commit takes long
		queues = append(queues, put(t, h, p, "d"))
		synctest.Wait()
		closed := make(chan error)
		go func() { closed <- h.Close() }()
		synctest.Wait()
		releaseTwo()
		if err := <-closed; err != nil {
			t.Fatal(err)
		}
		for i, q := range queues {
			if p := q.Done(); p == nil || p.Err != nil {
				t.Errorf("publish %d is not done, or failed: %+v", i, p)
			}
		}
	})
}
