package broker

import (
	"testing"

	"github.com/headrace/headrace/storage"
)

// The hash of a key, and what partition it leads to, are formats: these values may
// never change. xxHash64 of "a" with seed 0 is published as 0xd24ec4f1a98c6e5b.
func TestKeyHashIsGolden(t *testing.T) {
	for _, golden := range []struct {
		key       string
		hash      uint32
		partition map[int]int
	}{
		{"a", 0xa98c6e5b, map[int]int{1: 0, 3: 0, 256: 91}},
		{"customer-42", 0x56958c0f, map[int]int{1: 0, 3: 0, 256: 15}},
		{"ключ", 0x3d89d19c, map[int]int{1: 0, 3: 2, 256: 156}},
		{"a\x00b", 0x8d1338c1, map[int]int{1: 0, 3: 1, 256: 193}},
	} {
		hash := HashKey([]byte(golden.key))
		if want := (storage.KeyHash{Hash: golden.hash, Present: true}); hash != want {
			t.Errorf("HashKey(%q) = %#x, want %#x", golden.key, hash.Hash, golden.hash)
		}
		for partitions, want := range golden.partition {
			if got := keyPartition(hash, partitions); got != want {
				t.Errorf("%q goes to partition %d of %d, want %d", golden.key, got, partitions, want)
			}
		}
	}
}

func TestNoKeyIsNoHash(t *testing.T) {
	if got := HashKey(nil); got != (storage.KeyHash{}) {
		t.Errorf("HashKey(nil) = %+v", got)
	}
}
