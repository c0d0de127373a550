package shardlog_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/storagetest"
)

// TestAStoreIsClosedWhileEveryoneUsesIt closes a store, twice at a time, under
// publishers, loops, readers and catalog calls: everyone gets an answer.
func TestAStoreIsClosedWhileEveryoneUsesIt(t *testing.T) {
	for range 20 {
		h, _ := memoryStore(t)
		topic := h.MustCreateTopic("orders", 2)
		s := h.MustSubscribe("billing", topic.ID, storage.Start{})
		p := storage.PartitionID{Topic: topic.ID}
		var users sync.WaitGroup
		started := make(chan struct{}, 4) // one token for each user
		use := func(turn func(i int) (more bool)) {
			users.Go(func() {
				for i := 0; turn(i); i++ {
					if i == 3 {
						started <- struct{}{}
					}
				}
			})
		}
		use(func(i int) bool { return publishAndWait(h, p, strconv.Itoa(i)) == nil })
		use(func(int) bool { return commitAndWait(h, s.ID) == nil })
		use(func(i int) bool {
			_, err := h.CreateTopic(t.Context(), storage.Topic{Name: strconv.Itoa(i), Partitions: 1})
			return err == nil
		})
		use(func(int) bool {
			wake := make(chan struct{}, 1)
			h.Watch(p, wake)()
			_, err := h.Cursors(t.Context(), s.ID)
			return err == nil
		})
		for range cap(started) {
			<-started
		}
		var closers sync.WaitGroup
		for range 2 {
			closers.Go(func() {
				if err := h.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		closers.Wait()
		users.Wait()
	}
}

var errRefused = errors.New("refused")

func publishAndWait(h *storagetest.StoreHarness, p storage.PartitionID, body string) error {
	q := h.NewPublishQueue()
	defer q.Close()
	publish := &storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, body)}}
	if !q.Put(publish, nil) {
		return errRefused
	}
	for q.Done() == nil {
		<-q.Ready()
	}
	return publish.Err
}

func commitAndWait(h *storagetest.StoreHarness, id storage.SubscriptionID) error {
	slot := h.NewStateSlot(id)
	defer slot.Close()
	slot.Submit(&storage.ChangeSet{Subscription: id, Cursors: []storage.CursorChange{{Partition: 1}}})
	<-slot.Ready()
	_, err := slot.Done()
	return err
}

func TestACancelledCatalogCallLeavesTheStoreWhole(t *testing.T) {
	h, m := memoryStore(t)
	topic := h.MustCreateTopic("orders", 1)
	reached, release := m.Block()
	first := put(t, h, storage.PartitionID{Topic: topic.ID}, "first")
	<-reached
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.CreateTopic(ctx, storage.Topic{Name: "x", Partitions: 1}); err == nil {
		t.Error("waited for a blocked commit")
	}
	release()
	h.Await(first)
}
