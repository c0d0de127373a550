package delivery_test

import (
	"slices"
	"testing"
	"time"

	"github.com/headrace/headrace/internal/testscale"
	"github.com/headrace/headrace/server/broker/delivery"
)

// hotWaiting is how many messages of one key wait, hotOthers how many other keys there
// are, in the benchmark and, in a smaller number, in the test.
var (
	hotWaiting = testscale.Sizes{Full: 1_000_000, Ordinary: 10_000, Race: 10_000}
	hotOthers  = testscale.Sizes{Full: 100_000, Ordinary: 1_000, Race: 1_000}
)

const hotFrame = 64

// keyLine is the shortest owner loop of a subscription that keeps keys in order: one
// session acks each frame at once.
type keyLine struct {
	state   *delivery.State
	now     time.Duration
	head    uint64
	others  uint32 // how many other keys there are
	next    uint32
	number  uint64
	sent    uint64 // messages that came
	turns   int
	kept    map[uint64]delivery.Segment
	holdHot bool
	hotSeen bool
}

func newKeyLine(others int) *keyLine {
	l := &keyLine{
		state: delivery.New(delivery.Config{Order: delivery.OrderKey}, []delivery.Cursor{{}}), now: time.Hour,
		others: uint32(others), kept: map[uint64]delivery.Segment{},
	}
	l.apply(&delivery.Attach{
		Stamp: delivery.Stamp{Session: 1, At: l.now}, Window: delivery.Credit{Messages: 1000, Bytes: 1 << 30}, Lease: time.Hour,
	})
	return l
}

// publish adds a segment of messages of the hot key, or of the next ones of the others.
func (l *keyLine) publish(hot bool) {
	g := delivery.Segment{Base: l.head}
	for i := range uint32(hotFrame) {
		key := delivery.KeyHash{Present: true}
		if !hot {
			l.next++
			key.Hash = 1 + l.next%l.others
		}
		g.KeyHashes = append(g.KeyHashes, key)
		g.Ends = append(g.Ends, (i+1)*1024)
	}
	l.head += hotFrame
	l.kept[g.Base] = g
	l.apply(&delivery.Head{Next: l.head}, &delivery.Loaded{Segments: []delivery.Segment{g}})
}

// apply lets the state machine take turns until there is nothing to do at once.
func (l *keyLine) apply(events ...delivery.Event) {
	for first := true; first || len(events) > 0; first = false {
		l.now += time.Microsecond
		l.state.Apply(l.now, events...)
		events = nil
		for _, effect := range l.state.Next(l.now) {
			events = l.perform(effect, events)
		}
		l.turns++
		if deadline, ok := l.state.Deadline(); len(events) == 0 && ok && deadline <= l.now {
			events = append(events, &delivery.Heard{Stamp: delivery.Stamp{Session: 1, At: l.now}})
		}
	}
}

func (l *keyLine) perform(effect delivery.Effect, events []delivery.Event) []delivery.Event {
	switch e := effect.(type) {
	case *delivery.Deliver:
		events = l.ack(e, events)
	case *delivery.ChangeSet:
		events = append(events, &delivery.Committed{Number: e.Number})
	case *delivery.Load:
		if g, ok := l.kept[e.Offset/hotFrame*hotFrame]; ok {
			events = append(events, &delivery.Loaded{Segments: []delivery.Segment{g}})
		}
	}
	return events
}

// ack settles what came, but for the first message of the hot key.
func (l *keyLine) ack(e *delivery.Deliver, events []delivery.Event) []delivery.Event {
	l.sent += uint64(e.Messages)
	first, last := e.FirstSequence, e.FirstSequence+uint64(e.Messages)-1
	if l.holdHot && !l.hotSeen {
		l.hotSeen = true
		first++
	}
	if first > last {
		return events
	}
	l.number++
	return append(events, &delivery.Settle{
		Stamp: delivery.Stamp{Session: 1, At: l.now}, Number: l.number, Verdict: delivery.Ack,
		Ranges: []delivery.SequenceRange{{First: first, Last: last}},
	})
}

// heat has messages of the hot key wait behind its first one.
func (l *keyLine) heat(waiting int) {
	l.holdHot = true
	for range waiting / hotFrame {
		l.publish(true)
	}
}

// TestAHotKeyCostsTheOthersNothing: with many messages of one key waiting, those of all
// others come in as many turns as without, and what waits takes little memory.
func TestAHotKeyCostsTheOthersNothing(t *testing.T) {
	alone, beside := newKeyLine(hotOthers.Now()), newKeyLine(hotOthers.Now())
	waiting := hotWaiting.Now()
	beside.heat(waiting)
	var turns [2]int
	for i, l := range []*keyLine{alone, beside} {
		before, came := l.turns, l.sent
		for range hotOthers.Now() / hotFrame * 4 {
			l.publish(false)
		}
		turns[i] = l.turns - before
		if want := uint64(hotOthers.Now() / hotFrame * 4 * hotFrame); l.sent-came != want {
			t.Errorf("%d of %d messages came", l.sent-came, want)
		}
	}
	if turns[1]*100 > turns[0]*110 {
		t.Errorf("%d turns beside a hot key, %d without", turns[1], turns[0])
	}
	if _, bytes := delivery.Keys(beside.state); bytes > 4*waiting+4096 {
		t.Errorf("%d bytes for %d messages that wait", bytes, waiting)
	}
}

// BenchmarkBesideAHotKey measures what a message of 100,000 keys takes from publish to
// ack, alone and beside a key with a million messages waiting, a segment of each in turn.
// It tells medians: others use the machine, too.
func BenchmarkBesideAHotKey(b *testing.B) {
	alone, beside := newKeyLine(hotOthers.Full), newKeyLine(hotOthers.Full)
	beside.heat(hotWaiting.Full)
	var spent [2][]time.Duration
	for b.Loop() {
		for i, l := range []*keyLine{alone, beside} {
			began := time.Now()
			l.publish(false)
			spent[i] = append(spent[i], time.Since(began))
		}
	}
	var median [2]float64
	for i := range spent {
		slices.Sort(spent[i])
		median[i] = float64(spent[i][len(spent[i])/2].Nanoseconds()) / hotFrame
	}
	b.ReportMetric(median[0], "ns/alone")
	b.ReportMetric(median[1], "ns/beside")
	b.ReportMetric(median[0]/median[1], "rate-beside/alone")
}
