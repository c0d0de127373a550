package shardlog

import "github.com/headrace/headrace/storage"

// addProduced is addPublish for a batch of a producer's: what it refuses as a whole
// uses up no sequence.
func (c *committer) addProduced(q *publishQueue, p *storage.Publish) bool {
	x, err := c.producerTopic(p.Producer)
	p.Producer.Again = false
	if err == nil {
		p.Producer.Again, err = x.judge(p.Producer)
	}
	var n need
	if err == nil && !p.Producer.Again {
		n, err = c.admit(p)
	}
	switch {
	case err != nil && x != nil:
		x.refusal = err
	case err == nil && !p.Producer.Again:
		if !c.open.room(n.plus(c.shard.producers.outcomeNeed(p))) {
			return false
		}
		c.takeIn(q, p, n)
		c.remember(x, p)
	}
	p.Err = err
	if !p.Buffered {
		c.open.complete(q, p)
	}
	return true
}

// producerTopic finds how far a batch's producer has come, in a topic that takes
// messages.
func (c *committer) producerTopic(b *storage.ProducerBatch) (*producerTopic, error) {
	p := c.shard.producers.byID[b.Producer.ID]
	if p == nil || p.epoch != b.Producer.Epoch {
		return nil, storage.ErrStaleProducer
	}
	if t := c.shard.topics[b.Topic]; t == nil || t.State != storage.Active {
		return nil, storage.ErrNotFound
	}
	return p.topic(b.Topic), nil
}
