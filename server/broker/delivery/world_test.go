package delivery_test

import (
	"slices"
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// world is an owner loop for tests: it answers loads at once, commits change sets
// at once unless told to hold them, and keeps copies of all that was decided.
type world struct {
	t     *testing.T
	state *delivery.State
	now   time.Duration
	store simStore

	config      delivery.Config
	holdCommits bool
	pending     []delivery.Event

	delivers  []delivery.Deliver
	results   []delivery.SettleResult
	flows     []delivery.Flow
	revoked   []delivery.Revoked
	goAways   []delivery.GoAway
	drained   []delivery.SessionID
	ended     []delivery.EndSession
	attached  []delivery.Attached
	sets      []setSize
	dead      []delivery.DeadLetter // as stored
	recalls   []delivery.Recall
	turns     int
	holdLoads bool
	loads     []delivery.Load
}

// setSize is what a change set held.
type setSize struct{ chunks, counts, dropped int }

// newWorld makes a subscription with so many empty partitions.
func newWorld(t *testing.T, config delivery.Config, partitions int) *world {
	t.Helper()
	if err := config.Validate(); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, now: time.Hour, config: config}
	for id := range uint32(partitions) {
		w.store.partitions = append(w.store.partitions, &simPartition{
			id: id, chunks: make(map[uint64]delivery.Chunk), parked: make(map[uint32]bool), resident: make(map[uint64]bool),
		})
	}
	w.state = delivery.New(config, w.store.cursors())
	return w
}

// restart makes a new state from what was committed.
func (w *world) restart() {
	w.store.forget()
	w.pending = nil
	w.state = w.store.recover(w.config, w.now)
}

func (w *world) stamp(id delivery.SessionID) delivery.Stamp {
	return delivery.Stamp{Session: id, At: w.now}
}

// do applies events, and lets the subscription do what it has to do by now.
func (w *world) do(events ...delivery.Event) {
	w.t.Helper()
	w.pending = append(w.pending, events...)
	for turns := 0; ; turns++ {
		w.turn()
		deadline, ok := w.state.Deadline()
		if len(w.pending) == 0 && (!ok || deadline > w.now) {
			break
		}
		if turns > 100_000 {
			w.t.Fatal("no end of turns")
		}
	}
}

func (w *world) turn() {
	w.t.Helper()
	events := w.pending
	w.pending = nil
	w.turns++
	w.state.Apply(w.now, events...)
	for _, effect := range w.state.Next(w.now) {
		w.perform(effect)
	}
}

// wait lets time pass, stopping at each deadline.
func (w *world) wait(d time.Duration) {
	w.t.Helper()
	until := w.now + d
	for {
		deadline, ok := w.state.Deadline()
		if !ok || deadline > until {
			break
		}
		w.now = max(w.now, deadline)
		w.do()
	}
	w.now = until
	w.do()
}

// hear keeps sessions alive while time passes.
func (w *world) hear(d time.Duration, ids ...delivery.SessionID) {
	w.t.Helper()
	for until := w.now + d; w.now < until; {
		w.wait(min(5*time.Second, until-w.now))
		for _, id := range ids {
			w.do(&delivery.Heard{Stamp: w.stamp(id)})
		}
	}
}

func (w *world) perform(effect delivery.Effect) {
	w.t.Helper()
	switch e := effect.(type) {
	case *delivery.Deliver:
		w.deliver(e)
	case *delivery.SettleResult:
		e2 := *e
		e2.Failures = slices.Clone(e.Failures)
		w.results = append(w.results, e2)
	case *delivery.Flow:
		w.flows = append(w.flows, *e)
	case *delivery.Revoked:
		e2 := *e
		e2.Ranges = slices.Clone(e.Ranges)
		w.revoked = append(w.revoked, e2)
	case *delivery.Recall:
		e2 := *e
		e2.Ranges = slices.Clone(e.Ranges)
		w.recalls = append(w.recalls, e2)
	case *delivery.GoAway:
		w.goAways = append(w.goAways, *e)
	case *delivery.Drained:
		w.drained = append(w.drained, e.Session)
	case *delivery.EndSession:
		w.ended = append(w.ended, *e)
	case *delivery.Attached:
		w.attached = append(w.attached, *e)
	default:
		w.performStore(effect)
	}
}

func (w *world) deliver(e *delivery.Deliver) {
	for _, r := range e.Runs {
		if err := w.store.partitions[r.Partition].loadedRun(r); err != nil {
			w.t.Fatal(err)
		}
	}
	e2 := *e
	e2.Runs, e2.Attempts = slices.Clone(e.Runs), slices.Clone(e.Attempts)
	w.delivers = append(w.delivers, e2)
}

func (w *world) performStore(effect delivery.Effect) {
	switch e := effect.(type) {
	case *delivery.ChangeSet:
		w.noteSet(e)
		w.store.open = e
		if !w.holdCommits {
			w.pending = append(w.pending, w.commit())
		}
	case *delivery.Load:
		w.loads = append(w.loads, *e)
		if !w.holdLoads {
			w.answer(e)
		}
	case *delivery.Unload:
		delete(w.store.partitions[e.Partition].resident, e.Base)
	}
}

func (w *world) noteSet(e *delivery.ChangeSet) {
	if w.store.open != nil {
		w.t.Fatal("two change sets on their way")
	}
	var size setSize
	for i := range e.Partitions {
		p := &e.Partitions[i]
		size.chunks += len(p.Chunks)
		for j := range p.Chunks {
			size.counts += len(p.Chunks[j].Counts)
		}
		for _, r := range p.Dropped {
			size.dropped += int(r.Last - r.First + 1)
		}
	}
	w.sets = append(w.sets, size)
}

// commit makes the change set on its way durable.
func (w *world) commit() delivery.Event {
	w.t.Helper()
	if w.store.open == nil {
		w.t.Fatal("no change set is on its way")
	}
	open := w.store.open
	defer func() {
		for _, d := range open.DeadLetters {
			p := w.store.partitions[d.Partition]
			chunk := p.chunks[d.Offset/delivery.ChunkOffsets]
			if d.Offset >= p.floor && !chunk.Acked.Has(int(d.Offset%delivery.ChunkOffsets)) {
				w.t.Fatalf("dead letter %d/%d is not settled by its change set", d.Partition, d.Offset)
			}
		}
	}()
	for _, d := range open.DeadLetters {
		if g := w.store.partitions[d.Partition].segmentOf(d.Offset); !w.store.partitions[d.Partition].resident[g.Base] {
			w.t.Fatalf("the message of dead letter %d/%d is not at hand", d.Partition, d.Offset)
		}
		d.Failures = slices.Clone(d.Failures)
		w.dead = append(w.dead, d)
	}
	return &delivery.Committed{Number: w.store.commit()}
}

func (w *world) answer(e *delivery.Load) {
	p := w.store.partitions[e.Partition]
	if segments, ok := p.find(e.Offset, e.Bytes); ok {
		if given := p.give(segments); len(given) > 0 {
			w.pending = append(w.pending, &delivery.Loaded{Partition: p.id, Segments: given})
		}
	} else if h, ok := p.hole(e.Offset); ok {
		w.pending = append(w.pending, &delivery.Hole{Partition: p.id, First: h.First, Last: h.Last})
	} else {
		w.t.Fatalf("nothing to load at %d/%d", e.Partition, e.Offset)
	}
}

// publish adds n messages of one size to a partition, as one segment.
func (w *world) publish(partition, n int, size uint64) {
	w.t.Helper()
	w.publishSizes(partition, slices.Repeat([]uint64{size}, n)...)
}

func (w *world) publishSizes(partition int, sizes ...uint64) {
	w.t.Helper()
	p := w.store.partitions[partition]
	p.publish(sizes, int64(w.now))
	w.do(&delivery.Head{Partition: p.id, Next: p.head})
}

// attach adds a session with a window and a lease of 30 s.
func (w *world) attach(id delivery.SessionID, messages, bytes uint64) {
	w.t.Helper()
	w.do(w.session(id, messages, bytes))
}

func (w *world) session(id delivery.SessionID, messages, bytes uint64) *delivery.Attach {
	return &delivery.Attach{Stamp: w.stamp(id), Window: delivery.Credit{Messages: messages, Bytes: bytes}}
}

// attachManual adds a session without credit.
func (w *world) attachManual(id delivery.SessionID) {
	w.t.Helper()
	w.do(&delivery.Attach{Stamp: w.stamp(id), Replenish: delivery.Manual})
}

// grant gives credit to session 1, which is a manual one.
func (w *world) grant(sequence, bytes uint64) {
	w.t.Helper()
	w.do(&delivery.Grant{Stamp: w.stamp(1), ThroughSequence: sequence, ThroughBytes: bytes})
}

func (w *world) window(id delivery.SessionID, messages, bytes uint64) {
	w.t.Helper()
	w.do(&delivery.Window{Stamp: w.stamp(id), Credit: delivery.Credit{Messages: messages, Bytes: bytes}})
}

// settle settles first..last of a session under a number.
func (w *world) settle(id delivery.SessionID, number uint64, verdict delivery.Verdict, first, last uint64) {
	w.t.Helper()
	w.do(w.settling(id, number, verdict, first, last))
}

func (w *world) settling(id delivery.SessionID, number uint64, verdict delivery.Verdict, first, last uint64) *delivery.Settle {
	return &delivery.Settle{
		Stamp: w.stamp(id), Number: number, Verdict: verdict, Delay: -1,
		Ranges: []delivery.SequenceRange{{First: first, Last: last}},
	}
}

// detach ends session 1.
func (w *world) detach(how delivery.DetachHow) {
	w.t.Helper()
	w.do(&delivery.Detach{Stamp: w.stamp(1), How: how})
}

// stats returns a snapshot.
func (w *world) stats() (s delivery.Stats) {
	w.state.Stats(&s)
	return s
}

// got returns the offsets that went to a session, in order, and forgets all
// deliveries so far.
func (w *world) got(id delivery.SessionID) (offsets []uint64) {
	for _, d := range w.delivers {
		if d.Session != id {
			continue
		}
		for _, r := range d.Runs {
			for i := range uint64(r.Count) {
				offsets = append(offsets, r.First+i)
			}
		}
	}
	w.delivers = slices.DeleteFunc(w.delivers, func(d delivery.Deliver) bool { return d.Session == id })
	return offsets
}

// count returns how many messages went to a session, and forgets them.
func (w *world) count(id delivery.SessionID) int { return len(w.got(id)) }

// attempts returns the attempt of each message of a frame.
func attempts(d delivery.Deliver) []uint32 {
	all := slices.Repeat([]uint32{1}, int(d.Messages))
	for _, a := range d.Attempts {
		for i := a.Index; i < a.Index+a.Count; i++ {
			all[i] = a.Attempt
		}
	}
	return all
}

// lastFlow returns the latest Flow of session 1, once changes had time to be told.
func (w *world) lastFlow() delivery.Flow {
	w.t.Helper()
	w.wait(time.Second)
	for _, f := range slices.Backward(w.flows) {
		if f.Session == 1 {
			return f
		}
	}
	w.t.Fatal("session 1 got no flow")
	return delivery.Flow{}
}

// blocked returns what holds a session back right now.
func (w *world) blocked(id delivery.SessionID) delivery.Blocked {
	for _, x := range w.stats().Sessions {
		if x.Session == id {
			return x.Blocked
		}
	}
	return 0
}

// want fails when two values differ.
func want[T comparable](t *testing.T, what string, got, expected T) {
	t.Helper()
	if got != expected {
		t.Fatalf("%s: got %v, expected %v", what, got, expected)
	}
}

// wantOffsets fails when lists of offsets differ.
func wantOffsets(t *testing.T, what string, got []uint64, expected ...uint64) {
	t.Helper()
	if !slices.Equal(got, expected) {
		t.Fatalf("%s: got %v, expected %v", what, got, expected)
	}
}
