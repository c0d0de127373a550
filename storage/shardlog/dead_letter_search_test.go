package shardlog_test

import (
	"context"
	"errors"
	"testing"

	"github.com/headrace/headrace/storage"
)

// TestADeadLetterIsFoundByItsPosition: past more than one read looks at, in its own
// partition; and what was not looked at is told.
func TestADeadLetterIsFoundByItsPosition(t *testing.T) {
	const letters = 5000 // One read looks at fewer.
	h, _ := memoryStore(t)
	topic := h.MustCreateTopic("orders", 2)
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	bodies := make([]string, letters)
	for partition := range uint16(2) {
		h.MustPublish(storage.PartitionID{Topic: topic.ID, Partition: partition}, bodies...)
	}
	for first := 0; first < letters; first += 100 {
		set := &storage.ChangeSet{Subscription: s.ID}
		for partition := range uint16(2) {
			change := storage.CursorChange{Partition: partition, Floor: storage.Offset(first + 100)}
			for at := range 100 {
				change.DeadLetters = append(change.DeadLetters, storage.DeadLetter{
					Offset: storage.Offset(first + at), Reason: storage.DeadRejected, Message: []byte("wire"),
				})
			}
			set.Cursors = append(set.Cursors, change)
		}
		h.MustCommit(set)
	}
	for _, c := range []struct {
		partition uint16
		at        storage.Offset
		most      int
		sequence  uint64
		more      bool
	}{
		{0, 0, 1, 1, false}, {1, 0, 101, 101, false}, {1, 0, 100, 0, true}, {0, letters - 1, 2 * letters, 2*letters - 100, false},
		{1, letters - 1, 2 * letters, 2 * letters, false}, {1, letters - 1, 2*letters - 1, 0, true}, {1, letters, 2 * letters, 0, false},
	} {
		found, more, err := h.FindDeadLetter(t.Context(), s.ID, c.partition, c.at, c.most)
		if err != nil || more != c.more || (found == nil) != (c.sequence == 0) || found != nil && (found.Sequence != c.sequence || found.Offset != c.at) {
			t.Errorf("%+v: %+v, more: %t, %v", c, found, more, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := h.FindDeadLetter(ended, s.ID, 0, 0, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}
