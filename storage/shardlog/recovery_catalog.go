package shardlog

import (
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// readTopics reads all topics. One whose record is damaged is known by its id alone
// and fenced.
func (r *recovery) readTopics() error {
	prefix := record.AppendPrefix(nil, record.KindTopic)
	return scan(r.engine, prefix, nil, func(key []byte, value storage.Value) error {
		id, err := record.ParseTopicKey(key)
		if err != nil {
			return err
		}
		err = value.Read(func(value []byte) error {
			t, err := record.DecodeTopic(key, value)
			if err == nil {
				err = r.addTopic(t)
			}
			return err
		})
		if err != nil {
			r.damagedTopic(id, err)
		}
		r.shard.sawTopic(id)
		return nil
	})
}

func (r *recovery) addTopic(t storage.Topic) error {
	if other, taken := r.shard.topicNames[t.Name]; taken {
		return fmt.Errorf("%w: topic %d has the name %q too", storage.ErrDataLoss, other, t.Name)
	}
	r.shard.addTopic(newTopic(t))
	return nil
}

// damagedTopic stands for a topic of which only the id is known.
func (r *recovery) damagedTopic(id storage.TopicID, why error) *topic {
	t := newTopic(storage.Topic{ID: id, Name: fmt.Sprintf("damaged topic %d", id), State: storage.Damaged})
	r.shard.addTopic(t)
	r.shard.sawTopic(id)
	r.logger.Error("topic is damaged", "topic", id, "error", why)
	return t
}

// readPartitions reads the partitions' own records. For a topic in use each of them
// must be there.
func (r *recovery) readPartitions() error {
	prefix := record.AppendPrefix(nil, record.KindPartition)
	err := scan(r.engine, prefix, nil, func(key []byte, value storage.Value) error {
		id, err := record.ParsePartitionKey(key)
		if err != nil {
			return err
		}
		p := r.partition(id)
		err = value.Read(func(value []byte) error {
			x, err := record.DecodePartition(key, value)
			if err == nil {
				r.records[id] = x
				p.generation, p.first, p.next, p.holes = x.Generation, x.First, x.Head, x.Holes
			}
			return err
		})
		if err != nil {
			r.fencef(p, "its record: %v", err)
		}
		return nil
	})
	if err == nil {
		r.fenceWithoutRecord()
	}
	return err
}

// partition gives a partition to a record, also when its topic is damaged or gone.
func (r *recovery) partition(id storage.PartitionID) *partition {
	t := r.shard.topics[id.Topic]
	if t == nil {
		t = r.damagedTopic(id.Topic, fmt.Errorf("%w: its record is missing", storage.ErrDataLoss))
	}
	for int(id.Partition) >= len(t.partitions) {
		p := newPartition(t, uint16(len(t.partitions)))
		t.partitions = append(t.partitions, p)
		r.fencef(p, "its topic's record is damaged or does not know it")
	}
	return t.partitions[id.Partition]
}

func (r *recovery) fenceWithoutRecord() {
	for _, t := range r.shard.topics {
		for _, p := range t.partitions {
			if _, ok := r.records[p.id]; !ok && t.State == storage.Active {
				r.fencef(p, "its record is missing")
			}
		}
	}
}

// readSubscriptions reads all subscriptions. While one is damaged its topic is not
// known, so nothing is trimmed anywhere.
func (r *recovery) readSubscriptions() error {
	prefix := record.AppendPrefix(nil, record.KindSubscription)
	return scan(r.engine, prefix, nil, func(key []byte, value storage.Value) error {
		id, err := record.ParseSubscriptionKey(key)
		if err != nil {
			return err
		}
		err = value.Read(func(value []byte) error {
			s, err := record.DecodeSubscription(key, value)
			if err == nil {
				err = r.addSubscription(s)
			}
			return err
		})
		if err != nil {
			r.damagedSubscription(id, err)
		}
		r.shard.sawSubscription(id)
		return nil
	})
}

func (r *recovery) addSubscription(s storage.Subscription) error {
	t := r.shard.topics[s.Topic]
	if t == nil {
		return fmt.Errorf("%w: its topic %d is missing", storage.ErrDataLoss, s.Topic)
	}
	if other, taken := r.shard.subscriptionNames[s.Name]; taken {
		return fmt.Errorf("%w: subscription %d has the name %q too", storage.ErrDataLoss, other, s.Name)
	}
	r.shard.addSubscription(newSubscription(s, t))
	return nil
}

// damagedSubscription stands for a subscription of which only the id is known.
func (r *recovery) damagedSubscription(id storage.SubscriptionID, why error) *subscription {
	def := storage.Subscription{ID: id, Name: fmt.Sprintf("damaged subscription %d", id), State: storage.Damaged}
	s := newSubscription(def, newTopic(storage.Topic{}))
	r.shard.addSubscription(s)
	r.shard.sawSubscription(id)
	r.shard.holdTrims = true
	r.fenceSubscriptionf(s, "%v", why)
	return s
}
