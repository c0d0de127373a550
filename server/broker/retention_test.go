package broker

import (
	"testing"
	"testing/synctest"

	"github.com/headrace/headrace/storage"
)

// What the topic keeps no longer is settled durably for a subscription without
// sessions, which watches no head, and one that has begun with it.
func TestWhatTheTopicKeepsNoLongerIsSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 2, nil)
		p := storage.PartitionID{Topic: r.store.Topics()[0].ID}
		r.publishMany(6)
		r.store.keepFrom(p, 2)
		synctest.Wait()
		stats := r.stats()
		if stats.Removed != 2 || stats.Partitions[0].Floor != 2 || stats.Partitions[1].Floor != 0 {
			t.Errorf("%+v", stats)
		}
		r.reopen()
		if stats := r.stats(); stats.Removed != 2 || stats.Partitions[0].Floor != 2 {
			t.Errorf("after an opening: %+v", stats)
		}
		r.store.keepFrom(p, 1)
		r.store.keepFrom(p, 100) // past the head
		synctest.Wait()
		if stats := r.stats(); stats.Partitions[0].Floor != stats.Partitions[0].Next {
			t.Errorf("past the head: %+v", stats)
		}
	})
}
