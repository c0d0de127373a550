package broker

import (
	"math/rand/v2"
	"testing"
)

// A fifo does what a slice does.
func TestFifoKeepsOrder(t *testing.T) {
	const seed = 7
	chance := rand.New(rand.NewPCG(seed, seed))
	var f fifo[int]
	var want []int
	for i := range 100_000 {
		switch n := chance.IntN(5); {
		case n < 2 || len(want) == 0:
			f.push(i)
			want = append(want, i)
		case n == 2:
			f.popBack()
			want = want[:len(want)-1]
		default:
			if got := f.pop(); got != want[0] {
				t.Fatalf("seed %d, step %d: popped %d, want %d", seed, i, got, want[0])
			}
			want = want[1:]
		}
		if f.len() != len(want) || len(want) > 0 && (f.front() != want[0] || f.back() != want[len(want)-1]) {
			t.Fatalf("seed %d, step %d: the ends differ", seed, i)
		}
	}
}
