package storagetest

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/internal/testscale"
	"github.com/headrace/headrace/storage"
)

// producerModelSteps is how much random work is done.
var producerModelSteps = testscale.Sizes{Full: 6000, Ordinary: 600, Race: 150}

const (
	producerModelProducers  = 3
	producerModelTopics     = 2
	producerModelPartitions = 2
	producerModelIDs        = 12
	producerModelWindow     = time.Minute
)

// storeAgreesWithProducerModel has producers send, send again, be opened again and be
// fenced, with orderly stops, crashes and failing commits in the middle, and compares
// every answer, and in the end every log, with a model that knows all that was ever
// done.
func storeAgreesWithProducerModel(t *testing.T, h *StoreHarness) {
	t.Helper()
	seed := *storeSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat with -storage.seed=%d", seed)
	m := &producerModel{h: h, rand: rand.New(rand.NewPCG(seed, 1)), clock: h.useClock()}
	for i := range m.topics {
		def := storage.Topic{
			Name: fmt.Sprintf("topic-%d", i), Partitions: producerModelPartitions,
			DedupeWindow: producerModelWindow, DedupeIDs: storage.DefaultDedupeIDs,
		}
		var err error
		if m.topics[i].Topic, err = h.CreateTopic(t.Context(), def); err != nil {
			t.Fatal(err)
		}
	}
	for i := range m.producers {
		m.producers[i].name = fmt.Sprintf("producer-%d", i)
		m.open(&m.producers[i])
	}
	for range producerModelSteps.Now() {
		m.step()
		if t.Failed() {
			return
		}
	}
	m.compare()
}

// producerModel is what a store should know of producers, as plain as can be.
type producerModel struct {
	h         *StoreHarness
	rand      *rand.Rand
	clock     *WallClock
	topics    [producerModelTopics]dedupedTopic
	producers [producerModelProducers]modelProducer
}

type dedupedTopic struct {
	storage.Topic
	partitions [producerModelPartitions]dedupedLog
}

// dedupedLog is a partition: all bodies, and every message that brought an id.
type dedupedLog struct {
	bodies []string
	ids    []modelDedupe
}

type modelDedupe struct {
	id, body string
	offset   storage.Offset
	at       time.Time
}

type modelProducer struct {
	name string
	storage.Producer
	topics [producerModelTopics][]modelBatch
}

// modelBatch is a batch that was stored, with what became of it.
type modelBatch struct {
	first    uint64
	messages []modelMessage
	hash     uint64
	parts    []storage.BatchPart
}

// modelMessage is a message as a client sends it.
type modelMessage struct {
	partition uint16
	id, body  string
	refused   bool
}

func (m *producerModel) step() {
	p, t := &m.producers[m.rand.IntN(producerModelProducers)], m.rand.IntN(producerModelTopics)
	switch n := m.rand.IntN(100); {
	case n < 45:
		m.send(p, t)
	case n < 65:
		m.sendAgain(p, t)
	case n < 70:
		m.sendWrong(p, t)
	case n < 76:
		m.sendStale(p, t)
	case n < 80:
		m.failCommit(p, t)
	case n < 84:
		m.open(p)
	case n < 90:
		m.clock.advance(time.Duration(m.rand.IntN(40)) * time.Second)
	case n < 93:
		m.h.Tick()
	case n < 96:
		m.h.Reopen()
		m.openAll()
	default:
		m.h.Crash()
		m.h.Open()
		m.openAll()
	}
}

// open opens a producer: each opening has the next epoch.
func (m *producerModel) open(p *modelProducer) {
	epoch := p.Epoch
	p.Producer = m.h.MustOpenProducer(p.name)
	if p.Epoch != epoch+1 {
		m.h.t.Errorf("%s: epoch %d after %d", p.name, p.Epoch, epoch)
	}
}

func (m *producerModel) openAll() {
	for i := range m.producers {
		m.open(&m.producers[i])
	}
}

// next is the sequence that the producer's next message must have.
func (p *modelProducer) next(topic int) uint64 {
	all := p.topics[topic]
	if len(all) == 0 {
		return 1
	}
	last := all[len(all)-1]
	return last.first + uint64(len(last.messages))
}

// send sends the next batch.
func (m *producerModel) send(p *modelProducer, topic int) {
	messages := m.messages()
	publish := m.publish(p, topic, p.next(topic), messages)
	want := m.take(p, topic, messages)
	if err := m.h.Publish(publish); err != nil || publish.Producer.Again {
		m.h.t.Errorf("%s: next batch: again %v, %v", p.name, publish.Producer.Again, err)
		return
	}
	m.compareOutcome(p, topic, want)
}

// sendAgain sends a batch again that is stored.
func (m *producerModel) sendAgain(p *modelProducer, topic int) {
	all := p.topics[topic]
	if len(all) == 0 {
		return
	}
	b := all[m.rand.IntN(len(all))]
	publish := m.publish(p, topic, b.first, b.messages)
	if err := m.h.Publish(publish); err != nil || !publish.Producer.Again {
		m.h.t.Errorf("%s: batch %d again: again %v, %v", p.name, b.first, publish.Producer.Again, err)
		return
	}
	m.compareOutcome(p, topic, b)
}

// compareOutcome reads what the store remembers of a batch.
func (m *producerModel) compareOutcome(p *modelProducer, topic int, want modelBatch) {
	next, got, err := m.h.ProducerOutcomes(p.ID, m.topics[topic].ID, want.first)
	if err != nil || len(got) == 0 || next != p.next(topic) {
		m.h.t.Errorf("%s: outcome of %d: next %d, %v, %v", p.name, want.first, next, got, err)
		return
	}
	outcome := storage.ProducerOutcome{
		First: want.first, Count: uint32(len(want.messages)), Hash: want.hash, Parts: want.parts,
	}
	got[0].Parts = oneByOne(got[0].Parts)
	if diff := cmp.Diff(outcome, got[0]); diff != "" {
		m.h.t.Errorf("%s: outcome of %d: %s", p.name, want.first, diff)
	}
}

// oneByOne divides parts into one for each message.
func oneByOne(parts []storage.BatchPart) []storage.BatchPart {
	var all []storage.BatchPart
	for _, p := range parts {
		for i := range p.Count {
			one := p
			one.Count, one.Append = 1, 0
			if p.Fate != storage.Refused {
				one.Offset += storage.Offset(i)
			}
			all = append(all, one)
		}
	}
	return all
}

// sendWrong sends what does not fit the producer's sequences.
func (m *producerModel) sendWrong(p *modelProducer, topic int) {
	next := p.next(topic)
	first, want := next+1+m.rand.Uint64N(5), storage.ErrSequenceGap
	if next == 1 {
		want = storage.ErrOutcomeForgotten
	}
	messages := m.messages()
	if next > 1 && m.rand.IntN(2) == 0 {
		first, want = next-1, storage.ErrBatchChanged
		messages = append(messages, m.messages()...)
	}
	if err := m.h.Publish(m.publish(p, topic, first, messages)); !errors.Is(err, want) {
		m.h.t.Errorf("%s: batch %d when %d is next: %v, want %v", p.name, first, next, err, want)
	}
}

// sendStale sends under an older epoch.
func (m *producerModel) sendStale(p *modelProducer, topic int) {
	old := *p
	old.Epoch -= 1 + m.rand.Uint64N(old.Epoch)
	if err := m.h.Publish(m.publish(&old, topic, p.next(topic), m.messages())); !errors.Is(err, storage.ErrStaleProducer) {
		m.h.t.Errorf("%s: epoch %d of %d: %v", p.name, old.Epoch, p.Epoch, err)
	}
}

// failCommit sends the next batch into a commit that fails, applied or not, recovers,
// and sends it again: it is stored once.
func (m *producerModel) failCommit(p *modelProducer, topic int) {
	engine, ok := m.h.Engine.(*Memory)
	if !ok {
		return
	}
	fault := Fault{Err: storage.ErrUnknown, Applied: m.rand.IntN(2) == 0}
	engine.FailNext(fault)
	messages, first := m.messages(), p.next(topic)
	err := m.h.Publish(m.publish(p, topic, first, messages))
	if !errors.Is(err, storage.ErrUnknown) && !errors.Is(err, storage.ErrUnavailable) {
		m.h.t.Errorf("%s: publish into a failing commit: %v", p.name, err)
	}
	// What another commit met the fault in, this one did not come to.
	applied := fault.Applied && errors.Is(err, storage.ErrUnknown)
	want := m.take(p, topic, messages)
	m.h.Crash()
	m.h.Open()
	m.openAll()
	publish := m.publish(p, topic, first, messages)
	if err := m.h.Publish(publish); err != nil || publish.Producer.Again != applied {
		m.h.t.Errorf("%s: after a failed commit, applied %v: again %v, %v", p.name, applied, publish.Producer.Again, err)
		return
	}
	m.compareOutcome(p, topic, want)
}

// messages makes a batch's messages: some at fault, some with ids that occur often.
func (m *producerModel) messages() []modelMessage {
	all := make([]modelMessage, 1+m.rand.IntN(8))
	for i := range all {
		all[i] = modelMessage{
			partition: uint16(m.rand.IntN(producerModelPartitions)),
			body:      strconv.Itoa(m.rand.IntN(3)),
			refused:   m.rand.IntN(8) == 0,
		}
		if m.rand.IntN(2) == 0 {
			all[i].id = fmt.Sprintf("id-%d", m.rand.IntN(producerModelIDs))
		}
	}
	return all
}

// modelRefusal is why the model's messages are at fault.
var modelRefusal = storage.Refusal{Reason: 7, Field: 1, Limit: 99}

// publish makes what a broker makes of a batch.
func (m *producerModel) publish(p *modelProducer, topic int, first uint64, messages []modelMessage) *storage.Publish {
	batch := &storage.ProducerBatch{
		Producer: p.Producer, Topic: m.topics[topic].ID, First: first, Count: uint32(len(messages)), Hash: hashOf(messages),
	}
	publish := &storage.Publish{Producer: batch}
	index := map[uint16]uint16{}
	for _, x := range messages {
		if x.refused {
			batch.Parts = append(batch.Parts, storage.BatchPart{Count: 1, Refusal: modelRefusal})
			continue
		}
		at, ok := index[x.partition]
		if !ok {
			at = uint16(len(publish.Appends))
			index[x.partition] = at
			to := storage.PartitionID{Topic: m.topics[topic].ID, Partition: x.partition}
			publish.Appends = append(publish.Appends, storage.Append{Partition: to})
		}
		a := &publish.Appends[at]
		one := NewAppend(a.Partition, x.body)
		a.Messages = append(a.Messages, one.Messages...)
		a.Ends = append(a.Ends, uint32(len(a.Messages)))
		a.DedupeIDs = append(a.DedupeIDs, dedupeID(x.id, x.body))
		batch.Parts = append(batch.Parts, storage.BatchPart{Count: 1, Fate: storage.Stored, Append: at})
	}
	return publish
}

func dedupeID(id, body string) storage.DedupeID {
	if id == "" {
		return storage.DedupeID{}
	}
	return storage.DedupeID{Hash: hashText(id), Payload: hashText(body), Present: true}
}

func hashText(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}

func hashOf(messages []modelMessage) uint64 { return hashText(fmt.Sprint(messages)) }

// take stores a batch in the model, one message after the other.
func (m *producerModel) take(p *modelProducer, topic int, messages []modelMessage) modelBatch {
	b := modelBatch{first: p.next(topic), messages: messages, hash: hashOf(messages)}
	for _, x := range messages {
		if x.refused {
			b.parts = append(b.parts, storage.BatchPart{Count: 1, Refusal: modelRefusal})
			continue
		}
		part := m.topics[topic].partitions[x.partition].take(x, m.clock.Now())
		part.Count, part.Partition = 1, x.partition
		if part.Fate == storage.Refused {
			part.Partition = 0
		}
		b.parts = append(b.parts, part)
	}
	p.topics[topic] = append(p.topics[topic], b)
	return b
}

func (l *dedupedLog) take(x modelMessage, now time.Time) storage.BatchPart {
	for _, known := range l.ids {
		if x.id == "" || known.id != x.id || now.Sub(known.at) >= producerModelWindow {
			continue
		}
		if known.body != x.body {
			return storage.BatchPart{Refusal: storage.Refusal{Reason: storage.DedupeConflict}}
		}
		return storage.BatchPart{Fate: storage.Duplicate, Offset: known.offset}
	}
	at := storage.Offset(len(l.bodies))
	l.bodies = append(l.bodies, x.body)
	if x.id != "" {
		l.ids = append(l.ids, modelDedupe{id: x.id, body: x.body, offset: at, at: now})
	}
	return storage.BatchPart{Fate: storage.Stored, Offset: at}
}

// compare reads the whole store.
func (m *producerModel) compare() {
	for i := range m.topics {
		for n := range m.topics[i].partitions {
			p := storage.PartitionID{Topic: m.topics[i].ID, Partition: uint16(n)}
			first, got := m.h.Retained(p)
			want := m.topics[i].partitions[n].bodies[first:]
			if len(got)+len(want) > 0 && !cmp.Equal(got, want) {
				m.h.t.Errorf("%v: %d messages differ from the %d published", p, len(got), len(want))
			}
		}
	}
}
