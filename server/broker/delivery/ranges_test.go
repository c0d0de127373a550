package delivery

import (
	"math/rand/v2"
	"testing"
)

// naiveSet is what ranges stand for.
type naiveSet [300]bool

func (n *naiveSet) add(first, last uint64) (added uint64) {
	for i := first; i <= last; i++ {
		if !n[i] {
			added++
		}
		n[i] = true
	}
	return added
}

func (n *naiveSet) count(first, last uint64) (c uint64) {
	for i := first; i <= last; i++ {
		if n[i] {
			c++
		}
	}
	return c
}

func TestRangesAreASet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var set ranges
		var naive naiveSet
		for range 40 {
			first := r.Uint64N(250)
			last := first + r.Uint64N(20)
			if got, expected := set.add(first, last), naive.add(first, last); got != expected {
				t.Fatalf("add %d..%d added %d, expected %d", first, last, got, expected)
			}
			if r.IntN(20) == 0 {
				set.dropBelow(first)
				clear(naive[:first])
			}
			checkRanges(t, set, &naive, r)
		}
	}
}

func checkRanges(t *testing.T, set ranges, naive *naiveSet, r *rand.Rand) {
	t.Helper()
	for i := 1; i < len(set); i++ {
		if set[i-1].Last+1 >= set[i].First {
			t.Fatalf("ranges touch: %v", set)
		}
	}
	first := r.Uint64N(280)
	last := first + r.Uint64N(20)
	if got, expected := set.count(first, last), naive.count(first, last); got != expected {
		t.Fatalf("%v counts %d in %d..%d, expected %d", set, got, first, last, expected)
	}
	if _, found := set.find(first); found != naive[first] {
		t.Fatalf("%v has %d: %v", set, first, found)
	}
}

func TestBitmapRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var b Bitmap
	var naive [ChunkOffsets]bool
	for range 40 {
		first := r.IntN(ChunkOffsets)
		last := min(first+r.IntN(200), ChunkOffsets-1)
		b.Set(first, last)
		for i := first; i <= last; i++ {
			naive[i] = true
		}
	}
	n := 0
	for at := 0; ; {
		first, last := b.Next(at)
		for i := at; i < first; i++ {
			if naive[i] {
				t.Fatalf("bit %d is skipped", i)
			}
		}
		if first == ChunkOffsets {
			break
		}
		for i := first; i <= last; i++ {
			if !naive[i] || !b.Has(i) {
				t.Fatalf("bit %d is not set", i)
			}
			n++
		}
		at = last + 1
		if at < ChunkOffsets && naive[at] {
			t.Fatalf("the run ends before %d", at)
		}
	}
	if n != b.Len() {
		t.Fatalf("%d bits in runs, %d in all", n, b.Len())
	}
}

func TestBitmapClearBelow(t *testing.T) {
	for _, low := range []int{0, 1, 63, 64, 65, 4095, 4096} {
		var b Bitmap
		b.Set(0, ChunkOffsets-1)
		b.clearBelow(low)
		if first, _ := b.Next(0); first != low || b.Len() != ChunkOffsets-low {
			t.Fatalf("below %d: first %d, %d set", low, first, b.Len())
		}
	}
}
