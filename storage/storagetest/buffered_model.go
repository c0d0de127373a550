package storagetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/headrace/headrace/internal/testscale"
	"github.com/headrace/headrace/storage"
)

// bufferedSteps is how much random work is done.
var bufferedSteps = testscale.Sizes{Full: 1500, Ordinary: 150, Race: 60}

const bufferedPartitions = 2

// storeBuffers publishes to a buffered topic and settles, at random, with orderly stops
// and with crashes that may lose what was accepted. What a crash leaves is there up to a
// place in each partition, at least all that was durable; no offset is given twice; and
// what was settled stays so, over the offsets that are left out, too.
func storeBuffers(t *testing.T, h *StoreHarness) {
	t.Helper()
	seed := *storeSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat with -storage.seed=%d", seed)
	topic, err := h.CreateTopic(t.Context(), storage.Topic{Name: "metrics", Partitions: bufferedPartitions, Buffered: true})
	if err != nil {
		t.Fatal(err)
	}
	m := &bufferedModel{h: h, rand: rand.New(rand.NewPCG(seed, 2)), id: h.MustSubscribe("billing", topic.ID, storage.Start{}).ID}
	for i := range uint16(bufferedPartitions) {
		m.parts = append(m.parts, &bufferedPart{
			id: storage.PartitionID{Topic: topic.ID, Partition: i}, acked: map[storage.Offset]bool{},
		})
	}
	for range bufferedSteps.Now() {
		m.step()
		if t.Failed() {
			return
		}
	}
	m.h.Reopen()
	m.compare()
}

// bufferedModel is what a store should hold of a buffered topic with one subscription.
type bufferedModel struct {
	h     *StoreHarness
	rand  *rand.Rand
	id    storage.SubscriptionID
	parts []*bufferedPart
}

// bufferedPart is one partition.
type bufferedPart struct {
	id storage.PartitionID
	// given are the messages that were accepted and are not lost, by offset.
	given []givenMessage
	// next is the offset after all that were ever given; the next one has it, or, after a
	// crash (crashed), a later one.
	next    storage.Offset
	crashed bool
	floor   storage.Offset
	acked   map[storage.Offset]bool
	holes   []storage.OffsetRange
}

type givenMessage struct {
	at   storage.Offset
	body string
}

func (m *bufferedModel) step() {
	switch n := m.rand.IntN(100); {
	case n < 50:
		m.publish()
	case n < 80:
		m.settle()
	case n < 86:
		m.h.Tick()
	case n < 90:
		m.h.Reopen()
	case n < 93:
		m.crash(func() {})
	case n < 97:
		m.lose()
	default:
		m.compare()
	}
}

func (m *bufferedModel) publish() {
	publish := &storage.Publish{}
	for range 1 + m.rand.IntN(2) {
		var bodies []string
		for range 1 + m.rand.IntN(20) {
			bodies = append(bodies, fmt.Sprintf("%0*d", 1+m.rand.IntN(30), m.rand.IntN(1000)))
		}
		publish.Appends = append(publish.Appends, NewAppend(m.parts[m.rand.IntN(len(m.parts))].id, bodies...))
	}
	if err := m.h.Publish(publish); err != nil {
		m.h.t.Fatalf("publish: %v", err)
	}
	for i := range publish.Appends {
		a := &publish.Appends[i]
		m.parts[a.Partition.Partition].take(m.h.t, a, publish.Buffered)
	}
}

// take notes what was accepted, durable or not.
func (p *bufferedPart) take(tb testing.TB, a *storage.Append, buffered bool) {
	tb.Helper()
	if a.Base < p.next || a.Base != p.next && !p.crashed {
		tb.Errorf("%v: offset %d is given after %d; crashed %t, buffered %t", p.id, a.Base, p.next, p.crashed, buffered)
	}
	whole := storage.Segment{Bytes: a.Messages, Ends: a.Ends}
	for i, body := range BodiesOf(&whole, 0) {
		p.given = append(p.given, givenMessage{a.Base + storage.Offset(i), body})
	}
	p.next, p.crashed = a.Base+storage.Offset(len(a.Ends)), false
}

// lose publishes while nothing becomes durable any more, and crashes.
func (m *bufferedModel) lose() {
	memory, ok := m.h.Engine.(*Memory)
	if !ok {
		return
	}
	m.durable() // What is being committed would wait, too, and nobody for it.
	_, release := memory.Block()
	for range 1 + m.rand.IntN(4) {
		m.publish()
	}
	m.crash(func() {
		memory.Crash()
		release()
	})
}

// durable waits until all that was accepted is.
func (m *bufferedModel) durable() {
	for _, p := range m.parts {
		wake := make(chan struct{}, 1) // capacity 1: it only says that there is something
		cancel := m.h.Watch(p.id, wake)
		for len(p.given) > 0 && m.h.Head(p.id) <= p.given[len(p.given)-1].at {
			select {
			case <-wake:
			case <-time.After(storeWait):
				m.h.t.Fatalf("%v: what was accepted is not durable", p.id)
			}
		}
		cancel()
	}
}

// crash kills the store and opens it again: a part of what was accepted at last is gone.
func (m *bufferedModel) crash(kill func()) {
	heads := make([]storage.Offset, len(m.parts))
	for i, p := range m.parts {
		heads[i] = m.h.Head(p.id)
	}
	kill()
	m.h.Crash()
	m.h.Open()
	for i, p := range m.parts {
		first, there := m.h.Contents(p.id)
		kept := p.given
		for j, g := range p.given {
			if _, ok := there[g.at]; !ok && g.at >= first && g.at >= heads[i] {
				kept = p.given[:j]
				break
			}
		}
		p.given, p.crashed = slices.Clip(kept), true
	}
	m.readHoles()
	m.compare()
}

// readHoles reads which offsets have no message.
func (m *bufferedModel) readHoles() {
	cursors, err := m.h.Cursors(m.h.t.Context(), m.id)
	if err != nil {
		m.h.t.Fatal(err)
	}
	for i, p := range m.parts {
		p.holes = cursors[i].Holes
	}
}

// settle acks some of what is durable in a partition, and moves the floor over it.
func (m *bufferedModel) settle() {
	p := m.parts[m.rand.IntN(len(m.parts))]
	head, dirty := m.h.Head(p.id), map[uint64]bool{}
	for range m.rand.IntN(12) {
		if len(p.given) == 0 {
			break
		}
		// Old ones first, so that the floor moves.
		g := p.given[m.rand.IntN(1+m.rand.IntN(len(p.given)))]
		if g.at >= p.floor && g.at < head {
			p.acked[g.at], dirty[storage.ChunkOf(g.at)] = true, true
		}
	}
	p.advance(head)
	change := storage.CursorChange{Partition: p.id.Partition, Floor: p.floor}
	for _, index := range slices.Sorted(maps.Keys(dirty)) {
		if index >= storage.ChunkOf(p.floor) {
			change.Chunks = append(change.Chunks, p.chunk(index))
		}
	}
	m.h.MustCommit(&storage.ChangeSet{Subscription: m.id, Cursors: []storage.CursorChange{change}})
}

// advance moves the floor over what is acked and over holes.
func (p *bufferedPart) advance(head storage.Offset) {
	for p.floor < head {
		if p.acked[p.floor] {
			delete(p.acked, p.floor)
			p.floor++
			continue
		}
		i := slices.IndexFunc(p.holes, func(h storage.OffsetRange) bool { return h.First <= p.floor && p.floor < h.End })
		if i < 0 {
			return
		}
		p.floor = p.holes[i].End
	}
}

func (p *bufferedPart) chunk(index uint64) storage.Chunk {
	chunk := storage.Chunk{Index: index}
	for _, at := range slices.Sorted(maps.Keys(p.acked)) {
		if n := len(chunk.Acked); storage.ChunkOf(at) != index {
			continue
		} else if n > 0 && chunk.Acked[n-1].End == at {
			chunk.Acked[n-1].End++
		} else {
			chunk.Acked = append(chunk.Acked, storage.OffsetRange{First: at, End: at + 1})
		}
	}
	return chunk
}

// compare reads all that is durable.
func (m *bufferedModel) compare() {
	cursors, err := m.h.Cursors(m.h.t.Context(), m.id)
	if err != nil {
		m.h.t.Fatal(err)
	}
	for i, p := range m.parts {
		m.compareMessages(p)
		want := storage.Cursor{Partition: p.id.Partition, Generation: 1, Floor: p.floor}
		chunks := map[uint64]bool{}
		for at := range p.acked {
			chunks[storage.ChunkOf(at)] = true
		}
		for _, index := range slices.Sorted(maps.Keys(chunks)) {
			want.Chunks = append(want.Chunks, p.chunk(index))
		}
		ignored := cmpopts.IgnoreFields(storage.Cursor{}, "Holes")
		if diff := cmp.Diff(want, cursors[i], ignored, cmpopts.EquateEmpty()); diff != "" {
			m.h.t.Errorf("cursor, -want +got:\n%s", diff)
		}
	}
}

func (m *bufferedModel) compareMessages(p *bufferedPart) {
	head := m.h.Head(p.id)
	first, there := m.h.Contents(p.id)
	if first > p.floor {
		m.h.t.Errorf("%v is trimmed to %d, past the floor %d", p.id, first, p.floor)
	}
	for _, g := range p.given {
		body, ok := there[g.at]
		needed := g.at >= p.floor && !p.acked[g.at] && g.at < head
		if ok && body != g.body || !ok && needed {
			m.h.t.Errorf("%v: offset %d has %q, %q was given; there: %t", p.id, g.at, body, g.body, ok)
		}
		delete(there, g.at)
	}
	if len(there) > 0 {
		m.h.t.Errorf("%v: %d messages that nobody was told of", p.id, len(there))
	}
}
