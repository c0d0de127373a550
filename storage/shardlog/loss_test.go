package shardlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// lossyStore is a store in memory with a topic of two partitions, a subscription and
// a log to read; the next batch is the one that the number tells.
func lossyStore(t *testing.T) (h *storagetest.StoreHarness, p storage.PartitionID, s storage.Subscription, log *bytes.Buffer) {
	t.Helper()
	log = &bytes.Buffer{}
	h = storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{
		Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	topic := h.MustCreateTopic("orders", 2)
	s = h.MustSubscribe("billing", topic.ID, storage.Start{})
	return h, storage.PartitionID{Topic: topic.ID}, s, log
}

// next is the number of the next batch.
func next(h *storagetest.StoreHarness) uint64 {
	ledger := memoryOf(h).Ledger()
	return ledger[len(ledger)-1].Number + 1
}

// ackOffset settles one offset past the floor, which is 0, in partition 0.
func ackOffset(h *storagetest.StoreHarness, s storage.Subscription, acked ...storage.OffsetRange) {
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{
		Chunks: []storage.Chunk{{Acked: acked}},
	}}})
}

// refusedGaps opens the store and gives the gaps that it is refused for.
func refusedGaps(t *testing.T, h *storagetest.StoreHarness) []shardlog.BatchRange {
	t.Helper()
	var e *shardlog.MissingError
	err := h.TryOpen()
	h.Store = nil
	if !errors.As(err, &e) || !errors.Is(err, storage.ErrDataLoss) {
		t.Fatalf("opened, or failed otherwise: %v", err)
	}
	for _, r := range e.Missing {
		if !strings.Contains(err.Error(), "batches "+r.String()+" are") {
			t.Errorf("%q does not name %v", err, r)
		}
	}
	if !strings.Contains(err.Error(), "--accept-loss=") {
		t.Errorf("%q does not say what can be done", err)
	}
	return e.Missing
}

// reopensWithout wants the store to open without the flag after any kind of stop.
func reopensWithout(t *testing.T, h *storagetest.StoreHarness, log *bytes.Buffer, r shardlog.BatchRange) {
	t.Helper()
	h.AcceptLoss()
	for range 2 {
		h.Crash()
		log.Reset()
		h.Open()
		if want := fmt.Sprintf("first=%d last=%d", r.First, r.Last); !strings.Contains(log.String(), want) {
			t.Errorf("the log of an opening does not list the loss: %s", log)
		}
		h.Reopen()
	}
}

func TestAnAcceptedLossInTheMiddleLeavesHolesAndNamesThem(t *testing.T) {
	h, p, s, log := lossyStore(t)
	h.MustPublish(p, "0", "1")
	gap := shardlog.BatchRange{First: next(h), Last: next(h) + 1}
	h.MustPublish(p, "2", "3", "4")
	h.MustPublish(p, "5")
	h.MustPublish(p, "6")
	h.Crash()
	memoryOf(h).Disk().Lose(gap.First, gap.Last)
	if got := refusedGaps(t, h); !slices.Equal(got, []shardlog.BatchRange{gap}) {
		t.Errorf("missing %v, lost %v", got, gap)
	}
	h.AcceptLoss(gap)
	h.Open()
	wantBodies(t, h, p, "0", "1", "6")
	if want := "topic=orders partition=0 first_offset=2 last_offset=5 messages=4"; !strings.Contains(log.String(), want) {
		t.Errorf("the log does not say what was lost: %s", log)
	}
	if stats, err := h.Stats(p); err != nil || stats.Next != 7 {
		t.Errorf("stats %+v, %v", stats, err)
	}
	if at := h.MustPublish(p, "7"); at != 7 {
		t.Errorf("the next offset is %d", at)
	}
	reopensWithout(t, h, log, gap)
	wantBodies(t, h, p, "0", "1", "6", "7")
	if cursors, err := h.Cursors(t.Context(), s.ID); err != nil || cursors[0].Floor != 0 {
		t.Errorf("cursors %+v, %v", cursors, err)
	}
}

func TestAnAcceptedLossOfTheTailGoesOnBehindIt(t *testing.T) {
	h, p, _, log := lossyStore(t)
	h.MustPublish(p, "0")
	gap := shardlog.BatchRange{First: next(h), Last: next(h) + 2}
	for _, body := range []string{"1", "2", "3"} {
		h.MustPublish(p, body)
	}
	h.Crash()
	memoryOf(h).Disk().Rewind(3)
	if got := refusedGaps(t, h); !slices.Equal(got, []shardlog.BatchRange{gap}) {
		t.Errorf("missing %v, lost %v", got, gap)
	}
	h.AcceptLoss(gap)
	h.Open()
	wantBodies(t, h, p, "0")
	h.MustPublish(p, "new")
	if n := next(h); n <= gap.Last+1 {
		t.Errorf("the next batch is %d: a lost number was given again", n)
	}
	reopensWithout(t, h, log, gap)
	wantBodies(t, h, p, "0", "new")
}

func TestOnlyTheRightRangeOfLossIsAccepted(t *testing.T) {
	h, p, _, _ := lossyStore(t)
	first := next(h)
	for i := range 6 {
		h.MustPublish(p, strconv.Itoa(i))
	}
	h.Crash()
	memoryOf(h).Disk().Lose(first+1, first+2)
	want := []shardlog.BatchRange{{First: first + 1, Last: first + 2}}
	for _, wrong := range [][]shardlog.BatchRange{
		{{First: first + 1, Last: first + 3}}, {{First: first + 1, Last: first + 1}}, {{First: 1, Last: 1}},
		{want[0], {First: first + 4, Last: first + 4}},
	} {
		h.AcceptLoss(wrong...)
		if got := refusedGaps(t, h); !slices.Equal(got, want) {
			t.Errorf("accepting %v: missing %v, %v lost", wrong, got, want)
		}
	}
	h.AcceptLoss(want...)
	h.Open()
	wantBodies(t, h, p, "0", "3", "4", "5")
	h.Reopen() // Naming it again is no error.
	h.Stop()
	h.AcceptLoss(shardlog.BatchRange{First: 1, Last: 2})
	if err := h.TryOpen(); err == nil || !strings.Contains(err.Error(), "none is missing") {
		t.Errorf("accepting what is there: %v", err)
	}
	h.AcceptLoss(shardlog.BatchRange{First: 3, Last: 2})
	if err := h.TryOpen(); err == nil || !strings.Contains(err.Error(), "no list of runs") {
		t.Errorf("accepting nonsense: %v", err)
	}
	h.Store = nil
}

func TestSeveralGapsAreAcceptedTogether(t *testing.T) {
	h, p, _, log := lossyStore(t)
	first := next(h)
	for i := range 8 {
		h.MustPublish(p, strconv.Itoa(i))
	}
	h.Crash()
	d := memoryOf(h).Disk()
	d.Rewind(2)
	d.Lose(first+3, first+3)
	d.Lose(first+1, first+1)
	gaps := []shardlog.BatchRange{
		{First: first + 1, Last: first + 1}, {First: first + 3, Last: first + 3}, {First: first + 6, Last: first + 7},
	}
	if got := refusedGaps(t, h); !slices.Equal(got, gaps) {
		t.Errorf("missing %v, lost %v", got, gaps)
	}
	h.AcceptLoss(gaps...)
	h.Open()
	wantBodies(t, h, p, "0", "2", "4", "5")
	reopensWithout(t, h, log, gaps[2])
}

// TestACrashWhileALossIsAcceptedLeavesItToBeAcceptedAgain fails each batch of the
// takeover in turn.
func TestACrashWhileALossIsAcceptedLeavesItToBeAcceptedAgain(t *testing.T) {
	for failing := range 3 {
		t.Run(strconv.Itoa(failing), func(t *testing.T) {
			h, p, _, _ := lossyStore(t)
			gap := shardlog.BatchRange{First: next(h), Last: next(h)}
			h.MustPublish(p, "0")
			h.MustPublish(p, "1")
			h.Crash()
			d := memoryOf(h).Disk()
			d.Lose(gap.First, gap.Last)
			h.AcceptLoss(gap)
			h.BeforeOpen = func(engine storage.Engine) {
				m := engine.(*storagetest.Memory)
				m.FailBatch(gap.Last+2+uint64(failing), storagetest.Fault{Err: storage.ErrUnknown})
			}
			if err := h.TryOpen(); !errors.Is(err, storage.ErrUnknown) {
				t.Fatalf("open: %v", err)
			}
			h.BeforeOpen = nil
			h.AcceptLoss()
			if got := refusedGaps(t, h); !slices.Equal(got, []shardlog.BatchRange{gap}) {
				t.Errorf("missing %v, lost %v", got, gap)
			}
			h.AcceptLoss(gap)
			h.Open()
			wantBodies(t, h, p, "1")
			h.AcceptLoss()
			h.Reopen()
		})
	}
}

func TestLostAcksOfAnAcceptedLossAreDeliveredAgain(t *testing.T) {
	h, p, s, log := lossyStore(t)
	h.MustPublish(p, make([]string, 10)...)
	ackOffset(h, s, storage.OffsetRange{First: 2, End: 3})
	gap := shardlog.BatchRange{First: next(h), Last: next(h)}
	ackOffset(h, s, storage.OffsetRange{First: 2, End: 4})
	// The cursor is written again, the chunk is not.
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 1}}})
	h.Crash()
	memoryOf(h).Disk().Lose(gap.First, gap.Last)
	h.AcceptLoss(gap)
	h.Open()
	if !strings.Contains(log.String(), "subscription=billing partition=0 settled_past_floor=1 counted=2") {
		t.Errorf("the log does not say what was lost: %s", log)
	}
	cursors, err := h.Cursors(t.Context(), s.ID)
	want := []storage.Chunk{{Acked: []storage.OffsetRange{{First: 2, End: 3}}}}
	if err != nil || cursors[0].Floor != 1 || !slices.Equal(cursors[0].Chunks[0].Acked, want[0].Acked) {
		t.Errorf("cursors %+v, %v", cursors, err)
	}
	reopensWithout(t, h, log, gap)
}

func TestLostSessionsOfAnAcceptedLossAreCountedAnew(t *testing.T) {
	h, _, s, log := lossyStore(t)
	hold := func(slot uint32) {
		h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Sessions: []storage.SessionChange{{
			Key: storage.SessionKey{7}, Written: true, Blocks: []storage.HeldBlock{{
				Slot: slot, First: 1, Live: 1, Runs: []storage.HeldRun{{Generation: 1, Count: 1}}, Sizes: []uint32{9},
			}},
		}}})
	}
	hold(1)
	gap := shardlog.BatchRange{First: next(h), Last: next(h)}
	hold(2)
	hold(3)
	h.Crash()
	memoryOf(h).Disk().Lose(gap.First, gap.Last)
	h.AcceptLoss(gap)
	h.Open()
	if !strings.Contains(log.String(), "subscription=billing pages=3 counted=4") {
		t.Errorf("the log does not say what was lost: %s", log)
	}
	sessions, err := h.Sessions(t.Context(), s.ID)
	if err != nil || len(sessions) != 1 || len(sessions[0].Blocks) != 2 {
		t.Errorf("sessions %+v, %v", sessions, err)
	}
	reopensWithout(t, h, log, gap)
}

func TestAFloorOverLostMessagesOfAnAcceptedLossStands(t *testing.T) {
	h, p, s, log := lossyStore(t)
	h.MustPublish(p, "0")
	gap := shardlog.BatchRange{First: next(h), Last: next(h)}
	h.MustPublish(p, "1", "2")
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 3}}})
	h.Crash()
	memoryOf(h).Disk().Lose(gap.First, gap.Last)
	h.AcceptLoss(gap)
	h.Open()
	if at := h.MustPublish(p, "3"); at != 3 {
		t.Errorf("offset %d is given again", at)
	}
	wantBodies(t, h, p, "0", "3")
	reopensWithout(t, h, log, gap)
}

func TestACursorLostWithAnAcceptedLossBeginsWhereItsPartitionDoes(t *testing.T) {
	h, p, s, log := lossyStore(t)
	h.MustPublish(p, "0")
	h.Crash()
	memoryOf(h).Disk().Drop(record.AppendCursorKey(nil, s.ID, 0))
	h.Open()
	gap := shardlog.BatchRange{First: next(h), Last: next(h)}
	h.MustCreateTopic("other", 1)
	h.MustCreateTopic("another", 1)
	h.Crash()
	memoryOf(h).Disk().Lose(gap.First, gap.Last)
	h.AcceptLoss(gap)
	log.Reset()
	h.Open()
	if !strings.Contains(log.String(), "A cursor was lost") {
		t.Errorf("the log does not say so: %s", log)
	}
	if cursors, err := h.Cursors(t.Context(), s.ID); err != nil || cursors[0].Floor != 0 {
		t.Errorf("cursors %+v, %v", cursors, err)
	}
	// The topic of the lost batch is gone, its id and the later ones stay taken.
	if topic := h.MustCreateTopic("again", 1); topic.ID != 4 {
		t.Errorf("topic id %d", topic.ID)
	}
	reopensWithout(t, h, log, gap)
}

func TestWhatBelongsToALostTopicOfAnAcceptedLossIsFencedAndDeletable(t *testing.T) {
	h, _, _, log := lossyStore(t)
	gap := shardlog.BatchRange{First: next(h), Last: next(h)}
	topic := h.MustCreateTopic("lost", 1)
	h.MustPublish(storage.PartitionID{Topic: topic.ID}, "0")
	h.Crash()
	memoryOf(h).Disk().Lose(gap.First, gap.Last)
	h.AcceptLoss(gap)
	h.Open()
	h.AcceptLoss()
	damaged := h.Topics()[1]
	if damaged.State != storage.Damaged || !strings.Contains(log.String(), "topic is damaged") {
		t.Errorf("shown as %+v; %s", damaged, log)
	}
	if err := h.DeleteTopic(t.Context(), damaged.ID); err != nil {
		t.Fatal(err)
	}
	h.Tick()
	if other := h.MustCreateTopic("other", 1); other.ID <= topic.ID {
		t.Error("an id was used twice")
	}
	h.Reopen()
}

// TestWhateverIsLostInTheMiddleIsMadeWhole loses random runs of batches out of random
// work, accepts that, and walks all chains.
func TestWhateverIsLostInTheMiddleIsMadeWhole(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 0))
		h, p, s, log := lossyStore(t)
		other := h.MustSubscribe("audit", p.Topic, storage.Start{})
		from := next(h)
		floors := map[storage.SubscriptionID][2]storage.Offset{}
		for range 60 {
			p.Partition = uint16(r.IntN(2))
			switch sub := []storage.SubscriptionID{s.ID, other.ID}[r.IntN(2)]; r.IntN(5) {
			case 0, 1:
				h.MustPublish(p, make([]string, 1+r.IntN(5))...)
			case 2, 3:
				floors[sub] = settleSome(h, r, sub, p, floors[sub])
			default:
				h.Tick()
			}
		}
		h.Crash()
		end := next(h)
		first := from + r.Uint64N(end-from-1)
		gap := shardlog.BatchRange{First: first, Last: first + r.Uint64N(min(8, end-1-first))}
		memoryOf(h).Disk().Lose(gap.First, gap.Last)
		h.AcceptLoss(gap)
		h.Open()
		h.AcceptLoss()
		for i := range uint16(2) {
			p.Partition = i
			h.Bodies(p)
			h.MustPublish(p, "next")
		}
		for _, sub := range []storage.SubscriptionID{s.ID, other.ID} {
			if _, err := h.Cursors(t.Context(), sub); err != nil {
				t.Errorf("seed %d, lost %v: %v", seed, gap, err)
			}
		}
		h.Crash()
		h.Open()
		h.Stop()
		if err := checkClosed(h); err != nil || t.Failed() {
			t.Fatalf("seed %d, lost %v: %v\n%s", seed, gap, err, log)
		}
		h.Store = nil
	}
}

// checkClosed walks all chains of a store in memory that is closed.
func checkClosed(h *storagetest.StoreHarness) error {
	engine, err := storagetest.OpenMemory(memoryOf(h).Disk())
	if err != nil {
		return err
	}
	_, err = storagetest.CheckStore(engine)
	return errors.Join(err, engine.Close())
}

// settleSome acks and advances at random in one partition.
func settleSome(
	h *storagetest.StoreHarness, r *rand.Rand, sub storage.SubscriptionID, p storage.PartitionID, floors [2]storage.Offset,
) [2]storage.Offset {
	head := h.Head(p)
	floor := &floors[p.Partition]
	change := storage.CursorChange{Partition: p.Partition}
	if r.IntN(2) == 0 {
		*floor += storage.Offset(r.Uint64N(uint64(head-*floor) + 1))
	} else if n := uint64(head - *floor); n > 1 {
		at := *floor + 1 + storage.Offset(r.Uint64N(n-1))
		change.Chunks = []storage.Chunk{{Acked: []storage.OffsetRange{{First: at, End: at + 1}}}}
	}
	change.Floor = *floor
	h.MustCommit(&storage.ChangeSet{Subscription: sub, Cursors: []storage.CursorChange{change}})
	return floors
}
