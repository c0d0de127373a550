package storagetest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
)

// RunStoreSuite states what a store promises whatever engine keeps it. newHome
// gives a new, empty place for each test.
func RunStoreSuite(t *testing.T, newHome func(tb testing.TB) StoreHome) {
	t.Helper()
	for _, test := range slices.Concat(storeTests, producerTests, boundTests) {
		t.Run(test.name, func(t *testing.T) {
			test.run(t, NewStoreHarness(t, newHome(t), shardlog.Options{}))
		})
	}
}

// storeTest is one promise of a store.
type storeTest struct {
	name string
	run  func(t *testing.T, h *StoreHarness)
}

var storeTests = []storeTest{
	{"Publish and read in order", storePublishes},
	{"Offsets are dense in each of 256 partitions", storeKeepsPartitionsApart},
	{"A reopened store has everything", storeReopens},
	{"A crashed store has everything acknowledged", storeSurvivesCrash},
	{"A message larger than a chunk is kept whole", storeTakesLargeMessages},
	{"What is read from disk is what was written", storeReadsDisk},
	{"Cursors come back as they were committed", storeKeepsState},
	{"Ten thousand holes survive", storeKeepsHoles},
	{"Settled messages are trimmed and their space freed", storeTrims},
	{"Old segments are counted and freed after an opening", storeCountsSegments},
	{"A deleted subscription lets go of what it held", storeRemovesSubscriptions},
	{"A deleted topic leaves nothing behind", storeRemovesTopics},
	{"Subscriptions start where they are told to", storeStarts},
	{"Random work agrees with a model", storeAgreesWithModel},
	{"Random work with holes agrees with a model", storeWithHolesAgreesWithModel},
	{"Messages are given up, discarded and redriven as in a model", storeGivesUpMessages},
	{"Sessions come back as they were committed", storeKeepsSessions},
	{"What a buffered topic accepted is lost from its end alone, and no offset is given twice", storeBuffers},
}

func storePublishes(t *testing.T, h *StoreHarness) {
	t.Helper()
	topic := h.MustCreateTopic("orders", 1)
	p := storage.PartitionID{Topic: topic.ID}
	for i, bodies := range [][]string{{"a", "b"}, {"c"}, {"", "d"}} {
		if at := h.MustPublish(p, bodies...); at != []storage.Offset{0, 2, 3}[i] {
			t.Errorf("publish %d got offset %d", i, at)
		}
	}
	h.wantBodies(p, "a", "b", "c", "", "d")
	if head := h.Head(p); head != 5 {
		t.Errorf("head %d", head)
	}
}

func storeKeepsPartitionsApart(t *testing.T, h *StoreHarness) {
	t.Helper()
	topic := h.MustCreateTopic("orders", 256)
	for round := range 3 {
		publish := &storage.Publish{}
		for i := range topic.Partitions {
			p := storage.PartitionID{Topic: topic.ID, Partition: i}
			publish.Appends = append(publish.Appends, NewAppend(p, fmt.Sprintf("%d-%d", i, round)))
		}
		if err := h.Publish(publish); err != nil {
			t.Fatal(publish.Err)
		}
		for i := range publish.Appends {
			if publish.Appends[i].Base != storage.Offset(round) {
				t.Errorf("partition %d, round %d: offset %d", i, round, publish.Appends[i].Base)
			}
		}
	}
	h.Reopen()
	for i := range topic.Partitions {
		h.wantBodies(storage.PartitionID{Topic: topic.ID, Partition: i},
			fmt.Sprintf("%d-0", i), fmt.Sprintf("%d-1", i), fmt.Sprintf("%d-2", i))
	}
}

func storeReopens(t *testing.T, h *StoreHarness) {
	t.Helper()
	topic := h.MustCreateTopic("orders", 2)
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	p := storage.PartitionID{Topic: topic.ID, Partition: 1}
	h.MustPublish(p, "a")
	h.Reopen()
	if diff := cmp.Diff([]storage.Topic{topic}, h.Topics()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]storage.Subscription{s}, h.Subscriptions()); diff != "" {
		t.Error(diff)
	}
	h.MustPublish(p, "b")
	h.wantBodies(p, "a", "b")
	if other := h.MustCreateTopic("returns", 1); other.ID <= topic.ID {
		t.Errorf("topic id %d after %d", other.ID, topic.ID)
	}
}

func storeSurvivesCrash(_ *testing.T, h *StoreHarness) {
	topic := h.MustCreateTopic("orders", 1)
	p := storage.PartitionID{Topic: topic.ID}
	var want []string
	for round := range 4 {
		for i := range 5 {
			body := fmt.Sprintf("%d-%d", round, i)
			h.MustPublish(p, body)
			want = append(want, body)
		}
		h.Crash()
		h.Open()
		h.wantBodies(p, want...)
	}
}

func storeTakesLargeMessages(t *testing.T, h *StoreHarness) {
	t.Helper()
	topic := h.MustCreateTopic("films", 1)
	p := storage.PartitionID{Topic: topic.ID}
	large := strings.Repeat("x", 5<<20)
	h.MustPublish(p, "before", large, "after")
	h.MustPublish(p, large, large)
	tooLarge := &storage.Publish{Appends: []storage.Append{NewAppend(p, strings.Repeat("x", 40<<20))}}
	if err := h.Publish(tooLarge); !errors.Is(err, storage.ErrTooLarge) {
		t.Errorf("40 MiB: %v", tooLarge.Err)
	}
	h.Reopen()
	h.wantBodies(p, "before", large, "after", large, large)
}

func storeReadsDisk(t *testing.T, h *StoreHarness) {
	t.Helper()
	topic := h.MustCreateTopic("orders", 2)
	a, b := storage.PartitionID{Topic: topic.ID}, storage.PartitionID{Topic: topic.ID, Partition: 1}
	keyed := NewAppend(a, "k1", "k2")
	keyed.KeyHashes = []storage.KeyHash{{Hash: 7, Present: true}, {}}
	publish := &storage.Publish{Appends: []storage.Append{NewAppend(b, "x"), keyed}}
	if err := h.Publish(publish); err != nil {
		t.Fatal(publish.Err)
	}
	h.Reopen()
	piece, err := h.Read(t.Context(), a, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer piece.Segment.Release()
	if diff := cmp.Diff(keyed.KeyHashes, piece.Segment.KeyHashes); diff != "" {
		t.Error(diff)
	}
	if h.Metrics().DiskReads == 0 {
		t.Error("a read after an opening comes from disk")
	}
	if _, err := h.Read(t.Context(), a, 2); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("at the head: %v", err)
	}
	place, err := h.Locate(t.Context(), a, 1)
	if err != nil || place.MessagesBefore != 0 || place.LogTime.IsZero() {
		t.Errorf("place %+v, %v", place, err)
	}
}

func storeKeepsState(t *testing.T, h *StoreHarness) {
	t.Helper()
	topic := h.MustCreateTopic("orders", 2)
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	p := storage.PartitionID{Topic: topic.ID, Partition: 1}
	for range 10 {
		h.MustPublish(p, make([]string, 1000)...)
	}
	chunk := storage.Chunk{
		Index:    1,
		Acked:    []storage.OffsetRange{{First: 5000, End: 5010}, {First: 5100, End: 5101}},
		Attempts: []storage.AttemptCount{{Offset: 5020, Failed: 1}, {Offset: 5021, Expired: 300, Lost: 2, NotBefore: storage.MaxNotBefore}},
	}
	counters := storage.Counters{Delivered: 30, Redelivered: 2, Acked: 18, Retried: 1, Released: 3, Expired: 300}
	change := storage.CursorChange{Partition: 1, Floor: 7, Counters: counters, Chunks: []storage.Chunk{chunk}}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{change}})
	h.Crash()
	h.Open()
	h.wantCursors(s.ID,
		storage.Cursor{Partition: 0, Generation: 1},
		storage.Cursor{Partition: 1, Generation: 1, Floor: 7, Counters: counters, Chunks: []storage.Chunk{chunk}})
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Partition: 1, Floor: 9999}}})
	h.wantCursors(s.ID,
		storage.Cursor{Partition: 0, Generation: 1},
		storage.Cursor{Partition: 1, Generation: 1, Floor: 9999})
	back := &storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Partition: 1, Floor: 9998}}}
	if err := h.Commit(back); err == nil {
		t.Error("a floor went back")
	}
}

func storeKeepsHoles(_ *testing.T, h *StoreHarness) {
	topic := h.MustCreateTopic("orders", 1)
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	p := storage.PartitionID{Topic: topic.ID}
	const messages = 20_000
	for range messages / 1000 {
		h.MustPublish(p, make([]string, 1000)...)
	}
	var chunks []storage.Chunk
	for at := storage.Offset(1); at < messages; at += 2 {
		if n := len(chunks); n == 0 || chunks[n-1].Index != storage.ChunkOf(at) {
			chunks = append(chunks, storage.Chunk{Index: storage.ChunkOf(at)})
		}
		last := &chunks[len(chunks)-1]
		last.Acked = append(last.Acked, storage.OffsetRange{First: at, End: at + 1})
	}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Chunks: chunks}}})
	h.Crash()
	h.Open()
	h.wantCursors(s.ID, storage.Cursor{Generation: 1, Chunks: chunks})
}

func storeTrims(t *testing.T, h *StoreHarness) {
	t.Helper()
	topic := h.MustCreateTopic("orders", 1)
	p := storage.PartitionID{Topic: topic.ID}
	a := h.MustSubscribe("a", topic.ID, storage.Start{})
	b := h.MustSubscribe("b", topic.ID, storage.Start{})
	for i := range 10 {
		h.MustPublish(p, strconv.Itoa(i))
	}
	h.settle(a.ID, 8)
	h.settle(b.ID, 5)
	h.Tick()
	h.wantBodies(p, "5", "6", "7", "8", "9")
	if _, err := h.Read(t.Context(), p, 4); !errors.Is(err, storage.ErrTrimmed) {
		t.Errorf("below the first: %v", err)
	}
	h.Crash()
	h.Open()
	h.wantBodies(p, "5", "6", "7", "8", "9")
	h.settle(b.ID, 10)
	h.settle(a.ID, 10)
	h.Tick()
	stats, err := h.Stats(p)
	if err != nil || stats.First != 10 || stats.RetainedMessages != 0 || stats.RetainedBytes != 0 || stats.NextBytes == 0 {
		t.Errorf("stats %+v, %v", stats, err)
	}
	h.MustPublish(p, "10")
	h.wantBodies(p, "10")
}

func storeCountsSegments(t *testing.T, h *StoreHarness) {
	t.Helper()
	topic := h.MustCreateTopic("orders", 2)
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	a, b := storage.PartitionID{Topic: topic.ID}, storage.PartitionID{Topic: topic.ID, Partition: 1}
	for range 3 {
		publish := &storage.Publish{Appends: []storage.Append{NewAppend(a, "a"), NewAppend(b, "b")}}
		if err := h.Publish(publish); err != nil {
			t.Fatal(publish.Err)
		}
	}
	h.Reopen()
	h.settle(s.ID, 3)
	for !h.Metrics().SegmentsCounted {
		h.Tick()
	}
	if n := h.segments(); n != 3 {
		t.Errorf("%d segments while one partition holds them", n)
	}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Partition: 1, Floor: 2}}})
	h.Tick()
	if n := h.segments(); n != 1 {
		t.Errorf("%d segments left", n)
	}
}

func storeRemovesSubscriptions(t *testing.T, h *StoreHarness) {
	t.Helper()
	topic := h.MustCreateTopic("orders", 1)
	p := storage.PartitionID{Topic: topic.ID}
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	h.MustPublish(p, "a", "b")
	chunk := storage.Chunk{Acked: []storage.OffsetRange{{First: 1, End: 2}}}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Chunks: []storage.Chunk{chunk}}}})
	if err := h.DeleteTopic(t.Context(), topic.ID); !errors.Is(err, storage.ErrInUse) {
		t.Errorf("delete a topic with a subscription: %v", err)
	}
	if err := h.DeleteSubscription(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	change := &storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 1}}}
	if err := h.Commit(change); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("state of a deleted subscription: %v", err)
	}
	h.Tick()
	h.Tick()
	if left := h.Subscriptions(); len(left) != 0 {
		t.Errorf("still there: %v", left)
	}
	if again := h.MustSubscribe("billing", topic.ID, storage.Start{}); again.ID == s.ID {
		t.Error("an id was used twice")
	}
	if stats, err := h.Stats(p); err != nil || stats.First != 2 {
		t.Errorf("its messages are still held: %+v, %v", stats, err)
	}
}

func storeRemovesTopics(t *testing.T, h *StoreHarness) {
	t.Helper()
	topic := h.MustCreateTopic("orders", 2)
	p := storage.PartitionID{Topic: topic.ID, Partition: 1}
	for range 5 {
		h.MustPublish(p, "a", "b")
	}
	s := h.MustSubscribe("billing", topic.ID, storage.Start{Kind: storage.StartEarliest})
	if err := h.DeleteSubscription(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	if err := h.DeleteTopic(t.Context(), topic.ID); err != nil {
		t.Fatal(err)
	}
	gone := &storage.Publish{Appends: []storage.Append{NewAppend(p, "c")}}
	if err := h.Publish(gone); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("publish to a deleted topic: %v", gone.Err)
	}
	h.Tick()
	if left := h.Topics(); len(left) != 0 {
		t.Errorf("still there: %v", left)
	}
	if n := h.segments(); n != 0 {
		t.Errorf("%d segments left", n)
	}
	again := h.MustCreateTopic("orders", 1)
	h.MustSubscribe("keeper", again.ID, storage.Start{}) // Else "new" may be trimmed already.
	h.MustPublish(storage.PartitionID{Topic: again.ID}, "new")
	h.wantBodies(storage.PartitionID{Topic: again.ID}, "new")
}

func storeStarts(t *testing.T, h *StoreHarness) {
	t.Helper()
	topic := h.MustCreateTopic("orders", 2)
	p := storage.PartitionID{Topic: topic.ID}
	h.MustPublish(p, "a", "b", "c")
	place, err := h.Locate(t.Context(), p, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		start storage.Start
		floor storage.Offset
	}{
		{"latest", storage.Start{}, 3},
		{"earliest", storage.Start{Kind: storage.StartEarliest}, 0},
		{"at its time", storage.Start{Kind: storage.StartAtTime, Time: place.LogTime}, 0},
		{"just after its time", storage.Start{Kind: storage.StartAtTime, Time: place.LogTime.Add(1)}, 3},
		{"in an hour", storage.Start{Kind: storage.StartAtTime, Time: place.LogTime.Add(time.Hour)}, 3},
		{"at an offset", storage.Start{Kind: storage.StartAtOffsets, Offsets: map[uint16]storage.Offset{0: 2}}, 2},
	} {
		s := h.MustSubscribe(test.name, topic.ID, test.start)
		h.wantCursors(s.ID,
			storage.Cursor{Generation: 1, Floor: test.floor}, storage.Cursor{Partition: 1, Generation: 1})
	}
	past := storage.Start{Kind: storage.StartAtOffsets, Offsets: map[uint16]storage.Offset{0: 4}}
	_, err = h.CreateSubscription(t.Context(), storage.Subscription{Name: "past", Topic: topic.ID}, past)
	if !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("start past the end: %v", err)
	}
	_, err = h.CreateSubscription(t.Context(), storage.Subscription{Name: "latest", Topic: topic.ID}, storage.Start{})
	if !errors.Is(err, storage.ErrExists) {
		t.Errorf("name taken: %v", err)
	}
}

// settle moves a subscription's floor in partition 0.
func (h *StoreHarness) settle(id storage.SubscriptionID, floor storage.Offset) {
	h.t.Helper()
	h.MustCommit(&storage.ChangeSet{Subscription: id, Cursors: []storage.CursorChange{{Floor: floor}}})
}

// segments counts the commit segments.
func (h *StoreHarness) segments() int {
	h.t.Helper()
	report, _ := CheckStore(h.Engine) // The walk at the end judges.
	return report.Segments
}

func (h *StoreHarness) wantBodies(p storage.PartitionID, want ...string) {
	h.t.Helper()
	if diff := cmp.Diff(want, h.Bodies(p)); diff != "" {
		if len(diff) > 2000 {
			diff = diff[:2000]
		}
		h.t.Errorf("partition %v: %s", p, diff)
	}
}

func (h *StoreHarness) wantCursors(id storage.SubscriptionID, want ...storage.Cursor) {
	h.t.Helper()
	got, err := h.Cursors(h.t.Context(), id)
	if err != nil {
		h.t.Errorf("cursors of %d: %v", id, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		h.t.Errorf("cursors of %d: %s", id, diff)
	}
}
