package shardlog

import (
	"errors"
	"testing"

	"github.com/headrace/headrace/storage"
)

// TestAChangeSetThatDoesNotFitItsCursorIsRefused: nothing of it is applied.
func TestAChangeSetThatDoesNotFitItsCursorIsRefused(t *testing.T) {
	acked := func(index uint64, at storage.Offset) storage.Chunk {
		return storage.Chunk{Index: index, Acked: []storage.OffsetRange{{First: at, End: at + 1}}}
	}
	for name, c := range map[string]struct {
		change storage.CursorChange
		want   error
	}{
		"it fits": {storage.CursorChange{
			Generation: 1, Floor: 2, Chunks: []storage.Chunk{acked(0, 5)}, Histories: []storage.History{{Offset: 3}, {Offset: 6}},
		}, nil},
		"its generation is another":             {storage.CursorChange{Generation: 2, Floor: 2}, storage.ErrStale},
		"its floor goes back":                   {storage.CursorChange{Floor: 1}, storage.ErrDataLoss},
		"its floor is past the head":            {storage.CursorChange{Floor: 10}, storage.ErrDataLoss},
		"its chunks are out of order":           {storage.CursorChange{Floor: 2, Chunks: []storage.Chunk{acked(1, 1<<12), acked(0, 5)}}, storage.ErrDataLoss},
		"a history is below its floor":          {storage.CursorChange{Floor: 4, Histories: []storage.History{{Offset: 3}}}, storage.ErrDataLoss},
		"a key is there twice":                  {storage.CursorChange{Floor: 2, Keys: []storage.KeyChange{{Hash: 3}, {Hash: 3}}}, storage.ErrDataLoss},
		"a history is there twice":              {storage.CursorChange{Floor: 2, Histories: []storage.History{{Offset: 3}, {Offset: 3}}}, storage.ErrDataLoss},
		"a history is of what is settled in it": {storage.CursorChange{Floor: 2, Chunks: []storage.Chunk{acked(0, 5)}, Histories: []storage.History{{Offset: 5}}}, storage.ErrDataLoss},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShard()
			top := newTopic(storage.Topic{ID: 1, Name: "a", Partitions: 1, State: storage.Active})
			s.addTopic(top)
			subscribeAt(s, top, 1, 2)
			top.partitions[0].next.Offset = 9
			set := &storage.ChangeSet{Subscription: 1, Cursors: []storage.CursorChange{c.change}}
			if err := s.subscriptions[1].check(set); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}
