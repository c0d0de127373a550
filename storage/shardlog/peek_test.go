package shardlog_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/storagetest"
)

func TestWhatIsUnsettledIsFoundFromAnOffsetOn(t *testing.T) {
	h, _, topic, s := seekingStore(t) // 0 to 3, 5 and 8 of 10 are acked.
	for from, want := range map[storage.Offset][]storage.OffsetRange{
		0:  {{First: 4, End: 5}, {First: 6, End: 8}, {First: 9, End: 10}},
		7:  {{First: 7, End: 8}, {First: 9, End: 10}},
		9:  {{First: 9, End: 10}},
		10: nil,
		99: nil,
	} {
		got, next, err := h.Unsettled(t.Context(), s.ID, 0, from)
		if err != nil || next != 10 || !slices.Equal(got, want) {
			t.Errorf("from %d: %v up to %d, %v; want %v", from, got, next, err, want)
		}
	}
	if _, _, err := h.Unsettled(t.Context(), s.ID, topic.Partitions, 0); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a partition that is not there: %v", err)
	}
}

// A look takes in a bounded number of ack chunks, and the next one goes on.
func TestALongLookForWhatIsUnsettledIsMadeInPieces(t *testing.T) {
	h, p, s := diggingStore(t, storagetest.MemoryHome())
	const messages = 70 * storage.ChunkOffsets
	for range 70 {
		h.MustPublish(p, make([]string, storage.ChunkOffsets)...)
	}
	ackRange(h, s, 0, 1, messages-1)
	var all []storage.OffsetRange
	looks := 0
	for from := storage.Offset(0); from < messages; looks++ {
		ranges, next, err := h.Unsettled(t.Context(), s.ID, 0, from)
		if err != nil || next <= from {
			t.Fatalf("from %d: up to %d, %v", from, next, err)
		}
		all, from = append(all, ranges...), next
	}
	want := []storage.OffsetRange{{First: 0, End: 1}, {First: messages - 1, End: messages}}
	if !slices.Equal(all, want) || looks != 2 {
		t.Errorf("%v in %d looks, want %v in 2", all, looks, want)
	}
}
