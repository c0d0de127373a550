package shardlog_test

import (
	"errors"
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
