package delivery

import (
	"math/rand/v2"
	"testing"
)

func TestCountsAreKeptByOffset(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		c := &chunk{index: 2}
		naive := make(map[uint64]uint32)
		for range 50 {
			first := c.base() + r.Uint64N(100)
			last := first + r.Uint64N(10)
			before := len(naive)
			all, added := c.countsOf(first, last)
			for i := range all {
				if all[i].Offset != first+uint64(i) {
					t.Fatalf("count of %d at the place of %d", all[i].Offset, first+uint64(i))
				}
				all[i].Failed++
				naive[all[i].Offset]++
			}
			if added != len(naive)-before || len(c.counts) != len(naive) {
				t.Fatalf("%d added, %d in all; expected %d, %d", added, len(c.counts), len(naive)-before, len(naive))
			}
		}
		for i, count := range c.counts {
			if count.Failed != naive[count.Offset] || i > 0 && c.counts[i-1].Offset >= count.Offset {
				t.Fatalf("count %+v at %d", count, i)
			}
		}
	}
}

func TestAttemptRuns(t *testing.T) {
	p := newPartition(&Cursor{Head: 100, Chunks: []Chunk{{Counts: []Count{
		{Offset: 5, Failed: 1}, {Offset: 6, Expired: 1}, {Offset: 7, Failed: 1, Expired: 1}, {Offset: 9, Failed: 1},
	}}}}, &journal{next: 1}, OrderNone)
	for _, c := range []struct {
		first, last, through uint64
		attempt              uint32
	}{
		{0, 99, 4, 1}, {0, 3, 3, 1}, {5, 99, 6, 2}, {5, 5, 5, 2}, {6, 99, 6, 2}, {7, 99, 7, 3}, {8, 99, 8, 1}, {9, 99, 9, 2}, {10, 99, 99, 1},
	} {
		attempt, through := p.attempt(c.first, c.last)
		if attempt != c.attempt || through != c.through {
			t.Errorf("%d..%d: attempt %d through %d, expected %d through %d", c.first, c.last, attempt, through, c.attempt, c.through)
		}
	}
}

func TestBackoffIsBounded(t *testing.T) {
	s := New(Config{}, nil)
	for n := uint32(1); n < 100; n++ {
		wait := s.backoff(n)
		if wait < DefaultMinBackoff*8/10 || wait > DefaultMaxBackoff*12/10 {
			t.Fatalf("after %d failures: %v", n, wait)
		}
	}
	s = New(Config{BackoffMin: 1}, nil)
	if wait := s.backoff(1); wait != MinRetryDelay {
		t.Fatalf("below the floor: %v", wait)
	}
}
