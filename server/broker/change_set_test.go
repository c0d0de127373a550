package broker

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// sampleChunk is chunk 2 with acked offsets at its edges and in its middle.
func sampleChunk() delivery.Chunk {
	chunk := delivery.Chunk{Index: 2, Counts: []delivery.Count{{Offset: 8200, Failed: 3, Expired: 1, NotBefore: time.Minute}}}
	chunk.Acked.Set(0, 0)
	chunk.Acked.Set(63, 64)
	chunk.Acked.Set(4095, 4095)
	return chunk
}

// sampleTimes has a wall clock that is a second ahead of the monotonic one.
var sampleTimes = dueTimes{now: time.Second, wall: time.Unix(2, 0)}

func storedSample() storage.Chunk {
	return storage.Chunk{
		Index:    2,
		Acked:    []storage.OffsetRange{{First: 8192, End: 8193}, {First: 8255, End: 8257}, {First: 12287, End: 12288}},
		Attempts: []storage.AttemptCount{{Offset: 8200, Failed: 3, Expired: 1, NotBefore: 61_000}},
	}
}

// The state machine gives chunks in the order of their first change, the store wants
// them ascending.
func TestChangeSetIsTranslated(t *testing.T) {
	var c changeSet
	full := delivery.Chunk{Index: 1}
	full.Acked.Set(0, 4095)
	for range 2 { // The second time in used memory.
		got := c.fill(&delivery.ChangeSet{Number: 1, Partitions: []delivery.PartitionChange{
			{Partition: 3, Floor: 8192, Counters: delivery.Counters{Delivered: 1, Acked: 5}, Chunks: []delivery.Chunk{sampleChunk(), full}},
			{Partition: 4, Floor: 1},
		}}, sampleTimes)
		want := &storage.ChangeSet{Cursors: []storage.CursorChange{
			{Partition: 3, Floor: 8192, Counters: storage.Counters{Delivered: 1, Acked: 5}, Chunks: []storage.Chunk{
				{Index: 1, Acked: []storage.OffsetRange{{First: 4096, End: 8192}}},
				storedSample(),
			}},
			{Partition: 4, Floor: 1},
		}}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
		c.fill(&delivery.ChangeSet{Number: 2, Partitions: []delivery.PartitionChange{{Partition: 9, Chunks: []delivery.Chunk{full}}}}, sampleTimes)
	}
}

func TestCursorIsRecovered(t *testing.T) {
	got := recovered(&storage.Cursor{
		Partition: 3, Generation: 2, Floor: 8193,
		Counters: storage.Counters{Redelivered: 7},
		Holes:    []storage.OffsetRange{{First: 9000, End: 9010}, {First: 1, End: 1}},
		Chunks:   []storage.Chunk{storedSample()},
	}, 20000, sampleTimes)
	want := delivery.Cursor{
		Partition: 3, Generation: 2, Floor: 8193, Head: 20000,
		Counters: delivery.Counters{Redelivered: 7},
		Holes:    []delivery.OffsetRange{{First: 9000, Last: 9009}},
		Chunks:   []delivery.Chunk{sampleChunk()},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
