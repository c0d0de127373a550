package shardlog

import (
	"maps"
	"slices"
	"sync"

	"github.com/headrace/headrace/storage"
)

// directory is what readers see of the catalog: only what is durable. The
// committer changes it as it settles.
type directory struct {
	mu            sync.RWMutex
	topics        map[storage.TopicID]topicEntry
	subscriptions map[storage.SubscriptionID]storage.Subscription
	// snapshots is how many of the subscriptions are.
	snapshots int
}

// topicEntry is a topic with its partitions.
type topicEntry struct {
	storage.Topic
	partitions []*partition
}

func newDirectory() *directory {
	return &directory{
		topics:        map[storage.TopicID]topicEntry{},
		subscriptions: map[storage.SubscriptionID]storage.Subscription{},
	}
}

// partition gives a partition of a topic that is not being removed.
func (d *directory) partition(id storage.PartitionID) (*partition, error) {
	d.mu.RLock()
	t := d.topics[id.Topic]
	d.mu.RUnlock()
	if int(id.Partition) >= len(t.partitions) || t.State == storage.Deleting {
		return nil, storage.ErrNotFound
	}
	return t.partitions[id.Partition], nil
}

func (d *directory) putTopic(t storage.Topic, partitions []*partition) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.topics[t.ID] = topicEntry{t, partitions}
}

func (d *directory) removeTopic(id storage.TopicID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.topics, id)
}

func (d *directory) putSubscription(s storage.Subscription) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.subscriptions[s.ID]; !known && s.Snapshot != nil {
		d.snapshots++
	}
	d.subscriptions[s.ID] = s
}

func (d *directory) removeSubscription(id storage.SubscriptionID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.subscriptions[id].Snapshot != nil {
		d.snapshots--
	}
	delete(d.subscriptions, id)
}

// hasSnapshots says whether there is any.
func (d *directory) hasSnapshots() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.snapshots > 0
}

// listTopics lists everything that is not gone, by id, but for private topics. A topic
// with a fenced partition is Damaged.
func (d *directory) listTopics() []storage.Topic {
	d.mu.RLock()
	defer d.mu.RUnlock()
	list := make([]storage.Topic, 0, len(d.topics))
	for _, id := range slices.Sorted(maps.Keys(d.topics)) {
		t := d.topics[id]
		if t.ReplayOf != 0 {
			continue
		}
		if slices.ContainsFunc(t.partitions, func(p *partition) bool { return p.err() != nil }) {
			t.State = storage.Damaged
		}
		list = append(list, t.Topic)
	}
	return list
}

// listSubscriptions lists everything that is not gone, by id.
func (d *directory) listSubscriptions() []storage.Subscription {
	d.mu.RLock()
	defer d.mu.RUnlock()
	list := make([]storage.Subscription, 0, len(d.subscriptions))
	for _, id := range slices.Sorted(maps.Keys(d.subscriptions)) {
		list = append(list, d.subscriptions[id])
	}
	return list
}

// partitions gives the partitions of a topic that is not being removed, else nil.
func (d *directory) partitions(id storage.TopicID) []*partition {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if t := d.topics[id]; t.State != storage.Deleting {
		return t.partitions
	}
	return nil
}
