package shardlog_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/storagetest"
)

// skipped is how many offsets are left out after a crash.
const skipped = 1 << 20

// bufferedStore is a store in memory with a buffered topic of one partition.
func bufferedStore(t *testing.T) (*storagetest.StoreHarness, *storagetest.Memory, storage.PartitionID) {
	t.Helper()
	h, m := memoryStore(t)
	return h, m, bufferedTopic(t, h, "metrics")
}

func bufferedTopic(t *testing.T, h *storagetest.StoreHarness, name string) storage.PartitionID {
	t.Helper()
	topic, err := h.CreateTopic(t.Context(), storage.Topic{Name: name, Partitions: 1, Buffered: true})
	if err != nil {
		t.Fatal(err)
	}
	return storage.PartitionID{Topic: topic.ID}
}

// publishOf is a publish of messages to one partition.
func publishOf(p storage.PartitionID, bodies ...string) *storage.Publish {
	return &storage.Publish{Appends: []storage.Append{storagetest.NewAppend(p, bodies...)}}
}

// TestABufferedPublishIsDoneBeforeItsCommit: its sender may use the memory again at
// once, readers see nothing until it is durable, and then what was published.
func TestABufferedPublishIsDoneBeforeItsCommit(t *testing.T) {
	h, m, p := bufferedStore(t)
	reached, release := m.Block()
	q := h.NewPublishQueue()
	defer q.Close()
	for i, body := range []string{"first", "second", "third"} {
		publish := publishOf(p, body, body+" too")
		publish.Appends[0].KeyHashes = []storage.KeyHash{{Hash: 7, Present: true}, {}}
		if !q.Put(publish, nil) {
			t.Fatal("the queue takes nothing")
		}
		done := h.Await(q)
		if done.Err != nil || !done.Buffered || done.Appends[0].Base != storage.Offset(2*i) {
			t.Errorf("%s: at %d, buffered is %t, %v", body, done.Appends[0].Base, done.Buffered, done.Err)
		}
		clear(done.Appends[0].Messages)
		clear(done.Appends[0].Ends)
		clear(done.Appends[0].KeyHashes)
	}
	<-reached
	if h.Head(p) != 0 || h.Tail(p, 0) != nil {
		t.Error("visible before it is durable")
	}
	release()
	h.Reopen()
	wantBodies(t, h, p, "first", "first too", "second", "second too", "third", "third too")
	piece, err := h.Read(t.Context(), p, 0)
	if err != nil || !slices.Equal(piece.Segment.KeyHashes[:2], []storage.KeyHash{{Hash: 7, Present: true}, {}}) {
		t.Errorf("keys: %v", err)
	}
	piece.Segment.Release()
}

// TestABufferedPublishOvertakesNothing: behind one that waits for its commit it waits,
// too, and is durable when it is done.
func TestABufferedPublishOvertakesNothing(t *testing.T) {
	h, m, p := bufferedStore(t)
	synced := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	reached, release := m.Block()
	q := h.NewPublishQueue()
	defer q.Close()
	q.Put(publishOf(synced, "synced"), nil)
	<-reached
	q.Put(publishOf(p, "buffered"), nil)
	other := h.NewPublishQueue()
	defer other.Close()
	other.Put(publishOf(p, "of another queue"), nil)
	if done := h.Await(other); !done.Buffered {
		t.Error("one queue waits for another one's commit")
	}
	if q.Done() != nil {
		t.Error("done before its commit")
	}
	release()
	for _, body := range []string{"synced", "buffered"} {
		if done := h.Await(q); done.Err != nil || done.Buffered || h.Head(done.Appends[0].Partition) == 0 {
			t.Errorf("%s: buffered is %t, %v", body, done.Buffered, done.Err)
		}
	}
}

// TestOnlySoMuchIsAcceptedBeforeItIsDurable: messages and bytes; what is beyond waits.
func TestOnlySoMuchIsAcceptedBeforeItIsDurable(t *testing.T) {
	const most, mib = 1 << 19, 1 << 20
	for name, c := range map[string]struct {
		publishes, messages, size int
		accepted                  int
	}{
		"messages": {publishes: 5, messages: most / 4, size: 0, accepted: 4},
		"bytes":    {publishes: 1, messages: 17, size: mib, accepted: 0},
	} {
		t.Run(name, func(t *testing.T) {
			h, m, p := bufferedStore(t)
			other := bufferedTopic(t, h, "others")
			_, release := m.Block()
			body := string(make([]byte, c.size))
			var queues []storage.PublishQueue
			for i := range c.publishes {
				q := h.NewPublishQueue()
				q.Put(publishOf(p, slices.Repeat([]string{body}, c.messages)...), nil)
				queues = append(queues, q)
				if i < c.accepted && !h.Await(q).Buffered {
					t.Errorf("publish %d waited", i)
				}
			}
			h.MustPublish(other, "behind all of them")
			for i, q := range queues[c.accepted:] {
				if q.Done() != nil {
					t.Errorf("publish %d did not wait", c.accepted+i)
				}
			}
			release()
			for _, q := range queues[c.accepted:] {
				if done := h.Await(q); done.Err != nil {
					t.Error(done.Err)
				}
			}
		})
	}
}

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
