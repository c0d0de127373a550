package shardlog_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// cursorsOf gives a subscription's state, without counters, generations and holes.
func cursorsOf(t *testing.T, h *storagetest.StoreHarness, id storage.SubscriptionID) []storage.Cursor {
	t.Helper()
	all, err := h.Cursors(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].Generation, all[i].Counters, all[i].Holes = 0, storage.Counters{}, nil
	}
	return all
}

func mustSnapshot(t *testing.T, h *storagetest.StoreHarness, name string, of storage.SubscriptionID, expires time.Time) storage.Snapshot {
	t.Helper()
	s, err := h.CreateSnapshot(t.Context(), name, of, expires)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestASeekToASnapshotBringsBackWhatWasUnsettled: over stops and crashes, on both engines,
// what was unsettled when the snapshot was taken is so again, with what came since, and
// it is all there: neither trimmed nor a hole.
func TestASeekToASnapshotBringsBackWhatWasUnsettled(t *testing.T) {
	for name, home := range map[string]func(testing.TB) storagetest.StoreHome{
		"memory": func(testing.TB) storagetest.StoreHome { return storagetest.MemoryHome() },
		"Badger": badgerHome,
	} {
		t.Run(name, func(t *testing.T) { comesBackToASnapshot(t, home(t)) })
	}
}

func comesBackToASnapshot(t *testing.T, home storagetest.StoreHome) {
	t.Helper()
	h, p, s := diggingStore(t, home)
	for i := range 100 {
		h.MustPublish(p, strconv.Itoa(i))
	}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{
		Generation: 1, Floor: 10,
		Chunks: []storage.Chunk{{
			Acked:    []storage.OffsetRange{{First: 12, End: 50}, {First: 90, End: 95}},
			Attempts: []storage.AttemptCount{{Offset: 11, Failed: 3}},
		}},
	}}})
	taken := mustSnapshot(t, h, "default/before", s.ID, time.Now().Add(time.Hour))
	if taken.Unsettled != 47 || taken.Of != s.Name || taken.State != storage.Active {
		t.Errorf("%+v", taken)
	}
	// All of it is settled, and more comes.
	h.MustPublish(p, "new")
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 101}}})
	for _, reopen := range []func(){func() {}, h.Reopen, func() { h.Crash(); h.Open() }} {
		reopen()
		for !h.Metrics().SegmentsCounted {
			h.Tick()
		}
		h.Tick()
		if len(h.Subscriptions()) != 1 || !cmp.Equal(h.Snapshots(), []storage.Snapshot{taken}) {
			t.Errorf("%d subscriptions, snapshots %+v", len(h.Subscriptions()), h.Snapshots())
		}
		if stats, err := h.Stats(p); err != nil || stats.First != 10 {
			t.Errorf("%+v, %v", stats, err)
		}
		if report := reportOf(t, h); report.Snapshots != 1 || report.Subscriptions != 1 {
			t.Errorf("%+v", report)
		}
	}
	to := storage.Target{Snapshot: taken.ID}
	dry, err := h.Seek(t.Context(), s.ID, storage.Target{Snapshot: taken.ID, DryRun: true})
	if err != nil || dry != (storage.Seeked{Generation: 1, Unsettled: 48}) {
		t.Errorf("%+v, %v", dry, err)
	}
	if done, err := h.Seek(t.Context(), s.ID, to); err != nil || done != (storage.Seeked{Generation: 2, Unsettled: 48}) {
		t.Errorf("%+v, %v", done, err)
	}
	want := []storage.Cursor{{Floor: 10, Chunks: []storage.Chunk{{Acked: []storage.OffsetRange{{First: 12, End: 50}, {First: 90, End: 95}}}}}}
	for _, reopen := range []func(){func() {}, func() { h.Crash(); h.Open() }} {
		reopen()
		if diff := cmp.Diff(want, cursorsOf(t, h, s.ID)); diff != "" {
			t.Error(diff)
		}
		_, bodies := h.Contents(p)
		for _, at := range []storage.Offset{10, 11, 50, 89, 95, 100} {
			if _, there := bodies[at]; !there {
				t.Errorf("message %d is gone", at)
			}
		}
	}
	// What the snapshot had settled need not be kept for it.
	if done, err := h.Seek(t.Context(), s.ID, to); err != nil || done != (storage.Seeked{Generation: 3}) {
		t.Errorf("%+v, %v", done, err)
	}
}

// A snapshot may have more than one commit takes, and so may a seek to it.
func TestASnapshotIsWrittenInSteps(t *testing.T) {
	h := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{SnapshotStepBytes: 1})
	topic := h.MustCreateTopic("orders", 3)
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	const chunks = 3
	set := &storage.ChangeSet{Subscription: s.ID}
	end := &storage.ChangeSet{Subscription: s.ID}
	for partition := range topic.Partitions {
		for range chunks {
			h.MustPublish(storage.PartitionID{Topic: topic.ID, Partition: partition}, make([]string, storage.ChunkOffsets)...)
		}
		end.Cursors = append(end.Cursors, storage.CursorChange{Partition: partition, Floor: chunks * storage.ChunkOffsets})
		if partition == 1 {
			continue // Nothing is settled in it.
		}
		change := storage.CursorChange{Partition: partition}
		for index := range uint64(chunks) {
			first := storage.Offset(index*storage.ChunkOffsets) + 1
			change.Chunks = append(change.Chunks, storage.Chunk{Index: index, Acked: []storage.OffsetRange{{First: first, End: first + 100}}})
		}
		set.Cursors = append(set.Cursors, change)
	}
	h.MustCommit(set)
	want := cursorsOf(t, h, s.ID)
	taken := mustSnapshot(t, h, "default/large", s.ID, time.Now().Add(time.Hour))
	if taken.Unsettled != 9*storage.ChunkOffsets-600 {
		t.Errorf("%+v", taken)
	}
	if diff := cmp.Diff(want, cursorsOf(t, h, taken.ID)); diff != "" {
		t.Error(diff)
	}
	h.MustCommit(end)
	done, err := h.Seek(t.Context(), s.ID, storage.Target{Snapshot: taken.ID})
	if err != nil || done.Unsettled != taken.Unsettled || done.Settled != 0 {
		t.Errorf("%+v, %v", done, err)
	}
	h.Crash()
	h.Open()
	if diff := cmp.Diff(want, cursorsOf(t, h, s.ID)); diff != "" {
		t.Error(diff)
	}
}

func TestSnapshotsExpireAndAreDeleted(t *testing.T) {
	h, clock, p := clockedStore(t)
	s := h.MustSubscribe("billing", p.Topic, storage.Start{})
	h.MustPublish(p, "a")
	mustSnapshot(t, h, "default/short", s.ID, clock.Now().Add(time.Hour))
	long := mustSnapshot(t, h, "default/long", s.ID, clock.Now().Add(2*time.Hour))
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 1}}})
	if _, err := h.CreateSnapshot(t.Context(), "default/long", s.ID, clock.Now()); !errors.Is(err, storage.ErrExists) {
		t.Errorf("a name that is taken: %v", err)
	}
	names := func() (all []string) {
		for _, x := range h.Snapshots() {
			all = append(all, x.Name)
		}
		return all
	}
	clock.advance(90 * time.Minute)
	h.Tick()
	wantBodies(t, h, p, "a")
	if got := names(); !slices.Equal(got, []string{"default/long"}) {
		t.Errorf("%v", got)
	}
	if err := h.DeleteSnapshot(t.Context(), long.ID); err != nil {
		t.Fatal(err)
	}
	h.Tick()
	h.Tick()
	wantBodies(t, h, p)
	if got := names(); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if _, err := h.Seek(t.Context(), s.ID, storage.Target{Snapshot: long.ID}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a seek to one that is gone: %v", err)
	}
	mustSnapshot(t, h, "default/long", s.ID, clock.Now().Add(time.Hour)) // The name is free.
}

// A snapshot outlives its subscription, serves another one of the topic, none of another
// topic, and goes with the topic.
func TestASnapshotBelongsToItsTopic(t *testing.T) {
	h, p, s := diggingStore(t, storagetest.MemoryHome())
	h.MustPublish(p, "a", "b")
	taken := mustSnapshot(t, h, "default/before", s.ID, time.Now().Add(time.Hour))
	if err := h.DeleteSubscription(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	again := h.MustSubscribe("again", p.Topic, storage.Start{})
	if done, err := h.Seek(t.Context(), again.ID, storage.Target{Snapshot: taken.ID}); err != nil || done.Unsettled != 2 {
		t.Errorf("%+v, %v", done, err)
	}
	other := h.MustSubscribe("other", h.MustCreateTopic("other", 1).ID, storage.Start{})
	if _, err := h.Seek(t.Context(), other.ID, storage.Target{Snapshot: taken.ID}); !errors.Is(err, storage.ErrOtherTopic) {
		t.Errorf("%v", err)
	}
	if err := h.DeleteSubscription(t.Context(), again.ID); err != nil {
		t.Fatal(err)
	}
	if err := h.DeleteTopic(t.Context(), p.Topic); err != nil {
		t.Fatal(err)
	}
	h.Tick()
	h.Tick()
	if left := h.Snapshots(); len(left) != 0 {
		t.Errorf("%+v", left)
	}
	h.Reopen()
	reportOf(t, h)
}

// A snapshot whose creation was cut off is not there afterwards, and holds nothing.
func TestASnapshotIsThereAsAWholeOrNotAtAll(t *testing.T) {
	for cut := range 3 {
		h := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{HoleAge: 1, HoleInterval: 1})
		topic := h.MustCreateTopic("orders", 1)
		p, s := storage.PartitionID{Topic: topic.ID}, h.MustSubscribe("billing", topic.ID, storage.Start{})
		h.MustPublish(p, "a", "b", "c")
		h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{
			Chunks: []storage.Chunk{{Acked: []storage.OffsetRange{{First: 1, End: 2}}}},
		}}})
		fault := storagetest.Fault{Err: storage.ErrUnknown, Applied: cut > 0}
		h.Engine.(*storagetest.Memory).FailNext(fault)
		if _, err := h.CreateSnapshot(t.Context(), "default/before", s.ID, time.Now().Add(time.Hour)); err == nil {
			t.Fatal("it was made in spite of the fault")
		}
		h.Crash()
		h.Open()
		h.Tick()
		if left := h.Snapshots(); len(left) != 0 {
			t.Errorf("cut %d: %+v", cut, left)
		}
		h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 3}}})
		h.Tick()
		wantBodies(t, h, p)
		mustSnapshot(t, h, "default/before", s.ID, time.Now().Add(time.Hour)) // The name is free.
	}
}
