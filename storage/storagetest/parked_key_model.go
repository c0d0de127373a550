package storagetest

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/headrace/headrace/storage"
)

// park parks and releases some keys of a partition, some that are parked, or are not.
func (m *deadLetterModel) park(c *deadCursor) (changes []storage.KeyChange) {
	for hash := range uint32(16) {
		if m.rand.IntN(8) > 0 {
			continue
		}
		k := storage.KeyChange{Hash: hash << 28, Parked: m.rand.IntN(2) == 0}
		if k.Parked {
			k.Key = strings.Repeat("k", m.rand.IntN(storage.MaxParkedKeyBytes+1))
			k.Since = time.Unix(0, m.rand.Int64()).UTC()
		}
		changes = append(changes, k)
		c.changeKey(&k)
	}
	return changes
}

func (c *deadCursor) changeKey(k *storage.KeyChange) {
	_, parked := c.parked[k.Hash]
	switch {
	case !k.Parked:
		delete(c.parked, k.Hash)
	case !parked:
		id := storage.ParkedKeyID{Partition: c.partition, Hash: k.Hash}
		c.parked[k.Hash] = storage.ParkedKey{ParkedKeyID: id, Key: k.Key, Since: k.Since}
	}
}

// compareParked reads the parked keys in pages that begin anywhere.
func (m *deadLetterModel) compareParked() {
	var want, got []storage.ParkedKey
	for _, c := range m.cursors {
		for _, hash := range slices.Sorted(maps.Keys(c.parked)) {
			want = append(want, c.parked[hash])
		}
	}
	from := storage.ParkedKeyID{}
	if n := len(want); n > 0 {
		first := m.rand.IntN(n)
		want, from = want[first:], want[first].ParkedKeyID
	}
	for {
		some, err := m.h.ParkedKeys(m.h.t.Context(), m.id, from)
		if err != nil {
			m.h.t.Errorf("parked keys from %v: %v", from, err)
			return
		}
		if len(some) == 0 {
			break
		}
		got, from = append(got, some...), some[len(some)-1].ParkedKeyID
		from.Hash++
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		m.h.t.Errorf("parked keys from there on, -want +got:\n%s", diff)
	}
}
