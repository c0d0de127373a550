package shardlog_test

import (
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// TestQueueThatSatOutABatchIsServedAgain: batches are used in turn, and a queue
// must not take its place in one of them for a place in the next use of it.
func TestQueueThatSatOutABatchIsServedAgain(t *testing.T) {
	h := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{})
	topic := h.MustCreateTopic("orders", 1)
	p := storage.PartitionID{Topic: topic.ID}
	queues := []storage.PublishQueue{h.NewPublishQueue(), h.NewPublishQueue()}
	for round := range 6 {
		for _, q := range queues {
			if !q.Put(&storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, "body")}}, nil) {
				t.Fatalf("round %d: the store takes no work", round)
			}
			if done := h.Await(q); done.Err != nil {
				t.Fatalf("round %d: %v", round, done.Err)
			}
		}
	}
}
