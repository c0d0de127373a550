package crash

import (
	"slices"
	"testing"

	"github.com/headrace/headrace/faults/history"
)

// TestOnlyTheEndOfALifeMayBeLost of a buffered topic, and no offset given twice.
func TestOnlyTheEndOfALifeMayBeLost(t *testing.T) {
	const second = 3 + 1<<20 // where the second life begins
	for name, c := range map[string]struct {
		told, came map[uint64]uint64
		want       []history.Promise
		lost       int
	}{
		"nothing is lost":           {told: map[uint64]uint64{0: 1, 1: 2}, came: map[uint64]uint64{0: 1, 1: 2}},
		"the end of each life is":   {told: map[uint64]uint64{0: 1, 1: 2, second: 3, second + 1: 4}, came: map[uint64]uint64{0: 1, second: 3}, lost: 2},
		"all of a life is":          {told: map[uint64]uint64{0: 1, 1: 2, second: 3}, came: map[uint64]uint64{second: 3}, lost: 2},
		"one in the middle is":      {told: map[uint64]uint64{0: 1, 1: 2}, came: map[uint64]uint64{1: 2}, want: []history.Promise{history.Lost}, lost: 1},
		"one before an untold is":   {told: map[uint64]uint64{0: 1}, came: map[uint64]uint64{1: 2}, want: []history.Promise{history.Lost}, lost: 1},
		"one offset, two messages":  {told: map[uint64]uint64{0: 1}, came: map[uint64]uint64{0: 2}, want: []history.Promise{history.Shared}},
		"what came was never told":  {came: map[uint64]uint64{0: 1, 1: 2}},
		"nothing was ever told":     {},
		"two in the middle of many": {told: map[uint64]uint64{0: 1, 1: 2, 2: 3}, came: map[uint64]uint64{2: 3}, want: []history.Promise{history.Lost}, lost: 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newBufferedWitness(nil)
			for offset, number := range c.told {
				w.note(w.told, offset, number, "told")
			}
			for offset, number := range c.came {
				w.note(w.came, offset, number, "delivered")
			}
			counts, broken := w.end()
			var got []history.Promise
			for _, v := range broken {
				got = append(got, v.Promise)
			}
			if !slices.Equal(got, c.want) || counts.Lost != c.lost || counts.Told != len(c.told) {
				t.Errorf("%+v, broken %v; want %d lost, broken %v", counts, broken, c.lost, c.want)
			}
		})
	}
}
