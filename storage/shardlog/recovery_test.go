package shardlog_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/storagetest"
)

// damaged gives a store with some content, stopped by a crash, and its disk.
func damaged(t *testing.T) (*storagetest.StoreHarness, *storagetest.Disk, storage.PartitionID, storage.Subscription) {
	t.Helper()
	h, m := memoryStore(t)
	topic := h.MustCreateTopic("orders", 2)
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	h.MustCreateTopic("other", 1)
	p := storage.PartitionID{Topic: topic.ID}
	for i := range 10 {
		h.MustPublish(p, strconv.Itoa(i))
	}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{
		Floor: 2, Chunks: []storage.Chunk{{Acked: []storage.OffsetRange{{First: 5, End: 6}}}},
		Histories:   []storage.History{{Offset: 7, Failures: []storage.Failure{{Kind: storage.FailureRetried, Code: "db"}}}},
		Keys:        []storage.KeyChange{{Hash: 7, Parked: true, Key: "customer-7"}},
		DeadLetters: []storage.DeadLetter{{Offset: 5, Reason: storage.DeadRejected, Message: []byte("wire")}},
	}}, Sessions: []storage.SessionChange{{
		Key: sessionPage.Session, Written: true, Blocks: []storage.HeldBlock{{
			Slot: 1, First: 1, Live: 1, Runs: []storage.HeldRun{{Generation: 1, First: 3, Count: 1}}, Sizes: []uint32{9},
		}},
	}}})
	h.Crash()
	h.Damaged = true
	return h, m.Disk(), p, s
}

// sessionPage names a page of the session that a damaged store has.
var sessionPage = record.SessionPageKey{Subscription: 1, Session: storage.SessionKey{7}}

// flip changes a bit in the middle of a value.
func flip(value []byte) []byte {
	value[len(value)/2] ^= 1
	return value
}

// lastBatch is the number of the last batch on a disk.
func lastBatch(t *testing.T, d *storagetest.Disk) uint64 {
	t.Helper()
	engine, err := storagetest.OpenMemory(d)
	if err != nil {
		t.Fatal(err)
	}
	report, err := storagetest.CheckStore(engine)
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	return uint64(report.Batches)
}

// refuses opens the store and wants an error that says all of the words.
func refuses(t *testing.T, h *storagetest.StoreHarness, words ...string) {
	t.Helper()
	err := h.TryOpen()
	if !errors.Is(err, storage.ErrDataLoss) {
		t.Fatalf("opened, or failed otherwise: %v", err)
	}
	for _, word := range append(words, "nothing was changed") {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %q", err, word)
		}
	}
	h.Store = nil
}

func TestAGapInTheBatchChainIsRefusedWithItsNumbers(t *testing.T) {
	h, d, _, _ := damaged(t)
	for _, n := range []uint64{5, 6} {
		d.Drop(record.AppendBatchKey(nil, n))
	}
	refuses(t, h, "batches 5-6 are missing")
}

func TestADamagedBatchHeaderIsRefused(t *testing.T) {
	h, d, _, _ := damaged(t)
	d.Corrupt(record.AppendBatchKey(nil, 5), flip)
	refuses(t, h)
}

func TestABrokenLinkInTheBatchChainIsRefused(t *testing.T) {
	h, d, _, _ := damaged(t)
	key := record.AppendBatchKey(nil, 5)
	d.Corrupt(key, func(value []byte) []byte {
		x, err := record.DecodeHeader(key, value)
		if err != nil {
			t.Fatal(err)
		}
		x.Previous++
		return record.AppendHeader(nil, key, &x)
	})
	refuses(t, h, "does not continue")
}

func TestALostTailIsFoundByTheLedger(t *testing.T) {
	h, d, _, _ := damaged(t)
	last := lastBatch(t, d)
	d.Rewind(3)
	refuses(t, h, fmt.Sprintf("batches %d-%d are in the ledger", last-2, last))
}

func TestOneBatchBehindTheLedgerWasBeingCommitted(t *testing.T) {
	h, d, p, s := damaged(t)
	d.Rewind(1)
	h.Open()
	if got := len(h.Bodies(p)); got != 10 {
		t.Errorf("%d messages", got)
	}
	cursors, err := h.Cursors(t.Context(), s.ID)
	if err != nil || cursors[0].Floor != 0 {
		t.Errorf("the last batch was not applied: %+v, %v", cursors, err)
	}
	// The batch that never was is void now, whatever the ledger says of it.
	h.MustPublish(p, "next")
	h.Crash()
	h.Open()
	h.Reopen()
}

func TestAnotherBatchThanTheLedgersIsRefused(t *testing.T) {
	h, d, _, _ := damaged(t)
	d.EditLedger(func(l []storage.LedgerEntry) []storage.LedgerEntry {
		l[4].Hash++
		return l
	})
	refuses(t, h, "batch 5 is another one than in the ledger")
}

func TestAnEngineOfAnOlderEpochThanTheLedgersIsRefused(t *testing.T) {
	h, d, _, _ := damaged(t)
	d.EditLedger(func(l []storage.LedgerEntry) []storage.LedgerEntry {
		l[4].Epoch++
		return l
	})
	refuses(t, h, "batch 5 is of epoch 1, in the ledger of 2")
}

func TestAMissingShardRecordIsRefused(t *testing.T) {
	h, d, _, _ := damaged(t)
	d.Drop(record.AppendShardKey(nil))
	if err := h.TryOpen(); !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("opened, or failed otherwise: %v", err)
	}
	h.Store = nil
}

func TestEachOpeningHasAHigherEpochThatIsDurable(t *testing.T) {
	h, _ := memoryStore(t)
	for range 3 {
		h.Crash()
		h.Open()
	}
	ledger := memoryOf(h).Ledger()
	epochs := []uint64{}
	for _, e := range ledger {
		epochs = append(epochs, e.Epoch)
	}
	if !slices.Equal(epochs, []uint64{1, 2, 3, 4}) {
		t.Errorf("epochs %v", epochs)
	}
}

// fenced wants every call on a partition to answer ErrDataLoss, the catalog to show
// it, and the rest to serve.
func fenced(t *testing.T, h *storagetest.StoreHarness, p storage.PartitionID) {
	t.Helper()
	publish := &storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, "x")}}
	published := h.Publish(publish)
	_, read := h.Read(t.Context(), p, h.Head(p)-1)
	_, stats := h.Stats(p)
	_, locate := h.Locate(t.Context(), p, h.Head(p)-1)
	for call, err := range map[string]error{"publish": published, "read": read, "stats": stats, "locate": locate} {
		if !errors.Is(err, storage.ErrDataLoss) {
			t.Errorf("%s on a fenced partition: %v", call, err)
		}
	}
	states := map[string]storage.State{}
	for _, topic := range h.Topics() {
		states[topic.Name] = topic.State
	}
	if states["orders"] != storage.Damaged || states["other"] != storage.Active {
		t.Errorf("states %v", states)
	}
	h.MustPublish(storage.PartitionID{Topic: p.Topic, Partition: 1}, "the other partition serves")
}

// dropSegmentOf drops the segment that a pointer names.
func dropSegmentOf(d *storagetest.Disk, p storage.PartitionID, base storage.Offset) {
	var at record.Location
	key := record.AppendPointerKey(nil, p, base)
	d.Corrupt(key, func(value []byte) []byte {
		x, _ := record.DecodePointer(key, value) // It was written by the store.
		at = x.At
		return value
	})
	d.Drop(record.AppendSegmentKey(nil, at.Batch, at.Chunk))
}

func TestDamageThatNamesAPartitionFencesIt(t *testing.T) {
	for name, damage := range map[string]func(d *storagetest.Disk, p storage.PartitionID){
		"its record is missing":       func(d *storagetest.Disk, p storage.PartitionID) { d.Drop(record.AppendPartitionKey(nil, p)) },
		"its record is damaged":       func(d *storagetest.Disk, p storage.PartitionID) { d.Corrupt(record.AppendPartitionKey(nil, p), flip) },
		"its last pointer is damaged": func(d *storagetest.Disk, p storage.PartitionID) { d.Corrupt(record.AppendPointerKey(nil, p, 9), flip) },
		"a pointer after the last checkpoint is damaged": func(d *storagetest.Disk, p storage.PartitionID) {
			d.Corrupt(record.AppendPointerKey(nil, p, 4), flip)
		},
		"a pointer after the checkpoint is not what its batch wrote": func(d *storagetest.Disk, p storage.PartitionID) {
			key := record.AppendPointerKey(nil, p, 4)
			d.Corrupt(key, func(value []byte) []byte {
				x, _ := record.DecodePointer(key, value) // It was written by the store.
				x.At.Batch++
				return record.AppendPointer(nil, key, &x)
			})
		},
		"no segment after the checkpoint is there": func(d *storagetest.Disk, _ storage.PartitionID) {
			for batch := range uint64(10) {
				d.Drop(record.AppendSegmentKey(nil, 5+batch, 0))
			}
		},
		"a segment after the checkpoint and the pointers from there on are missing": func(d *storagetest.Disk, p storage.PartitionID) {
			dropSegmentOf(d, p, 7)
			for _, base := range []storage.Offset{7, 8, 9} {
				d.Drop(record.AppendPointerKey(nil, p, base))
			}
		},
		"a segment after the checkpoint is missing": func(d *storagetest.Disk, p storage.PartitionID) { dropSegmentOf(d, p, 3) },
	} {
		t.Run(name, func(t *testing.T) {
			h, d, p, _ := damaged(t)
			damage(d, p)
			h.Open()
			fenced(t, h, p)
			// Opening it again, after any kind of stop, does not make it whole, nor does
			// what the janitor clears away.
			for range 10 { // Counting does not end where a pointer is damaged.
				h.Tick()
			}
			h.Crash()
			h.Open()
			fenced(t, h, p)
			h.Reopen()
			fenced(t, h, p)
		})
	}
}

// TestSegmentsThatShowDamageOutliveTheirLastPointer: what a healthy partition shares with
// one that lost its pointers stays when it is trimmed, or the next opening would take the
// damaged one for whole, and shorter.
func TestSegmentsThatShowDamageOutliveTheirLastPointer(t *testing.T) {
	h, m := memoryStore(t)
	topic := h.MustCreateTopic("orders", 2)
	h.MustCreateTopic("other", 1)
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	p, other := storage.PartitionID{Topic: topic.ID}, storage.PartitionID{Topic: topic.ID, Partition: 1}
	h.MustPublish(p, "alone")
	for range 3 {
		publish := &storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, "a"), storagetest.NewAppend(other, "b")}}
		if err := h.Publish(publish); err != nil {
			t.Fatal(err)
		}
	}
	h.Crash()
	h.Damaged = true
	dropSegmentOf(m.Disk(), p, 0)
	for base := range storage.Offset(4) {
		m.Disk().Drop(record.AppendPointerKey(nil, p, base))
	}
	h.Open()
	fenced(t, h, p)
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Partition: 1, Floor: 3}}})
	for range 10 {
		h.Tick()
	}
	if stats, err := h.Stats(other); err != nil || stats.First != 3 {
		t.Fatalf("the healthy one is not trimmed: %+v, %v", stats, err)
	}
	h.Crash()
	h.Open()
	fenced(t, h, p)
}

func TestAHeadBelowItsCheckpointIsFenced(t *testing.T) {
	h, d, p, _ := damaged(t)
	h.Open()
	h.Stop() // It writes down where the partition ends.
	d.Drop(record.AppendPointerKey(nil, p, 9))
	h.Open()
	fenced(t, h, p)
}

func TestAHeadBelowAFloorIsFenced(t *testing.T) {
	h, d, p, s := damaged(t)
	key := record.AppendCursorKey(nil, s.ID, 0)
	d.Corrupt(key, func(value []byte) []byte {
		c, err := record.DecodeCursor(key, value)
		if err != nil {
			t.Fatal(err)
		}
		c.Floor = 11
		return record.AppendCursor(nil, key, &c)
	})
	h.Open()
	fenced(t, h, p)
}

func TestLostPointersAreMadeAgainFromDirectories(t *testing.T) {
	h, d, p, _ := damaged(t)
	for _, base := range []storage.Offset{3, 8, 9} {
		d.Drop(record.AppendPointerKey(nil, p, base))
	}
	h.Damaged = false
	h.Open()
	want := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
	if got := h.Bodies(p); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	h.MustPublish(p, "10")
}

func TestADamagedTopicRecordFencesTheTopic(t *testing.T) {
	for name, damage := range map[string]func(d *storagetest.Disk){
		"damaged": func(d *storagetest.Disk) { d.Corrupt(record.AppendTopicKey(nil, 1), flip) },
		"missing": func(d *storagetest.Disk) { d.Drop(record.AppendTopicKey(nil, 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			h, d, p, _ := damaged(t)
			damage(d)
			h.Open()
			publish := &storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, "x")}}
			if err := h.Publish(publish); !errors.Is(err, storage.ErrDataLoss) {
				t.Errorf("publish: %v", publish.Err)
			}
			h.MustPublish(storage.PartitionID{Topic: 2}, "the other topic serves")
		})
	}
}

func TestDamageFoundByAReadFencesThePartition(t *testing.T) {
	h, d, p, _ := damaged(t)
	h.Open()
	d.Corrupt(record.AppendSegmentKey(nil, 6, 0), func(value []byte) []byte {
		value[1] ^= 1
		return value
	})
	var err error
	for at := storage.Offset(0); at < 10 && err == nil; at++ {
		var piece storage.Piece
		if piece, err = h.Read(t.Context(), p, at); err == nil {
			piece.Segment.Release()
		}
	}
	if !errors.Is(err, storage.ErrDataLoss) {
		t.Fatalf("read over the damage: %v", err)
	}
	if h.Metrics().Damaged != 1 {
		t.Error("not counted")
	}
	fenced(t, h, p)
}

func TestAnOrderlyStopIsMarkedAndTheMarkCleared(t *testing.T) {
	h, _ := memoryStore(t)
	clean := func() (clean bool) {
		key := record.AppendShardKey(nil)
		err := h.Engine.View(func(r storage.Reader) error {
			return r.Get(key, func(value []byte) error {
				x, err := record.DecodeShard(key, value)
				clean = x.Clean
				return err
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		return clean
	}
	if clean() {
		t.Error("clean while it is open")
	}
	d := memoryOf(h).Disk()
	h.Stop()
	engine, err := storagetest.OpenMemory(d)
	if err != nil {
		t.Fatal(err)
	}
	h.Engine = engine
	if !clean() {
		t.Error("not clean after a stop")
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	h.Open()
	if clean() {
		t.Error("clean after an opening")
	}
}

// TestAPartitionThatMovedLongAgoIsWholeAfterACrash: its checkpoint was renewed before
// the batch that moved it fell out of what recovery looks at.
func TestAPartitionThatMovedLongAgoIsWholeAfterACrash(t *testing.T) {
	h, _ := memoryStore(t)
	topic := h.MustCreateTopic("orders", 2)
	h.MustSubscribe("all", topic.ID, storage.Start{})
	quiet := storage.PartitionID{Topic: topic.ID}
	busy := storage.PartitionID{Topic: topic.ID, Partition: 1}
	h.MustPublish(quiet, "a", "b")
	for range 4200 {
		h.MustPublish(busy, "x")
	}
	h.Crash()
	h.Open()
	if got := h.Bodies(quiet); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q", got)
	}
	if got := len(h.Bodies(busy)); got != 4200 {
		t.Errorf("%d messages in the busy one", got)
	}
}

func TestAnUnreadableHeaderOfTheLastBatchIsRefused(t *testing.T) {
	h, d, _, _ := damaged(t)
	last := lastBatch(t, d)
	d.Corrupt(record.AppendBatchKey(nil, last), flip)
	refuses(t, h, fmt.Sprintf("batches %d-%d are missing", last, last))
}

// TestWhatAFormerOwnerHadBegunIsVoid: the ledger has batches of an older epoch behind
// the last one of a newer.
func TestWhatAFormerOwnerHadBegunIsVoid(t *testing.T) {
	h, d, p, _ := damaged(t)
	h.Open()
	h.Crash()
	last := lastBatch(t, d)
	d.EditLedger(func(l []storage.LedgerEntry) []storage.LedgerEntry {
		for n := last + 1; n < last+5; n++ {
			l = append(l, storage.LedgerEntry{Epoch: 1, Number: n, Hash: n})
		}
		return l
	})
	h.Open()
	if got := len(h.Bodies(p)); got != 10 {
		t.Errorf("%d messages", got)
	}
}

func TestAShardRecordThatDoesNotFitTheBatchesIsRefused(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, d *storagetest.Disk){
		"there is no batch": func(t *testing.T, d *storagetest.Disk) {
			t.Helper()
			for n := range lastBatch(t, d) {
				d.Drop(record.AppendBatchKey(nil, n+1))
			}
			d.EditLedger(func([]storage.LedgerEntry) []storage.LedgerEntry { return nil })
		},
		"it is of an older epoch": func(t *testing.T, d *storagetest.Disk) {
			t.Helper()
			key := record.AppendShardKey(nil)
			d.Corrupt(key, func(value []byte) []byte {
				x, err := record.DecodeShard(key, value)
				if err != nil {
					t.Fatal(err)
				}
				x.Epoch = 1
				if value, err = record.AppendShard(nil, key, &x); err != nil {
					t.Fatal(err)
				}
				return value
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, d, _, _ := damaged(t)
			h.Open()
			h.Crash()
			damage(t, d)
			if err := h.TryOpen(); !errors.Is(err, storage.ErrDataLoss) {
				t.Errorf("opened, or failed otherwise: %v", err)
			}
			h.Store = nil
		})
	}
}

func TestAMissingPartitionRecordIsFencedThoughNobodyHasAFloorThere(t *testing.T) {
	h, d, p, _ := damaged(t)
	p.Partition = 1
	d.Drop(record.AppendPartitionKey(nil, p))
	h.Open()
	publish := &storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, "x")}}
	if err := h.Publish(publish); !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("publish: %v", err)
	}
}
