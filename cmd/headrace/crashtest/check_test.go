package crashtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/sdk/go"
)

// history is a short run in which every promise holds: two publishers, three
// messages, two subscriptions, one message unknown but stored, one refused.
func history() (*Ledger, End) {
	l := NewLedger()
	for _, m := range []struct {
		id     MessageID
		offset uint64
	}{{MessageID{0, 1}, 0}, {MessageID{1, 1}, 1}, {MessageID{0, 2}, 2}} {
		l.Attempted(m.id)
		if m.offset == 2 {
			l.Unknown(m.id)
		} else {
			l.Acknowledged(m.id, at(m.offset))
		}
		for s := range uint8(2) {
			l.Delivered(s, m.id, at(m.offset))
			l.Delivered(s, m.id, at(m.offset)) // the first session broke
			l.Confirmed(s, m.id, at(m.offset))
		}
	}
	l.Attempted(MessageID{1, 2})
	l.Refused(MessageID{1, 2})
	return l, End{NextOffsets: []uint64{3}, Backlogs: []uint64{0, 0}}
}

func at(offset uint64) headrace.Position { return headrace.Position{Offset: offset} }

func TestCheckPassesWhatHolds(t *testing.T) {
	if got := Check(history()); len(got) != 0 {
		t.Error(got)
	}
}

func TestCheckFindsEachBrokenPromise(t *testing.T) {
	added := MessageID{0, 3}
	for promise, breakIt := range map[Promise]func(l *Ledger, end *End){
		NotLost: func(l *Ledger, end *End) {
			l.Attempted(added)
			l.Acknowledged(added, at(3))
			l.Delivered(1, added, at(3))
			end.NextOffsets[0] = 4
		},
		NotAgain: func(l *Ledger, _ *End) { l.Delivered(1, MessageID{0, 1}, at(0)) },
		NotStored: func(l *Ledger, end *End) {
			deliverAll(l, MessageID{1, 2}, at(3))
			end.NextOffsets[0] = 4
		},
		NotInvented: func(l *Ledger, end *End) {
			deliverAll(l, added, at(3))
			end.NextOffsets[0] = 4
		},
		NotChanged: func(l *Ledger, _ *End) { l.Damaged(0, at(1)) },
		NotMoved: func(l *Ledger, end *End) {
			l.Attempted(added)
			deliverAll(l, added, at(3))
			deliverAll(l, added, at(4))
			end.NextOffsets[0] = 5
		},
		NotShared: func(l *Ledger, _ *End) {
			l.Attempted(added)
			deliverAll(l, added, at(2))
		},
		NotGapped:  func(_ *Ledger, end *End) { end.NextOffsets[0] = 4 },
		NotSwapped: func(l *Ledger, end *End) { swap(l, end) },
		NotLeft:    func(_ *Ledger, end *End) { end.Backlogs[1] = 1 },
	} {
		t.Run(string(promise), func(t *testing.T) {
			l, end := history()
			breakIt(l, &end)
			found := Check(l, end)
			if len(found) != 1 || found[0].Promise != promise {
				t.Errorf("found %v", found)
			}
		})
	}
}

// deliverAll delivers a message on both subscriptions.
func deliverAll(l *Ledger, id MessageID, p headrace.Position) {
	l.Delivered(0, id, p)
	l.Delivered(1, id, p)
}

// swap stores a publisher's fourth message before its third one.
func swap(l *Ledger, end *End) {
	third, fourth := MessageID{0, 3}, MessageID{0, 4}
	l.Attempted(third)
	l.Attempted(fourth)
	deliverAll(l, fourth, at(3))
	deliverAll(l, third, at(4))
	end.NextOffsets[0] = 5
}

func TestCheckFindsWhatWasAcknowledgedPastTheHead(t *testing.T) {
	l, end := history()
	end.NextOffsets[0] = 2
	found := Check(l, end)
	if len(found) != 1 || found[0].Promise != NotLost {
		t.Errorf("found %v", found)
	}
}

func TestLedgerCounts(t *testing.T) {
	l, _ := history()
	want := map[string]int{"attempted": 4, "acknowledged": 2, "refused": 1, "unknown": 1, "delivered": 12, "confirmed": 6}
	if d := cmp.Diff(want, l.Count()); d != "" {
		t.Error(d)
	}
}
