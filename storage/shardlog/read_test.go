package shardlog_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// laggingStore has more in one partition than its tail ring holds: a message in each
// commit.
func laggingStore(t *testing.T, messages int) (*storagetest.StoreHarness, storage.PartitionID) {
	t.Helper()
	h := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{TailBytes: 1, TailPartitionBytes: 1})
	p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	h.MustSubscribe("billing", p.Topic, storage.Start{})
	for i := range messages {
		h.MustPublish(p, strconv.Itoa(i))
	}
	return h, p
}

func TestALaggingReaderReadsAFewAhead(t *testing.T) {
	h, p := laggingStore(t, 100)
	before := h.Metrics()
	if got := len(h.Bodies(p)); got != 100 {
		t.Errorf("%d messages", got)
	}
	after := h.Metrics()
	if reads := after.DiskReads - before.DiskReads; reads > 30 {
		t.Errorf("%d disk reads for 100 segments in a row", reads)
	}
	h.Bodies(p)
	if again := h.Metrics(); again.DiskReads != after.DiskReads {
		t.Error("a second reader reads what is in the cache")
	}
}

func TestReadsOutsideOfWhatIsRetained(t *testing.T) {
	h, p := laggingStore(t, 3)
	if _, err := h.Read(t.Context(), p, 3); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("at the head: %v", err)
	}
	if _, err := h.Locate(t.Context(), p, 3); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("locate at the head: %v", err)
	}
	nowhere := storage.PartitionID{Topic: p.Topic, Partition: 7}
	if _, err := h.Read(t.Context(), nowhere, 0); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no such partition: %v", err)
	}
	if _, err := h.Stats(nowhere); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("stats of no such partition: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Read(ctx, p, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if h.Head(nowhere) != 0 || h.Tail(nowhere, 0) != nil {
		t.Error("something of nothing")
	}
	h.Watch(nowhere, make(chan struct{}, 1))()
}

func TestLocateCountsWhatCameBefore(t *testing.T) {
	h, p := laggingStore(t, 11)
	for at, bytes := range map[storage.Offset]uint64{0: 0, 5: 15, 10: 30} {
		place, err := h.Locate(t.Context(), p, at)
		if err != nil || place.MessagesBefore != uint64(at) || place.BytesBefore != bytes {
			t.Errorf("offset %d: %+v, %v", at, place, err)
		}
	}
}

func TestAHoleIsReadAsSettledOffsets(t *testing.T) {
	h, p := laggingStore(t, 10)
	key := record.AppendPointerKey(nil, p, 5)
	memoryOf(h).Disk().Corrupt(key, func(value []byte) []byte {
		x, err := record.DecodePointer(key, value)
		if err != nil {
			t.Fatal(err)
		}
		x.Hole, x.At = true, record.Location{}
		return record.AppendPointer(nil, key, &x)
	})
	h.Damaged = true // Its commit segment has no pointer now.
	piece, err := h.Read(t.Context(), p, 5)
	if err != nil || piece.Segment != nil || piece.Hole != (storage.OffsetRange{First: 5, End: 6}) {
		t.Errorf("got %+v, %v", piece, err)
	}
	if got := strings.Join(h.Bodies(p), ""); got != "012346789" {
		t.Errorf("around the hole: %q", got)
	}
	h.Reopen()
	if got := strings.Join(h.Bodies(p), ""); got != "012346789" {
		t.Errorf("around the hole, after an opening: %q", got)
	}
}

func TestALostPointerIsDataLossAndNotNothing(t *testing.T) {
	h, p := laggingStore(t, 10)
	h.Damaged = true
	memoryOf(h).Disk().Drop(record.AppendPointerKey(nil, p, 5))
	if _, err := h.Read(t.Context(), p, 5); !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("got %v", err)
	}
}

func TestALostSegmentIsDataLoss(t *testing.T) {
	h, p := laggingStore(t, 10)
	h.Damaged = true
	d := memoryOf(h).Disk()
	key := record.AppendPointerKey(nil, p, 5)
	err := h.Engine.View(func(r storage.Reader) error {
		return r.Get(key, func(value []byte) error {
			x, err := record.DecodePointer(key, value)
			d.Drop(record.AppendSegmentKey(nil, x.At.Batch, x.At.Chunk))
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Read(t.Context(), p, 5); !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("got %v", err)
	}
}
