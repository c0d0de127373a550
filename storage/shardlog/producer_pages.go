package shardlog

import (
	"container/list"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// What became of a producer's batches lies in pages, one or a few for each commit,
// whatever the number of topics. The record of a topic says how far the producer has
// come only up to a page: what came after it, the tail, is read back by recovery.
//
//	pages of a producer   1 2 3 4 5 6        its record: 6 pages, the tail from 5 on
//	orders                ●   ●   ● ●        its record: by page 3
//	invoices                ●   ●            its record: by page 4

// maxTailPages bounds the pages of all tails: recovery reads that many at most, and no
// ring comes round to one of them.
const maxTailPages = storage.ProducerPages - 1

// What the records of producers take of a batch.
var (
	producerNeed      = need{inline: 64, keys: 1}
	producerTopicNeed = need{inline: 64, keys: 1}
	producerPageNeed  = need{inline: record.MaxKeyBytes + record.PageFrameBytes, keys: 1}
)

// A batch has room for fewer pages than a ring: two in a row have more than one's bytes.
const _ = uint(maxTailPages - 2*record.MaxBatchInlineBytes/record.MaxPageBytes)

// outcome is what became of a producer's batch that is in the open batch.
type outcome struct {
	topic *producerTopic
	page  uint64
	// start and end are where it lies in the batch's outcomes.
	start, end int
	// next is the producer's next one in the batch, 0 for the last.
	next int
}

// outcomeNeed bounds what becomes of a batch of the producer's: the outcome, a page for
// it, the producer's record, and the records of topics whose tail ends with that. Where
// dedupe ids decide, each message may be a part of its own.
func (s *producers) outcomeNeed(p *storage.Publish) need {
	parts := len(p.Producer.Parts)
	for i := range p.Appends {
		if p.Appends[i].DedupeIDs != nil {
			parts += len(p.Appends[i].Ends)
		}
	}
	n := need{inline: record.MaxOutcomeBytes + parts*record.MaxBatchPartBytes}
	n = n.plus(producerPageNeed).plus(producerNeed).plus(producerTopicNeed)
	for e := s.tail.Front(); e != nil && s.pages+1-topicAt(e).sinceAll >= maxTailPages; e = e.Next() {
		n = n.plus(producerNeed).plus(producerTopicNeed)
	}
	return n
}

func topicAt(e *list.Element) *producerTopic {
	return e.Value.(*producerTopic) //nolint:forcetypeassert // the list holds nothing else
}

// remember writes down what became of a producer's batch that was just taken in.
func (c *committer) remember(x *producerTopic, p *storage.Publish) {
	b, o := c.open, &c.outcome
	o.Topic, o.Previous = x.topic, x.page
	o.First, o.Count, o.Hash = p.Producer.First, p.Producer.Count, p.Producer.Hash
	o.Parts = p.AppendOutcome(o.Parts[:0], p.Producer.Parts)
	start := len(b.outcomeBytes)
	b.outcomeBytes = record.AppendPageOutcome(b.outcomeBytes, o)
	c.shard.producers.turn(b, x.producer, len(b.outcomeBytes)-start)
	b.link(x.producer, outcome{topic: x, page: x.producer.pages, start: start, end: len(b.outcomeBytes)})
	x.highest, x.refusal = p.Producer.Last(), nil
	c.shard.producers.moved(b, x)
}

// turn finds room for an outcome of some bytes: in the producer's last page, if that is
// in the batch, or in a new one, for which tails may have to end.
func (s *producers) turn(b *batch, p *producer, bytes int) {
	b.touch(p)
	b.used = b.used.plus(need{inline: bytes})
	if p.pagedIn == b.Number && p.pageBytes+bytes <= record.MaxPageBytes {
		p.pageBytes += bytes
		return
	}
	if p.pagedIn != b.Number {
		p.first, p.last = 0, 0
	}
	p.pages++
	s.pages++
	p.pagedIn, p.pageBytes = b.Number, bytes
	b.used = b.used.plus(producerPageNeed)
	for e := s.tail.Front(); e != nil && s.pages-topicAt(e).sinceAll >= maxTailPages; e = s.tail.Front() {
		s.record(b, topicAt(e))
	}
}

// link adds an outcome to those of its producer in the batch.
func (b *batch) link(p *producer, o outcome) {
	b.outcomes = append(b.outcomes, o)
	at := len(b.outcomes)
	if p.first == 0 {
		p.first = at
	} else {
		b.outcomes[p.last-1].next = at
	}
	p.last = at
}

// moved notes that a topic went on in the producer's last page: the first one has its
// record written, what follows is its tail.
func (s *producers) moved(b *batch, x *producerTopic) {
	first := x.page == 0
	x.page = x.producer.pages
	switch {
	case first:
		x.producer.records++
		s.record(b, x)
	case x.own == nil && x.recordIn != b.Number:
		s.addTail(x, x.page, s.pages)
	}
}

// addTail begins the tail of a topic.
func (s *producers) addTail(x *producerTopic, since, sinceAll uint64) {
	x.since, x.sinceAll = since, sinceAll
	x.own, x.all = x.producer.tail.PushBack(x), s.tail.PushBack(x)
}

// endTail ends the tail of a topic, if it has one.
func (s *producers) endTail(x *producerTopic) {
	if x.own != nil {
		x.producer.tail.Remove(x.own)
		s.tail.Remove(x.all)
		x.own, x.all = nil, nil
	}
}

// record makes sealing write the record of a topic, which ends its tail.
func (s *producers) record(b *batch, x *producerTopic) {
	s.endTail(x)
	b.touch(x.producer)
	if x.recordIn != b.Number {
		x.recordIn = b.Number
		b.producerTopics = append(b.producerTopics, x)
		b.used = b.used.plus(producerTopicNeed)
	}
}

// touch makes sealing write the record of a producer.
func (b *batch) touch(p *producer) {
	if p.touchedIn != b.Number {
		p.touchedIn = b.Number
		b.producers = append(b.producers, p)
		b.used = b.used.plus(producerNeed)
	}
}

// tailFrom is the first page that says more than the records of the topics.
func (p *producer) tailFrom() uint64 {
	if front := p.tail.Front(); front != nil {
		return topicAt(front).since
	}
	return p.pages + 1
}

// writeProducers writes what became of the producers' batches, and their records.
func (c *committer) writeProducers(b *batch) {
	if len(b.producers) == 0 {
		return
	}
	now := c.now()
	for _, p := range b.producers {
		if p.pagedIn == b.Number {
			p.usedAt = now
			b.putPages(p)
		}
		b.putProducer(p)
	}
	for _, x := range b.producerTopics {
		b.putProducerTopic(x)
	}
}

// putPages writes the producer's pages in the batch.
func (b *batch) putPages(p *producer) {
	for at := p.first; at > 0; {
		number := b.outcomes[at-1].page
		start := len(b.mem)
		b.mem = record.AppendProducerPageKey(b.mem, p.id, number)
		split := len(b.mem)
		b.mem = record.BeginProducerPage(b.mem, number)
		for at > 0 && b.outcomes[at-1].page == number {
			o := &b.outcomes[at-1]
			b.mem = append(b.mem, b.outcomeBytes[o.start:o.end]...)
			at = o.next
		}
		b.mem = record.EndProducerPage(b.mem, split, b.mem[start:split])
		b.put(start, split)
	}
}

func (b *batch) putProducer(p *producer) {
	start := len(b.mem)
	b.mem = record.AppendProducerKey(b.mem, p.id)
	split := len(b.mem)
	b.mem = record.AppendProducer(b.mem, b.mem[start:split], &record.Producer{
		Epoch: p.epoch, UsedAt: p.usedAt, Pages: p.pages, Tail: p.tailFrom(), Topics: p.records,
	})
	b.put(start, split)
}

func (b *batch) putProducerTopic(x *producerTopic) {
	start := len(b.mem)
	b.mem = record.AppendProducerTopicKey(b.mem, x.producer.id, x.topic)
	split := len(b.mem)
	b.mem = record.AppendProducerTopic(b.mem, b.mem[start:split], &record.ProducerTopic{Highest: x.highest, Page: x.page})
	b.put(start, split)
}
