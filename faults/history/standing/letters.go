package standing

import "github.com/headrace/headrace/faults/history"

// letters are the dead letters that somebody lists.
type letters struct {
	asked history.Instant
	seen  map[history.MessageID]int
}

func (a *Account) readLetters(e *history.Event) {
	m := history.MessageID{Publisher: e.Publisher, Number: e.Number}
	switch e.Kind {
	case history.KeysReleasing, history.KeysReleased:
		a.releasing(e)
	case history.Redriving:
		a.redriving(a.message(m))
	case history.Redriven:
		a.redriven(a.message(m), e)
	case history.LettersAsking:
		a.operator.letters = letters{asked: e.At, seen: map[history.MessageID]int{}}
	case history.LetterSeen:
		a.operator.letters.seen[m]++
	case history.LettersTold:
		a.lettersTold()
	default:
	}
}

func (a *Account) redriving(m *message) {
	m.surelyDead, m.asker = m.where == dead, nil
	m.where |= live
}

// redriven: a dead letter is live again, or was not there.
func (a *Account) redriven(m *message, e *history.Event) {
	if e.Done == 0 {
		if m.surelyDead {
			a.brokenf(history.Lost, "the dead letter of %s at %s, which nobody found to redrive", m.id, m.at)
		}
		return
	}
	a.counts.Redriven++
	m.redriven = true
	if m.asker == nil { // Else somebody has it already.
		m.narrow(live, e.At, nil)
		m.charges.begin(a.deaths)
	}
	a.reopen(m)
}

// lettersTold: what is surely dead is there, once; what surely is not, is not there.
func (a *Account) lettersTold() {
	l := &a.operator.letters
	for _, m := range a.all() {
		n := l.seen[m.id]
		switch {
		case n > 1:
			a.brokenf(history.Duplicated, "%s at %s is a dead letter %d times", m.id, m.at, n)
		case n == 0 && m.surely(dead, l.asked):
			a.brokenf(history.Lost, "the dead letter of %s at %s", m.id, m.at)
		case n == 1 && m.where&dead == 0 && m.since < l.asked:
			a.brokenf(history.Resurrected, "%s at %s is a dead letter, and was acked, redriven or never rejected", m.id, m.at)
		}
	}
}
