package shardlog_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// seekingStore has a topic of two partitions that keeps what is settled for an hour, ten
// messages in each, a minute apart, and a subscription that has acked some of the first.
func seekingStore(t *testing.T) (*storagetest.StoreHarness, *fakeClock, storage.Topic, storage.Subscription) {
	t.Helper()
	clock := newFakeClock()
	h := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{Clock: clock.Now, HoleAge: 1, HoleInterval: 1})
	topic, err := h.CreateTopic(t.Context(), storage.Topic{Name: "orders", Partitions: 2, KeepSettled: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	for i := range 10 {
		for p := range topic.Partitions {
			h.MustPublish(storage.PartitionID{Topic: topic.ID, Partition: p}, strconv.Itoa(i))
		}
		clock.advance(time.Minute)
	}
	// Of partition 0: 0 to 3, 5 and 8 are acked.
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{
		Generation: 1, Floor: 4,
		Chunks: []storage.Chunk{{Acked: []storage.OffsetRange{{First: 5, End: 6}, {First: 8, End: 9}}}},
	}}})
	return h, clock, topic, s
}

func offsets(at ...storage.Offset) storage.Start {
	start := storage.Start{Kind: storage.StartAtOffsets, Offsets: map[uint16]storage.Offset{}}
	for p, offset := range at {
		start.Offsets[uint16(p)] = offset
	}
	return start
}

func TestASeekCountsWhatItChanges(t *testing.T) {
	for name, c := range map[string]struct {
		start              storage.Start
		unsettled, settled uint64
	}{
		"to the start":      {storage.Start{Kind: storage.StartEarliest}, 6, 0},
		"to the end":        {storage.Start{}, 0, 4 + 10},
		"back":              {offsets(2), 2 + 2, 0},
		"forward":           {offsets(7), 1, 2},
		"to where it is":    {offsets(4), 2, 0},
		"both":              {offsets(0, 10), 6, 10},
		"to a time":         {storage.Start{Kind: storage.StartAtTime, Time: time.Unix(1_000_000, 0).Add(6 * time.Minute)}, 1, 1 + 6},
		"to a time to come": {storage.Start{Kind: storage.StartAtTime, Time: time.Unix(2_000_000, 0)}, 0, 14},
	} {
		t.Run(name, func(t *testing.T) {
			h, _, _, s := seekingStore(t)
			target := storage.Target{Start: c.start, DryRun: true}
			dry, err := h.Seek(t.Context(), s.ID, target)
			if err != nil || dry != (storage.Seeked{Generation: 1, Unsettled: c.unsettled, Settled: c.settled}) {
				t.Errorf("would be %+v, %v", dry, err)
			}
			if before, err := h.Cursors(t.Context(), s.ID); err != nil || before[0].Generation != 1 || before[0].Floor != 4 {
				t.Fatalf("a dry run left %+v, %v", before, err)
			}
			target.DryRun = false
			done, err := h.Seek(t.Context(), s.ID, target)
			if err != nil || done != (storage.Seeked{Generation: 2, Unsettled: c.unsettled, Settled: c.settled}) {
				t.Errorf("%+v, %v", done, err)
			}
			again, err := h.Seek(t.Context(), s.ID, target)
			if err != nil || again != (storage.Seeked{Generation: 3}) {
				t.Errorf("the same seek again: %+v, %v", again, err)
			}
		})
	}
}

func TestASeekMovesOnlyThePartitionsThatItNames(t *testing.T) {
	h, _, _, s := seekingStore(t)
	if _, err := h.Seek(t.Context(), s.ID, storage.Target{Start: storage.Start{
		Kind: storage.StartAtOffsets, Offsets: map[uint16]storage.Offset{1: 7},
	}}); err != nil {
		t.Fatal(err)
	}
	for _, reopen := range []func(){func() {}, h.Reopen, func() { h.Crash(); h.Open() }} {
		reopen()
		got, err := h.Cursors(t.Context(), s.ID)
		if err != nil || got[0].Generation != 1 || got[0].Floor != 4 || len(got[0].Chunks) != 1 || got[1].Generation != 2 || got[1].Floor != 7 {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if done, err := h.Seek(t.Context(), s.ID, storage.Target{}); err != nil || done.Generation != 3 {
		t.Errorf("the next seek: %+v, %v", done, err)
	}
}

func TestASeekBelowWhatIsRetainedIsRefused(t *testing.T) {
	h, clock, topic, s := seekingStore(t)
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 10}, {Partition: 1, Floor: 10}}})
	began := time.Unix(1_000_000, 0)
	clock.advance(time.Hour - 5*time.Minute) // What is older than an hour goes: 0 to 4.
	h.Tick()
	if stats, err := h.Stats(storage.PartitionID{Topic: topic.ID}); err != nil || stats.First != 6 {
		t.Fatalf("%+v, %v", stats, err)
	}
	for name, c := range map[string]struct {
		start storage.Start
		want  error
	}{
		"an offset that is gone": {offsets(5), storage.ErrTrimmed},
		"the first one":          {offsets(6), nil},
		"past the end":           {offsets(11), storage.ErrNotFound},
		"a time that is gone":    {storage.Start{Kind: storage.StartAtTime, Time: began.Add(4 * time.Minute)}, storage.ErrTrimmed},
		"the time of the first":  {storage.Start{Kind: storage.StartAtTime, Time: began.Add(6 * time.Minute)}, nil},
		"an hour ago":            {storage.Start{Kind: storage.StartAtTime, Time: clock.Now().Add(-time.Hour)}, nil},
		"the start":              {storage.Start{Kind: storage.StartEarliest}, nil},
	} {
		for _, dry := range []bool{true, false} {
			if _, err := h.Seek(t.Context(), s.ID, storage.Target{Start: c.start, DryRun: dry}); !errors.Is(err, c.want) {
				t.Errorf("%s, dry run %v: %v, want %v", name, dry, err, c.want)
			}
		}
	}
}

func TestASeekBackNeedsATopicThatKeepsWhatIsSettled(t *testing.T) {
	h, _, topic, s := seekingStore(t)
	topic.KeepSettled = 0
	if _, err := h.UpdateTopic(t.Context(), topic); err != nil {
		t.Fatal(err)
	}
	h.MustSubscribe("slow", topic.ID, storage.Start{Kind: storage.StartEarliest}) // It keeps messages by chance.
	for name, c := range map[string]struct {
		start storage.Start
		want  error
	}{
		"back":           {offsets(3), storage.ErrNotKept},
		"to the start":   {storage.Start{Kind: storage.StartEarliest}, storage.ErrNotKept},
		"to where it is": {offsets(4), nil},
		"forward":        {offsets(7), nil},
		"to the end":     {storage.Start{}, nil},
	} {
		if _, err := h.Seek(t.Context(), s.ID, storage.Target{Start: c.start, DryRun: true}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	topic.MinAge = time.Second
	if _, err := h.UpdateTopic(t.Context(), topic); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Seek(t.Context(), s.ID, storage.Target{Start: offsets(3)}); err != nil {
		t.Error(err)
	}
}

// A hole holds nothing to be delivered again, so a seek over it does not count it.
func TestASeekDoesNotCountHoles(t *testing.T) {
	h, clock, topic, s := seekingStore(t)
	clock.advance(2 * time.Hour)
	h.MustPublish(storage.PartitionID{Topic: topic.ID}, "new")
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{
		Floor: 4, Chunks: []storage.Chunk{{Acked: []storage.OffsetRange{{First: 5, End: 11}}}},
	}}})
	h.Tick()
	got, err := h.Cursors(t.Context(), s.ID)
	if err != nil || len(got[0].Holes) != 1 || got[0].Holes[0] != (storage.OffsetRange{First: 5, End: 10}) {
		t.Fatalf("%+v, %v", got, err)
	}
	done, err := h.Seek(t.Context(), s.ID, storage.Target{Start: offsets(4)})
	if err != nil || done.Unsettled != 1 || done.Settled != 0 {
		t.Errorf("%+v, %v", done, err)
	}
}
