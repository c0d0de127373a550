package shardlog

import (
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// producerTopicKeys is how many records there are at most of a producer in a topic.
const producerTopicKeys = storage.ProducerBatches + 1

// forgetProducers forgets the producers that were idle for too long, and those that
// are too many, one topic of one producer at a time.
func (j *janitor) forgetProducers() error {
	c := j.store.committer
	for !j.stopped() {
		more := false
		err := j.change(&change{
			need: deleteNeed.times(producerTopicKeys + 1),
			apply: func(b *batch) error {
				if p := c.shard.producers.overdue(c.now()); p != nil {
					more = c.forgetSome(b, p)
				}
				return nil
			},
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// forgetSome forgets what a producer did in one topic, or in the end the producer;
// false when it has to wait for another batch. Loop only.
func (c *committer) forgetSome(b *batch, p *producer) bool {
	if p.raisedIn == b.Number {
		return false
	}
	for _, x := range p.topics {
		return c.forgetTopic(b, x)
	}
	c.shard.producers.forgotIn = b.Number
	start := len(b.mem)
	b.mem = record.AppendProducerKey(b.mem, p.id)
	b.remove(start)
	c.shard.producers.remove(p)
	return true
}

// forgetTopic forgets what a producer did in a topic; false when the open batch
// holds some of it. Loop only.
func (c *committer) forgetTopic(b *batch, x *producerTopic) bool {
	if x.Batches > 0 && x.dirtyIn == b.Number {
		return false
	}
	c.shard.producers.forgotIn = b.Number
	for n := range uint64(x.kept()) {
		start := len(b.mem)
		b.mem = record.AppendProducerBatchKey(b.mem, x.producer.id, x.topic, x.Batches-n)
		b.remove(start)
	}
	if x.Batches > 0 {
		start := len(b.mem)
		b.mem = record.AppendProducerTopicKey(b.mem, x.producer.id, x.topic)
		b.remove(start)
	}
	delete(x.producer.topics, x.topic)
	return true
}

// eraseProducers deletes what producers did in a topic that takes nothing any more.
func (j *janitor) eraseProducers(id storage.TopicID) error {
	c := j.store.committer
	var list []*producer
	err := j.ask(func() {
		for _, p := range c.shard.producers.byID {
			if p.topics[id] != nil {
				list = append(list, p)
			}
		}
	})
	for ; err == nil && len(list) > 0 && !j.stopped(); list = list[1:] {
		err = j.change(&change{
			need: deleteNeed.times(producerTopicKeys),
			apply: func(b *batch) error {
				if x := list[0].topics[id]; x != nil {
					c.forgetTopic(b, x)
				}
				return nil
			},
		})
	}
	return err
}
