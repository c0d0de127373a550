package storagetest

import (
	"errors"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/storage"
)

// producerTests are the promises to producers and to messages with dedupe ids.
var producerTests = []storeTest{
	{"A batch sent again is answered and not stored again", storeAnswersAgain},
	{"An opening of a producer fences the ones before it", storeFencesProducers},
	{"A batch that is refused refuses what follows it", storeRefusesFollowers},
	{"The last batches of a producer are remembered", storeForgetsOldBatches},
	{"A producer that is idle is forgotten, one that is open is not", storeForgetsProducers},
	{"A dedupe id counts once within its window", storeDedupes},
	{"The oldest dedupe ids are forgotten when there are too many", storeBoundsDedupe},
	{"A deleted topic takes along what is remembered of it", storeErasesMemories},
	{"Producers and dedupe ids agree with a model", storeAgreesWithProducerModel},
}

// WallClock is a clock that a test sets.
type WallClock struct{ now atomic.Pointer[time.Time] }

// Now is the time.
func (c *WallClock) Now() time.Time { return *c.now.Load() }

func (c *WallClock) set(now time.Time) { c.now.Store(&now) }

// useClock opens the store again under a clock that stands until it is moved.
func (h *StoreHarness) useClock() *WallClock {
	h.t.Helper()
	c := &WallClock{}
	c.set(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	h.options.Clock = c.Now
	h.Reopen()
	return c
}

// advance moves the clock.
func (c *WallClock) advance(d time.Duration) { c.set(c.Now().Add(d)) }

// MustOpenProducer opens a producer.
func (h *StoreHarness) MustOpenProducer(name string) storage.Producer {
	h.t.Helper()
	p, err := h.OpenProducer(h.t.Context(), storage.NewProducerID(name))
	if err != nil {
		h.t.Fatalf("open producer %q: %v", name, err)
	}
	return p
}

// Produced makes a publish of a producer's: one append whose messages have the given
// bodies, the first with the given sequence.
func Produced(p storage.Producer, to storage.PartitionID, first uint64, bodies ...string) *storage.Publish {
	return &storage.Publish{
		Appends: []storage.Append{NewAppend(to, bodies...)},
		Producer: &storage.ProducerBatch{
			Producer: p, Topic: to.Topic, First: first, Count: uint32(len(bodies)), Hash: first,
			Parts: []storage.BatchPart{{Count: uint32(len(bodies)), Fate: storage.Stored}},
		},
	}
}

// wantOutcome publishes and checks how that ends.
func (h *StoreHarness) wantOutcome(p *storage.Publish, again bool, want error) {
	h.t.Helper()
	err := h.Publish(p)
	if !errors.Is(err, want) || p.Producer.Again != again {
		h.t.Errorf("batch %d+%d: again %v, %v; want %v, %v", p.Producer.First, p.Producer.Count, p.Producer.Again, err, again, want)
	}
}

func storeAnswersAgain(t *testing.T, h *StoreHarness) {
	t.Helper()
	topic := h.MustCreateTopic("orders", 3)
	at := func(partition uint16) storage.PartitionID {
		return storage.PartitionID{Topic: topic.ID, Partition: partition}
	}
	h.MustPublish(at(2), "before")
	p := h.MustOpenProducer("loader")
	batch := func(p storage.Producer) *storage.Publish {
		return &storage.Publish{
			Appends: []storage.Append{NewAppend(at(2), "a", "b", "e"), NewAppend(at(0), "d")},
			Producer: &storage.ProducerBatch{
				Producer: p, Topic: topic.ID, First: 1, Count: 5, Hash: 77,
				Parts: []storage.BatchPart{
					{Count: 2, Fate: storage.Stored},
					{Count: 1, Refusal: storage.Refusal{Reason: 4, Field: 2, Limit: 100}},
					{Count: 1, Fate: storage.Stored, Append: 1},
					{Count: 1, Fate: storage.Stored},
				},
			},
		}
	}
	h.wantOutcome(batch(p), false, nil)
	h.wantOutcome(batch(p), true, nil)
	h.Crash()
	h.Open()
	p = h.MustOpenProducer("loader")
	h.wantOutcome(batch(p), true, nil)
	h.Reopen()
	p = h.MustOpenProducer("loader")
	if p.Epoch != 3 {
		t.Errorf("epoch %d after three openings", p.Epoch)
	}
	h.wantOutcome(batch(p), true, nil)
	overlapping := Produced(p, at(0), 5, "e", "f")
	h.wantOutcome(overlapping, false, storage.ErrBatchChanged)
	h.wantOutcome(Produced(p, at(0), 6, "f"), false, nil)

	next, outcomes, err := h.ProducerOutcomes(p.ID, topic.ID, 2)
	if err != nil || next != 7 {
		t.Errorf("next %d, %v", next, err)
	}
	if diff := cmp.Diff([]storage.ProducerOutcome{
		{First: 1, Count: 5, Hash: 77, Parts: []storage.BatchPart{
			{Count: 2, Fate: storage.Stored, Partition: 2, Offset: 1},
			{Count: 1, Refusal: storage.Refusal{Reason: 4, Field: 2, Limit: 100}},
			{Count: 1, Fate: storage.Stored, Partition: 0, Offset: 0},
			{Count: 1, Fate: storage.Stored, Partition: 2, Offset: 3},
		}},
		{First: 6, Count: 1, Hash: 6, Parts: []storage.BatchPart{{Count: 1, Fate: storage.Stored, Partition: 0, Offset: 1}}},
	}, outcomes); diff != "" {
		t.Error(diff)
	}
	h.wantBodies(at(2), "before", "a", "b", "e")
	h.wantBodies(at(0), "d", "f")
}

func storeFencesProducers(t *testing.T, h *StoreHarness) {
	t.Helper()
	to := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	first := h.MustOpenProducer("loader")
	h.wantOutcome(Produced(first, to, 1, "a"), false, nil)
	second := h.MustOpenProducer("loader")
	h.wantOutcome(Produced(first, to, 2, "lost"), false, storage.ErrStaleProducer)
	h.wantOutcome(Produced(first, to, 1, "a"), false, storage.ErrStaleProducer)
	h.wantOutcome(Produced(second, to, 2, "b"), false, nil)
	h.wantOutcome(Produced(storage.Producer{ID: storage.NewProducerID("nobody"), Epoch: 1}, to, 1, "x"), false, storage.ErrStaleProducer)
	h.Crash()
	h.Open()
	h.wantOutcome(Produced(first, to, 3, "lost"), false, storage.ErrStaleProducer)
	if third := h.MustOpenProducer("loader"); third.Epoch != 3 {
		t.Errorf("epoch %d of the third opening", third.Epoch)
	}
	h.wantBodies(to, "a", "b")
}

func storeRefusesFollowers(t *testing.T, h *StoreHarness) {
	t.Helper()
	to := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	p := h.MustOpenProducer("loader")
	follower := func(first uint64, body string) *storage.Publish {
		b := Produced(p, to, first, body)
		b.Producer.Follows = true
		return b
	}
	h.wantOutcome(Produced(p, to, 7, "x"), false, storage.ErrOutcomeForgotten)
	h.wantOutcome(follower(8, "y"), false, storage.ErrOutcomeForgotten)
	h.wantOutcome(Produced(p, to, 1, "a"), false, nil)
	large := Produced(p, to, 2, string(make([]byte, 40<<20)))
	h.wantOutcome(large, false, storage.ErrTooLarge)
	h.wantOutcome(follower(3, "z"), false, storage.ErrTooLarge)
	h.wantOutcome(Produced(p, to, 4, "z"), false, storage.ErrSequenceGap)
	h.wantOutcome(Produced(p, to, 2, "b"), false, nil)
	h.wantOutcome(follower(3, "c"), false, nil)
	gone := storage.PartitionID{Topic: to.Topic + 1}
	h.wantOutcome(Produced(p, gone, 1, "d"), false, storage.ErrNotFound)
	none := &storage.Publish{Producer: &storage.ProducerBatch{
		Producer: p, Topic: to.Topic, First: 4, Count: 2, Parts: []storage.BatchPart{{Count: 2, Refusal: storage.Refusal{Reason: 3}}},
	}}
	h.wantOutcome(none, false, nil)
	h.Crash()
	h.Open()
	p = h.MustOpenProducer("loader")
	none.Producer.Producer = p
	h.wantOutcome(none, true, nil)
	h.wantOutcome(Produced(p, to, 6, "d"), false, nil)
	h.wantBodies(to, "a", "b", "c", "d")
}

func storeForgetsOldBatches(t *testing.T, h *StoreHarness) {
	t.Helper()
	to := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	p := h.MustOpenProducer("loader")
	q := h.NewPublishQueue()
	defer q.Close()
	const batches = storage.ProducerPages + 100
	const inFlight = 1000
	for i := range uint64(batches + inFlight) {
		if i < batches && !q.Put(Produced(p, to, i+1, "x"), nil) {
			t.Fatal("the queue takes nothing")
		}
		if i < inFlight {
			continue
		}
		if done := h.Await(q); done.Err != nil || done.Producer.Again {
			t.Fatalf("batch %d: %v", done.Producer.First, done.Err)
		}
	}
	for _, again := range []uint64{1, 100, 101, batches} {
		h.wantOutcome(Produced(p, to, again, "x"), true, nil)
		next, outcomes, err := h.ProducerOutcomes(p.ID, to.Topic, again)
		if err != nil || next != batches+1 || len(outcomes) == 0 || outcomes[0].First != max(again, 101) {
			t.Errorf("batch %d: next %d, %v, %v", again, next, outcomes, err)
		}
	}
}

func storeForgetsProducers(t *testing.T, h *StoreHarness) {
	t.Helper()
	clock := h.useClock()
	to := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	idle, busy := h.MustOpenProducer("idle"), h.MustOpenProducer("busy")
	h.wantOutcome(Produced(idle, to, 1, "a"), false, nil)
	h.wantOutcome(Produced(busy, to, 1, "b"), false, nil)
	h.CloseProducer(idle.ID)
	h.Tick() // The closing comes before the tick.
	clock.advance(storage.ProducerIdle - time.Second)
	h.Tick()
	h.wantProducers(2, 2)
	clock.advance(time.Second)
	h.Tick()
	h.wantProducers(1, 1)
	h.wantOutcome(Produced(idle, to, 1, "a"), false, storage.ErrStaleProducer)
	idle = h.MustOpenProducer("idle")
	h.wantOutcome(Produced(idle, to, 2, "c"), false, storage.ErrOutcomeForgotten)
	h.wantOutcome(Produced(busy, to, 2, "c"), false, nil)
	h.Reopen() // Nothing is open now.
	clock.advance(storage.ProducerIdle)
	h.Tick()
	h.wantProducers(0, 0)
}

// wantProducers checks how many producers, and batches of theirs, are remembered.
func (h *StoreHarness) wantProducers(producers, batches int) {
	h.t.Helper()
	report, err := CheckStore(h.Engine)
	if err != nil || report.Producers != producers || report.ProducerBatches != batches {
		h.t.Errorf("%d producers, %d batches of theirs, want %d and %d (%v)",
			report.Producers, report.ProducerBatches, producers, batches, err)
	}
}

// deduped makes a publish of one message with a dedupe id.
func deduped(to storage.PartitionID, id, body string) *storage.Publish {
	a := NewAppend(to, body)
	a.DedupeIDs = []storage.DedupeID{dedupeID(id, body)}
	return &storage.Publish{Appends: []storage.Append{a}}
}

func storeDedupes(t *testing.T, h *StoreHarness) {
	t.Helper()
	clock := h.useClock()
	topic, err := h.CreateTopic(t.Context(), storage.Topic{
		Name: "orders", Partitions: 2, DedupeWindow: time.Minute, DedupeIDs: storage.DefaultDedupeIDs,
	})
	if err != nil {
		t.Fatal(err)
	}
	to := storage.PartitionID{Topic: topic.ID}
	check := func(to storage.PartitionID, id, body string, base storage.Offset, want ...storage.Twin) {
		t.Helper()
		p := deduped(to, id, body)
		if err := h.Publish(p); err != nil {
			t.Fatal(err)
		}
		if got := p.Appends[0]; got.Base != base || !slices.Equal(want, got.Twins) {
			t.Errorf("%s=%s: base %d, twins %v; want %d, %v", id, body, got.Base, got.Twins, base, want)
		}
	}
	check(to, "1", "a", 0)
	check(to, "1", "a", 1, storage.Twin{Offset: 0})
	check(to, "1", "other", 1, storage.Twin{Offset: 0, Conflict: true})
	check(storage.PartitionID{Topic: topic.ID, Partition: 1}, "1", "a", 0)
	h.Crash()
	h.Open()
	check(to, "1", "a", 1, storage.Twin{Offset: 0})
	check(to, "2", "b", 1)
	mixed := &storage.Publish{Appends: []storage.Append{NewAppend(to, "c", "b", "d", "c", "e")}}
	mixed.Appends[0].DedupeIDs = []storage.DedupeID{dedupeID("3", "c"), dedupeID("2", "b"), {}, dedupeID("3", "c"), dedupeID("4", "e")}
	if err := h.Publish(mixed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]storage.Twin{{Index: 1, Offset: 1}, {Index: 3, Offset: 2}}, mixed.Appends[0].Twins); diff != "" {
		t.Error(diff)
	}
	h.wantBodies(to, "a", "b", "c", "d", "e")
	clock.advance(time.Minute)
	check(to, "1", "again", 5)
	h.Tick()
	h.wantDedupe(1)
	h.Reopen()
	check(to, "1", "again", 6, storage.Twin{Offset: 5})
	check(to, "2", "b", 6)
}

// wantDedupe checks how many records of dedupe ids there are.
func (h *StoreHarness) wantDedupe(records int) {
	h.t.Helper()
	report, err := CheckStore(h.Engine)
	if err != nil || report.DedupeRecords != records {
		h.t.Errorf("%d records of dedupe ids, want %d (%v)", report.DedupeRecords, records, err)
	}
}

func storeBoundsDedupe(t *testing.T, h *StoreHarness) {
	t.Helper()
	topic, err := h.CreateTopic(t.Context(), storage.Topic{Name: "orders", Partitions: 1, DedupeWindow: time.Hour, DedupeIDs: 3})
	if err != nil {
		t.Fatal(err)
	}
	to := storage.PartitionID{Topic: topic.ID}
	for i := range 5 {
		if err := h.Publish(deduped(to, strconv.Itoa(i), "x")); err != nil {
			t.Fatal(err)
		}
	}
	h.Tick()
	h.wantDedupe(3)
	for id := 2; id < 5; id++ {
		p := deduped(to, strconv.Itoa(id), "x")
		if err := h.Publish(p); err != nil || len(p.Appends[0].Twins) != 1 {
			t.Errorf("id %d: %v, %v", id, p.Appends[0].Twins, err)
		}
	}
	p := deduped(to, "1", "x")
	if err := h.Publish(p); err != nil || len(p.Appends[0].Twins) != 0 {
		t.Errorf("the id that was forgotten: %v, %v", p.Appends[0].Twins, err)
	}
}

func storeErasesMemories(t *testing.T, h *StoreHarness) {
	t.Helper()
	topic, err := h.CreateTopic(t.Context(), storage.Topic{Name: "orders", Partitions: 1, DedupeWindow: time.Hour, DedupeIDs: 100})
	if err != nil {
		t.Fatal(err)
	}
	other := storage.PartitionID{Topic: h.MustCreateTopic("returns", 1).ID}
	to := storage.PartitionID{Topic: topic.ID}
	p := h.MustOpenProducer("loader")
	h.wantOutcome(Produced(p, to, 1, "a"), false, nil)
	h.wantOutcome(Produced(p, other, 1, "b"), false, nil)
	if err := h.Publish(deduped(to, "1", "c")); err != nil {
		t.Fatal(err)
	}
	if err := h.DeleteTopic(t.Context(), topic.ID); err != nil {
		t.Fatal(err)
	}
	h.Tick()
	h.wantProducers(1, 1)
	h.wantDedupe(0)
	h.wantOutcome(Produced(p, other, 1, "b"), true, nil)
	h.wantOutcome(Produced(p, to, 2, "c"), false, storage.ErrNotFound)
}
