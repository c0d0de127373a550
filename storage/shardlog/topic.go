package shardlog

import "github.com/headrace/headrace/storage"

// topic is a topic with its partitions. Loop only, but for ID and partitions,
// which never change, and for retention.
type topic struct {
	storage.Topic
	partitions []*partition
	// retention are woken when a partition keeps less of what is not settled.
	retention     watchers
	subscriptions []*subscription
	// replayOf is the subscription that a private topic belongs to, else nil.
	replayOf *subscription
}

func newTopic(t storage.Topic) *topic {
	x := &topic{Topic: t, partitions: make([]*partition, t.Partitions)}
	for i := range x.partitions {
		x.partitions[i] = newPartition(x, uint16(i))
	}
	return x
}

// floor is the lowest floor of the topic's subscriptions in a partition; without
// any it is the head. Subscriptions that are being removed hold nothing.
func (t *topic) floor(partition uint16) storage.Offset {
	if t.replayOf != nil {
		return t.replayFloor()
	}
	floor := t.partitions[partition].next.Offset
	for _, s := range t.subscriptions {
		if s.State == storage.Deleting {
			continue
		}
		c := s.cursors[partition]
		if c == nil {
			// Its creation has not come to this partition: it begins at the head or
			// at what is retained then, so nothing is held yet.
			continue
		}
		floor = min(floor, c.Floor)
	}
	return floor
}

func (t *topic) inUse() bool {
	for _, s := range t.subscriptions {
		if s.State != storage.Deleting && s.Snapshot == nil {
			return true
		}
	}
	return false
}
