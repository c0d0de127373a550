package shardlog_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/storagetest"
)

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
