package inspect

import (
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

func (w *walk) readTopics() {
	w.each(record.KindTopic, func(_ storage.Reader, key, value []byte) error {
		t, err := record.DecodeTopic(key, value)
		if err != nil {
			return err
		}
		w.topics[t.ID] = t
		if t.State == storage.Active {
			w.report.Topics++
		}
		return nil
	}, func(key []byte) Place {
		id, _ := record.ParseTopicKey(key) // A key that is none has no better name.
		return Place{Topic: w.topicName(id)}
	}, adviceTopic)
}

func (w *walk) readSubscriptions() {
	at := func(key []byte) Place {
		id, _ := record.ParseSubscriptionKey(key) // A key that is none has no better name.
		return Place{Subscription: w.subscriptionName(id)}
	}
	w.each(record.KindSubscription, func(_ storage.Reader, key, value []byte) error {
		s, err := record.DecodeSubscription(key, value)
		if err != nil {
			return err
		}
		w.subscriptions[s.ID] = s
		switch {
		case s.State != storage.Active:
		case s.Snapshot != nil:
			w.report.Snapshots++
		default:
			w.report.Subscriptions++
		}
		if _, ok := w.topics[s.Topic]; !ok {
			return fmt.Errorf("%w: its topic %d is missing", storage.ErrDataLoss, s.Topic)
		}
		return nil
	}, at, adviceSubscribe)
}

func (w *walk) topicName(id storage.TopicID) string {
	if t, ok := w.topics[id]; ok {
		return t.Name
	}
	return fmt.Sprintf("#%d", id)
}

func (w *walk) subscriptionName(id storage.SubscriptionID) string {
	if s, ok := w.subscriptions[id]; ok {
		return s.Name
	}
	return fmt.Sprintf("#%d", id)
}

// of is the place of a partition.
func (w *walk) of(id storage.PartitionID) Place {
	return Place{Topic: w.topicName(id.Topic), Partition: id.Partition, InPartition: true}
}

// ofCursor is the place of a subscription in a partition.
func (w *walk) ofCursor(id cursorID) Place {
	at := Place{Subscription: w.subscriptionName(id.subscription), Partition: id.partition, InPartition: true}
	if s, ok := w.subscriptions[id.subscription]; ok {
		at.Topic = w.topicName(s.Topic)
	}
	return at
}
