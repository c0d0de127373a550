package shardlog_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/storagetest"
)

// bufferedStore is a store in memory with a buffered topic of one partition.
func bufferedStore(t *testing.T) (*storagetest.StoreHarness, *storagetest.Memory, storage.PartitionID) {
	t.Helper()
	h, m := memoryStore(t)
	return h, m, bufferedTopic(t, h, "metrics")
}

func bufferedTopic(t *testing.T, h *storagetest.StoreHarness, name string) storage.PartitionID {
	t.Helper()
	topic, err := h.CreateTopic(t.Context(), storage.Topic{Name: name, Partitions: 1, Buffered: true})
	if err != nil {
		t.Fatal(err)
	}
	return storage.PartitionID{Topic: topic.ID}
}

// publishOf is a publish of messages to one partition.
func publishOf(p storage.PartitionID, bodies ...string) *storage.Publish {
	return &storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, bodies...)}}
}

// TestABufferedPublishIsDoneBeforeItsCommit: its sender may use the memory again at
// once, readers see nothing until it is durable, and then what was published.
func TestABufferedPublishIsDoneBeforeItsCommit(t *testing.T) {
	h, m, p := bufferedStore(t)
	reached, release := m.Block()
	q := h.NewPublishQueue()
	defer q.Close()
	for i, body := range []string{"first", "second", "third"} {
		publish := publishOf(p, body, body+" too")
		publish.Appends[0].KeyHashes = []storage.KeyHash{{Hash: 7, Present: true}, {}}
		if !q.Put(publish, nil) {
			t.Fatal("the queue takes nothing")
		}
		done := h.Await(q)
		if done.Err != nil || !done.Buffered || done.Appends[0].Base != storage.Offset(2*i) {
			t.Errorf("%s: at %d, buffered is %t, %v", body, done.Appends[0].Base, done.Buffered, done.Err)
		}
		clear(done.Appends[0].Messages)
		clear(done.Appends[0].Ends)
		clear(done.Appends[0].KeyHashes)
	}
	<-reached
	if h.Head(p) != 0 || h.Tail(p, 0) != nil {
		t.Error("visible before it is durable")
	}
	release()
	h.Reopen()
	wantBodies(t, h, p, "first", "first too", "second", "second too", "third", "third too")
	piece, err := h.Read(t.Context(), p, 0)
	if err != nil || !slices.Equal(piece.Segment.KeyHashes[:2], []storage.KeyHash{{Hash: 7, Present: true}, {}}) {
		t.Errorf("keys: %v", err)
	}
	piece.Segment.Release()
}

// TestABufferedPublishOvertakesNothing: behind one that waits for its commit it waits,
// too, and is durable when it is done.
func TestABufferedPublishOvertakesNothing(t *testing.T) {
	h, m, p := bufferedStore(t)
	synced := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	reached, release := m.Block()
	q := h.NewPublishQueue()
	defer q.Close()
	q.Put(publishOf(synced, "synced"), nil)
	<-reached
	q.Put(publishOf(p, "buffered"), nil)
	other := h.NewPublishQueue()
	defer other.Close()
	other.Put(publishOf(p, "of another queue"), nil)
	if done := h.Await(other); !done.Buffered {
		t.Error("one queue waits for another one's commit")
	}
	if q.Done() != nil {
		t.Error("done before its commit")
	}
	release()
	for _, body := range []string{"synced", "buffered"} {
		if done := h.Await(q); done.Err != nil || done.Buffered || h.Head(done.Appends[0].Partition) == 0 {
			t.Errorf("%s: buffered is %t, %v", body, done.Buffered, done.Err)
		}
	}
}

// TestOnlySoMuchIsAcceptedBeforeItIsDurable: messages and bytes; what is beyond waits.
func TestOnlySoMuchIsAcceptedBeforeItIsDurable(t *testing.T) {
	const most, mib = 1 << 19, 1 << 20
	for name, c := range map[string]struct {
		publishes, messages, size int
		accepted                  int
	}{
		"messages": {publishes: 5, messages: most / 4, size: 0, accepted: 4},
		"bytes":    {publishes: 1, messages: 17, size: mib, accepted: 0},
	} {
		t.Run(name, func(t *testing.T) {
			h, m, p := bufferedStore(t)
			other := bufferedTopic(t, h, "others")
			_, release := m.Block()
			body := string(make([]byte, c.size))
			var queues []storage.PublishQueue
			for i := range c.publishes {
				q := h.NewPublishQueue()
				q.Put(publishOf(p, slices.Repeat([]string{body}, c.messages)...), nil)
				queues = append(queues, q)
				if i < c.accepted && !h.Await(q).Buffered {
					t.Errorf("publish %d waited", i)
				}
			}
			h.MustPublish(other, "behind all of them")
			for i, q := range queues[c.accepted:] {
				if q.Done() != nil {
					t.Errorf("publish %d did not wait", c.accepted+i)
				}
			}
			release()
			for _, q := range queues[c.accepted:] {
				if done := h.Await(q); done.Err != nil {
					t.Error(done.Err)
				}
			}
		})
	}
}

// TestWhatWasAcceptedWaitsForRoomOnTheDisk: it is stored once there is some; a store that
// stops before loses it, says so, and gives its offset to nobody.
func TestWhatWasAcceptedWaitsForRoomOnTheDisk(t *testing.T) {
	for _, stops := range []bool{false, true} {
		t.Run(fmt.Sprintf("stops: %t", stops), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { acceptOnAFullDisk(t, stops) })
		})
	}
}

func acceptOnAFullDisk(t *testing.T, stops bool) {
	t.Helper()
	h, m, p := bufferedStore(t)
	reached, release := m.Block()
	h.MustPublish(p, "on its way to the disk")
	<-reached
	h.MustPublish(p, "accepted")
	m.SetSpace(full)
	release()
	synctest.Wait()
	refused := put(t, h, p, "refused") // It waits for what it must not overtake.
	synctest.Wait()
	if h.Head(p) != 1 || !h.Metrics().WaitsForSpace {
		t.Errorf("head %d, %+v", h.Head(p), h.Metrics())
	}
	if stops {
		if err := h.Close(); !errors.Is(err, storage.ErrNoSpace) {
			t.Errorf("a stop without room: %v", err)
		}
		wantRefused(t, h, refused)
		h.Open()
		wantBodies(t, h, p, "on its way to the disk")
		if at := h.MustPublish(p, "next"); at != 1+skipped {
			t.Errorf("the next one is at %d", at)
		}
		return
	}
	m.SetSpace(roomy)
	wantRefused(t, h, refused)
	if at := h.MustPublish(p, "next"); at != 2 {
		t.Errorf("the next one is at %d", at)
	}
	h.Reopen()
	wantBodies(t, h, p, "on its way to the disk", "accepted", "next")
}

func wantRefused(t *testing.T, h *storagetest.StoreHarness, q storage.PublishQueue) {
	t.Helper()
	if err := h.Await(q).Err; !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("a publish on a full disk: %v", err)
	}
}
