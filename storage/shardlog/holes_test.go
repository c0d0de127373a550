package shardlog_test

import (
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/inspect"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// diggingStore makes holes at the next tick, and has a topic with a subscription.
func diggingStore(t *testing.T, home storagetest.StoreHome) (*storagetest.StoreHarness, storage.PartitionID, storage.Subscription) {
	t.Helper()
	h := storagetest.NewStoreHarness(t, home, shardlog.Options{HoleAge: 1, HoleInterval: 1})
	topic := h.MustCreateTopic("orders", 1)
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	return h, storage.PartitionID{Topic: topic.ID}, s
}

// ackRange acks [first, end) of partition 0 past a floor.
func ackRange(h *storagetest.StoreHarness, s storage.Subscription, floor, first, end storage.Offset) {
	change := storage.CursorChange{Floor: floor}
	for at := first; at < end; {
		index := storage.ChunkOf(at)
		next := min(end, storage.Offset((index+1)*storage.ChunkOffsets))
		change.Chunks = append(change.Chunks, storage.Chunk{Index: index, Acked: []storage.OffsetRange{{First: at, End: next}}})
		at = next
	}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{change}})
}

// holesOf gives the holes that a subscription's cursor in partition 0 is loaded with.
func holesOf(t *testing.T, h *storagetest.StoreHarness, s storage.Subscription) []storage.OffsetRange {
	t.Helper()
	cursors, err := h.Cursors(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	return cursors[0].Holes
}

// reportOf walks the whole store.
func reportOf(t *testing.T, h *storagetest.StoreHarness) *inspect.Report {
	t.Helper()
	report, err := storagetest.CheckStore(h.Engine)
	if err != nil {
		t.Error(err)
	}
	return report
}

func TestOneForgottenMessageDoesNotPinTheLog(t *testing.T) {
	for name, home := range map[string]func(testing.TB) storagetest.StoreHome{
		"memory": func(testing.TB) storagetest.StoreHome { return storagetest.MemoryHome() },
		"Badger": badgerHome,
	} {
		t.Run(name, func(t *testing.T) { forgetsOneMessage(t, home(t)) })
	}
}

func forgetsOneMessage(t *testing.T, home storagetest.StoreHome) {
	t.Helper()
	const messages = 30_001
	h, p, s := diggingStore(t, home)
	h.MustPublish(p, "forgotten")
	for range (messages - 1) / 1000 {
		h.MustPublish(p, make([]string, 1000)...)
	}
	if n := reportOf(t, h).Segments; n != 31 {
		t.Fatalf("%d segments", n)
	}
	ackRange(h, s, 0, 1, messages)
	h.Tick()
	for _, again := range []func(){func() {}, h.Reopen, func() { h.Crash(); h.Open() }} {
		again()
		if r := reportOf(t, h); r.Segments != 1 || r.Holes != 1 || r.Pointers != 2 {
			t.Errorf("left: %+v", r)
		}
		stats, err := h.Stats(p)
		if err != nil || stats.First != 0 || stats.Next != messages || stats.RetainedMessages != 1 || stats.RetainedBytes != 11 {
			t.Errorf("stats %+v, %v", stats, err)
		}
		if got := holesOf(t, h, s); !slices.Equal(got, []storage.OffsetRange{{First: 1, End: messages}}) {
			t.Errorf("holes %v", got)
		}
	}
	wantBodies(t, h, p, "forgotten")
	if m := h.Metrics(); m.HoledMessages != 0 {
		t.Errorf("%d messages holed since the opening", m.HoledMessages)
	}
	if at := h.MustPublish(p, "next"); at != messages {
		t.Errorf("the next offset is %d", at)
	}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: messages}}})
	h.Tick()
	if stats, err := h.Stats(p); err != nil || stats.First != messages || stats.RetainedMessages != 1 {
		t.Errorf("stats %+v, %v", stats, err)
	}
	wantBodies(t, h, p, "next")
	if r := reportOf(t, h); r.Holes != 0 {
		t.Errorf("left: %+v", r)
	}
}

func TestAdjacentHolesAreMerged(t *testing.T) {
	h, p, s := diggingStore(t, storagetest.MemoryHome())
	for i := range 100 {
		h.MustPublish(p, strconv.Itoa(i))
	}
	// From both sides and in the middle, leaving 0, and 50 until the end.
	for _, r := range []storage.OffsetRange{{First: 20, End: 30}, {First: 40, End: 45}, {First: 1, End: 20}, {First: 30, End: 40}, {First: 51, End: 100}, {First: 45, End: 50}} {
		ackWith(t, h, s, r)
		h.Tick()
	}
	if got := holesOf(t, h, s); !slices.Equal(got, []storage.OffsetRange{{First: 1, End: 50}, {First: 51, End: 100}}) {
		t.Errorf("holes %v", got)
	}
	ackWith(t, h, s, storage.OffsetRange{First: 50, End: 51})
	h.Tick()
	if got := holesOf(t, h, s); !slices.Equal(got, []storage.OffsetRange{{First: 1, End: 100}}) {
		t.Errorf("holes %v", got)
	}
	h.Tick()
	h.Reopen()
	wantBodies(t, h, p, "0")
}

// ackWith adds a range to what partition 0 has acked.
func ackWith(t *testing.T, h *storagetest.StoreHarness, s storage.Subscription, r storage.OffsetRange) {
	t.Helper()
	cursors, err := h.Cursors(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	chunk := storage.Chunk{Acked: []storage.OffsetRange{r}}
	if len(cursors[0].Chunks) > 0 {
		chunk.Acked = append(chunk.Acked, cursors[0].Chunks[0].Acked...)
	}
	slices.SortFunc(chunk.Acked, func(a, b storage.OffsetRange) int { return int(a.First) - int(b.First) })
	joined := chunk.Acked[:1]
	for _, next := range chunk.Acked[1:] {
		if last := &joined[len(joined)-1]; last.End == next.First {
			last.End = next.End
		} else {
			joined = append(joined, next)
		}
	}
	chunk.Acked = joined
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Chunks: []storage.Chunk{chunk}}}})
}

func TestWhatOneSubscriptionNeedsBecomesNoHole(t *testing.T) {
	h, p, s := diggingStore(t, storagetest.MemoryHome())
	other := h.MustSubscribe("audit", p.Topic, storage.Start{})
	for i := range 10 {
		h.MustPublish(p, strconv.Itoa(i))
	}
	ackRange(h, s, 0, 2, 9)
	h.Tick()
	ackRange(h, other, 0, 5, 10)
	h.Tick()
	if got := holesOf(t, h, s); !slices.Equal(got, []storage.OffsetRange{{First: 5, End: 9}}) {
		t.Errorf("holes %v", got)
	}
	h.MustCommit(&storage.ChangeSet{Subscription: other.ID, Cursors: []storage.CursorChange{{Floor: 4}}})
	h.Tick()
	if got := holesOf(t, h, s); !slices.Equal(got, []storage.OffsetRange{{First: 2, End: 4}, {First: 5, End: 9}}) {
		t.Errorf("holes %v", got)
	}
	if err := h.DeleteSubscription(t.Context(), other.ID); err != nil {
		t.Fatal(err)
	}
	h.Tick()
	h.Tick()
	if got := holesOf(t, h, s); !slices.Equal(got, []storage.OffsetRange{{First: 2, End: 9}}) {
		t.Errorf("holes %v", got)
	}
}

// TestANewSubscriptionHasTheHolesBeforeIt: it starts at the first retained offset,
// and what is in a hole there counts as settled for it.
func TestANewSubscriptionHasTheHolesBeforeIt(t *testing.T) {
	h, p, s := diggingStore(t, storagetest.MemoryHome())
	for i := range 10 {
		h.MustPublish(p, strconv.Itoa(i))
	}
	ackRange(h, s, 1, 3, 8)
	h.Tick()
	late := h.MustSubscribe("late", p.Topic, storage.Start{Kind: storage.StartEarliest})
	in := h.MustSubscribe("in", p.Topic, storage.Start{
		Kind: storage.StartAtOffsets, Offsets: map[uint16]storage.Offset{0: 5},
	})
	for _, test := range []struct {
		s     storage.Subscription
		floor storage.Offset
	}{{late, 1}, {in, 5}} {
		cursors, err := h.Cursors(t.Context(), test.s.ID)
		want := []storage.OffsetRange{{First: max(3, test.floor), End: 8}}
		if err != nil || cursors[0].Floor != test.floor || !slices.Equal(cursors[0].Holes, want) {
			t.Errorf("%q: %+v, %v", test.s.Name, cursors, err)
		}
	}
	h.Reopen()
	if got := h.Bodies(p); !slices.Equal(got, []string{"1", "2", "8", "9"}) {
		t.Errorf("retained %q", got)
	}
}

func TestNothingYoungBecomesAHole(t *testing.T) {
	clock := newFakeClock()
	h := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{Clock: clock.Now, HoleInterval: 1})
	p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	s := h.MustSubscribe("billing", p.Topic, storage.Start{})
	h.MustPublish(p, "0")
	h.MustPublish(p, "1")
	clock.advance(40 * time.Second)
	h.MustPublish(p, "2")
	ackRange(h, s, 0, 1, 3)
	for _, test := range []struct {
		wait  time.Duration
		holes []storage.OffsetRange
	}{
		{0, nil}, {19 * time.Second, nil}, {time.Second, []storage.OffsetRange{{First: 1, End: 2}}},
		{39 * time.Second, []storage.OffsetRange{{First: 1, End: 2}}}, {time.Second, []storage.OffsetRange{{First: 1, End: 3}}},
	} {
		clock.advance(test.wait)
		h.Tick()
		if got := holesOf(t, h, s); !slices.Equal(got, test.holes) {
			t.Errorf("after %v more: holes %v, want %v", test.wait, got, test.holes)
		}
	}
}

// TestTheNumberOfHolesIsBounded settles every second message of many.
func TestTheNumberOfHolesIsBounded(t *testing.T) {
	const messages, most = 8400, 4096
	h, p, s := diggingStore(t, storagetest.MemoryHome())
	for i := range messages {
		h.MustPublish(p, strconv.Itoa(i))
	}
	change := storage.CursorChange{}
	for index := range uint64(messages/storage.ChunkOffsets + 1) {
		chunk := storage.Chunk{Index: index}
		for at := storage.Offset(index*storage.ChunkOffsets) + 1; at < min(messages, storage.Offset((index+1)*storage.ChunkOffsets)); at += 2 {
			chunk.Acked = append(chunk.Acked, storage.OffsetRange{First: at, End: at + 1})
		}
		change.Chunks = append(change.Chunks, chunk)
	}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{change}})
	h.Tick()
	h.Tick()
	if n := len(holesOf(t, h, s)); n != most {
		t.Errorf("%d holes", n)
	}
	// What joins holes is always taken.
	change = storage.CursorChange{Chunks: []storage.Chunk{{Acked: []storage.OffsetRange{{First: 1, End: 4095}}}}}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{change}})
	h.Tick()
	h.Tick()
	if got := holesOf(t, h, s); len(got) < most/2 || got[0] != (storage.OffsetRange{First: 1, End: 4094}) && got[0] != (storage.OffsetRange{First: 1, End: 4096}) {
		t.Errorf("%d holes, the first is %v", len(got), got[0])
	}
}

// TestANewSubscriptionKeepsWhatIsAboutToBecomeAHole makes a subscription after the
// janitor read what is settled and before it makes holes of that.
func TestANewSubscriptionKeepsWhatIsAboutToBecomeAHole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p, s := diggingStore(t, storagetest.MemoryHome())
		for i := range 5 {
			h.MustPublish(p, strconv.Itoa(i))
		}
		for !h.Metrics().SegmentsCounted {
			h.Tick()
		}
		ackRange(h, s, 0, 1, 4)
		synctest.Wait()
		// What is read waits for the engine, in which something else is being made.
		_, release := memoryOf(h).Block()
		go func() {
			if _, err := h.CreateTopic(t.Context(), storage.Topic{Name: "other", Partitions: 1}); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		go h.MustSubscribe("late", p.Topic, storage.Start{Kind: storage.StartEarliest})
		synctest.Wait()
		h.Ticks <- time.Time{}
		synctest.Wait()
		release()
		synctest.Wait()
		late := h.Subscriptions()[1]
		if got := holesOf(t, h, late); len(got) != 0 {
			t.Errorf("it begins with the holes %v", got)
		}
		wantBodies(t, h, p, "0", "1", "2", "3", "4")
	})
}

// TestAHoleIsTrimmedWhole: what is remembered of the pointers that it replaced is void.
func TestAHoleIsTrimmedWhole(t *testing.T) {
	h, p, s := diggingStore(t, storagetest.MemoryHome())
	for i := range 5 {
		h.MustPublish(p, strconv.Itoa(i))
	}
	ackRange(h, s, 0, 1, 4)
	h.Tick()
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 2}}})
	h.Tick()
	if stats, err := h.Stats(p); err != nil || stats.First != 1 || stats.RetainedMessages != 1 {
		t.Errorf("a floor inside the hole: %+v, %v", stats, err)
	}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 5}}})
	h.Tick()
	if r := reportOf(t, h); r.Pointers != 0 || r.Segments != 0 {
		t.Errorf("left: %+v", r)
	}
}
