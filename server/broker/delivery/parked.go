package delivery

import (
	"cmp"
	"slices"
)

// ParkedKey is a key that waits to be released, see ParkKey.
type ParkedKey struct {
	Partition uint32
	Hash      uint32
	// Waiting counts the messages that were found to wait behind it.
	Waiting uint64
}

// ParkedKeys appends the parked keys to a list, by partition and hash. It costs
// O(busy keys).
func (s *State) ParkedKeys(into []ParkedKey) []ParkedKey {
	for id, k := range s.keys.byID {
		if k.parked {
			into = append(into, ParkedKey{id.p.id, id.hash, uint64(k.queue.len() + len(k.returned))})
		}
	}
	slices.SortFunc(into, func(a, b ParkedKey) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Hash, b.Hash))
	})
	return into
}

// park has a key wait to be released.
func (s *State) park(k *orderKey) {
	if !k.parked {
		k.parked = true
		s.keys.parked++
	}
}

// releaseKeys lets parked keys go on.
func (s *State) releaseKeys(e *ReleaseKeys) {
	p := s.partitions[e.Partition]
	if p == nil {
		return
	}
	for _, hash := range e.Hashes {
		s.releaseKey(s.keys.byID[keyID{p, hash}])
	}
	if e.All {
		for _, parked := range s.ParkedKeys(nil) {
			if parked.Partition == p.id {
				s.releaseKey(s.keys.byID[keyID{p, parked.Hash}])
			}
		}
	}
}

func (s *State) releaseKey(k *orderKey) {
	if k == nil || !k.parked {
		return
	}
	k.parked = false
	s.keys.parked--
	s.journal.save(k.id.p)
	s.journal.parks = append(s.journal.parks, k)
	s.touch(k, s.now)
}
