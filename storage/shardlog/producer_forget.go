package shardlog

import (
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// topicsAtOnce bounds the records of a producer's topics that one step deletes, before
// the one that deletes the rest.
const topicsAtOnce = 1024

// forgetProducers forgets the producers that were idle for too long, and those that
// are too many, one producer at a time.
func (j *janitor) forgetProducers() error {
	c := j.store.committer
	for !j.stopped() {
		more := false
		err := j.change(&change{
			need: deleteNeed.times(topicsAtOnce + storage.ProducerPages + 1).plus(producerNeed),
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

// forgetSome forgets what a producer did in some topics, and with the last of them the
// producer; false when it has to wait for another batch. Loop only.
func (c *committer) forgetSome(b *batch, p *producer) bool {
	if p.touchedIn == b.Number {
		return false
	}
	c.shard.producers.forgotIn = b.Number
	topics := 0
	for _, x := range p.topics {
		if topics == topicsAtOnce {
			b.touch(p)
			return true
		}
		c.forgetTopic(b, x)
		topics++
	}
	for n := range min(p.pages, storage.ProducerPages) {
		start := len(b.mem)
		b.mem = record.AppendProducerPageKey(b.mem, p.id, p.pages-n)
		b.remove(start)
	}
	start := len(b.mem)
	b.mem = record.AppendProducerKey(b.mem, p.id)
	b.remove(start)
	c.shard.producers.remove(p)
	return true
}

// forgetTopic forgets how far a producer has come in a topic, whose record is not
// written by the open batch. What its pages hold of it stays there. Loop only.
func (c *committer) forgetTopic(b *batch, x *producerTopic) {
	if x.page > 0 {
		start := len(b.mem)
		b.mem = record.AppendProducerTopicKey(b.mem, x.producer.id, x.topic)
		b.remove(start)
		x.producer.records--
	}
	c.shard.producers.endTail(x)
	c.shownPages.remove(x)
	delete(x.producer.topics, x.topic)
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
	for err == nil && len(list) > 0 && !j.stopped() {
		n := min(len(list), topicsAtOnce)
		left := list[n:]
		err = j.change(&change{
			need: deleteNeed.plus(producerNeed).times(n),
			apply: func(b *batch) error {
				for _, p := range list[:n] {
					x := p.topics[id]
					switch {
					case x == nil:
					case x.recordIn == b.Number:
						left = append(left, p)
					default:
						c.shard.producers.forgotIn = b.Number
						c.forgetTopic(b, x)
						b.touch(p)
					}
				}
				return nil
			},
		})
		list = left
	}
	return err
}
