package standing

import (
	"testing"

	"github.com/headrace/headrace/faults/history"
)

// three is a subscription that has acked the first two of three messages.
func three() *script {
	return begun(Rules{}).publish(3).take(1, 1, history.Ack).take(2, 2, history.Ack)
}

func TestBrokenSeeksAreFound(t *testing.T) {
	wantBroken(t, []broken{
		{"does not come again", history.Lost, three().seek(1).take(3, 3, history.Ack).caughtUp()},
		{"behind it is lost", history.Lost, three().seek(1).take(3, 2, history.Ack).caughtUp()},
		{"below the floor, and not come again", history.Lost, three().seek(0).floor(1)},
		{"before it comes again", history.Resurrected, three().seek(1).take(3, 2, history.Ack).take(4, 2, history.Ack)},
		{"before it comes", history.Skipped, three().seek(1).take(3, 1, history.Ack)},
		{"skipped, and comes", history.Skipped, three().seek(3).take(3, 3, history.Ack)},
		{"the floor is not where it went", history.WentBack, three().seek(2).floor(1)},
		{
			"a settle of before is confirmed", history.StaleConfirmed,
			begun(Rules{}).publish(1).open(1).hand(1, 1, 1).seek(0).settle(1, 1, history.Ack),
		},
		{"the generation goes back", history.WentBack, three().seekTo(2).seekTo(1)},
		{"the generation rises twice", history.WentBack, three().seekTo(2).seekTo(4)},
		{"what a snapshot holds does not come", history.Lost, three().snapshot().take(3, 3, history.Ack).seekSnapshot().caughtUp()},
		{"what came since does not come", history.Lost, begun(Rules{}).snapshot().publish(1).take(1, 1, history.Ack).seekSnapshot().caughtUp()},
		{"what a snapshot has acked comes", history.Skipped, three().snapshot().seekSnapshot().take(3, 1, history.Ack)},
		{
			"what another snapshot's acked comes", history.Skipped,
			three().snapshot().seek(0).take(3, 1, history.Ack).seekSnapshot().take(4, 2, history.Ack),
		},
		{"a seek that was refused", history.Resurrected, three().seeking(0).of(history.SeekTold, history.Fields{}).take(3, 1, history.Ack)},
		{"a snapshot that is none", history.Unreadable, three().seekSnapshot()},
	})
}

func TestKeptSeeksAreLegal(t *testing.T) {
	wantLegal(t, map[string]*script{
		"comes again":   three().seek(1).take(3, 2, history.Ack).take(4, 3, history.Ack).floor(3).caughtUp(),
		"while it goes": three().seeking(0).take(3, 1, history.Ack).sought(),
		"acked while it goes, and again": three().seeking(0).take(3, 1, history.Ack).sought().take(4, 1, history.Ack).
			take(5, 2, history.Ack).take(6, 3, history.Ack).caughtUp(),
		"acked while it goes, and not again": three().seeking(0).take(3, 1, history.Ack).sought().take(5, 2, history.Ack).
			take(6, 3, history.Ack).caughtUp(),
		"a settle of before is stale": begun(Rules{}).publish(1).open(1).hand(1, 1, 1).seek(0).answering(1, 1, history.Ack).failed().
			take(2, 1, history.Ack).caughtUp(),
		"failed while it goes, and not charged": begun(Rules{}).publish(1).open(1).hand(1, 1, 1).answering(1, 1, history.Retry).seeking(0).
			answered(1, 1).open(2).hand(2, 1, 1).sought(),
		"to a snapshot": three().snapshot().take(3, 3, history.Ack).seekSnapshot().take(4, 3, history.Ack).caughtUp(),
		"an ack while a snapshot is taken": three().of(history.SnapshotAsking, history.Fields{Snapshot: 1}).take(3, 3, history.Ack).
			of(history.SnapshotTold, history.Fields{Snapshot: 1, Done: 1}).seekSnapshot().take(4, 3, history.Ack).caughtUp(),
		"the same, not again": three().of(history.SnapshotAsking, history.Fields{Snapshot: 1}).take(3, 3, history.Ack).
			of(history.SnapshotTold, history.Fields{Snapshot: 1, Done: 1}).seekSnapshot().caughtUp(),
		"generations": three().seekTo(2).seekTo(3),
	})
}

// seekTo goes to the start, and is told a generation.
func (s *script) seekTo(generation uint64) *script {
	return s.seeking(0).of(history.SeekTold, history.Fields{Done: 1, Generation: generation})
}

func TestPausesThatAreNoneAreFound(t *testing.T) {
	wantBroken(t, []broken{
		{"delivered while paused", history.Skipped, begun(Rules{}).publish(1).pause(1).take(1, 1, history.Ack)},
		{"after a restart, too", history.Skipped, begun(Rules{}).publish(1).pause(1).killServer().take(1, 1, history.Ack)},
		{"lost in a pause", history.Lost, begun(Rules{}).publish(1).pause(1).pause(0).caughtUp()},
	})
	wantLegal(t, map[string]*script{
		"before":             begun(Rules{}).publish(1).open(1).pause(1).hand(1, 1, 1),
		"after":              begun(Rules{}).publish(1).pause(1).pause(0).take(1, 1, history.Ack).caughtUp(),
		"while it goes on":   begun(Rules{}).publish(1).pause(1).of(history.PauseAsking, history.Fields{}).take(1, 1, history.Ack),
		"while it is paused": begun(Rules{}).publish(1).of(history.PauseAsking, history.Fields{Paused: 1}).take(1, 1, history.Ack),
	})
}
