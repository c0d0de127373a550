package standing

import (
	"testing"

	"github.com/headrace/headrace/faults/history"
)

// parking keeps the order of two keys, to which messages belong in turn, and parks them.
func parking() *script {
	return begun(Rules{Parks: true, KeyOf: func(id history.MessageID) uint64 { return 1 + id.Number%2 }})
}

func TestBrokenDeadLettersAreFound(t *testing.T) {
	one := func() *script { return begun(Rules{}).publish(1).take(1, 1, history.Reject) }
	wantBroken(t, []broken{
		{"rejected, and again", history.Resurrected, one().take(2, 1, history.Ack)},
		{"not in the list", history.Lost, one().letters()},
		{"twice in the list", history.Duplicated, one().letters(1, 1)},
		{"acked, and in the list", history.Resurrected, begun(Rules{}).publish(1).take(1, 1, history.Ack).letters(1)},
		{"redriven, and in the list", history.Resurrected, one().redrive().letters(1)},
		{"redriven, and lost", history.Lost, one().redrive().caughtUp()},
		{"not found to redrive", history.Lost, one().redriving().redriven(0)},
		{"redriven, acked, and again", history.Resurrected, one().redrive().open(2).handRedriven(2).settle(2, 1, history.Ack).open(3).handRedriven(3)},
		{"redriven, acked, and in the list", history.Resurrected, one().redrive().open(2).handRedriven(2).settle(2, 1, history.Ack).letters(1)},
	})
	wantLegal(t, map[string]*script{
		"in the list":               one().letters(1).caughtUp(),
		"redriven":                  one().redrive().letters().open(2).handRedriven(2).settle(2, 1, history.Ack).letters().caughtUp(),
		"redriven, and not told so": one().redriving().letters(1).letters().redriving().redriven(0).open(2).handRedriven(2),
		"a reject without an answer": begun(Rules{}).publish(1).open(1).hand(1, 1, 1).answering(1, 1, history.Reject).letters(1).letters().
			caughtUp(),
	})
}

func TestBrokenKeysAreFound(t *testing.T) {
	wantBroken(t, []broken{
		{"the second first", history.Reordered, parking().publish(3).take(1, 3, history.Ack)},
		{"behind one that is held", history.Reordered, parking().publish(3).open(1).hand(1, 1, 1).open(2).hand(2, 3, 1)},
		{"behind one that failed", history.Reordered, parking().publish(3).take(1, 1, history.Retry).take(2, 3, history.Ack)},
		{
			"behind one whose ack failed", history.Reordered,
			parking().publish(3).open(1).hand(1, 1, 1).answering(1, 1, history.Ack).failed().take(2, 3, history.Ack),
		},
		{"of a parked key", history.Skipped, parking().publish(3).take(1, 1, history.Reject).take(2, 3, history.Ack)},
		{"the same after a restart", history.Skipped, parking().publish(3).take(1, 1, history.Reject).killServer().take(2, 3, history.Ack)},
		{"never after a release", history.Lost, parking().publish(3).take(1, 1, history.Reject).take(2, 2, history.Ack).release().caughtUp()},
		{"before what was redriven", history.Reordered, parking().publish(3).take(1, 1, history.Reject).redrive().release().take(2, 3, history.Ack)},
	})
	wantLegal(t, map[string]*script{
		"of another key":           parking().publish(3).take(1, 2, history.Ack).take(2, 1, history.Ack).take(3, 3, history.Ack).caughtUp(),
		"released":                 parking().publish(3).take(1, 1, history.Reject).release().take(2, 3, history.Ack),
		"while it goes":            parking().publish(3).take(1, 1, history.Reject).of(history.KeysReleasing, history.Fields{}).take(2, 3, history.Ack),
		"redriven of a parked key": parking().publish(3).take(1, 1, history.Reject).redrive().open(2).handRedriven(2),
		"rejected before a release had ended": parking().publish(3).open(1).hand(1, 1, 1).answering(1, 1, history.Reject).release().
			answered(1, 1).take(2, 3, history.Ack),
		"redriven, and acked before that is told": parking().publish(3).take(1, 1, history.Reject).redriving().open(2).handRedriven(2).
			answering(2, 1, history.Ack).redriven(1).release().take(3, 3, history.Ack),
		"rejected, and redriven before that is told": parking().publish(1).open(1).hand(1, 1, 1).answering(1, 1, history.Reject).
			letters(1).redriving().redriven(1).answered(1, 1).open(2).handRedriven(2),
		"skipped by a seek": parking().publish(3).seek(2).take(1, 3, history.Ack),
	})
}
