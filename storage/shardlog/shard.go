package shardlog

import (
	"fmt"
	"slices"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// shard is what the committer knows: the shard as of the open batch. Loop only.
type shard struct {
	record.Shard
	topics        map[storage.TopicID]*topic
	subscriptions map[storage.SubscriptionID]*subscription
	// The names taken, also by what is being deleted.
	topicNames        map[string]storage.TopicID
	subscriptionNames map[string]storage.SubscriptionID

	// buffered is how many topics are.
	buffered int

	// number and hash are the last batch's that was sealed.
	number, hash uint64

	checkpoints checkpoints
	live        liveCounts
	recent      recentPointers
	// holdTrims: a damaged subscription may need messages of any topic.
	holdTrims bool
	producers producers
	// deduping are the partitions that remember dedupe ids.
	deduping fifo[*partition]
	// holdSegments: a partition was fenced at the opening.
	holdSegments bool
	// doomed are cursors with ack chunks below the floor.
	doomed fifo[*cursor]
}

func newShard() *shard {
	return &shard{
		Shard:             record.Shard{NextTopic: 1, NextSubscription: 1},
		topics:            map[storage.TopicID]*topic{},
		subscriptions:     map[storage.SubscriptionID]*subscription{},
		topicNames:        map[string]storage.TopicID{},
		subscriptionNames: map[string]storage.SubscriptionID{},
		live:              newLiveCounts(),
		producers:         newProducers(),
	}
}

// subscription gives a subscription that is in service. Errors: ErrNotFound,
// ErrDataLoss.
func (s *shard) subscription(id storage.SubscriptionID) (*subscription, error) {
	x := s.subscriptions[id]
	if x == nil || x.State == storage.Creating || x.State == storage.Deleting {
		return nil, fmt.Errorf("%w: subscription %d", storage.ErrNotFound, id)
	}
	return x, x.damage
}

// partition gives a partition of a topic that takes messages.
func (s *shard) partition(id storage.PartitionID) (*partition, error) {
	t := s.topics[id.Topic]
	if t == nil || t.State == storage.Deleting || int(id.Partition) >= len(t.partitions) {
		return nil, storage.ErrNotFound
	}
	p := t.partitions[id.Partition]
	if err := p.err(); err != nil {
		return nil, err
	}
	return p, nil
}

func (s *shard) addTopic(t *topic) {
	if t.Buffered {
		s.buffered++
	}
	s.topics[t.ID] = t
	s.topicNames[t.Name] = t.ID
}

func (s *shard) removeTopic(t *topic) {
	if t.Buffered {
		s.buffered--
	}
	delete(s.topics, t.ID)
	delete(s.topicNames, t.Name)
}

func (s *shard) addSubscription(x *subscription) {
	s.subscriptions[x.ID] = x
	s.subscriptionNames[x.Name] = x.ID
	x.topic.subscriptions = append(x.topic.subscriptions, x)
}

func (s *shard) removeSubscription(x *subscription) {
	delete(s.subscriptions, x.ID)
	delete(s.subscriptionNames, x.Name)
	s.holdTrims = s.anyDamaged()
	for _, p := range x.topic.partitions {
		p.dug = dug{}
	}
	x.topic.subscriptions = slices.DeleteFunc(x.topic.subscriptions, func(y *subscription) bool { return y == x })
}

// sawTopic and sawSubscription keep an id from being given again.
func (s *shard) sawTopic(id storage.TopicID) { s.NextTopic = max(s.NextTopic, id+1) }

func (s *shard) sawSubscription(id storage.SubscriptionID) {
	s.NextSubscription = max(s.NextSubscription, id+1)
}

// keeps says whether a segment is kept though nothing points to it: one that is older
// than an opening which had to fence a partition may be all that shows that damage to
// the next opening.
func (s *shard) keeps(x segmentID) bool { return s.holdSegments && x.batch <= s.live.old }

// anyFenced says whether any partition is.
func (s *shard) anyFenced() bool {
	for _, t := range s.topics {
		for _, p := range t.partitions {
			if p.err() != nil {
				return true
			}
		}
	}
	return false
}

// anyDamaged says whether there is a subscription of which only the id is known.
func (s *shard) anyDamaged() bool {
	for _, x := range s.subscriptions {
		if x.State == storage.Damaged {
			return true
		}
	}
	return false
}
