package replay

import (
	"math/rand/v2"
	"slices"

	"github.com/headrace/headrace/faults/fusefs"
)

// moment is a point of a journal at which the power may go: before the operation with
// that number.
type moment struct {
	at      int
	classes []Class
}

// survey finds all moments at which something becomes durable, and those just after.
func survey(journal []fusefs.Operation) []moment {
	var all []moment
	d, phase := fusefs.NewDisk(), creating
	d.SettleOperations = settleOperations
	flushed := false
	for i := range journal {
		o := &journal[i]
		if flushed || o.Flushes() {
			all = append(all, moment{i, classesOf(d, phase)})
		}
		flushed = o.Flushes()
		if next, ok := phaseOf(o.Data); ok && o.Kind == fusefs.Note {
			phase = next
		}
		d.Apply(o)
	}
	return all
}

// choose takes n moments, each class in its turn, and gives them in order.
func choose(all []moment, n int, random *rand.Rand) []moment {
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	waiting := map[Class][]int{}
	for i := range all {
		for _, c := range all[i].classes {
			waiting[c] = append(waiting[c], i)
		}
	}
	taken := map[int]bool{}
	for took := true; took && len(taken) < n; {
		took = false
		for _, c := range Classes {
			if i, ok := next(waiting, c, taken); ok && len(taken) < n {
				taken[i], took = true, true
			}
		}
	}
	var chosen []moment
	for i := range taken {
		chosen = append(chosen, all[i])
	}
	slices.SortFunc(chosen, func(a, b moment) int { return a.at - b.at })
	return chosen
}

// next is the first moment of a class that was not taken yet.
func next(waiting map[Class][]int, c Class, taken map[int]bool) (int, bool) {
	for len(waiting[c]) > 0 {
		i := waiting[c][0]
		waiting[c] = waiting[c][1:]
		if !taken[i] {
			return i, true
		}
	}
	return 0, false
}
