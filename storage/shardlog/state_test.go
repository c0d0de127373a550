package shardlog_test

import (
	"fmt"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/storagetest"
)

// chunksOf makes n ack chunks from an index on, each with one settled offset.
func chunksOf(from uint64, n int) []storage.Chunk {
	chunks := make([]storage.Chunk, n)
	for i := range chunks {
		index := from + uint64(i)
		at := storage.Offset(index*storage.ChunkOffsets) + 1
		chunks[i] = storage.Chunk{Index: index, Acked: []storage.OffsetRange{{First: at, End: at + 1}}}
	}
	return chunks
}

// longPartition has a head far away, by messages that take no room.
func longPartition(t *testing.T, h *storagetest.StoreHarness, chunks int) storage.PartitionID {
	t.Helper()
	p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	h.MustSubscribe("keeper", p.Topic, storage.Start{})
	for range chunks {
		h.MustPublish(p, make([]string, storage.ChunkOffsets)...)
	}
	return p
}

func keysOf(t *testing.T, e storage.Engine, kind record.Kind) (n int) {
	t.Helper()
	err := e.View(func(r storage.Reader) error {
		return r.Ascend(record.AppendPrefix(nil, kind), nil, func([]byte, storage.Value) (bool, error) {
			n++
			return true, nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestChunksBelowTheFloorGoInSteps(t *testing.T) {
	h, m := memoryStore(t)
	const chunks = 1100
	p := longPartition(t, h, chunks)
	s := h.MustSubscribe("billing", p.Topic, storage.Start{Kind: storage.StartEarliest})
	for from := 0; from < chunks; from += 100 {
		change := storage.CursorChange{Chunks: chunksOf(uint64(from), 100)}
		h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{change}})
	}
	if n := keysOf(t, m, record.KindAck); n != chunks {
		t.Fatalf("%d ack records", n)
	}
	floor := storage.Offset((chunks - 1) * storage.ChunkOffsets)
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: floor}}})
	if n := keysOf(t, m, record.KindAck); n < chunks/3 {
		t.Errorf("one batch deleted %d records", chunks-n)
	}
	// They go on going, across a crash too.
	h.Crash()
	h.Open()
	m = memoryOf(h)
	for i := 0; keysOf(t, m, record.KindAck) > 1; i++ {
		if i > 10 {
			t.Fatalf("%d ack records left", keysOf(t, m, record.KindAck))
		}
		h.MustPublish(p, "x")
	}
}

func TestStateGetsAtMostHalfOfABatchWhilePublishesWait(t *testing.T) {
	h, m := memoryStore(t)
	const loops, chunks = 12, 500
	p := longPartition(t, h, chunks)
	var slots []storage.StateSlot
	var sets []*storage.ChangeSet
	for i := range loops {
		s := h.MustSubscribe(fmt.Sprint(i), p.Topic, storage.Start{Kind: storage.StartEarliest})
		slots = append(slots, h.NewStateSlot(s.ID))
		change := storage.CursorChange{Chunks: chunksOf(0, chunks)}
		sets = append(sets, &storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{change}})
	}
	reached, release := m.Block()
	first := put(t, h, p, "first")
	<-reached
	waiting := put(t, h, p, "waits")
	for i, slot := range slots {
		slot.Submit(sets[i])
	}
	before := h.Metrics().Commits
	release()
	h.Await(first)
	if done := h.Await(waiting); done.Err != nil {
		t.Fatal(done.Err)
	}
	// The publish was in the next batch, though all change sets fill several.
	if n := h.Metrics().Commits - before; n != 2 {
		t.Errorf("it took %d commits", n)
	}
	for _, slot := range slots {
		<-slot.Ready()
		if _, err := slot.Done(); err != nil {
			t.Error(err)
		}
	}
	if n := h.Metrics().Commits - before; n < 3 {
		t.Errorf("%d change sets of %d chunks fit %d commits", loops, chunks, n)
	}
}

func TestABusySlotTakesNothing(t *testing.T) {
	h, m := memoryStore(t)
	p := longPartition(t, h, 1)
	s := h.MustSubscribe("billing", p.Topic, storage.Start{})
	slot := h.NewStateSlot(s.ID)
	reached, release := m.Block()
	set := &storage.ChangeSet{Subscription: s.ID}
	set.Cursors = []storage.CursorChange{{Floor: storage.ChunkOffsets}}
	slot.Submit(set)
	<-reached
	if idle, _ := slot.Done(); idle {
		t.Error("idle before it is durable")
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a busy slot took another change set")
			}
		}()
		slot.Submit(set)
	}()
	release()
	<-slot.Ready()
	if idle, err := slot.Done(); !idle || err != nil {
		t.Errorf("idle %v, %v", idle, err)
	}
	slot.Close()
}

func TestTwoSlotsOfASubscriptionAreNotInOneBatch(t *testing.T) {
	h, m := memoryStore(t)
	p := longPartition(t, h, 1)
	s := h.MustSubscribe("billing", p.Topic, storage.Start{Kind: storage.StartEarliest})
	reached, release := m.Block()
	first := put(t, h, p, "first")
	<-reached
	// The memory engine refuses a key that is twice in a batch.
	old, owner := h.NewStateSlot(s.ID), h.NewStateSlot(s.ID)
	old.Submit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 1, Chunks: chunksOf(0, 1)}}})
	old.Close()
	owner.Submit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 1, Chunks: chunksOf(0, 1)}}})
	release()
	h.Await(first)
	<-owner.Ready()
	if _, err := owner.Done(); err != nil {
		t.Error(err)
	}
}
