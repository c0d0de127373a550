package storagetest

import (
	"strings"
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
)

// boundTests are the promises of retention by age and by bytes.
var boundTests = []storeTest{
	{"What is too old goes, settled or not, once floors have moved", storeBoundsAge},
	{"The oldest messages of all partitions go while there is too much", storeBoundsBytes},
	{"Bounds that change count at once", storeChangesBounds},
	{"A long backlog goes in steps, and a crash between them harms nothing", storeBoundsInSteps},
}

func (h *StoreHarness) mustUpdateTopic(t storage.Topic) {
	h.t.Helper()
	if _, err := h.UpdateTopic(h.t.Context(), t); err != nil {
		h.t.Fatalf("update topic: %v", err)
	}
}

func (h *StoreHarness) mustBoundTopic(partitions uint16, maxAge time.Duration, maxBytes uint64) storage.Topic {
	h.t.Helper()
	t, err := h.CreateTopic(h.t.Context(), storage.Topic{
		Name: "bounded", Partitions: partitions, MinAge: time.Minute, MaxAge: maxAge, MaxBytes: maxBytes,
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return t
}

func (h *StoreHarness) wantKeptFrom(p storage.PartitionID, want storage.Offset) {
	h.t.Helper()
	if got := h.KeptFrom(p); got != want {
		h.t.Errorf("partition %v keeps from %d on, expected %d", p, got, want)
	}
}

func storeBoundsAge(t *testing.T, h *StoreHarness) {
	t.Helper()
	clock := h.useClock()
	p := storage.PartitionID{Topic: h.mustBoundTopic(1, time.Hour, 0).ID}
	s := h.MustSubscribe("s", p.Topic, storage.Start{})
	wake := make(chan struct{}, 1) // capacity 1: it only says that there is something
	cancel := h.WatchKept(p.Topic, wake)
	defer cancel()
	h.MustPublish(p, "a", "b")
	clock.advance(30 * time.Minute)
	h.MustPublish(p, "c")
	clock.advance(30*time.Minute - time.Second)
	h.Tick()
	h.wantKeptFrom(p, 0)
	clock.advance(time.Second)
	h.Tick()
	h.wantKeptFrom(p, 2)
	if len(wake) != 1 {
		t.Error("nobody was woken")
	}
	h.wantBodies(p, "a", "b", "c") // A subscription's floor is still before them.
	h.settle(s.ID, 2)
	h.Tick()
	h.wantBodies(p, "c")
	h.Crash()
	h.Open()
	h.wantBodies(p, "c")
	clock.advance(30 * time.Minute)
	h.Tick()
	h.wantKeptFrom(p, 3)
}

func storeBoundsBytes(t *testing.T, h *StoreHarness) {
	t.Helper()
	clock := h.useClock()
	const size = 1000 + 3 // a message with its tag and length
	topic := h.mustBoundTopic(2, 0, 3*size)
	a, b := storage.PartitionID{Topic: topic.ID}, storage.PartitionID{Topic: topic.ID, Partition: 1}
	s := h.MustSubscribe("s", topic.ID, storage.Start{})
	body := func(name string) string { return name + strings.Repeat(".", 1000-len(name)) }
	for _, x := range []struct {
		p    storage.PartitionID
		name string
	}{{a, "1"}, {b, "2"}, {a, "3"}} {
		h.MustPublish(x.p, body(x.name))
		clock.advance(time.Second)
	}
	h.Tick()
	h.wantKeptFrom(a, 0)
	h.MustPublish(a, body("4"))
	clock.advance(time.Second)
	h.MustPublish(a, body("5"))
	h.Tick()
	// They are younger than min_age: the bound in bytes is the stronger one.
	h.wantKeptFrom(a, 1)
	h.wantKeptFrom(b, 1)
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 1}, {Partition: 1, Floor: 1}}})
	h.Tick()
	h.wantBodies(a, body("3"), body("4"), body("5"))
	h.wantBodies(b)
	h.Tick()
	h.wantKeptFrom(a, 1)
}

func storeChangesBounds(t *testing.T, h *StoreHarness) {
	t.Helper()
	clock := h.useClock()
	topic := h.mustBoundTopic(1, 0, 0)
	p := storage.PartitionID{Topic: topic.ID}
	h.MustSubscribe("s", p.Topic, storage.Start{})
	h.MustPublish(p, "a")
	clock.advance(time.Hour)
	h.MustPublish(p, "b")
	h.Tick()
	h.wantKeptFrom(p, 0)
	topic.MaxAge = 30 * time.Minute
	h.mustUpdateTopic(topic)
	h.Tick()
	h.wantKeptFrom(p, 1)
	topic.MaxAge, topic.MaxBytes = 0, 1
	h.mustUpdateTopic(topic)
	h.Tick()
	h.wantKeptFrom(p, 2)
	topic.MaxBytes = 0
	h.mustUpdateTopic(topic)
	h.Reopen()
	if got := h.Topics()[0]; got.MaxAge != 0 || got.MaxBytes != 0 {
		t.Errorf("after an opening: %+v", got)
	}
}

func storeBoundsInSteps(t *testing.T, h *StoreHarness) {
	t.Helper()
	clock := h.useClock()
	p := storage.PartitionID{Topic: h.mustBoundTopic(1, 0, 1).ID}
	const messages = 4200 // more pointers than one step takes
	for i := range messages {
		h.MustPublish(p, "x")
		if i%1000 == 0 {
			clock.advance(time.Second)
		}
	}
	s := h.MustSubscribe("s", p.Topic, storage.Start{Kind: storage.StartEarliest})
	h.Crash()
	h.Open()
	h.Tick()
	h.wantKeptFrom(p, messages)
	h.settle(s.ID, messages-1)
	h.Ticks <- time.Time{}
	h.Crash()
	h.Open()
	h.settle(s.ID, messages)
	h.Tick()
	h.Tick()
	h.wantBodies(p)
	if stats := h.mustStats(p); stats.First != messages {
		t.Errorf("it begins at %d", stats.First)
	}
}
