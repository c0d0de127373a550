package storagetest

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/internal/testscale"
	"github.com/headrace/headrace/storage"
)

// modelSteps is how much random work is done.
var modelSteps = testscale.Sizes{Full: 4000, Ordinary: 400, Race: 100}

const (
	modelTopics     = 4
	modelPartitions = 3
)

var storeSeed = flag.Uint64("storage.seed", 0, "seed of the random work on a store; 0 takes another each time")

// storeAgreesWithModel does random work on a store and on a model, with orderly
// stops and crashes in the middle, and compares them.
func storeAgreesWithModel(t *testing.T, h *StoreHarness) {
	t.Helper()
	seed := *storeSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat with -storage.seed=%d", seed)
	m := &storeModel{
		h: h, rand: rand.New(rand.NewPCG(seed, 0)),
		topics: map[string]*modelTopic{}, subscriptions: map[string]*modelSubscription{},
	}
	for range modelSteps.Now() {
		m.step()
		if t.Failed() {
			return
		}
	}
	m.compare()
}

// storeWithHolesAgreesWithModel does the same while whatever is settled becomes holes,
// and what is left of mostly dead segments is moved, at each tick.
func storeWithHolesAgreesWithModel(t *testing.T, h *StoreHarness) {
	t.Helper()
	h.options.HoleAge, h.options.HoleInterval, h.options.MoveAge = 1, 1, 1
	h.Reopen()
	storeAgreesWithModel(t, h)
}

// storeModel is what a store should hold, as plain as can be.
type storeModel struct {
	h             *StoreHarness
	rand          *rand.Rand
	topics        map[string]*modelTopic
	subscriptions map[string]*modelSubscription
	names         int
}

type modelTopic struct {
	storage.Topic
	// messages are by partition, from offset 0 on.
	messages [modelPartitions][]string
}

type modelSubscription struct {
	storage.Subscription
	topic *modelTopic
	floor [modelPartitions]storage.Offset
	// acked are the settled offsets at and above the floor, failed the attempts.
	acked  [modelPartitions]map[storage.Offset]bool
	failed [modelPartitions]map[storage.Offset]uint32
	// holes are those that were there when the subscription came.
	holes [modelPartitions][]storage.OffsetRange
}

// settled says whether a subscription needs an offset no more.
func (s *modelSubscription) settled(i int, at storage.Offset) bool {
	return at < s.floor[i] || s.acked[i][at] || slices.ContainsFunc(s.holes[i], func(hole storage.OffsetRange) bool {
		return hole.First <= at && at < hole.End
	})
}

func (m *storeModel) step() {
	switch n := m.rand.IntN(100); {
	case n < 5:
		m.createTopic()
	case n < 12:
		m.subscribe()
	case n < 15:
		m.unsubscribe()
	case n < 17:
		m.deleteTopic()
	case n < 52:
		m.publish()
	case n < 55:
		m.fail()
	case n < 85:
		m.settle()
	case n < 92:
		m.h.Tick()
	case n < 95:
		m.h.Reopen()
	case n < 98:
		m.h.Crash()
		m.h.Open()
	default:
		m.compare()
	}
}

func (m *storeModel) name(kind string) string {
	m.names++
	return fmt.Sprintf("%s-%d", kind, m.names)
}

func (m *storeModel) createTopic() {
	if len(m.topics) < modelTopics {
		t := m.h.MustCreateTopic(m.name("topic"), modelPartitions)
		m.topics[t.Name] = &modelTopic{Topic: t}
	}
}

func (m *storeModel) subscribe() {
	t := m.anyTopic()
	if t == nil || len(m.subscriptions) > 2*modelTopics {
		return
	}
	s := &modelSubscription{topic: t}
	start := storage.Start{Kind: storage.StartLatest}
	for i := range s.floor {
		s.floor[i] = storage.Offset(len(t.messages[i]))
		s.acked[i], s.failed[i] = map[storage.Offset]bool{}, map[storage.Offset]uint32{}
	}
	if m.rand.IntN(2) == 0 {
		start.Kind = storage.StartEarliest
		for i := range s.floor {
			stats, err := m.h.Stats(storage.PartitionID{Topic: t.ID, Partition: uint16(i)})
			if err != nil {
				m.h.t.Fatal(err)
			}
			s.floor[i] = stats.First
		}
	}
	s.Subscription = m.h.MustSubscribe(m.name("subscription"), t.ID, start)
	m.subscriptions[s.Name] = s
	cursors, err := m.h.Cursors(m.h.t.Context(), s.ID)
	if err != nil {
		m.h.t.Fatal(err)
	}
	for i := range cursors {
		s.holes[i] = cursors[i].Holes
	}
}

func (m *storeModel) unsubscribe() {
	s := pick(m.rand, m.subscriptions)
	if s == nil {
		return
	}
	if err := m.h.DeleteSubscription(m.h.t.Context(), (*s).ID); err != nil {
		m.h.t.Errorf("delete %q: %v", (*s).Name, err)
	}
	delete(m.subscriptions, (*s).Name)
}

func (m *storeModel) deleteTopic() {
	t := m.anyTopic()
	if t == nil {
		return
	}
	inUse := false
	for _, s := range m.subscriptions {
		inUse = inUse || s.topic == t
	}
	err := m.h.DeleteTopic(m.h.t.Context(), t.ID)
	if inUse != errors.Is(err, storage.ErrInUse) || (!inUse && err != nil) {
		m.h.t.Errorf("delete %q, in use %v: %v", t.Name, inUse, err)
	}
	if !inUse {
		delete(m.topics, t.Name)
	}
}

func (m *storeModel) publish() {
	t := m.anyTopic()
	if t == nil {
		return
	}
	publish := m.newPublish(t)
	if err := m.h.Publish(publish); err != nil {
		m.h.t.Errorf("publish: %v", publish.Err)
	}
	t.take(publish)
}

func (m *storeModel) newPublish(t *modelTopic) *storage.Publish {
	publish := &storage.Publish{}
	for range 1 + m.rand.IntN(3) {
		var bodies []string
		for range 1 + m.rand.IntN(40) {
			bodies = append(bodies, m.body())
		}
		p := storage.PartitionID{Topic: t.ID, Partition: uint16(m.rand.IntN(modelPartitions))}
		publish.Appends = append(publish.Appends, NewAppend(p, bodies...))
	}
	return publish
}

// take adds what was published to the model.
func (t *modelTopic) take(publish *storage.Publish) {
	for i := range publish.Appends {
		a := &publish.Appends[i]
		whole := storage.Segment{Bytes: a.Messages, Ends: a.Ends}
		t.messages[a.Partition.Partition] = append(t.messages[a.Partition.Partition], BodiesOf(&whole, 0)...)
	}
}

// fail publishes into a commit that fails, applied or not, and recovers: what was in
// it is there as a whole or not at all.
func (m *storeModel) fail() {
	engine, ok := m.h.Engine.(*Memory)
	t := m.anyTopic()
	if t == nil || !ok {
		return
	}
	fault := Fault{Err: storage.ErrUnknown, Applied: m.rand.IntN(2) == 0}
	engine.FailNext(fault)
	publish := m.newPublish(t)
	switch err := m.h.Publish(publish); {
	case errors.Is(err, storage.ErrUnavailable):
		// Another commit met the fault.
	case !errors.Is(err, storage.ErrUnknown):
		m.h.t.Errorf("publish into a failing commit: %v", err)
	case fault.Applied:
		t.take(publish)
	}
	m.h.Crash()
	m.h.Open()
}

// body is short, but for one now and then.
func (m *storeModel) body() string {
	n := m.rand.IntN(100)
	if n == 0 {
		n = m.rand.IntN(200 << 10)
	}
	return fmt.Sprintf("%0*d", n, m.rand.IntN(1000))
}

// settle acks, fails and advances at random in one partition.
func (m *storeModel) settle() {
	picked := pick(m.rand, m.subscriptions)
	if picked == nil {
		return
	}
	s, i := *picked, m.rand.IntN(modelPartitions)
	head := storage.Offset(len(s.topic.messages[i]))
	dirty := map[uint64]bool{}
	for range m.rand.IntN(20) {
		if s.floor[i] == head {
			break
		}
		at := s.floor[i] + storage.Offset(m.rand.Uint64N(uint64(head-s.floor[i])))
		dirty[storage.ChunkOf(at)] = true
		if m.rand.IntN(4) == 0 && !s.acked[i][at] {
			s.failed[i][at]++
		} else {
			s.acked[i][at] = true
			delete(s.failed[i], at)
		}
	}
	s.advance(i, head)
	change := storage.CursorChange{Partition: uint16(i), Floor: s.floor[i]}
	for _, chunk := range slices.Sorted(maps.Keys(dirty)) {
		if chunk >= storage.ChunkOf(s.floor[i]) {
			change.Chunks = append(change.Chunks, s.chunk(i, chunk))
		}
	}
	m.h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{change}})
}

// advance moves the floor over what is acked.
func (s *modelSubscription) advance(i int, head storage.Offset) {
	for ; s.floor[i] < head && s.acked[i][s.floor[i]]; s.floor[i]++ {
		delete(s.acked[i], s.floor[i])
	}
}

// chunk is the whole content of an ack chunk.
func (s *modelSubscription) chunk(i int, index uint64) storage.Chunk {
	c := storage.Chunk{Index: index}
	from := storage.Offset(index * storage.ChunkOffsets)
	for at := from; at < from+storage.ChunkOffsets; at++ {
		if n := len(c.Acked); s.acked[i][at] && n > 0 && c.Acked[n-1].End == at {
			c.Acked[n-1].End++
		} else if s.acked[i][at] {
			c.Acked = append(c.Acked, storage.OffsetRange{First: at, End: at + 1})
		}
		if s.failed[i][at] > 0 {
			c.Attempts = append(c.Attempts, storage.AttemptCount{Offset: at, Failed: s.failed[i][at], Lost: 1, NotBefore: int64(at) << 20})
		}
	}
	return c
}

// compare reads the whole store.
func (m *storeModel) compare() {
	for _, t := range m.topics {
		for i := range t.messages {
			m.comparePartition(t, i)
		}
	}
	for _, s := range m.subscriptions {
		m.compareSubscription(s)
	}
}

func (m *storeModel) comparePartition(t *modelTopic, i int) {
	p := storage.PartitionID{Topic: t.ID, Partition: uint16(i)}
	stats, err := m.h.Stats(p)
	if err != nil || stats.Next != storage.Offset(len(t.messages[i])) {
		m.h.t.Errorf("%v: stats %+v, %v; %d messages published", p, stats, err, len(t.messages[i]))
		return
	}
	// The janitor may trim meanwhile.
	first, got := m.h.Contents(p)
	for _, s := range m.subscriptions {
		if s.topic == t && first > s.floor[i] {
			m.h.t.Errorf("%v is trimmed to %d, past the floor %d of %q", p, first, s.floor[i], s.Name)
		}
	}
	for at := first; at < stats.Next; at++ {
		if body, there := got[at]; there && body != t.messages[i][at] {
			m.h.t.Errorf("%v: offset %d is not what was published", p, at)
		} else if !there {
			m.hole(t, i, at)
		}
	}
	if most := uint64(stats.Next - stats.First); stats.RetainedMessages > most {
		m.h.t.Errorf("%v: %d messages retained at most, %d counted", p, most, stats.RetainedMessages)
	}
}

// hole checks that nobody needs an offset that has no message.
func (m *storeModel) hole(t *modelTopic, i int, at storage.Offset) {
	for _, s := range m.subscriptions {
		if s.topic == t && !s.settled(i, at) {
			m.h.t.Errorf("%v/%d: offset %d is in a hole and not settled for %q", t.ID, i, at, s.Name)
		}
	}
}

func (m *storeModel) compareSubscription(s *modelSubscription) {
	var want []storage.Cursor
	for i := range s.floor {
		c := storage.Cursor{Partition: uint16(i), Generation: 1, Floor: s.floor[i]}
		for index := uint64(0); index <= storage.ChunkOf(storage.Offset(len(s.topic.messages[i]))); index++ {
			if chunk := s.chunk(i, index); len(chunk.Acked)+len(chunk.Attempts) > 0 {
				c.Chunks = append(c.Chunks, chunk)
			}
		}
		want = append(want, c)
	}
	got, err := m.h.Cursors(m.h.t.Context(), s.ID)
	if err != nil {
		m.h.t.Errorf("cursors of %q: %v", s.Name, err)
	}
	for i := range got {
		for _, hole := range got[i].Holes {
			for at := hole.First; at < hole.End; at++ {
				m.hole(s.topic, i, at)
			}
		}
		got[i].Holes = nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		m.h.t.Errorf("cursors of %q: %s", s.Name, diff)
	}
}

func (m *storeModel) anyTopic() *modelTopic {
	if t := pick(m.rand, m.topics); t != nil {
		return *t
	}
	return nil
}

// pick takes one at random, or nil; the same seed takes the same.
func pick[T any](r *rand.Rand, from map[string]T) *T {
	if len(from) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(from))
	x := from[names[r.IntN(len(names))]]
	return &x
}
