package shardlog

import (
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// What the records of producers take of a batch.
var (
	producerNeed      = need{inline: 64, keys: 1}
	producerTopicNeed = need{inline: 64, keys: 1}
)

// producerBatchNeed bounds what the record of a producer's batch takes, and of how
// far it has come. Where dedupe ids decide, each message may be a part of its own.
func producerBatchNeed(p *storage.Publish) need {
	parts := len(p.Producer.Parts)
	for i := range p.Appends {
		if p.Appends[i].DedupeIDs != nil {
			parts += len(p.Appends[i].Ends)
		}
	}
	row := need{inline: record.MaxKeyBytes + record.MaxProducerBatchBytes + parts*record.MaxBatchPartBytes, keys: 1}
	return row.plus(producerTopicNeed)
}

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
		n = n.plus(producerBatchNeed(p))
	}
	switch {
	case err != nil && x != nil:
		x.refusal = err
	case err == nil && !p.Producer.Again:
		if !c.open.room(n) || x.full(c.open) {
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

// full says that a batch has as many of the producer's as the ring: one more would
// write a key twice.
func (x *producerTopic) full(b *batch) bool {
	return x.dirtyIn == b.Number && x.rows == storage.ProducerBatches
}

// remember writes down what became of a producer's batch that was just taken in.
func (c *committer) remember(x *producerTopic, p *storage.Publish) {
	if x.dirtyIn != c.open.Number {
		x.dirtyIn, x.rows = c.open.Number, 0
		c.open.producers = append(c.open.producers, x)
	}
	x.rows++
	x.Batches++
	x.Highest = p.Producer.Last()
	x.refusal = nil
	c.outcome.Number, c.outcome.Epoch = x.Batches, p.Producer.Producer.Epoch
	c.outcome.First, c.outcome.Count, c.outcome.Hash = p.Producer.First, p.Producer.Count, p.Producer.Hash
	c.outcome.Parts = p.AppendOutcome(c.outcome.Parts[:0], p.Producer.Parts)
	c.open.putProducerBatch(x, &c.outcome)
}

func (b *batch) putProducerBatch(x *producerTopic, o *record.ProducerBatch) {
	start := len(b.mem)
	b.mem = record.AppendProducerBatchKey(b.mem, x.producer.id, x.topic, o.Number)
	split := len(b.mem)
	b.mem = record.AppendProducerBatch(b.mem, b.mem[start:split], o)
	b.put(start, split)
}

func (b *batch) putProducerTopic(x *producerTopic) {
	start := len(b.mem)
	b.mem = record.AppendProducerTopicKey(b.mem, x.producer.id, x.topic)
	split := len(b.mem)
	b.mem = record.AppendProducerTopic(b.mem, b.mem[start:split], &x.ProducerTopic)
	b.put(start, split)
}

func (b *batch) putProducer(p *producer) {
	start := len(b.mem)
	b.mem = record.AppendProducerKey(b.mem, p.id)
	split := len(b.mem)
	b.mem = record.AppendProducer(b.mem, b.mem[start:split], &record.Producer{Epoch: p.epoch, OpenedAt: p.usedAt})
	b.put(start, split)
}

// writeProducers writes how far producers have come by a batch.
func (c *committer) writeProducers(b *batch) {
	if len(b.producers) == 0 {
		return
	}
	now := c.now()
	for _, x := range b.producers {
		x.At, x.producer.usedAt = now, now
		b.putProducerTopic(x)
	}
}
