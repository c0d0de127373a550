package storagetest

import (
	"errors"
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
	"github.com/headrace/headrace/storage/inspect"
)

// deadLetterSteps is how much random work is done.
var deadLetterSteps = testscale.Sizes{Full: 2500, Ordinary: 250, Race: 80}

const (
	deadLetterPartitions = 2
	// largeDeadLetterBytes is the size of a body that lies apart from its key.
	largeDeadLetterBytes = 20 << 10
)

// storeGivesUpMessages fails messages, gives them up, has them forwarded, discards and
// redrives them, and moves the subscription, at random, with orderly stops and crashes in the middle, and
// compares the store with a model.
func storeGivesUpMessages(t *testing.T, h *StoreHarness) {
	t.Helper()
	seed := *storeSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat with -storage.seed=%d", seed)
	m := &deadLetterModel{h: h, rand: rand.New(rand.NewPCG(seed, 1)), dead: map[uint64]storage.DeadLetter{}}
	m.topic = h.MustCreateTopic("orders", deadLetterPartitions)
	m.topic.KeepSettled = 1 // One that keeps nothing settled cannot be moved back.
	if _, err := h.UpdateTopic(t.Context(), m.topic); err != nil {
		t.Fatal(err)
	}
	m.id = h.MustSubscribe("billing", m.topic.ID, storage.Start{}).ID
	m.forwards = newForwardModel(h)
	for i := range deadLetterPartitions {
		m.cursors = append(m.cursors, newDeadCursor(uint16(i)))
	}
	for range deadLetterSteps.Now() {
		m.step()
		if t.Failed() {
			return
		}
	}
	m.compare()
	m.remove()
}

// deadLetterModel is what a store should hold of one subscription.
type deadLetterModel struct {
	h    *StoreHarness
	rand *rand.Rand

	topic   storage.Topic
	id      storage.SubscriptionID
	cursors []*deadCursor
	dead    map[uint64]storage.DeadLetter
	last    uint64
	// forwards is where some of them go, too.
	forwards forwardModel
	// taken is a snapshot, nil: none; kept are the cursors in it.
	taken *storage.Snapshot
	kept  []deadCursor
}

// deadCursor is a partition's state; a replay partition has one, too.
type deadCursor struct {
	partition  uint16
	generation uint64
	floor      storage.Offset
	messages   []string
	acked      map[storage.Offset]bool
	attempts   map[storage.Offset]storage.AttemptCount
	histories  map[storage.Offset][]storage.Failure
	parked     map[uint32]storage.ParkedKey
	deadLast   uint64
}

func newDeadCursor(partition uint16) *deadCursor {
	c := &deadCursor{partition: partition, generation: 1}
	c.forget()
	return c
}

// forget drops all that is known past the floor.
func (c *deadCursor) forget() {
	c.acked = map[storage.Offset]bool{}
	c.attempts = map[storage.Offset]storage.AttemptCount{}
	c.histories = map[storage.Offset][]storage.Failure{}
	c.parked = map[uint32]storage.ParkedKey{}
}

func (m *deadLetterModel) step() {
	switch n := m.rand.IntN(100); {
	case n < 25:
		m.publish()
	case n < 70:
		m.settle()
	case n < 76:
		m.discard()
	case n < 84:
		m.redrive()
	case n < 86:
		m.seek()
	case n < 87:
		m.snapshot()
	case n < 90:
		m.h.Tick()
	case n < 94:
		m.h.Reopen()
	case n < 97:
		m.h.Crash()
		m.h.Open()
	default:
		m.compare()
	}
}

func (m *deadLetterModel) publish() {
	c := m.cursors[m.rand.IntN(deadLetterPartitions)]
	var bodies []string
	for range 1 + m.rand.IntN(20) {
		size := 1 + m.rand.IntN(40)
		if m.rand.IntN(40) == 0 {
			size = largeDeadLetterBytes
		}
		bodies = append(bodies, fmt.Sprintf("%0*d", size, m.rand.IntN(1000)))
	}
	m.h.MustPublish(storage.PartitionID{Topic: m.topic.ID, Partition: c.partition}, bodies...)
	c.messages = append(c.messages, bodies...)
}

// settle acks, fails and gives up some messages of a partition.
func (m *deadLetterModel) settle() {
	c := m.cursors[m.rand.IntN(len(m.cursors))]
	change := storage.CursorChange{Partition: c.partition, Generation: c.generation}
	dirty, failed := map[uint64]bool{}, map[storage.Offset]bool{}
	for range m.rand.IntN(8) {
		left := uint64(len(c.messages)) - uint64(c.floor)
		if left == 0 {
			break
		}
		at := c.floor + storage.Offset(m.rand.Uint64N(left))
		if c.acked[at] {
			continue
		}
		dirty[storage.ChunkOf(at)] = true
		switch m.rand.IntN(4) {
		case 0:
			m.fail(c, at)
			failed[at] = true
		case 1:
			change.DeadLetters = append(change.DeadLetters, m.giveUp(c, at))
			delete(failed, at)
		default:
			c.settle(at)
			delete(failed, at)
		}
	}
	for c.acked[c.floor] {
		delete(c.acked, c.floor)
		c.floor++
	}
	change.Floor = c.floor
	for _, index := range slices.Sorted(maps.Keys(dirty)) {
		if index >= storage.ChunkOf(c.floor) {
			change.Chunks = append(change.Chunks, c.chunk(index))
		}
	}
	for _, at := range slices.Sorted(maps.Keys(failed)) {
		change.Histories = append(change.Histories, storage.History{Offset: at, Failures: c.histories[at]})
	}
	change.Keys = m.park(c)
	m.h.MustCommit(&storage.ChangeSet{Subscription: m.id, Cursors: []storage.CursorChange{change}})
	for i := range change.DeadLetters {
		m.last++
		if d := &change.DeadLetters[i]; d.Sequence != m.last {
			m.h.t.Errorf("dead letter %d got sequence %d", m.last, d.Sequence)
		}
		c.deadLast = m.last
		m.forwarded(&change.DeadLetters[i])
		m.dead[m.last] = change.DeadLetters[i]
	}
}

func (c *deadCursor) settle(at storage.Offset) {
	c.acked[at] = true
	delete(c.attempts, at)
	delete(c.histories, at)
}

// fail counts an attempt and keeps its failure.
func (m *deadLetterModel) fail(c *deadCursor, at storage.Offset) {
	a := c.attempts[at]
	a.Offset, a.Failed, a.NotBefore = at, a.Failed+1, m.rand.Int64N(storage.MaxNotBefore)
	a.Charged, a.Dead = a.Failed, storage.DeadReason(m.rand.IntN(3))
	c.attempts[at] = a
	c.histories[at] = storage.BoundFailures(append(slices.Clone(c.histories[at]), storage.Failure{
		Time: time.Unix(0, m.rand.Int64()).UTC(), Client: "worker", Kind: storage.FailureRetried,
		Code: "E1", Reason: fmt.Sprintf("%0*d", m.rand.IntN(900), 7),
	}))
}

// giveUp makes a dead letter of a message.
func (m *deadLetterModel) giveUp(c *deadCursor, at storage.Offset) storage.DeadLetter {
	d := storage.DeadLetter{
		Partition: c.partition, Offset: at, LogTime: time.Unix(1, 0).UTC(), DeadTime: time.Unix(2, 0).UTC(),
		Reason: storage.DeadAttempts, Failed: c.attempts[at].Failed, Lost: 3, Failures: c.histories[at],
		Key:     storage.KeyHash{Hash: 7, Present: true},
		Message: NewAppend(storage.PartitionID{}, c.messages[at]).Messages,
	}
	m.forward(&d, c.messages[at])
	c.settle(at)
	return d
}

// some gives some of the dead letters, in order; asked are their sequences with a few
// that are not there.
func (m *deadLetterModel) some() (some []storage.DeadLetter, asked []uint64) {
	for _, sequence := range slices.Sorted(maps.Keys(m.dead)) {
		if m.rand.IntN(2) == 0 {
			some, asked = append(some, m.dead[sequence]), append(asked, sequence, sequence)
		}
	}
	return some, append(asked, m.last+1)
}

func (m *deadLetterModel) discard() {
	some, asked := m.some()
	gone, err := m.h.DiscardDeadLetters(m.h.t.Context(), m.id, asked)
	if err != nil || len(gone) != len(some) {
		m.h.t.Errorf("discard: %d, %v; %d were there", len(gone), err, len(some))
	}
	for i := range some {
		delete(m.dead, some[i].Sequence)
	}
}

// redrive moves dead letters to the replay partition: as many as one commit takes.
func (m *deadLetterModel) redrive() {
	some, asked := m.some()
	done, err := m.h.Redrive(m.h.t.Context(), m.id, asked, func(d *storage.DeadLetter) []byte { return slices.Clone(d.Message) })
	if err != nil || len(done) > len(some) || len(some) > 0 && len(done) == 0 {
		m.h.t.Errorf("redrive: %d, %v; %d were there", len(done), err, len(some))
		return
	}
	for i := range done {
		if done[i].ID != some[i].ID() {
			m.h.t.Errorf("redriven %v, want %v", done[i].ID, some[i].ID())
		}
	}
	if len(done) == 0 {
		return
	}
	if len(m.cursors) == deadLetterPartitions {
		m.cursors = append(m.cursors, newDeadCursor(storage.ReplayPartition))
	}
	c := m.cursors[deadLetterPartitions]
	for i := range done {
		at := storage.Offset(len(c.messages))
		if done[i].Offset != at {
			m.h.t.Errorf("redriven to offset %d, want %d", done[i].Offset, at)
		}
		whole := storage.Segment{Bytes: done[i].Message, Ends: []uint32{uint32(len(done[i].Message))}}
		c.messages = append(c.messages, BodiesOf(&whole, 0)...)
		if len(done[i].Failures) > 0 {
			c.histories[at] = done[i].Failures
		}
		delete(m.dead, done[i].ID.Sequence)
	}
}

// seek moves the subscription to the beginning, the end, or an offset.
func (m *deadLetterModel) seek() {
	start := storage.Start{Kind: storage.StartLatest}
	switch m.rand.IntN(3) {
	case 0:
		start.Kind = storage.StartEarliest
	case 1:
		at := storage.Offset(m.rand.IntN(len(m.cursors[0].messages) + 1))
		start = storage.Start{Kind: storage.StartAtOffsets, Offsets: map[uint16]storage.Offset{0: at}}
	default:
	}
	before := m.h.mustStats(storage.PartitionID{Topic: m.topic.ID})
	generation := uint64(0)
	for _, c := range m.cursors[:deadLetterPartitions] {
		generation = max(generation, c.generation+1)
	}
	switch done, err := m.h.Seek(m.h.t.Context(), m.id, storage.Target{Start: start}); {
	case errors.Is(err, storage.ErrTrimmed) && start.Offsets[0] < m.h.mustStats(storage.PartitionID{Topic: m.topic.ID}).First:
		return
	case err != nil:
		m.h.t.Errorf("seek: %v", err)
		return
	case start.Offsets != nil && start.Offsets[0] < before.First:
		m.h.t.Errorf("a seek to offset %d, retained from %d on, was made", start.Offsets[0], before.First)
	case done.Generation != generation:
		m.h.t.Errorf("generation %d, want %d", done.Generation, generation)
	}
	for i, c := range m.cursors[:deadLetterPartitions] {
		stats := m.h.mustStats(storage.PartitionID{Topic: m.topic.ID, Partition: c.partition})
		offset, given := start.Offsets[uint16(i)]
		switch {
		case start.Kind == storage.StartEarliest:
			c.floor = min(stats.First, c.floor) // The janitor may trim behind the new floor by now.
		case given:
			c.floor = max(offset, m.cursor(c).Floor)
		case start.Offsets != nil:
			continue // It stays.
		default:
			c.floor = storage.Offset(len(c.messages))
		}
		stale := storage.ChangeSet{Subscription: m.id, Cursors: []storage.CursorChange{
			{Partition: c.partition, Generation: c.generation, Floor: c.floor},
		}}
		if err := m.h.Commit(&stale); !errors.Is(err, storage.ErrStale) {
			m.h.t.Errorf("a change of the generation before the seek: %v", err)
		}
		c.generation = generation
		c.forget()
		c.floor = m.cursor(c).Floor
	}
}

// cursor gives a partition's cursor as stored.
func (m *deadLetterModel) cursor(c *deadCursor) storage.Cursor {
	all, err := m.h.Cursors(m.h.t.Context(), m.id)
	if err != nil {
		m.h.t.Fatal(err)
	}
	return all[c.partition]
}

func (c *deadCursor) chunk(index uint64) storage.Chunk {
	chunk := storage.Chunk{Index: index}
	from := storage.Offset(index * storage.ChunkOffsets)
	for at := from; at < from+storage.ChunkOffsets; at++ {
		if n := len(chunk.Acked); c.acked[at] && n > 0 && chunk.Acked[n-1].End == at {
			chunk.Acked[n-1].End++
		} else if c.acked[at] {
			chunk.Acked = append(chunk.Acked, storage.OffsetRange{First: at, End: at + 1})
		}
		if a, ok := c.attempts[at]; ok {
			chunk.Attempts = append(chunk.Attempts, a)
		}
	}
	return chunk
}

func (m *deadLetterModel) compare() {
	var want []storage.Cursor
	for _, c := range m.cursors {
		cursor := storage.Cursor{Partition: c.partition, Generation: c.generation, Floor: c.floor, DeadLast: c.deadLast}
		for _, d := range m.dead {
			if d.Partition == c.partition {
				cursor.Dead++
			}
		}
		if chunk := c.chunk(0); len(chunk.Acked)+len(chunk.Attempts) > 0 {
			cursor.Chunks = []storage.Chunk{chunk}
		}
		for _, at := range slices.Sorted(maps.Keys(c.histories)) {
			cursor.Histories = append(cursor.Histories, storage.History{Offset: at, Failures: c.histories[at]})
		}
		cursor.Parked = slices.Sorted(maps.Keys(c.parked))
		want = append(want, cursor)
	}
	m.h.wantCursors(m.id, want...)
	m.compareDeadLetters()
	m.compareForwarded()
	m.compareParked()
	if len(m.cursors) > deadLetterPartitions {
		m.compareReplay(m.cursors[deadLetterPartitions])
	}
}

func (m *deadLetterModel) compareDeadLetters() {
	var got, want []storage.DeadLetter
	for from := uint64(0); ; {
		some, err := m.h.DeadLetters(m.h.t.Context(), m.id, from)
		if err != nil {
			m.h.t.Errorf("dead letters from %d: %v", from, err)
			return
		}
		if len(some) == 0 {
			break
		}
		got, from = append(got, some...), some[len(some)-1].Sequence+1
	}
	for _, sequence := range slices.Sorted(maps.Keys(m.dead)) {
		want = append(want, m.dead[sequence])
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		m.h.t.Errorf("dead letters, -want +got:\n%s", diff)
	}
	if n, err := m.h.DeadLetterCount(m.h.t.Context(), m.id); err != nil || n != uint64(len(want)) {
		m.h.t.Errorf("%d dead letters counted, %v; there are %d", n, err, len(want))
	}
}

// compareReplay: what was redriven is there until it is settled.
func (m *deadLetterModel) compareReplay(c *deadCursor) {
	first, got := m.h.Retained(m.replay())
	if first > c.floor || !slices.Equal(got, c.messages[first:]) {
		m.h.t.Errorf("the replay partition begins at %d, its floor is %d; %d messages differ", first, c.floor, len(got))
	}
}

func (m *deadLetterModel) replay() storage.PartitionID {
	for _, s := range m.h.Subscriptions() {
		if s.ID == m.id {
			return storage.PartitionID{Topic: s.Replay}
		}
	}
	m.h.t.Fatal("the subscription is gone")
	return storage.PartitionID{}
}

// remove: nothing is left of a subscription that is deleted.
func (m *deadLetterModel) remove() {
	if err := m.h.DeleteSubscription(m.h.t.Context(), m.id); err != nil {
		m.h.t.Fatal(err)
	}
	if err := m.h.DeleteTopic(m.h.t.Context(), m.topic.ID); err != nil {
		m.h.t.Fatal(err)
	}
	m.removeForwarded()
	m.h.Reopen() // What the janitor had not come to it does now.
	m.h.Tick()
	m.h.Tick()
	report := m.h.report()
	if report.Snapshots+len(m.h.Snapshots()) > 0 {
		m.h.t.Errorf("snapshots are left behind: %+v", m.h.Snapshots())
	}
	if report.Pointers+report.AckParts+report.Histories+report.DeadLetters+report.ParkedKeys > 0 {
		m.h.t.Errorf("left behind: %+v", report)
	}
}

// report walks the open store.
func (h *StoreHarness) report() *inspect.Report {
	h.t.Helper()
	report, err := CheckStore(h.Engine)
	if err != nil {
		h.t.Errorf("the store's chains do not hold: %v", err)
	}
	return report
}
