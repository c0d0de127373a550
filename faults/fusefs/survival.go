package fusefs

import "math/rand/v2"

// Survival decides how much of what was not synced is on the disk after a cut. The
// zero value lets nothing survive.
type Survival struct {
	// Share is the chance of each write; 1: everything survives, in order.
	Share float64
	// PieceBytes is what the disk writes at once: a write that survives may be torn
	// between pieces; 0: none is.
	PieceBytes int
	// Random is needed unless Share is 0 or 1 and PieceBytes 0.
	Random *rand.Rand
}

// prefix is how many of n changes survive, of those that survive in order only.
func (s *Survival) prefix(n int) int {
	switch s.Share {
	case 0:
		return 0
	case 1:
		return n
	}
	return s.Random.IntN(n + 1)
}

// span is a part of a write.
type span struct{ from, to int }

// spans are the parts of a write that survive.
func (s *Survival) spans(size int) []span {
	switch {
	case s.Share == 0 || s.Share < 1 && s.Random.Float64() >= s.Share:
		return nil
	case s.PieceBytes == 0 || s.Random.IntN(2) == 0:
		return []span{{0, size}}
	}
	pieces := (size + s.PieceBytes - 1) / s.PieceBytes
	first, inOrder := s.Random.IntN(pieces+1), s.Random.IntN(2) == 0
	var all []span
	for i := range pieces {
		if inOrder && i < first || !inOrder && s.Random.IntN(2) == 0 {
			all = append(all, span{i * s.PieceBytes, min(size, (i+1)*s.PieceBytes)})
		}
	}
	return all
}
