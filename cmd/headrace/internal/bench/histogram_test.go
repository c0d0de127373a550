package bench

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestEveryDurationLiesInItsBucket(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 1000, time.Microsecond, time.Millisecond, time.Second, time.Hour} {
		b := bucketOf(d)
		if upperEdge(b) < d {
			t.Errorf("%d: bucket %d ends at %d", d, b, upperEdge(b))
		}
		if b > 0 && upperEdge(b-1) >= d {
			t.Errorf("%d: bucket %d, but the one before ends at %d", d, b, upperEdge(b-1))
		}
	}
}

func TestLongAndNegativeDurationsAreCounted(t *testing.T) {
	var h Histogram
	h.Record(-time.Second)
	h.Record(1000 * time.Hour)
	if h.Count() != 2 {
		t.Errorf("count %d", h.Count())
	}
}

func TestQuantileOfNothingIsZero(t *testing.T) {
	var h Histogram
	if q := h.Quantile(0.99); q != 0 {
		t.Error(q)
	}
}

func TestQuantilesAreWithinTheirError(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, seed))
	var h Histogram
	values := make([]time.Duration, 10_000)
	for i := range values {
		values[i] = time.Duration(r.ExpFloat64() * float64(time.Millisecond))
		h.Record(values[i])
	}
	slices.Sort(values)
	for _, q := range []float64{0, 0.5, 0.99, 1} {
		want := values[min(int(q*float64(len(values))), len(values)-1)]
		got := h.Quantile(q)
		if got < want || float64(got) > float64(want)*1.033+1 {
			t.Errorf("quantile %v is %v, the exact one %v", q, got, want)
		}
	}
}
