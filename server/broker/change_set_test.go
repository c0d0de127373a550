package broker

import (
	"errors"
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
	c := changeSet{}
	w := newSegmentWindow(&route{partitions: 9})
	full := delivery.Chunk{Index: 1}
	full.Acked.Set(0, 4095)
	for range 2 { // The second time in used memory.
		got, err := c.fill(&delivery.ChangeSet{Number: 1, Partitions: []delivery.PartitionChange{
			{Partition: 3, Floor: 8192, Counters: delivery.Counters{Delivered: 1, Acked: 5}, Chunks: []delivery.Chunk{sampleChunk(), full}},
			{Partition: 4, Floor: 1},
		}}, sampleTimes, w)
		if err != nil {
			t.Fatal(err)
		}
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
		other := []delivery.PartitionChange{{Partition: 9, Chunks: []delivery.Chunk{full}}}
		if _, err := c.fill(&delivery.ChangeSet{Number: 2, Partitions: other}, sampleTimes, w); err != nil {
			t.Fatal(err)
		}
	}
}

// A history is written when it has changed, and forgotten with its message; what a
// cursor was read with is not written again.
func TestHistoriesAreWrittenWhenTheyChange(t *testing.T) {
	past := func(code string) *delivery.History {
		return &delivery.History{Failures: []delivery.PastFailure{
			{At: 3 * time.Second, Kind: delivery.WasRetried, Client: "worker", Code: code},
		}}
	}
	stored := func(at storage.Offset, code string) storage.History {
		return storage.History{Offset: at, Failures: []storage.Failure{
			{Time: time.Unix(4, 0).UTC(), Kind: storage.FailureRetried, Client: "worker", Code: code},
		}}
	}
	cursor := recovered(&storage.Cursor{Partition: 1, Histories: []storage.History{stored(5, "a")}}, 10, sampleTimes)
	if diff := cmp.Diff([]delivery.Count{{Offset: 5, History: past("a")}}, cursor.Chunks[0].Counts); diff != "" {
		t.Error(diff)
	}
	var c changeSet
	c.histories.recovered(&cursor)
	five, six := cursor.Chunks[0].Counts[0].History, past("b")
	for i, step := range []struct {
		counts []delivery.Count
		floor  uint64
		want   []storage.History
	}{
		{[]delivery.Count{{Offset: 5, History: five}}, 0, nil},
		{[]delivery.Count{{Offset: 5, History: five}, {Offset: 6, History: six}}, 0, []storage.History{stored(6, "b")}},
		{[]delivery.Count{{Offset: 5, History: past("c")}, {Offset: 6, History: six}}, 0, []storage.History{stored(5, "c")}},
		{[]delivery.Count{{Offset: 6, History: six}}, 6, nil},
		{nil, 0, nil},
		{[]delivery.Count{{Offset: 6, History: six}}, 0, []storage.History{stored(6, "b")}},
	} {
		change := delivery.PartitionChange{Partition: 1, Floor: step.floor, Chunks: []delivery.Chunk{{Counts: step.counts}}}
		got, err := c.fill(&delivery.ChangeSet{Partitions: []delivery.PartitionChange{change}}, sampleTimes, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, got.Cursors[0].Histories, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("step %d: %s", i, diff)
		}
	}
}

// A dead letter goes with its message; one whose message is not at hand is a fault.
func TestADeadLetterIsTranslatedWithItsMessage(t *testing.T) {
	r := &route{topic: 1, partitions: 2}
	w := newSegmentWindow(r)
	logged := time.Unix(1, 0)
	w.add((&storage.Segment{
		Partition: storage.PartitionID{Topic: 1, Partition: 1}, Base: 7, Bytes: []byte("aabbb"), Ends: []uint32{2, 5},
		KeyHashes: []storage.KeyHash{{}, {Hash: 9, Present: true}}, LogTime: logged,
	}).Share(nil))
	last := delivery.PastFailure{At: time.Second, Kind: delivery.WasRejected, Reason: "no"}
	set := &delivery.ChangeSet{
		Partitions: []delivery.PartitionChange{{Partition: 0}, {Partition: 1}},
		DeadLetters: []delivery.DeadLetter{{
			Partition: 1, Offset: 8, Reason: delivery.DeadByReject, Failed: 1, Lost: 2, Last: last,
		}},
	}
	var c changeSet
	got, err := c.fill(set, sampleTimes, w)
	if err != nil {
		t.Fatal(err)
	}
	want := []storage.DeadLetter{{
		Offset: 8, LogTime: logged, DeadTime: time.Unix(2, 0).UTC(), Reason: storage.DeadRejected, Failed: 1, Lost: 2,
		Failures: []storage.Failure{{Time: time.Unix(2, 0).UTC(), Kind: storage.FailureRejected, Reason: "no"}},
		Key:      storage.KeyHash{Hash: 9, Present: true}, Message: []byte("bbb"),
	}}
	if diff := cmp.Diff(want, got.Cursors[1].DeadLetters); diff != "" || len(got.Cursors[0].DeadLetters) > 0 {
		t.Error(diff)
	}
	set.DeadLetters[0].Offset = 9
	if _, err := c.fill(set, sampleTimes, w); !errors.Is(err, errNoSegment) {
		t.Errorf("without its message: %v", err)
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
