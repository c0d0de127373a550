package shardlog_test

import (
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

func TestNamesAreTakenUntilAllIsGone(t *testing.T) {
	h, _ := memoryStore(t)
	topic := h.MustCreateTopic("orders", 1)
	h.MustPublish(storage.PartitionID{Topic: topic.ID}, "a")
	if _, err := h.CreateTopic(t.Context(), storage.Topic{Name: "orders", Partitions: 1}); !errors.Is(err, storage.ErrExists) {
		t.Errorf("a taken name: %v", err)
	}
	if err := h.DeleteTopic(t.Context(), topic.ID); err != nil {
		t.Fatal(err)
	}
	if err := h.DeleteTopic(t.Context(), topic.ID); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
	h.Tick()
	again := h.MustCreateTopic("orders", 1)
	if again.ID == topic.ID {
		t.Error("the id was used twice")
	}
}

func TestIdsAreNotReusedAcrossOpenings(t *testing.T) {
	h, _ := memoryStore(t)
	topic := h.MustCreateTopic("a", 1)
	s := h.MustSubscribe("s", topic.ID, storage.Start{})
	if err := errors.Join(h.DeleteSubscription(t.Context(), s.ID), h.DeleteTopic(t.Context(), topic.ID)); err != nil {
		t.Fatal(err)
	}
	h.Tick()
	h.Crash()
	h.Open()
	other := h.MustCreateTopic("a", 1)
	if other.ID == topic.ID || h.MustSubscribe("s", other.ID, storage.Start{}).ID == s.ID {
		t.Error("an id was used twice")
	}
}

func TestATopicsIdIsNotReusedWhateverElseIsWritten(t *testing.T) {
	h, _ := memoryStore(t)
	topic := h.MustCreateTopic("a", 1)
	if err := h.DeleteTopic(t.Context(), topic.ID); err != nil {
		t.Fatal(err)
	}
	h.Tick()
	h.Crash()
	h.Open()
	if other := h.MustCreateTopic("a", 1); other.ID == topic.ID {
		t.Error("the id was used twice")
	}
}

func TestDefinitionsAreKeptAndReplaced(t *testing.T) {
	h, _ := memoryStore(t)
	topic, err := h.CreateTopic(t.Context(), storage.Topic{Name: "orders", Partitions: 1, Definition: []byte("one")})
	if err != nil {
		t.Fatal(err)
	}
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	topic.Definition = []byte("two")
	if topic, err = h.UpdateTopic(t.Context(), topic); err != nil {
		t.Fatal(err)
	}
	s.Definition = []byte("three")
	if s, err = h.UpdateSubscription(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	h.Crash()
	h.Open()
	if diff := cmp.Diff([]storage.Topic{topic}, h.Topics()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]storage.Subscription{s}, h.Subscriptions()); diff != "" {
		t.Error(diff)
	}
	large := make([]byte, storage.MaxDefinitionBytes+1)
	if _, err := h.UpdateTopic(t.Context(), storage.Topic{ID: topic.ID, Definition: large}); !errors.Is(err, storage.ErrTooLarge) {
		t.Errorf("a large definition: %v", err)
	}
	if _, err := h.UpdateTopic(t.Context(), storage.Topic{ID: 99}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("an unknown topic: %v", err)
	}
}

func TestPartitionsAreOneTo256(t *testing.T) {
	h, _ := memoryStore(t)
	for _, n := range []uint16{0, 257} {
		if _, err := h.CreateTopic(t.Context(), storage.Topic{Name: "x", Partitions: n}); err == nil {
			t.Errorf("%d partitions taken", n)
		}
	}
	h.MustCreateTopic("one", 1)
	h.MustCreateTopic("many", 256)
}

// TestASubscriptionThatNeverCameToBeIsRemoved fails each commit of a creation in
// turn: after the recovery the subscription is whole or gone, and its name free.
func TestASubscriptionThatNeverCameToBeIsRemoved(t *testing.T) {
	for _, failing := range []uint64{1, 2} {
		for _, applied := range []bool{false, true} {
			t.Run(fmt.Sprintf("commit %d, applied %v", failing, applied), func(t *testing.T) {
				h, m := memoryStore(t)
				topic := h.MustCreateTopic("orders", 256)
				last := h.Metrics().Commits + 1 // and the one of the opening
				m.FailBatch(last+failing, storagetest.Fault{Err: storage.ErrUnknown, Applied: applied})
				def := storage.Subscription{Name: "billing", Topic: topic.ID}
				if _, err := h.CreateSubscription(t.Context(), def, storage.Start{}); !errors.Is(err, storage.ErrUnknown) {
					t.Fatalf("created, or failed otherwise: %v", err)
				}
				h.Crash()
				h.Open()
				h.Tick()
				whole := failing == 2 && applied
				list := h.Subscriptions()
				if whole != (len(list) == 1 && list[0].State == storage.Active) || !whole && len(list) != 0 {
					t.Errorf("after the recovery: %+v", list)
				}
				if !whole {
					h.MustSubscribe("billing", topic.ID, storage.Start{})
				}
			})
		}
	}
}

// loggedBytes counts what is logged.
type loggedBytes struct{ atomic.Int64 }

// Write counts.
func (l *loggedBytes) Write(b []byte) (int, error) {
	l.Add(int64(len(b)))
	return len(b), nil
}

// TestADeletionThatWasInterruptedGoesOn fails each commit of a deletion in turn.
func TestADeletionThatWasInterruptedGoesOn(t *testing.T) {
	for failing := uint64(1); failing <= 5; failing++ {
		t.Run(fmt.Sprintf("commit %d", failing), func(t *testing.T) {
			var complaints loggedBytes
			h := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{
				Logger: slog.New(slog.NewTextHandler(&complaints, &slog.HandlerOptions{Level: slog.LevelError})),
			})
			m := memoryOf(h)
			topic := h.MustCreateTopic("orders", 2)
			p := storage.PartitionID{Topic: topic.ID}
			s := h.MustSubscribe("billing", topic.ID, storage.Start{})
			h.MustPublish(p, "a", "b")
			h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{
				Chunks: []storage.Chunk{{Acked: []storage.OffsetRange{{First: 1, End: 2}}}},
			}}})
			m.FailBatch(h.Metrics().Commits+1+failing, storagetest.Fault{Err: storage.ErrUnknown})
			subscriptionGone := h.DeleteSubscription(t.Context(), s.ID) == nil
			topicGone := h.DeleteTopic(t.Context(), topic.ID) == nil
			for topicGone && len(h.Topics()) > 0 && h.Err() == nil {
				select {
				case h.Ticks <- time.Time{}:
				case <-h.Failed():
				}
			}
			h.Crash()
			complaints.Store(0)
			h.Open()
			if complaints.Load() > 0 {
				t.Error("a half of a deletion was taken for damage")
			}
			h.Tick()
			if left := len(h.Subscriptions()); subscriptionGone && left != 0 {
				t.Error("the subscription is still there")
			}
			if left := len(h.Topics()); topicGone && left != 0 {
				t.Error("the topic is still there")
			}
		})
	}
}
