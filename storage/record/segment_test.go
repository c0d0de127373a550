package record

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/headrace/headrace/storage"
)

var (
	segmentKey = AppendSegmentKey(nil, 77, 1)

	// wholeSlices compares long slices as one: element by element takes minutes.
	wholeSlices = cmp.Options{
		cmp.Comparer(bytes.Equal), cmp.Comparer(slices.Equal[[]uint32]), cmp.Comparer(slices.Equal[[]storage.KeyHash]),
	}
	// sameSegment compares what segments hold, not how they are shared.
	sameSegment = cmp.Options{cmpopts.IgnoreUnexported(storage.Segment{}), wholeSlices}
)

// randomAppends are n appends over a few partitions, dense in each.
func randomAppends(r *rand.Rand, n, maxMessages, maxBytes int) []storage.Append {
	next := map[storage.PartitionID]storage.Offset{}
	var all []storage.Append
	for range n {
		a := storage.Append{Partition: storage.PartitionID{Topic: storage.TopicID(r.Uint32N(4)), Partition: 1}}
		a.Base = next[a.Partition]
		keyed := r.IntN(3) == 0
		for range 1 + r.IntN(maxMessages) {
			a.Messages = append(a.Messages, bytes.Repeat([]byte{byte(r.Uint32())}, 1+r.IntN(maxBytes))...)
			a.Ends = append(a.Ends, uint32(len(a.Messages)))
			if keyed {
				a.KeyHashes = append(a.KeyHashes, storage.KeyHash{Hash: r.Uint32() | 1, Present: true})
			}
		}
		next[a.Partition] += storage.Offset(len(a.Ends))
		all = append(all, a)
	}
	return all
}

// TestSegmentsGiveBackWhatWasAdded: over any mix of appends, split over as many
// segments as it takes, every message comes back under its partition and offset,
// from the view and from the disk alike.
func TestSegmentsGiveBackWhatWasAdded(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		appends := randomAppends(r, 40, 60, 1+r.IntN(3000))
		got := map[storage.PartitionID]*storage.Append{}
		var b SegmentBuilder
		for i := range appends {
			for from := 0; from < len(appends[i].Ends); {
				taken := b.Add(&appends[i], from, sampleTime)
				if from += taken; taken == 0 {
					collect(t, &b, got)
				}
			}
		}
		collect(t, &b, got)
		if diff := cmp.Diff(joined(appends), got, wholeSlices); diff != "" {
			t.Fatalf("seed %d: -want +got:\n%s", seed, diff)
		}
	}
}

// collect finishes a segment, reads it back into got and resets the builder.
func collect(t *testing.T, b *SegmentBuilder, got map[storage.PartitionID]*storage.Append) {
	t.Helper()
	r, err := OpenSegment(segmentKey, bytes.Clone(b.Finish(segmentKey)))
	if err != nil {
		t.Fatal(err)
	}
	for i, run := range b.Runs() {
		var view, read storage.Segment
		b.View(i, &view)
		p := run.Pointer(77, 1, Totals{})
		if err := r.ReadPointer(run.Partition, run.Base, &p, &read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&view, &read, sameSegment); diff != "" {
			t.Fatalf("run %d: -view +read:\n%s", i, diff)
		}
		appendTo(got, &storage.Append{Partition: read.Partition, Base: read.Base, Messages: read.Bytes, Ends: read.Ends, KeyHashes: read.KeyHashes})
	}
	b.Reset()
}

// joined gives one append a partition that holds all of its messages.
func joined(appends []storage.Append) map[storage.PartitionID]*storage.Append {
	all := map[storage.PartitionID]*storage.Append{}
	for i := range appends {
		appendTo(all, &appends[i])
	}
	return all
}

func appendTo(all map[storage.PartitionID]*storage.Append, a *storage.Append) {
	into, ok := all[a.Partition]
	if !ok {
		into = &storage.Append{Partition: a.Partition, Base: a.Base}
		all[a.Partition] = into
	}
	start := uint32(len(into.Messages))
	into.Messages = append(into.Messages, a.Messages...)
	for _, end := range a.Ends {
		into.Ends = append(into.Ends, start+end)
	}
	hashes := a.KeyHashes
	if hashes == nil {
		hashes = make([]storage.KeyHash, len(a.Ends))
	}
	into.KeyHashes = append(into.KeyHashes, hashes...)
}

func TestSegmentHoldsItsBytesOrOneLargerMessage(t *testing.T) {
	sized := func(sizes ...int) *storage.Append {
		a := &storage.Append{}
		for _, n := range sizes {
			a.Messages = append(a.Messages, make([]byte, n)...)
			a.Ends = append(a.Ends, uint32(len(a.Messages)))
		}
		return a
	}
	var b SegmentBuilder
	for name, c := range map[string]struct {
		add  *storage.Append
		want int
	}{
		"exactly full":               {sized(SegmentBytes-10, 10, 1), 2},
		"one byte too many":          {sized(SegmentBytes-10, 11), 1},
		"a larger one goes alone":    {sized(SegmentBytes+1, 1), 1},
		"not behind a smaller one":   {sized(1, SegmentBytes+1), 1},
		"tiny ones, by their number": {sized(make([]int, 2*MaxSegmentMessages)...), MaxSegmentMessages},
	} {
		b.Reset()
		if got := b.Add(c.add, 0, sampleTime); got != c.want {
			t.Errorf("%s: took %d messages, expected %d", name, got, c.want)
		}
		if name == "a larger one goes alone" && b.Add(c.add, 1, sampleTime) != 0 {
			t.Errorf("%s: and takes another one", name)
		}
	}
}

// TestAppendsThatContinueARunShareItsEntry: 64 publishers of one message each cost
// one pointer.
func TestAppendsThatContinueARunShareItsEntry(t *testing.T) {
	var b SegmentBuilder
	add := func(base storage.Offset, topic storage.TopicID, at time.Time) {
		a := storage.Append{Partition: storage.PartitionID{Topic: topic}, Base: base, Messages: []byte("x"), Ends: []uint32{1}}
		b.Add(&a, 0, at)
	}
	for base := range storage.Offset(64) {
		add(base, 1, sampleTime)
	}
	add(0, 2, sampleTime)
	add(64, 1, sampleTime)
	add(65, 1, sampleTime.Add(1))
	if got := len(b.Runs()); got != 4 {
		t.Errorf("%d runs, expected 4: 64 joined, another partition, back again, another time", got)
	}
}

// TestReadChecksOnlyTheBlocksOfItsRun: damage elsewhere in the bodies does not
// matter to a run.
func TestReadChecksOnlyTheBlocksOfItsRun(t *testing.T) {
	var b SegmentBuilder
	for topic := range storage.TopicID(3) {
		a := storage.Append{Partition: storage.PartitionID{Topic: topic}, Messages: make([]byte, 2*BlockBytes), Ends: []uint32{2 * BlockBytes}}
		b.Add(&a, 0, sampleTime)
	}
	value := b.Finish(segmentKey)
	value[3*BlockBytes] ^= 1
	r, err := OpenSegment(segmentKey, value)
	if err != nil {
		t.Fatal(err)
	}
	for i, broken := range []bool{false, true, false} {
		err := r.Read(i, new(storage.Segment))
		if broken != errors.Is(err, storage.ErrDataLoss) {
			t.Errorf("run %d: %v", i, err)
		}
	}
	if err := r.Check(); !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("check of the whole segment: %v", err)
	}
}

// TestPointerToAnotherRunIsDataLoss: the pointer and the directory must agree on
// everything.
func TestPointerToAnotherRunIsDataLoss(t *testing.T) {
	appends := plainAppends()
	r, err := OpenSegment(segmentKey, buildSegment(segmentKey, appends))
	if err != nil {
		t.Fatal(err)
	}
	run := r.Run(1)
	good := run.Pointer(77, 1, Totals{})
	if err := r.ReadPointer(run.Partition, run.Base, &good, new(storage.Segment)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(p *Pointer, id *storage.PartitionID, base *storage.Offset){
		"partition":     func(_ *Pointer, id *storage.PartitionID, _ *storage.Offset) { id.Partition++ },
		"base":          func(_ *Pointer, _ *storage.PartitionID, base *storage.Offset) { *base++ },
		"first message": func(p *Pointer, _ *storage.PartitionID, _ *storage.Offset) { p.At.FirstMessage-- },
		"first byte":    func(p *Pointer, _ *storage.PartitionID, _ *storage.Offset) { p.At.FirstByte++ },
		"bytes":         func(p *Pointer, _ *storage.PartitionID, _ *storage.Offset) { p.Bytes++ },
		"span":          func(p *Pointer, _ *storage.PartitionID, _ *storage.Offset) { p.Span++ },
		"beyond":        func(p *Pointer, _ *storage.PartitionID, _ *storage.Offset) { p.At.FirstMessage = 99 },
	} {
		p, id, base := good, run.Partition, run.Base
		change(&p, &id, &base)
		if err := r.ReadPointer(id, base, &p, new(storage.Segment)); !errors.Is(err, storage.ErrDataLoss) {
			t.Errorf("another %s: %v", name, err)
		}
	}
}

// TestBuilderDropsAGiantBuffer: one large message does not hold its memory.
func TestBuilderDropsAGiantBuffer(t *testing.T) {
	var b SegmentBuilder
	a := storage.Append{Messages: make([]byte, maxKeptBytes+1), Ends: []uint32{maxKeptBytes + 1}}
	b.Add(&a, 0, sampleTime)
	b.Finish(segmentKey)
	b.Reset()
	if cap(b.value) > maxKeptBytes {
		t.Errorf("keeps %d bytes", cap(b.value))
	}
}
