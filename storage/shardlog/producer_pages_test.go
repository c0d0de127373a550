package shardlog_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headrace/headrace/internal/testscale"
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// publishNext publishes one message of a producer's in a commit of its own.
func publishNext(t *testing.T, h *storagetest.StoreHarness, p storage.Producer, to storage.PartitionID, sequence uint64) {
	t.Helper()
	if err := h.Publish(storagetest.Produced(p, to, sequence, "x")); err != nil {
		t.Fatalf("batch %d: %v", sequence, err)
	}
}

// producerRecords are the records of all producers.
func producerRecords(t *testing.T, h *storagetest.StoreHarness) (all []record.Producer) {
	t.Helper()
	err := h.Engine.View(func(r storage.Reader) error {
		return r.Ascend(record.AppendProducerPrefix(nil), nil, func(key []byte, value storage.Value) (bool, error) {
			return true, value.Read(func(value []byte) error {
				p, err := record.DecodeProducer(key, value)
				all = append(all, p)
				return err
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestARingOfPagesThatComesRoundForgetsOutcomesAndNoSequence: what stood in a page that
// is overwritten was written down before, also after a crash.
func TestARingOfPagesThatComesRoundForgetsOutcomesAndNoSequence(t *testing.T) {
	h, _ := memoryStore(t)
	quiet := storage.PartitionID{Topic: h.MustCreateTopic("quiet", 1).ID}
	busy := storage.PartitionID{Topic: h.MustCreateTopic("busy", 1).ID}
	p := h.MustOpenProducer("loader")
	publishNext(t, h, p, quiet, 1)
	publishNext(t, h, p, quiet, 2)
	const last = storage.ProducerPages + 10
	for n := range uint64(last) {
		publishNext(t, h, p, busy, n+1)
	}
	check := func() {
		t.Helper()
		next, outcomes, err := h.ProducerOutcomes(p.ID, quiet.Topic, 1)
		if err != nil || next != 3 || len(outcomes) != 0 {
			t.Errorf("quiet: next %d, %v, %v", next, outcomes, err)
		}
		next, outcomes, err = h.ProducerOutcomes(p.ID, busy.Topic, 1)
		if err != nil || next != last+1 || len(outcomes) != storage.ProducerPages || outcomes[0].First != 11 {
			t.Errorf("busy: next %d, %d outcomes, %v", next, len(outcomes), err)
		}
	}
	check()
	h.Crash()
	h.Open()
	check()
	p = h.MustOpenProducer("loader")
	if again := storagetest.Produced(p, quiet, 2, "x"); h.Publish(again) != nil || !again.Producer.Again {
		t.Error("a batch whose outcome is forgotten was stored again")
	}
	publishNext(t, h, p, quiet, 3)
}

// TestTailsOfProducersAreBounded: what recovery reads back of all producers together is
// no more than a ring, whoever publishes how often, and over crashes.
func TestTailsOfProducersAreBounded(t *testing.T) {
	h, _ := memoryStore(t)
	const topics = 7
	var to [topics]storage.PartitionID
	for i := range to {
		to[i].Topic = h.MustCreateTopic(fmt.Sprintf("topic-%d", i), 1).ID
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	const producers = 40
	var open [producers]storage.Producer
	var sent [producers][topics]uint64
	commits := testscale.Sizes{Full: 40_000, Ordinary: 9000, Race: 5000}.Now()
	for n := range commits {
		if n%(commits/3) == 0 {
			h.Crash()
			h.Open()
			for i := range open {
				open[i] = h.MustOpenProducer(strconv.Itoa(i))
			}
		}
		// Some publish often, some hardly ever.
		i, topic := min(random.IntN(producers), random.IntN(producers)), random.IntN(topics)
		sent[i][topic]++
		publishNext(t, h, open[i], to[topic], sent[i][topic])
	}
	tails := uint64(0)
	for _, p := range producerRecords(t, h) {
		tails += p.Pages - p.Tail + 1
	}
	if tails == 0 || tails >= storage.ProducerPages {
		t.Errorf("the tails of all producers have %d pages", tails)
	}
	h.Crash()
	h.Open()
	for i := range open {
		for topic, n := range sent[i] {
			if next, _, err := h.ProducerOutcomes(open[i].ID, to[topic].Topic, 0); next != n+1 || err != nil {
				t.Errorf("producer %d has come to %d in topic %d, published %d (%v)", i, next-1, topic, n, err)
			}
		}
	}
}

const refusedAtOnce = 1000

// refusedOneByOne is a batch of which each message is refused for another reason, so
// that what became of it does not fit a page.
func refusedOneByOne(p storage.Producer, topic storage.TopicID, first uint64) *storage.Publish {
	b := &storage.ProducerBatch{Producer: p, Topic: topic, First: first, Count: refusedAtOnce}
	for i := range uint64(refusedAtOnce) {
		b.Parts = append(b.Parts, storage.BatchPart{Count: 1, Refusal: storage.Refusal{Reason: 1, Limit: i}})
	}
	return &storage.Publish{Producer: b}
}

// TestWhatOneCommitStoredIsAnsweredAfterACrash: batches to many topics share pages, and
// each keeps its positions; those that do not fit a page have one alone.
func TestWhatOneCommitStoredIsAnsweredAfterACrash(t *testing.T) {
	h, _ := memoryStore(t)
	const topics, rounds = 300, 4
	var to [topics]storage.PartitionID
	for i := range to {
		to[i].Topic = h.MustCreateTopic(fmt.Sprintf("topic-%d", i), 1).ID
	}
	large := h.MustCreateTopic("large", 1).ID
	p := h.MustOpenProducer("loader")
	q := h.NewPublishQueue()
	defer q.Close()
	put := func(b *storage.Publish) {
		if !q.Put(b, nil) {
			t.Fatal("the queue takes nothing")
		}
	}
	for round := range uint64(rounds) {
		for i := range to {
			put(storagetest.Produced(p, to[i], round+1, "x"))
			if i == topics/2 {
				put(refusedOneByOne(p, large, refusedAtOnce*round+1))
			}
		}
		for range topics + 1 {
			if done := h.Await(q); done.Err != nil {
				t.Fatal(done.Err)
			}
		}
	}
	h.Crash()
	h.Open()
	for i := range to {
		next, outcomes, err := h.ProducerOutcomes(p.ID, to[i].Topic, 1)
		if err != nil || next != rounds+1 || len(outcomes) != rounds {
			t.Fatalf("topic %d: next %d, %d outcomes, %v", i, next, len(outcomes), err)
		}
		for n, o := range outcomes {
			want := storage.BatchPart{Count: 1, Fate: storage.Stored, Offset: storage.Offset(n)}
			if o.First != uint64(n+1) || !slices.Equal(o.Parts, []storage.BatchPart{want}) {
				t.Errorf("topic %d: outcome %d is %+v", i, n, o)
			}
		}
	}
	next, outcomes, err := h.ProducerOutcomes(p.ID, large, refusedAtOnce+1)
	if err != nil || next != rounds*refusedAtOnce+1 || len(outcomes) != rounds-1 || len(outcomes[0].Parts) != refusedAtOnce {
		t.Errorf("large: next %d, %d outcomes, %v", next, len(outcomes), err)
	}
}

// TestAProducerOfManyTopicsIsForgottenInSteps: all of it goes.
func TestAProducerOfManyTopicsIsForgottenInSteps(t *testing.T) {
	var later atomic.Int64
	h := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), shardlog.Options{
		Clock: func() time.Time { return time.Now().Add(time.Duration(later.Load())) },
	})
	const topics = 1100
	p := h.MustOpenProducer("loader")
	for i := range topics {
		publishNext(t, h, p, storage.PartitionID{Topic: h.MustCreateTopic(strconv.Itoa(i), 1).ID}, 1)
	}
	h.CloseProducer(p.ID)
	h.Tick() // The closing comes before the tick.
	later.Store(int64(storage.ProducerIdle))
	h.Tick()
	if all := producerRecords(t, h); len(all) != 0 {
		t.Errorf("left: %+v", all)
	}
	if report, err := storagetest.CheckStore(h.Engine); err != nil || report.ProducerBatches != 0 {
		t.Errorf("%d outcomes are left (%v)", report.ProducerBatches, err)
	}
}

// TestAProducerGoesOnBehindALoss: what was given up is published again, what was stored
// after it is not, and the next loss of nothing finds all records right.
func TestAProducerGoesOnBehindALoss(t *testing.T) {
	h, to, _, log := lossyStore(t)
	p := h.MustOpenProducer("loader")
	other := storage.PartitionID{Topic: h.MustCreateTopic("returns", 1).ID}
	publishNext(t, h, p, to, 1)
	publishNext(t, h, p, other, 1)
	lost := next(h)
	publishNext(t, h, p, to, 2)
	publishNext(t, h, p, other, 2)
	disk := memoryOf(h).Disk()
	h.Crash()
	disk.Lose(lost, lost)
	h.AcceptLoss(refusedGaps(t, h)...)
	h.Open()
	p = h.MustOpenProducer("loader")
	if next, _, err := h.ProducerOutcomes(p.ID, to.Topic, 0); next != 2 || err != nil {
		t.Errorf("next %d, %v", next, err)
	}
	publishNext(t, h, p, to, 2)
	h.Crash()
	reopensWithout(t, h, log, shardlog.BatchRange{First: lost, Last: lost})
	p = h.MustOpenProducer("loader")
	publishNext(t, h, p, to, 3)
	publishNext(t, h, p, other, 3)
}

// TestOneProducersBatchesToAThousandTopicsTakeFewRecords: beside the pointers of the
// partitions and the head of a commit, a page for a hundred batches.
func TestOneProducersBatchesToAThousandTopicsTakeFewRecords(t *testing.T) {
	h, m := memoryStore(t)
	const topics = 1000
	var to [topics]storage.PartitionID
	for i := range to {
		to[i].Topic = h.MustCreateTopic(strconv.Itoa(i), 1).ID
	}
	p := h.MustOpenProducer("loader")
	q := h.NewPublishQueue()
	defer q.Close()
	round := func(sequence uint64) {
		for i := range to {
			if !q.Put(storagetest.Produced(p, to[i], sequence, "x"), nil) {
				t.Fatal("the queue takes nothing")
			}
		}
		for range to {
			if done := h.Await(q); done.Err != nil {
				t.Fatal(done.Err)
			}
		}
	}
	round(1)
	first, records := next(h), m.Disk().Len()
	round(2)
	commits := int(next(h) - first)
	if more := m.Disk().Len() - records; more > topics+3*commits+topics/90 {
		t.Errorf("%d more records in %d commits", more, commits)
	}
}
