package shardlog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

func TestPublishTailReopen(t *testing.T) {
	h := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{})
	topic := h.MustCreateTopic("orders", 1)
	p := storage.PartitionID{Topic: topic.ID}
	h.MustSubscribe("billing", topic.ID, storage.Start{})
	if at := h.MustPublish(p, "a", "b", "c"); at != 0 {
		t.Fatalf("first offset %d", at)
	}
	h.MustPublish(p, "d")
	s := h.Tail(p, 3)
	if s == nil {
		t.Fatal("not in the tail")
	}
	s.Release()
	want := []string{"a", "b", "c", "d"}
	if diff := cmp.Diff(want, h.Bodies(p)); diff != "" {
		t.Error(diff)
	}
	h.Reopen()
	if diff := cmp.Diff(want, h.Bodies(p)); diff != "" {
		t.Error(diff)
	}
	h.MustPublish(p, "e")
	h.Crash()
	h.Open()
	if diff := cmp.Diff(append(want, "e"), h.Bodies(p)); diff != "" {
		t.Error(diff)
	}
}

func TestChangeSets(t *testing.T) {
	h := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{})
	topic := h.MustCreateTopic("orders", 2)
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	p := storage.PartitionID{Topic: topic.ID, Partition: 1}
	for range 20 {
		h.MustPublish(p, make([]string, 1000)...)
	}
	chunk := storage.Chunk{Index: 1, Acked: []storage.OffsetRange{{First: 5000, End: 5010}}, Attempts: []storage.AttemptCount{{Offset: 5020, Failed: 1}}}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{
		Partition: 1, Floor: 7, Chunks: []storage.Chunk{chunk},
	}}})
	h.Crash()
	h.Open()
	got, err := h.Cursors(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := []storage.Cursor{
		{Partition: 0, Generation: 1},
		{Partition: 1, Generation: 1, Floor: 7, Chunks: []storage.Chunk{chunk}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Partition: 1, Floor: 20000}}})
}
