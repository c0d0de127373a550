package delivery

import (
	"math/rand/v2"
	"testing"
)

type ranked struct{ rank, place int }

func TestHeapKeepsOrderWhileItemsMove(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	h := heap[*ranked]{
		less:  func(a, b *ranked) bool { return a.rank < b.rank },
		place: func(x *ranked) *int { return &x.place },
	}
	items := make([]ranked, 50)
	for range 10_000 {
		item := &items[r.IntN(len(items))]
		if r.IntN(3) == 0 {
			h.remove(item)
		} else {
			item.rank = r.IntN(100)
			h.put(item)
		}
		in := 0
		for i := range items {
			if items[i].place == 0 {
				continue
			}
			in++
			if h.items[items[i].place-1] != &items[i] {
				t.Fatal("an item does not know its place")
			}
			if items[i].rank < h.top().rank {
				t.Fatal("the top is not the least")
			}
		}
		if in != h.len() {
			t.Fatalf("%d items in the heap, %d think so", h.len(), in)
		}
	}
	for last := -1; h.len() > 0; {
		item := h.pop()
		if item.rank < last {
			t.Fatalf("%d after %d", item.rank, last)
		}
		last = item.rank
	}
}

func TestRingIsFirstInFirstOut(t *testing.T) {
	var q ring[int]
	next := 0
	for i := range 1000 {
		q.push(i)
		if i%3 == 0 {
			if *q.front() != next {
				t.Fatalf("%d, expected %d", *q.front(), next)
			}
			q.pop()
			next++
		}
	}
	if q.len() != 1000-next {
		t.Fatalf("%d left, expected %d", q.len(), 1000-next)
	}
}
