package standing

import (
	"slices"
	"testing"
	"time"

	"github.com/headrace/headrace/faults/history"
)

const (
	theTopic, theSubscription, thePublisher = 1, 1, 1
	theLease                                = 20 * time.Second
)

// script is a history that is made up.
type script struct {
	rules    Rules
	events   []history.Event
	now      history.Instant
	sequence map[uint64]uint64
}

func begun(r Rules) *script {
	r.Subscription, r.Topic, r.Lease = theSubscription, theTopic, theLease
	return &script{rules: r, sequence: map[uint64]uint64{}}
}

func (s *script) add(k history.Kind, f history.Fields) *script {
	s.now += history.Instant(time.Millisecond)
	s.events = append(s.events, history.Event{At: s.now, Kind: k, Fields: f})
	return s
}

func (s *script) wait(d time.Duration) *script {
	s.now += history.Instant(d)
	return s
}

// publish stores messages 1 to count at the offsets from 0 on.
func (s *script) publish(count uint64) *script {
	f := history.Fields{Topic: theTopic, Publisher: thePublisher, Number: 1, Count: count}
	return s.add(history.Publishing, f).add(history.Published, f)
}

// open lets a session begin, of the client of the same number.
func (s *script) open(session uint64) *script {
	return s.add(history.HandsOpening, history.Fields{Session: session, Client: session, Subscription: theSubscription})
}

// hand hands a message out as the session's next one.
func (s *script) hand(session, number, attempt uint64) *script {
	return s.handOf(session, history.Fields{Number: number, Attempt: attempt, Offset: number - 1})
}

// handRedriven hands the first message out once it was redriven.
func (s *script) handRedriven(session uint64) *script {
	return s.handOf(session, history.Fields{Number: 1, Attempt: 1, Partition: history.ReplayPartition})
}

func (s *script) handOf(session uint64, f history.Fields) *script {
	s.sequence[session]++
	f.Session, f.Sequence, f.Topic, f.Publisher = session, s.sequence[session], theTopic, thePublisher
	return s.add(history.Handed, f)
}

// answering is what a session is about to say of one that it got.
func (s *script) answering(session, sequence, verdict uint64) *script {
	return s.add(history.Answering, history.Fields{Session: session, Sequence: sequence, Verdict: verdict})
}

func (s *script) answered(session, sequence uint64) *script {
	return s.add(history.Answered, history.Fields{Session: session, Sequence: sequence})
}

// failed is what the first session is told of the first that it got.
func (s *script) failed() *script { return s.failedOf(1) }

// failedOf is what a session is told of the first that it got.
func (s *script) failedOf(session uint64) *script {
	return s.add(history.AnswerFailed, history.Fields{Session: session, Sequence: 1})
}

func (s *script) settle(session, sequence, verdict uint64) *script {
	return s.answering(session, sequence, verdict).answered(session, sequence)
}

// take hands a message out to a session that begins now, and settles it.
func (s *script) take(session, number, verdict uint64) *script {
	return s.open(session).hand(session, number, 1).settle(session, 1, verdict)
}

func (s *script) of(k history.Kind, f history.Fields) *script {
	f.Subscription = theSubscription
	return s.add(k, f)
}

func (s *script) seek(to uint64) *script {
	return s.seeking(to).sought()
}

func (s *script) seeking(to uint64) *script {
	return s.of(history.SeekAiming, history.Fields{Offset: to}).of(history.SeekAsking, history.Fields{})
}

func (s *script) sought() *script {
	return s.of(history.SeekTold, history.Fields{Done: 1})
}

func (s *script) snapshot() *script {
	return s.of(history.SnapshotAsking, history.Fields{Snapshot: 1}).of(history.SnapshotTold, history.Fields{Snapshot: 1, Done: 1})
}

func (s *script) seekSnapshot() *script {
	return s.of(history.SeekAsking, history.Fields{Snapshot: 1}).of(history.SeekTold, history.Fields{Done: 1})
}

func (s *script) caughtUp() *script {
	return s.of(history.BacklogAsking, history.Fields{}).of(history.CaughtUp, history.Fields{})
}

func (s *script) floor(offset uint64) *script {
	return s.of(history.BacklogAsking, history.Fields{}).of(history.FloorTold, history.Fields{Offset: offset})
}

func (s *script) pause(paused uint64) *script {
	return s.of(history.PauseAsking, history.Fields{Paused: paused}).of(history.PauseTold, history.Fields{Paused: paused, Done: 1})
}

func (s *script) release() *script {
	return s.of(history.KeysReleasing, history.Fields{}).of(history.KeysReleased, history.Fields{})
}

func (s *script) redriving() *script {
	return s.of(history.Redriving, history.Fields{Publisher: thePublisher, Number: 1})
}

// redrive redrives the first message.
func (s *script) redrive() *script { return s.redriving().redriven(1) }

func (s *script) redriven(done uint64) *script {
	return s.of(history.Redriven, history.Fields{Publisher: thePublisher, Number: 1, Done: done})
}

func (s *script) letters(numbers ...uint64) *script {
	s.of(history.LettersAsking, history.Fields{})
	for _, n := range numbers {
		s.of(history.LetterSeen, history.Fields{Publisher: thePublisher, Number: n})
	}
	return s.of(history.LettersTold, history.Fields{})
}

// kill kills the first client.
func (s *script) kill() *script {
	return s.add(history.ClientKilled, history.Fields{Client: 1})
}

func (s *script) killServer() *script {
	return s.add(history.ServerKilled, history.Fields{Life: 1}).add(history.ServerLaunched, history.Fields{Life: 2})
}

func (s *script) check() []history.Violation {
	a := New(s.rules)
	for i := range s.events {
		a.Read(&s.events[i])
	}
	return a.Violations()
}

// broken is a history that no server may produce, with what is wrong in it.
type broken struct {
	name    string
	promise history.Promise
	script  *script
}

func wantBroken(t *testing.T, all []broken) {
	t.Helper()
	for _, b := range all {
		got := b.script.check()
		if !slices.ContainsFunc(got, func(v history.Violation) bool { return v.Promise == b.promise }) {
			t.Errorf("%s: %v, want %q", b.name, got, b.promise)
		}
	}
}

func wantLegal(t *testing.T, all map[string]*script) {
	t.Helper()
	for name, s := range all {
		if got := s.check(); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}
