package shardlog_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// fakeClock is a wall clock that a test sets.
type fakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func newFakeClock() *fakeClock { return &fakeClock{now: time.Unix(1_000_000, 0).UTC()} }

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// clockedStore opens a store in memory whose clock the test sets, with a topic that
// keeps messages for ten minutes.
func clockedStore(t *testing.T) (*storagetest.StoreHarness, *fakeClock, storage.PartitionID) {
	t.Helper()
	clock := newFakeClock()
	h := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{Clock: clock.Now})
	topic, err := h.CreateTopic(t.Context(), storage.Topic{Name: "orders", Partitions: 1, MinAge: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return h, clock, storage.PartitionID{Topic: topic.ID}
}

func wantBodies(t *testing.T, h *storagetest.StoreHarness, p storage.PartitionID, want ...string) {
	t.Helper()
	if got := h.Bodies(p); !slices.Equal(got, want) {
		t.Errorf("retained %q, expected %q", got, want)
	}
}

func TestNothingYoungerThanMinAgeIsTrimmed(t *testing.T) {
	h, clock, p := clockedStore(t)
	h.MustPublish(p, "a")
	clock.advance(6 * time.Minute)
	h.MustPublish(p, "b")
	h.Tick()
	wantBodies(t, h, p, "a", "b")
	clock.advance(4 * time.Minute)
	h.Tick()
	wantBodies(t, h, p, "b")
	clock.advance(6 * time.Minute)
	h.Tick()
	wantBodies(t, h, p)
}

func TestWhatASubscriptionNeedsIsKeptHoweverOld(t *testing.T) {
	h, clock, p := clockedStore(t)
	s := h.MustSubscribe("billing", p.Topic, storage.Start{})
	h.MustPublish(p, "a")
	h.MustPublish(p, "b")
	clock.advance(time.Hour)
	h.Tick()
	wantBodies(t, h, p, "a", "b")
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 1}}})
	h.Tick()
	wantBodies(t, h, p, "b")
}

func TestAShorterMinAgeCountsAtOnce(t *testing.T) {
	h, clock, p := clockedStore(t)
	h.MustPublish(p, "a")
	h.Tick()
	clock.advance(time.Minute)
	if _, err := h.UpdateTopic(t.Context(), storage.Topic{ID: p.Topic, MinAge: time.Minute}); err != nil {
		t.Fatal(err)
	}
	h.Tick()
	wantBodies(t, h, p)
}

// TestWhatIsSettledIsKeptForReplay: keep_settled keeps what every subscription has
// settled, below the floor and above it, for as long after the log took it in, also
// across an opening. What is shorter counts at once.
func TestWhatIsSettledIsKeptForReplay(t *testing.T) {
	h, clock, p := clockedStore(t)
	keep := storage.Topic{ID: p.Topic, KeepSettled: 2 * time.Hour}
	if _, err := h.UpdateTopic(t.Context(), keep); err != nil {
		t.Fatal(err)
	}
	s := h.MustSubscribe("billing", p.Topic, storage.Start{})
	for _, body := range []string{"a", "b", "c"} {
		h.MustPublish(p, body)
	}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{
		Floor: 1, Chunks: []storage.Chunk{{Acked: []storage.OffsetRange{{First: 2, End: 3}}}},
	}}})
	clock.advance(2*time.Hour - time.Second)
	h.Tick()
	h.Reopen()
	for !h.Metrics().SegmentsCounted {
		h.Tick()
	}
	h.Tick()
	wantBodies(t, h, p, "a", "b", "c")
	if n := h.Metrics().HoledMessages; n != 0 {
		t.Errorf("%d messages above the floor went", n)
	}
	keep.KeepSettled = time.Hour
	if _, err := h.UpdateTopic(t.Context(), keep); err != nil {
		t.Fatal(err)
	}
	clock.advance(time.Minute) // Holes are not looked for all the time.
	h.Tick()
	wantBodies(t, h, p, "b", "c") // The last one is in memory still.
	if n := h.Metrics().HoledMessages; n != 1 {
		t.Errorf("%d messages above the floor went, want 1", n)
	}
}

func TestAgeIsKnownAfterAnOpening(t *testing.T) {
	h, clock, p := clockedStore(t)
	for i := range 3 {
		h.MustPublish(p, strconv.Itoa(i))
		clock.advance(5 * time.Minute)
	}
	h.Reopen()
	h.Tick()
	wantBodies(t, h, p, "2")
	clock.advance(5 * time.Minute)
	h.Tick()
	wantBodies(t, h, p)
}

func TestLogTimeNeverGoesBack(t *testing.T) {
	h, clock, p := clockedStore(t)
	h.MustPublish(p, "a")
	before := clock.Now()
	clock.advance(-time.Hour)
	h.MustPublish(p, "b")
	place, err := h.Locate(t.Context(), p, 1)
	if err != nil || !place.LogTime.Equal(before) {
		t.Errorf("log time %v after %v: %v", place.LogTime, before, err)
	}
	h.Crash()
	h.Open()
	h.MustPublish(p, "c")
	if place, err = h.Locate(t.Context(), p, 2); err != nil || !place.LogTime.Equal(before) {
		t.Errorf("log time %v after %v: %v", place.LogTime, before, err)
	}
}

func TestALongBacklogIsTrimmedFromDiskInSteps(t *testing.T) {
	h, _ := memoryStore(t)
	p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	s := h.MustSubscribe("billing", p.Topic, storage.Start{})
	const messages = 4500
	for i := range messages {
		h.MustPublish(p, strconv.Itoa(i))
	}
	h.Reopen() // Nothing is remembered.
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: messages - 1}}})
	for !h.Metrics().SegmentsCounted {
		h.Tick()
	}
	h.Tick()
	wantBodies(t, h, p, strconv.Itoa(messages-1))
	if m := h.Metrics(); m.TrimmedMessages != messages-1 || m.TrimSteps < 2 {
		t.Errorf("%d messages in %d steps", m.TrimmedMessages, m.TrimSteps)
	}
}

func TestSegmentsAreDeletedWithTheirLastPointer(t *testing.T) {
	h, m := memoryStore(t)
	a := storage.PartitionID{Topic: h.MustCreateTopic("a", 1).ID}
	b := storage.PartitionID{Topic: h.MustCreateTopic("b", 1).ID}
	s := h.MustSubscribe("b's", b.Topic, storage.Start{})
	publish := &storage.Publish{Appends: []storage.Append{storagetest.NewAppend(a, "x"), storagetest.NewAppend(b, "y")}}
	if err := h.Publish(publish); err != nil {
		t.Fatal(publish.Err)
	}
	segments := func() (n int) {
		err := m.View(func(r storage.Reader) error {
			return r.Ascend(record.AppendPrefix(nil, record.KindSegment), nil, func([]byte, storage.Value) (bool, error) {
				n++
				return true, nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	h.Tick()
	if n := segments(); n != 1 {
		t.Errorf("%d segments while b holds it", n)
	}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 1}}})
	h.Tick()
	if n := segments(); n != 0 {
		t.Errorf("%d segments left", n)
	}
}

// TestTheRetentionTimer runs a store with its own timer, in a bubble with a clock
// of its own.
func TestTheRetentionTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, err := storagetest.OpenMemory(storagetest.NewDisk())
		if err != nil {
			t.Fatal(err)
		}
		store, err := shardlog.Open(t.Context(), engine, shardlog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		topic, err := store.CreateTopic(t.Context(), storage.Topic{Name: "orders", Partitions: 1, MinAge: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		p := storage.PartitionID{Topic: topic.ID}
		q := store.NewPublishQueue()
		q.Put(&storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, "a")}}, nil)
		<-q.Ready()
		retained := func() uint64 {
			stats, err := store.Stats(p)
			if err != nil {
				t.Fatal(err)
			}
			return stats.RetainedMessages
		}
		time.Sleep(time.Hour - time.Second) //nolint:forbidigo // the bubble has its own clock
		if retained() != 1 {
			t.Error("trimmed too early")
		}
		time.Sleep(3 * time.Second) //nolint:forbidigo // the bubble has its own clock
		synctest.Wait()
		if retained() != 0 {
			t.Error("not trimmed after its time")
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestANewSubscriptionKeepsWhatIsAboutToBeTrimmed makes a subscription after the
// janitor looked at what may go and before that goes.
func TestANewSubscriptionKeepsWhatIsAboutToBeTrimmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, clock, p := clockedStore(t)
		h.MustPublish(p, "a")
		h.MustPublish(p, "b")
		h.Reopen() // The janitor has to read what goes.
		for !h.Metrics().SegmentsCounted {
			h.Tick()
		}
		synctest.Wait()
		clock.advance(time.Hour)
		// The first step waits for its commit, in which something else is made.
		_, release := memoryOf(h).Block()
		go func() {
			if _, err := h.CreateTopic(t.Context(), storage.Topic{Name: "other", Partitions: 1}); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		h.Ticks <- time.Time{}
		synctest.Wait()
		go h.MustSubscribe("late", p.Topic, storage.Start{Kind: storage.StartEarliest})
		synctest.Wait()
		release()
		synctest.Wait()
		wantBodies(t, h, p, "a", "b")
	})
}
