package shardlog_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

var (
	full  = storage.Space{FreeBytes: 1, HighMarkBytes: 3, LowMarkBytes: 2}
	roomy = storage.Space{FreeBytes: 3, HighMarkBytes: 3, LowMarkBytes: 2}
)

// submit hands a change set over and does not wait for it.
func submit(h *storagetest.StoreHarness, c *storage.ChangeSet) storage.StateSlot {
	slot := h.NewStateSlot(c.Subscription)
	slot.Submit(c)
	return slot
}

func floorOf(s storage.Subscription, floor storage.Offset) *storage.ChangeSet {
	return &storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: floor}}}
}

func TestTrapDiskFullBelowTheLowMarkEverythingWaitsAndResumesByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, m := memoryStore(t)
		topic := h.MustCreateTopic("orders", 1)
		p := storage.PartitionID{Topic: topic.ID}
		s := h.MustSubscribe("billing", topic.ID, storage.Start{})
		other := h.MustSubscribe("auditing", topic.ID, storage.Start{})
		h.MustPublish(p, "a")
		before := h.Metrics().Commits
		m.SetSpace(full)
		slot := submit(h, floorOf(s, 1))
		deleted := make(chan error, 1)
		go func() { deleted <- h.DeleteSubscription(t.Context(), other.ID) }()
		synctest.Wait()
		if err := h.Await(put(t, h, p, "b")).Err; !errors.Is(err, storage.ErrNoSpace) {
			t.Errorf("a publish behind a change set that waits: %v", err)
		}
		time.Sleep(time.Minute) //nolint:forbidigo // in a bubble
		if idle, _ := slot.Done(); idle || len(deleted) > 0 || h.Metrics().Commits != before || !h.Metrics().WaitsForSpace {
			t.Errorf("idle %t, %+v", idle, h.Metrics())
		}
		if h.Err() != nil {
			t.Fatalf("the store failed: %v", h.Err())
		}
		m.SetSpace(roomy)
		<-slot.Ready()
		if idle, err := slot.Done(); !idle || err != nil {
			t.Errorf("once there is room: idle %t, %v", idle, err)
		}
		if err := <-deleted; err != nil {
			t.Errorf("a deletion once there is room: %v", err)
		}
		h.MustPublish(p, "c")
		if got := h.Bodies(p); !slices.Equal(got, []string{"a", "c"}) || h.Metrics().WaitsForSpace {
			t.Errorf("%q, %+v", got, h.Metrics())
		}
	})
}

// The disk was full only when the batch came to the engine, and that more than once.
func TestTrapDiskFullABatchThatTheEngineRefusedIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, m := memoryStore(t)
		p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
		for range 3 {
			m.FailNext(storagetest.Fault{Err: storage.ErrNoSpace})
		}
		first := put(t, h, p, "a")
		synctest.Wait()
		second := put(t, h, p, "b")
		synctest.Wait()
		if first.Done() != nil || second.Done() != nil || h.Head(p) != 0 {
			t.Error("done before it is stored")
		}
		start := time.Now()
		for _, q := range []storage.PublishQueue{first, second} {
			if err := h.Await(q).Err; err != nil {
				t.Error(err)
			}
		}
		if waited := time.Since(start); waited < 500*time.Millisecond || waited > time.Second {
			t.Errorf("three refusals took %v", waited)
		}
		h.Reopen()
		if got := h.Bodies(p); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("%q", got)
		}
	})
}

func TestTrapDiskFullBehindARefusedBatchOfStatePublishesAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, m := memoryStore(t)
		topic := h.MustCreateTopic("orders", 1)
		p := storage.PartitionID{Topic: topic.ID}
		s := h.MustSubscribe("billing", topic.ID, storage.Start{})
		h.MustPublish(p, "a")
		m.FailNext(storagetest.Fault{Err: storage.ErrNoSpace})
		slot := submit(h, floorOf(s, 1))
		synctest.Wait()
		m.SetSpace(full)
		if err := h.Await(put(t, h, p, "b")).Err; !errors.Is(err, storage.ErrNoSpace) {
			t.Errorf("publish: %v", err)
		}
		m.SetSpace(roomy)
		<-slot.Ready()
		if _, err := slot.Done(); err != nil {
			t.Errorf("the change set: %v", err)
		}
		h.MustPublish(p, "c")
	})
}

// A store that stops does not wait for room: what waits is refused, and what was
// stored is there at the next opening.
func TestTrapDiskFullAStopDoesNotWaitForRoom(t *testing.T) {
	for _, sealed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h, m := memoryStore(t)
			topic := h.MustCreateTopic("orders", 1)
			p := storage.PartitionID{Topic: topic.ID}
			s := h.MustSubscribe("billing", topic.ID, storage.Start{})
			h.MustPublish(p, "a")
			if sealed {
				m.FailNext(storagetest.Fault{Err: storage.ErrNoSpace})
				put(t, h, p, "b")
				synctest.Wait()
			}
			m.SetSpace(full)
			slot := submit(h, floorOf(s, 1))
			synctest.Wait()
			if err := h.Close(); !errors.Is(err, storage.ErrNoSpace) {
				t.Errorf("close: %v", err)
			}
			if idle, err := slot.Done(); !idle || !errors.Is(err, storage.ErrUnavailable) {
				t.Errorf("what waited: idle %t, %v", idle, err)
			}
			h.Open()
			if got := h.Bodies(p); !slices.Equal(got, []string{"a"}) {
				t.Errorf("after the next opening: %q", got)
			}
		})
	}
}

// An idle store stops in order on a full disk, and opens on it: the batches of both
// take the reserve.
func TestTrapDiskFullOpeningAndStoppingTakeTheReserve(t *testing.T) {
	space, home := roomy, storagetest.MemoryHome()
	h := storagetest.NewStoreHarness(t, func(tb testing.TB) storage.Engine {
		tb.Helper()
		engine := home(tb)
		engine.(*storagetest.Memory).SetSpace(space)
		return engine
	}, shardlog.Options{})
	p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	h.MustPublish(p, "a")
	space = full
	memoryOf(h).SetSpace(full)
	h.Reopen()
	if got := h.Bodies(p); !slices.Equal(got, []string{"a"}) || h.AcceptsPublishes() {
		t.Errorf("%q, accepts publishes: %t", got, h.AcceptsPublishes())
	}
}
