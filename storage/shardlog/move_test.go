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
	subscribeAt(s, top, 1, 0)
	d.cursors = []digCursor{{1, storage.Cursor{Generation: 1}}}
	subscribeAt(s, top, 2, 5)
	if !d.allows(s, hole) {
		t.Error("dropped, though everybody settled it")
	}
	subscribeAt(s, top, 3, 4)
	if d.allows(s, hole) {
		t.Error("made, though a new subscription begins in it")
	}
}

// TestAHoleIsDroppedWhenThePartitionChangedSinceItWasLookedFor: a trim, a seek or damage
// came between.
func TestAHoleIsDroppedWhenThePartitionChangedSinceItWasLookedFor(t *testing.T) {
	for name, happens := range map[string]func(s *shard, p *partition){
		"nothing":                     nil,
		"the partition begins past":   func(_ *shard, p *partition) { p.first.Offset = 2 },
		"it is fenced":                func(_ *shard, p *partition) { p.fence(storage.ErrDataLoss) },
		"a subscription is damaged":   func(s *shard, _ *partition) { s.subscriptions[1].damage = storage.ErrDataLoss },
		"a cursor was moved":          func(s *shard, _ *partition) { s.subscriptions[1].cursors[0].Generation++ },
		"nobody knows who may follow": func(s *shard, _ *partition) { s.holdTrims = true },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShard()
			top := newTopic(storage.Topic{ID: 1, Name: "a", Partitions: 1, State: storage.Active})
			s.addTopic(top)
			subscribeAt(s, top, 1, 0)
			d := &dig{partition: top.partitions[0], cursors: []digCursor{{1, storage.Cursor{Generation: 1}}}}
			if happens != nil {
				happens(s, top.partitions[0])
			}
			if got := d.allows(s, &holeCut{hole: pointer{1, record.Pointer{Hole: true, Span: 4}}}); got != (happens == nil) {
				t.Errorf("made: %v", got)
			}
		})
	}
}

// TestACutIsDroppedWhenThePartitionChangedSinceItWasRead: another cut or a new
// subscription came, or the partition was fenced.
func TestACutIsDroppedWhenThePartitionChangedSinceItWasRead(t *testing.T) {
	for name, happens := range map[string]func(s *shard, p *partition){
		"nothing":                          nil,
		"it begins elsewhere":              func(_ *shard, p *partition) { p.first.Offset = 1 },
		"a new subscription begins before": func(s *shard, p *partition) { subscribeAt(s, p.topic, 2, 3) },
		"it is fenced":                     func(_ *shard, p *partition) { p.fence(storage.ErrDataLoss) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShard()
			top := newTopic(storage.Topic{ID: 1, Name: "a", Partitions: 1, State: storage.Active})
			s.addTopic(top)
			subscribeAt(s, top, 1, 4)
			p := top.partitions[0]
			p.next.Offset = 9
			x := &cut{trimmable: trimmable{partition: p}, next: record.Mark{Offset: 4}}
			if happens != nil {
				happens(s, p)
			}
			if got := s.allowsCut(x); got != (happens == nil) {
				t.Errorf("applied: %v", got)
			}
		})
	}
}

// subscribeAt adds a subscription to a topic of one partition.
func subscribeAt(s *shard, top *topic, id storage.SubscriptionID, floor storage.Offset) {
	x := newSubscription(storage.Subscription{ID: id, State: storage.Active}, top)
	x.cursors[0] = newCursor(x, 0, floor)
	s.addSubscription(x)
}
