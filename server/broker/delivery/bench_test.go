package delivery_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// benchFrame is how many messages a segment, a frame and a settle have.
const benchFrame = 64

// line is the shortest owner loop: it loads what was published, commits at once
// and acks each frame with one settle, in memory that is used again.
type line struct {
	state    *delivery.State
	now      time.Duration
	head     uint64
	ends     []uint32
	event    []delivery.Event
	heads    delivery.Head
	loaded   delivery.Loaded
	commit   delivery.Committed
	settle   delivery.Settle
	numbers  map[delivery.SessionID]uint64
	sessions []delivery.Deliver
}

func newLine(sessions int) *line {
	l := &line{
		state:   delivery.New(delivery.Config{}, []delivery.Cursor{{}}),
		numbers: make(map[delivery.SessionID]uint64), now: time.Hour,
	}
	for i := range uint32(benchFrame) {
		l.ends = append(l.ends, (i+1)*1024)
	}
	l.loaded.Segments = []delivery.Segment{{Ends: l.ends}}
	l.settle.Ranges = make([]delivery.SequenceRange, 1)
	for id := range delivery.SessionID(sessions) {
		l.state.Apply(l.now, &delivery.Attach{
			Stamp:  delivery.Stamp{Session: id + 1, At: l.now},
			Window: delivery.Credit{Messages: 1000, Bytes: 1 << 30}, Lease: time.Hour,
		})
		l.turn()
	}
	return l
}

// publish adds one segment.
func (l *line) publish() {
	l.loaded.Segments[0].Base = l.head
	l.head += benchFrame
	l.heads.Next = l.head
	l.event = append(l.event[:0], &l.heads, &l.loaded)
	l.now += time.Microsecond
	l.state.Apply(l.now, l.event...)
	l.turn()
}

// turn performs effects: it notes frames and a change set.
func (l *line) turn() {
	for _, effect := range l.state.Next(l.now) {
		switch e := effect.(type) {
		case *delivery.Deliver:
			l.sessions = append(l.sessions, *e)
		case *delivery.ChangeSet:
			l.commit.Number = e.Number
		}
	}
}

// ack settles every frame, and commits.
func (l *line) ack() {
	for i := range l.sessions {
		d := &l.sessions[i]
		l.settle.Session, l.settle.At = d.Session, l.now
		l.numbers[d.Session]++
		l.settle.Number, l.settle.Verdict = l.numbers[d.Session], delivery.Ack
		l.settle.Ranges[0] = delivery.SequenceRange{First: d.FirstSequence, Last: d.FirstSequence + uint64(d.Messages) - 1}
		l.event = append(l.event[:0], &l.settle)
		l.state.Apply(l.now, l.event...)
	}
	l.sessions = l.sessions[:0]
	l.turn()
	if l.commit.Number > 0 {
		l.event = append(l.event[:0], &l.commit)
		l.state.Apply(l.now, l.event...)
		l.commit.Number = 0
		l.turn()
	}
}

// BenchmarkDeliverAndAck is the plain path: each round publishes, delivers, acks and
// commits 64 messages, for some sessions of which the one with the least gets them.
func BenchmarkDeliverAndAck(b *testing.B) {
	for _, sessions := range []int{1, 10, 1000} {
		b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) {
			l := newLine(sessions)
			b.ReportAllocs()
			for b.Loop() {
				l.publish()
				l.ack()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchFrame, "ns/message")
		})
	}
}

// BenchmarkScatteredAcks acks each second message of a frame, and the rest of it
// one round later.
func BenchmarkScatteredAcks(b *testing.B) {
	l := newLine(1)
	number := uint64(0)
	scatter := func(d *delivery.Deliver, odd uint64) {
		number++
		l.settle.Ranges = l.settle.Ranges[:0]
		for i := uint64(0); i < uint64(d.Messages); i += 2 {
			sequence := d.FirstSequence + i + odd
			l.settle.Ranges = append(l.settle.Ranges, delivery.SequenceRange{First: sequence, Last: sequence})
		}
		l.settle.Session, l.settle.At, l.settle.Number, l.settle.Verdict = d.Session, l.now, number, delivery.Ack
		l.state.Apply(l.now, &l.settle)
	}
	var last delivery.Deliver
	b.ReportAllocs()
	for b.Loop() {
		l.publish()
		if last.Messages > 0 {
			scatter(&last, 1)
		}
		last = l.sessions[0]
		scatter(&last, 0)
		l.sessions = l.sessions[:0]
		l.ack()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchFrame, "ns/message")
}

// BenchmarkHoles acks every second one of 10,000,000 messages, all of them
// outstanding at some time but never the others settled, and prints what the state
// takes in memory.
func BenchmarkHoles(b *testing.B) {
	const messages = 10_000_000
	for b.Loop() {
		before := heap()
		start := time.Now()
		s, rounds := ackEverySecond(messages)
		b.ReportMetric(float64(time.Since(start).Nanoseconds())/messages, "ns/message")
		b.ReportMetric(float64(heap()-before)/(1<<20), "MiB")
		b.ReportMetric(float64(rounds), "changesets")
		runtime.KeepAlive(s)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestEverySecondOfAHundredThousandAcked is a hundredth of BenchmarkHoles.
func TestEverySecondOfAHundredThousandAcked(t *testing.T) {
	s, _ := ackEverySecond(64 * 1600)
	var stats delivery.Stats
	s.Stats(&stats)
	want(t, "backlog", stats.Backlog, 51_200)
	want(t, "acked", stats.Acked, 51_200)
	want(t, "floor", stats.Partitions[0].Floor, 0)
}

// ackEverySecond delivers all messages to a session, which acks every second one;
// another one takes the rest and never settles. All the acks are committed.
func ackEverySecond(messages uint64) (*delivery.State, int) {
	l := newLine(0)
	limit := delivery.Ceiling{Messages: messages, Bytes: 1 << 60}
	l.state.Apply(l.now, &delivery.Configure{Config: delivery.Config{Subscription: limit, TurnBytes: 1 << 20}})
	l.state.Apply(l.now, &delivery.Attach{
		Stamp: delivery.Stamp{Session: 1, At: l.now}, Lease: delivery.MaxLease,
		Window: delivery.Credit{Messages: messages, Bytes: 1 << 60},
	})
	l.turn()
	rounds := 0
	number := uint64(0)
	for l.head < messages {
		l.publish()
		d := &l.sessions[0]
		number++
		l.settle.Session, l.settle.At, l.settle.Number, l.settle.Verdict = 1, l.now, number, delivery.Ack
		l.settle.Ranges = l.settle.Ranges[:0]
		for i := uint64(1); i < uint64(d.Messages); i += 2 {
			l.settle.Ranges = append(l.settle.Ranges, delivery.SequenceRange{First: d.FirstSequence + i, Last: d.FirstSequence + i})
		}
		l.state.Apply(l.now, &l.settle)
		l.sessions = l.sessions[:0]
		l.turn()
		if l.commit.Number > 0 {
			rounds++
			l.state.Apply(l.now, &l.commit)
			l.commit.Number = 0
			l.turn()
		}
	}
	return l.state, rounds
}

// BenchmarkRecovery makes a state from 10,000,000 offsets of which every second one
// is acked, and prints what that takes in memory and on the way to the store.
func BenchmarkRecovery(b *testing.B) {
	const messages = 10_000_000
	cursor := delivery.Cursor{Head: messages}
	for index := range uint64(messages / delivery.ChunkOffsets) {
		chunk := delivery.Chunk{Index: index}
		for i := 1; i < delivery.ChunkOffsets; i += 2 {
			chunk.Acked.Set(i, i)
		}
		cursor.Chunks = append(cursor.Chunks, chunk)
	}
	for b.Loop() {
		before := heap()
		s := delivery.New(delivery.Config{}, []delivery.Cursor{cursor})
		b.ReportMetric(float64(heap()-before)/(1<<20), "MiB")
		runtime.KeepAlive(s)
	}
}
