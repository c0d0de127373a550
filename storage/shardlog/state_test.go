package shardlog_test

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

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

// longPartition has a head far away: its one message is a hole of many offsets.
func longPartition(t *testing.T, h *storagetest.StoreHarness, chunks int) storage.PartitionID {
	t.Helper()
	p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	h.MustSubscribe("keeper", p.Topic, storage.Start{})
	h.MustPublish(p, "x")
	h.Stop()
	d := memoryOf(h).Disk()
	key := record.AppendPointerKey(nil, p, 0)
	d.Corrupt(key, func(value []byte) []byte {
		x, err := record.DecodePointer(key, value)
		if err != nil {
			t.Fatal(err)
		}
		x.Hole, x.At, x.Span = true, record.Location{}, uint64(chunks*storage.ChunkOffsets)
		return record.AppendPointer(nil, key, &x)
	})
	own := record.AppendPartitionKey(nil, p)
	d.Corrupt(own, func(value []byte) []byte {
		x, err := record.DecodePartition(own, value)
		if err != nil {
			t.Fatal(err)
		}
		x.Holes = record.Holes{Number: 1, Totals: x.Head.Before}
		return record.AppendPartition(nil, own, &x)
	})
	h.Open()
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
	h, _ := memoryStore(t)
	const chunks = 1100
	p := longPartition(t, h, chunks)
	s := h.MustSubscribe("billing", p.Topic, storage.Start{Kind: storage.StartEarliest})
	for from := 0; from < chunks; from += 100 {
		change := storage.CursorChange{Chunks: chunksOf(uint64(from), 100)}
		h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{change}})
	}
	if n := keysOf(t, h.Engine, record.KindAck); n != chunks {
		t.Fatalf("%d ack records", n)
	}
	// The second step fails, and the next opening goes on.
	last := lastHeader(t, h.Engine)
	memoryOf(h).FailBatch(last+2, storagetest.Fault{Err: storage.ErrUnknown})
	floor := storage.Offset((chunks - 1) * storage.ChunkOffsets)
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: floor}}})
	<-h.Failed()
	if n := keysOf(t, h.Engine, record.KindAck); n < chunks/3 || n == chunks {
		t.Errorf("one batch deleted %d records", chunks-n)
	}
	h.Crash()
	h.Open()
	h.Reopen() // A stop ends what is open.
	if n := keysOf(t, h.Engine, record.KindAck); n != 1 {
		t.Errorf("%d ack records are left", n)
	}
}

// lastHeader is the number of the last batch.
func lastHeader(t *testing.T, e storage.Engine) (last uint64) {
	t.Helper()
	err := e.View(func(r storage.Reader) error {
		return r.Ascend(record.AppendPrefix(nil, record.KindBatch), nil, func(key []byte, value storage.Value) (bool, error) {
			return true, value.Read(func(value []byte) error {
				x, err := record.DecodeHeader(key, value)
				last = max(last, x.Number)
				return err
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// TestStateGetsAtMostHalfOfABatchWhilePublishesWait fills the open batch with
// messages, so that a publish waits, and submits more change sets than a batch takes.
func TestStateGetsAtMostHalfOfABatchWhilePublishesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := memoryStore(t)
		const loops, chunks = 12, 500
		p := longPartition(t, h, chunks)
		m := memoryOf(h)
		var sets []*storage.ChangeSet
		for i := range loops {
			s := h.MustSubscribe(strconv.Itoa(i), p.Topic, storage.Start{Kind: storage.StartEarliest})
			change := storage.CursorChange{Chunks: chunksOf(0, chunks)}
			sets = append(sets, &storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{change}})
		}
		_, release := m.Block()
		put(t, h, p, "is being committed")
		synctest.Wait()
		_, releaseSecond := m.Block()
		put(t, h, p, strings.Repeat("x", 4<<20-100))
		put(t, h, p, strings.Repeat("waits", 1000))
		synctest.Wait()
		var slots []storage.StateSlot
		for _, set := range sets {
			slot := h.NewStateSlot(set.Subscription)
			slot.Submit(set)
			slots = append(slots, slot)
		}
		synctest.Wait()
		release()
		synctest.Wait()
		_, releaseThird := m.Block()
		releaseSecond()
		synctest.Wait() // The second batch is done, the third being committed.
		if done := idleOf(slots); done == 0 || done > loops/2 {
			t.Errorf("%d of %d change sets in one batch with publishes", done, loops)
		}
		releaseThird()
		synctest.Wait()
		if done := idleOf(slots); done != loops {
			t.Errorf("%d of %d change sets done in the end", done, loops)
		}
	})
}

func idleOf(slots []storage.StateSlot) (n int) {
	for _, slot := range slots {
		if idle, err := slot.Done(); idle && err == nil {
			n++
		}
	}
	return n
}

func TestABusySlotTakesNothing(t *testing.T) {
	h, _ := memoryStore(t)
	p := longPartition(t, h, 1)
	m := memoryOf(h)
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
	h, _ := memoryStore(t)
	p := longPartition(t, h, 1)
	m := memoryOf(h)
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

// TestAChangeSetThatChangesNothingHoldsNoneUp: it needs no commit, and the next one of its
// subscription is in the batch that gets its number.
func TestAChangeSetThatChangesNothingHoldsNoneUp(t *testing.T) {
	h, _ := memoryStore(t)
	p := longPartition(t, h, 1)
	s := h.MustSubscribe("billing", p.Topic, storage.Start{Kind: storage.StartEarliest})
	slot := h.NewStateSlot(s.ID)
	for _, cursors := range [][]storage.CursorChange{nil, nil, {{Floor: 1}}} {
		slot.Submit(&storage.ChangeSet{Subscription: s.ID, Cursors: cursors})
		<-slot.Ready()
		if _, err := slot.Done(); err != nil {
			t.Error(err)
		}
	}
}
