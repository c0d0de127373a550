package broker

import (
	"math"
	"sort"
	"time"

	"github.com/headrace/headrace/storage"
)

// maxGaugeMarks bounds the marks of a gauge; when it is reached every second one goes.
const maxGaugeMarks = 128

// backlogGauge knows of one partition how much was written before an offset, and when:
// exactly at its marks, in proportion between them. The zero value is ready.
type backlogGauge struct {
	marks []gaugeMark
}

// gaugeMark says how many bytes, ever, lie before an offset, and when the last message
// before it was written.
type gaugeMark struct {
	offset, bytes uint64
	time          int64
}

// note takes the partition's figures in.
func (g *backlogGauge) note(f *storage.PartitionStats) {
	if len(g.marks) == 0 {
		g.marks = append(g.marks, gaugeMark{uint64(f.First), f.NextBytes - min(f.NextBytes, f.RetainedBytes), nanos(f.FirstTime)})
	}
	if g.marks[len(g.marks)-1].offset >= uint64(f.Next) {
		return
	}
	g.marks = append(g.marks, gaugeMark{uint64(f.Next), f.NextBytes, nanos(f.NextTime)})
	if len(g.marks) < maxGaugeMarks {
		return
	}
	last := len(g.marks) - 1
	for i := 1; i <= last/2; i++ {
		g.marks[i] = g.marks[min(2*i, last)]
	}
	g.marks[last/2+1] = g.marks[last]
	g.marks = g.marks[:last/2+2]
	if n := len(g.marks); g.marks[n-1] == g.marks[n-2] {
		g.marks = g.marks[:n-1]
	}
}

// nanos is a time in Unix nanoseconds; 0 for none.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// forget lets go of what lies before an offset.
func (g *backlogGauge) forget(before uint64) {
	passed := 0
	for passed+1 < len(g.marks) && g.marks[passed+1].offset <= before {
		passed++
	}
	g.marks = g.marks[:copy(g.marks, g.marks[passed:])]
}

// at is the mark of an offset.
func (g *backlogGauge) at(offset uint64) gaugeMark {
	i := sort.Search(len(g.marks), func(i int) bool { return g.marks[i].offset >= offset })
	switch {
	case len(g.marks) == 0:
		return gaugeMark{offset: offset}
	case i == len(g.marks):
		return g.marks[i-1]
	case i == 0 || g.marks[i].offset == offset:
		return g.marks[i]
	}
	a, b := g.marks[i-1], g.marks[i]
	part := float64(offset-a.offset) / float64(b.offset-a.offset)
	return gaugeMark{
		offset: offset,
		bytes:  a.bytes + uint64(math.Round(part*float64(b.bytes-a.bytes))),
		time:   a.time + int64(part*float64(b.time-a.time)),
	}
}

// after is the first mark's offset that is greater than an offset, at most end.
func (g *backlogGauge) after(offset, end uint64) uint64 {
	i := sort.Search(len(g.marks), func(i int) bool { return g.marks[i].offset > offset })
	if i == len(g.marks) {
		return end
	}
	return min(g.marks[i].offset, end)
}
