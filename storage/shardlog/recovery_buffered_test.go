package shardlog_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/storagetest"
)

// skipped is how many offsets are left out after a crash.
const skipped = 1 << 20

// TestNoOffsetIsGivenTwiceAfterACrash: those that were told and lost are left out by a
// hole, which counts as settled; a stop in order leaves none out.
func TestNoOffsetIsGivenTwiceAfterACrash(t *testing.T) {
	h, _, p := bufferedStore(t)
	synced := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	s := h.MustSubscribe("billing", p.Topic, storage.Start{})
	h.MustPublish(synced, "stays")
	h.MustPublish(p, "kept")
	h.Reopen()
	if at := h.MustPublish(p, "kept too"); at != 1 {
		t.Errorf("at %d after a stop in order", at)
	}
	h.MustPublish(synced, "so that all of that is durable")
	m := memoryOf(h)
	reached, release := m.Block()
	if at := h.MustPublish(p, "lost"); at != 2 {
		t.Errorf("at %d", at)
	}
	<-reached
	m.Crash()
	release()
	h.Crash()
	h.Open()
	if head := h.Head(p); head != 2+skipped {
		t.Fatalf("head %d after a crash", head)
	}
	wantHoles(t, h, s, storage.OffsetRange{First: 2, End: 2 + skipped})
	if stats, err := h.Stats(p); err != nil || stats.RetainedMessages != 2 {
		t.Errorf("stats %+v, %v", stats, err)
	}
	// Nobody published, but somebody may have been told.
	h.Crash()
	h.Open()
	wantHoles(t, h, s, storage.OffsetRange{First: 2, End: 2 + 2*skipped})
	h.Reopen()
	if at := h.MustPublish(p, "next"); at != 2+2*skipped {
		t.Errorf("at %d after two crashes and a stop in order", at)
	}
	h.MustPublish(synced, "so that all of that is durable")
	wantBodies(t, h, p, "kept", "kept too", "next")
	if at := h.MustPublish(synced, "next"); at != 3 {
		t.Errorf("the synced partition goes on at %d", at)
	}
	h.Crash()
	h.Open()
	wantHoles(t, h, s, storage.OffsetRange{First: 2, End: 2 + 2*skipped}, storage.OffsetRange{First: 3 + 2*skipped, End: 3 + 3*skipped})
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 3 + 3*skipped}}})
	h.Tick()
	if stats, err := h.Stats(p); err != nil || stats.First != 3+3*skipped || stats.RetainedMessages != 0 {
		t.Errorf("after all was acked: %+v, %v", stats, err)
	}
	h.Crash()
	h.Open()
	if at := h.MustPublish(p, "last"); at != 3+4*skipped {
		t.Errorf("at %d", at)
	}
}

// wantHoles wants the holes that a subscription's cursor in partition 0 is loaded with.
func wantHoles(t *testing.T, h *storagetest.StoreHarness, s storage.Subscription, want ...storage.OffsetRange) {
	t.Helper()
	if got := holesOf(t, h, s); !slices.Equal(got, want) {
		t.Errorf("holes %v, want %v", got, want)
	}
}

// TestSkipsAreWholeAfterACrashInTheMiddleOfThem: of 5,000 buffered partitions, which
// take more than one batch.
func TestSkipsAreWholeAfterACrashInTheMiddleOfThem(t *testing.T) {
	h, _ := memoryStore(t)
	var all []storage.PartitionID
	for i := range 20 {
		topic, err := h.CreateTopic(t.Context(), storage.Topic{Name: strconv.Itoa(i), Partitions: 250, Buffered: true})
		if err != nil {
			t.Fatal(err)
		}
		for p := range topic.Partitions {
			all = append(all, storage.PartitionID{Topic: topic.ID, Partition: p})
		}
	}
	h.Crash()
	h.BeforeOpen = func(e storage.Engine) {
		m := e.(*storagetest.Memory)
		m.FailBatch(lastNumber(t, m)+2, storagetest.Fault{Err: storage.ErrUnavailable})
	}
	if err := h.TryOpen(); err == nil {
		t.Fatal("it opened")
	}
	h.Store, h.BeforeOpen = nil, nil
	h.Open()
	once, twice := 0, 0
	for _, p := range all {
		switch h.Head(p) {
		case skipped:
			once++
		case 2 * skipped:
			twice++
		default:
			t.Errorf("%v: head %d", p, h.Head(p))
		}
	}
	if once != 1000 || twice != 4000 {
		t.Errorf("%d partitions skipped once, %d twice", once, twice)
	}
}

// lastNumber is the number of an engine's last batch.
func lastNumber(t *testing.T, m *storagetest.Memory) uint64 {
	t.Helper()
	ledger := m.Ledger()
	if len(ledger) == 0 {
		t.Fatal("no batch")
	}
	return ledger[len(ledger)-1].Number
}

// TestAProducerGoesOnWhereABufferedTopicEndsAfterACrash: its batches are accepted like
// others; those that were lost are not remembered as stored, so that a batch behind
// them is a gap, and what is sent under their sequences is stored.
func TestAProducerGoesOnWhereABufferedTopicEndsAfterACrash(t *testing.T) {
	h, m, p := bufferedStore(t)
	synced := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	producer := h.MustOpenProducer("p")
	publish := func(sequence uint64, body string) *storage.Publish {
		t.Helper()
		x := storagetest.Produced(producer, p, sequence, body)
		_ = h.Publish(x) // The outcome is looked at.
		return x
	}
	if x := publish(1, "kept"); x.Err != nil || !x.Buffered {
		t.Errorf("buffered is %t, %v", x.Buffered, x.Err)
	}
	h.MustPublish(synced, "so that all of that is durable")
	if x := publish(1, "kept"); x.Err != nil || x.Buffered || !x.Producer.Again {
		t.Errorf("sent again: buffered is %t, %v", x.Buffered, x.Err)
	}
	reached, release := m.Block()
	if x := publish(2, "lost"); x.Err != nil || !x.Buffered {
		t.Errorf("buffered is %t, %v", x.Buffered, x.Err)
	}
	<-reached
	m.Crash()
	release()
	h.Crash()
	h.Open()
	producer = h.MustOpenProducer("p")
	if x := publish(3, "after a gap"); !errors.Is(x.Err, storage.ErrSequenceGap) {
		t.Errorf("after what was lost: %v", x.Err)
	}
	if x := publish(2, "instead"); x.Err != nil || x.Producer.Again || x.Appends[0].Base != 1+skipped {
		t.Errorf("at %d, %v", x.Appends[0].Base, x.Err)
	}
	h.Reopen()
	wantBodies(t, h, p, "kept", "instead")
}

// TestADedupeIDThatIsLostWithItsMessageDoesNotCount: until then it does, although its
// message is not durable yet.
func TestADedupeIDThatIsLostWithItsMessageDoesNotCount(t *testing.T) {
	h, m := memoryStore(t)
	topic, err := h.CreateTopic(t.Context(), storage.Topic{
		Name: "metrics", Partitions: 1, Buffered: true, DedupeWindow: time.Hour, DedupeIDs: 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	p := storage.PartitionID{Topic: topic.ID}
	publish := func(body string) *storage.Append {
		t.Helper()
		x := publishOf(p, body, body+" without an id")
		x.Appends[0].DedupeIDs = []storage.DedupeID{{Hash: 7, Payload: 9, Present: true}, {}}
		if err := h.Publish(x); err != nil || !x.Buffered {
			t.Errorf("%s: buffered is %t, %v", body, x.Buffered, err)
		}
		return &x.Appends[0]
	}
	reached, release := m.Block()
	if a := publish("first"); len(a.Twins) != 0 {
		t.Errorf("twins %v", a.Twins)
	}
	<-reached
	if a := publish("again"); !slices.Equal(a.Twins, []storage.Twin{{Index: 0, Offset: 0}}) {
		t.Errorf("twins %v", a.Twins)
	}
	m.Crash()
	release()
	h.Crash()
	h.Open()
	if a := publish("after a crash"); len(a.Twins) != 0 || a.Base != skipped {
		t.Errorf("at %d, twins %v", a.Base, a.Twins)
	}
	h.Reopen()
	wantBodies(t, h, p, "after a crash", "after a crash without an id")
}
