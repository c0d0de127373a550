package shardlog

import (
	"errors"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// TestAMoveIsDroppedWhenAPointerWentSinceItWasRead: a trim, a hole and a deletion
// take pointers away, or where a partition begins moves.
func TestAMoveIsDroppedWhenAPointerWentSinceItWasRead(t *testing.T) {
	from := segmentID{1, 0}
	for name, happens := range map[string]func(s *shard, p *partition){
		"nothing":                   nil,
		"a trim or a hole":          func(s *shard, p *partition) { s.live.drop(pointerID{p.id, 0}, from, 1) },
		"the partition begins past": func(_ *shard, p *partition) { p.first.Offset = 1 },
		"the topic is deleted":      func(_ *shard, p *partition) { p.topic.State = storage.Deleting },
		"the partition is fenced":   func(_ *shard, p *partition) { p.fence(storage.ErrDataLoss) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShard()
			top := newTopic(storage.Topic{ID: 1, Name: "a", Partitions: 2, State: storage.Active})
			s.addTopic(top)
			s.live.add(from, 2, 2)
			x := &move{from: from}
			for _, p := range top.partitions {
				x.survivors = append(x.survivors, survivor{
					pointer{0, record.Pointer{Span: 1, Messages: 1, Bytes: 3}}, p.id,
					&storage.Segment{Partition: p.id, Bytes: []byte("abc"), Ends: []uint32{3}},
				})
			}
			x.bodies, x.live = 1000, 6
			if err := x.build(); err != nil {
				t.Fatal(err)
			}
			if happens != nil {
				happens(s, top.partitions[0])
			}
			b := &batch{}
			b.Number = 7
			err := (&committer{shard: s}).moveSurvivors(b, x)
			if moved := err == nil; moved != (happens == nil) || !moved && (!errors.Is(err, errNotThin) || len(b.Ops) != 0) {
				t.Errorf("moved %v, %v, with %d changes", moved, err, len(b.Ops))
			}
		})
	}
}

// TestAHoleIsDroppedWhenASubscriptionCameThatWantsIt: it came after the look began.
func TestAHoleIsDroppedWhenASubscriptionCameThatWantsIt(t *testing.T) {
	s := newShard()
	top := newTopic(storage.Topic{ID: 1, Name: "a", Partitions: 1, State: storage.Active})
	s.addTopic(top)
	hole := &holeCut{hole: pointer{1, record.Pointer{Hole: true, Span: 4}}}
	d := &dig{partition: top.partitions[0]}
	subscribe := func(id storage.SubscriptionID, floor storage.Offset) {
		x := newSubscription(storage.Subscription{ID: id, State: storage.Active}, top)
		x.cursors[0] = newCursor(x, 0, floor)
		s.addSubscription(x)
	}
	subscribe(1, 0)
	d.cursors = []digCursor{{1, storage.Cursor{Generation: 1}}}
	subscribe(2, 5)
	if !d.allows(s, hole) {
		t.Error("dropped, though everybody settled it")
	}
	subscribe(3, 4)
	if d.allows(s, hole) {
		t.Error("made, though a new subscription begins in it")
	}
}
