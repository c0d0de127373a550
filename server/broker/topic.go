package broker

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/headrace/headrace/storage"
)

// topic is the handle of a topic: its configuration, and the figures by which
// publishers choose partitions.
type topic struct {
	id         storage.TopicID
	name       Name
	partitions int
	createdAt  time.Time
	// config is an immutable snapshot, replaced by updates.
	config atomic.Pointer[TopicConfig]
	// deleted tells publishers that hold the handle.
	deleted atomic.Bool
	// damage is why the topic is not served, or nil.
	damage error
	// inFlight are the bytes of each partition that the store has not answered for.
	inFlight []atomic.Int64
	// turn begins the search for the least loaded partition, so that equals share.
	turn atomic.Uint32

	// born is how far the partitions were when the broker began to serve the topic.
	born []storage.PartitionStats

	// subscriptions counts them; under the catalog's mutex.
	subscriptions int
	// full are the subscriptions that have publishes refused.
	full fullBacklogs
	// handle is what publishers get.
	handle PublishTopic
}

// newTopic makes the handle of a stored topic. One that is damaged is kept, so that
// it is seen and its name is taken.
func newTopic(stored storage.Topic) *topic {
	t := &topic{
		id:         stored.ID,
		name:       Name(stored.Name),
		partitions: int(stored.Partitions),
		createdAt:  stored.CreatedAt,
		inFlight:   make([]atomic.Int64, stored.Partitions),
		born:       make([]storage.PartitionStats, stored.Partitions),
	}
	t.handle.topic = t
	config, err := topicConfig(stored)
	if err == nil && stored.State == storage.Damaged {
		err = fmt.Errorf("%w: topic %s is damaged in the store", ErrDataLoss, stored.Name)
	}
	if err == nil {
		err = asDataLoss(config.validate(LargestMaxMessageBytes))
	}
	if err != nil {
		config.Name, config.Partitions = t.name, t.partitions
		t.damage = err
	}
	t.config.Store(&config)
	return t
}

// view is the topic as callers see it.
func (t *topic) view() Topic {
	return Topic{TopicConfig: *t.config.Load(), CreatedAt: t.createdAt, State: stateOf(t.damage)}
}

// usable says why the topic takes no messages, or nil.
func (t *topic) usable() error {
	if t.deleted.Load() {
		return ErrTopicDeleted
	}
	return t.damage
}

// unkeyedPartition is where messages go that have no key: a producer's own partition,
// for ever, or the least loaded.
func (t *topic) unkeyedPartition(own storage.KeyHash) int {
	if own.Present {
		return keyPartition(own, t.partitions)
	}
	return t.leastLoaded()
}

// leastLoaded is the partition with the fewest bytes in flight.
func (t *topic) leastLoaded() int {
	if t.partitions == 1 {
		return 0
	}
	first := int(t.turn.Add(1)) % t.partitions
	best, least := first, t.inFlight[first].Load()
	for i := 1; i < t.partitions && least > 0; i++ {
		p := (first + i) % t.partitions
		if load := t.inFlight[p].Load(); load < least {
			best, least = p, load
		}
	}
	return best
}

// stateOf is the state that callers see.
func stateOf(damage error) storage.State {
	if damage != nil {
		return storage.Damaged
	}
	return storage.Active
}

// asDataLoss turns a stored value's failed validation into damage.
func asDataLoss(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: stored definition: %w", ErrDataLoss, err)
}
