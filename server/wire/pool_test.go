package wire

import "testing"

func TestPoolLendsWhatWasAskedFor(t *testing.T) {
	p := NewPool()
	for _, length := range []int{0, 1, 2047, 2048, 2049, 1 << 20, 1<<24 + 1} {
		b := p.Get(length)
		if len(*b) != length {
			t.Errorf("Get(%d) has %d bytes", length, len(*b))
		}
		p.Put(b)
	}
}

func TestPoolTiersArePowersOfTwo(t *testing.T) {
	for length, want := range map[int]int{0: 11, 2048: 11, 2049: 12, 33 << 10: 16, 1 << 24: 24, 1<<24 + 1: 25} {
		if got := tierOf(length); got != want {
			t.Errorf("tierOf(%d) = %d, want %d", length, got, want)
		}
	}
}
