package headrace

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpansMergeWhateverTheOrder(t *testing.T) {
	for name, c := range map[string]struct {
		add  []uint64
		want spans
	}{
		"in order":      {[]uint64{1, 2, 3}, spans{{1, 3}}},
		"reversed":      {[]uint64{3, 2, 1}, spans{{1, 3}}},
		"with holes":    {[]uint64{7, 1, 3, 2, 9, 8}, spans{{1, 3}, {7, 9}}},
		"one":           {[]uint64{5}, spans{{5, 5}}},
		"every second":  {[]uint64{2, 4, 6}, spans{{2, 2}, {4, 4}, {6, 6}}},
		"to the ending": {[]uint64{1<<64 - 1, 1<<64 - 2}, spans{{1<<64 - 2, 1<<64 - 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			var s spans
			for _, sequence := range c.add {
				s.add(sequence)
			}
			s.merge()
			if diff := cmp.Diff(c.want, s, cmp.AllowUnexported(span{})); diff != "" {
				t.Error(diff)
			}
			if s.count() != len(c.add) {
				t.Errorf("count %d", s.count())
			}
		})
	}
}

func TestSpansOfAnyOrderHoldEachSequenceOnce(t *testing.T) {
	const n = 1_000
	var s spans
	for _, i := range rand.Perm(n) {
		s.add(uint64(i + 1))
	}
	s.merge()
	if diff := cmp.Diff(spans{{1, n}}, s, cmp.AllowUnexported(span{})); diff != "" {
		t.Error(diff)
	}
}

func TestCutTakesTheFirstRanges(t *testing.T) {
	s := spans{{1, 1}, {3, 3}, {5, 5}}
	front := s.cut(2)
	if len(front) != 2 || len(s) != 1 || s[0].first != 5 || front.contains(5) || !front.contains(3) || front.contains(2) {
		t.Errorf("front %v, rest %v", front, s)
	}
	if rest := s.cut(10); len(rest) != 1 || len(s) != 0 {
		t.Errorf("rest %v, left %v", rest, s)
	}
}
