package headrace

import (
	"cmp"
	"slices"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// span is a closed range of delivery sequences.
type span struct{ first, last uint64 }

// spans collects sequences as ranges. What is added in order is merged at once,
// the rest by merge.
type spans []span

// add adds a sequence that is not in s.
func (s *spans) add(sequence uint64) {
	if n := len(*s); n > 0 && (*s)[n-1].last+1 == sequence {
		(*s)[n-1].last = sequence
		return
	}
	*s = append(*s, span{sequence, sequence})
}

// merge sorts the ranges and joins neighbours.
func (s *spans) merge() {
	slices.SortFunc(*s, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	merged := (*s)[:0]
	for _, r := range *s {
		if n := len(merged); n > 0 && merged[n-1].last+1 == r.first {
			merged[n-1].last = r.last
			continue
		}
		merged = append(merged, r)
	}
	*s = merged
}

// cut removes and returns the first n ranges, or all when there are fewer.
func (s *spans) cut(n int) spans {
	n = min(n, len(*s))
	front := (*s)[:n:n]
	*s = (*s)[n:]
	return front
}

// count returns how many sequences there are.
func (s spans) count() int {
	n := 0
	for _, r := range s {
		n += int(r.last - r.first + 1)
	}
	return n
}

func (s spans) contains(sequence uint64) bool {
	return slices.ContainsFunc(s, func(r span) bool { return r.first <= sequence && sequence <= r.last })
}

func (s spans) ranges() []*headracev1.SequenceRange {
	all := make([]headracev1.SequenceRange, len(s))
	pointers := make([]*headracev1.SequenceRange, len(s))
	for i, r := range s {
		all[i].First, all[i].Last = r.first, r.last
		pointers[i] = &all[i]
	}
	return pointers
}

// spansOf takes ranges from the server; one that ends before it begins holds
// nothing.
func spansOf(ranges []*headracev1.SequenceRange) spans {
	s := make(spans, 0, len(ranges))
	for _, r := range ranges {
		if r.GetFirst() <= r.GetLast() {
			s = append(s, span{r.GetFirst(), r.GetLast()})
		}
	}
	return s
}
