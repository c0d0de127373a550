package shardlog_test

import (
	"fmt"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/storagetest"
)

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
