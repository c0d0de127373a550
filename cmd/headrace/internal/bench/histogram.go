package bench

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// The geometry of a Histogram. A duration of n nanoseconds below 2^subBits has a
// bucket of its own; above, each doubling is cut into 2^subBits buckets, so that
// a bucket is at most 1/32 of its value wide.
//
//	bucket  0 … 31 | 32 … 63 | 64 … 95  | …
//	ns      0 … 31 | 32 … 63 | 64 … 127 | …   (width 1, 1, 2, 4, …)
const (
	subBits     = 5
	subBuckets  = 1 << subBits
	maxValueNS  = 1<<42 - 1 // above an hour
	bucketCount = (42 - subBits + 1) * subBuckets
)

// Histogram counts durations in logarithmic buckets; quantiles are off by 3.2 %
// at most. The zero value is ready. It is safe for concurrent use.
type Histogram struct {
	counts [bucketCount]atomic.Uint64
}

// Record counts one duration; below 0 counts as 0, above an hour as an hour.
func (h *Histogram) Record(d time.Duration) {
	h.counts[bucketOf(d)].Add(1)
}

// Count is how many durations were recorded.
func (h *Histogram) Count() uint64 {
	var n uint64
	for i := range h.counts {
		n += h.counts[i].Load()
	}
	return n
}

// Quantile is the smallest duration that a share q (0 to 1) of all recorded ones
// does not exceed; 0 when nothing was recorded.
func (h *Histogram) Quantile(q float64) time.Duration {
	total := h.Count()
	rank := uint64(q * float64(total))
	var seen uint64
	for i := range h.counts {
		seen += h.counts[i].Load()
		if seen > rank || (seen == total && total > 0) {
			return upperEdge(i)
		}
	}
	return 0
}

func bucketOf(d time.Duration) int {
	n := uint64(min(max(d, 0), maxValueNS))
	if n < subBuckets {
		return int(n)
	}
	shift := bits.Len64(n) - 1 - subBits
	return (shift+1)*subBuckets + int(n>>shift) - subBuckets
}

// upperEdge is the largest duration of a bucket.
func upperEdge(bucket int) time.Duration {
	if bucket < subBuckets {
		return time.Duration(bucket)
	}
	shift := bucket/subBuckets - 1
	first := uint64(bucket%subBuckets+subBuckets) << shift
	return time.Duration(first + 1<<shift - 1)
}
