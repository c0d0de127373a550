package broker

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// script is a log whose reads are answered by a function.
type script struct {
	Log

	read func(at storage.Offset) (storage.Piece, error)
}

func (s *script) Read(_ context.Context, _ storage.PartitionID, at storage.Offset) (storage.Piece, error) {
	return s.read(at)
}

func (s *script) Stats(storage.PartitionID) (storage.PartitionStats, error) {
	return storage.PartitionStats{First: 100}, nil
}

// fetchOne asks for one thing and waits for the answer.
func fetchOne(t *testing.T, read func(storage.Offset) (storage.Piece, error), request fetch) fetched {
	t.Helper()
	var answer fetched
	synctest.Test(t, func(t *testing.T) {
		wake := make(chan struct{}, 1)
		f := newFetcher(&script{read: read}, &route{topic: 1, partitions: 1}, wake)
		defer f.close()
		f.ask(request)
		<-wake
		if !f.answered() {
			t.Fatal("woken without an answer")
		}
		all := f.take()
		if len(all) != 1 || f.answered() {
			t.Fatalf("%d answers", len(all))
		}
		answer = all[0]
	})
	return answer
}

func TestFetcherReadsAheadUpToBytesOrHead(t *testing.T) {
	freed := 0
	read := func(at storage.Offset) (storage.Piece, error) {
		s := segmentOf(0, at, 10, &freed)
		s.Bytes = make([]byte, 100)
		return storage.Piece{Segment: s}, nil
	}
	for _, c := range []struct {
		request fetch
		want    int
	}{
		{fetch{at: 0, head: 1000, bytes: 0}, 1},
		{fetch{at: 0, head: 1000, bytes: 100}, 1},
		{fetch{at: 0, head: 1000, bytes: 101}, 2},
		{fetch{at: 0, head: 25, bytes: 1 << 20}, 3},
	} {
		answer := fetchOne(t, read, c.request)
		if len(answer.segments) != c.want || answer.err != nil {
			t.Errorf("%+v: %d segments, %v", c.request, len(answer.segments), answer.err)
		}
		answer.release()
	}
	if freed != 7 {
		t.Errorf("%d of 7 given back", freed)
	}
}

func TestFetcherStopsBeforeWhatItCannotHand(t *testing.T) {
	freed := 0
	for name, second := range map[string]storage.Piece{"hole": {Hole: storage.OffsetRange{First: 10, End: 20}}, "error": {}} {
		answer := fetchOne(t, func(at storage.Offset) (storage.Piece, error) {
			if at == 0 {
				return storage.Piece{Segment: segmentOf(0, 0, 10, &freed)}, nil
			}
			if name == "error" {
				return second, storage.ErrDataLoss
			}
			return second, nil
		}, fetch{head: 1000, bytes: 1 << 20})
		if len(answer.segments) != 1 || answer.err != nil || answer.hole.Len() != 0 {
			t.Errorf("%s: %+v", name, answer)
		}
		answer.release()
	}
}

func TestFetcherTellsHolesAndErrors(t *testing.T) {
	hole := fetchOne(t, func(storage.Offset) (storage.Piece, error) {
		return storage.Piece{Hole: storage.OffsetRange{First: 5, End: 9}}, nil
	}, fetch{at: 5, head: 20})
	if hole.hole != (storage.OffsetRange{First: 5, End: 9}) {
		t.Errorf("hole %+v", hole)
	}
	trimmed := fetchOne(t, func(storage.Offset) (storage.Piece, error) { return storage.Piece{}, storage.ErrTrimmed }, fetch{at: 5, head: 200})
	if trimmed.hole != (storage.OffsetRange{First: 5, End: 100}) || trimmed.err != nil {
		t.Errorf("trimmed %+v", trimmed)
	}
	lost := fetchOne(t, func(storage.Offset) (storage.Piece, error) { return storage.Piece{}, storage.ErrDataLoss }, fetch{at: 5, head: 20})
	if !errors.Is(lost.err, storage.ErrDataLoss) {
		t.Errorf("lost %+v", lost)
	}
}

func TestClosedFetcherGivesBackWhatNobodyTook(t *testing.T) {
	freed := 0
	wake := make(chan struct{}, 1)
	f := newFetcher(&script{read: func(at storage.Offset) (storage.Piece, error) {
		return storage.Piece{Segment: segmentOf(0, at, 1, &freed)}, nil
	}}, &route{topic: 1, partitions: 1}, wake)
	f.ask(fetch{head: 1})
	<-wake
	f.close()
	if freed != 1 {
		t.Errorf("%d of 1 given back", freed)
	}
}

// TestSizesOutliveTheirSegment: what the state machine was told of a segment stays
// when the store uses its memory for another one.
func TestSizesOutliveTheirSegment(t *testing.T) {
	segments := []*storage.Segment{
		{Base: 10, Ends: []uint32{100, 250}, Bytes: make([]byte, 250)},
		{Base: 12, Ends: []uint32{70}, Bytes: make([]byte, 70)},
	}
	told := describe(0, segments)
	for _, s := range segments {
		for i := range s.Ends {
			s.Ends[i] = 1
		}
	}
	want := []delivery.Segment{
		{Base: 10, Ends: []uint32{100, 250}, Time: told.Segments[0].Time},
		{Base: 12, Ends: []uint32{70}, Time: told.Segments[1].Time},
	}
	if d := cmp.Diff(want, told.Segments); d != "" {
		t.Error(d)
	}
}
