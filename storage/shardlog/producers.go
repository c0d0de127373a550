package shardlog

import (
	"container/list"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/headrace/headrace/storage"
)

// producers are the producers that are remembered. Of each batch of theirs only the
// engine knows more than its sequences. Loop only.
type producers struct {
	byID map[storage.ProducerID]*producer
	// idle are the producers that are not open, the longest idle first.
	idle *list.List
	// tail are the topics that went on in pages after their records were written, of
	// all producers, in the order of the first such page; pages counts all pages.
	tail  *list.List
	pages uint64
	// most bounds them.
	most int
	// forgotIn is the last batch that deletes records of producers.
	forgotIn uint64
}

// producer is a producer that was opened at least once. Loop only.
type producer struct {
	id    storage.ProducerID
	epoch uint64
	// usedAt is when it was last opened or closed, or published.
	usedAt time.Time
	// open counts the openings that are not closed.
	open   int
	topics map[storage.TopicID]*producerTopic
	// pages counts its pages. The last one is in the batch pagedIn, where its outcomes
	// have pageBytes; the outcomes of the batch are linked from first to last.
	pages, pagedIn         uint64
	pageBytes, first, last int
	// tail are its topics that went on in pages after their records were written, in
	// the order of the first such page.
	tail *list.List
	// records counts the records of its topics.
	records uint32
	// touchedIn is the last batch that rewrites its record.
	touchedIn uint64
	// damage is why it is fenced, else nil.
	damage error
	// place is where it stands among the idle ones, nil while it is open.
	place *list.Element
}

// producerTopicID names what a producer did in a topic.
type producerTopicID struct {
	producer storage.ProducerID
	topic    storage.TopicID
}

// producerTopic is how far a producer has come in a topic. Loop only, but for shown.
type producerTopic struct {
	producer *producer
	topic    storage.TopicID
	// highest is the sequence of the last message that is done with, page the page that
	// says so; both are 0 while there is none.
	highest, page uint64
	// recordIn is the last batch that rewrites the record, which is there since the
	// first page.
	recordIn uint64
	// since is the first page that says more than the record, and sinceAll the same
	// among the pages of all producers; own and all are where it stands in the tails,
	// nil while the record says all.
	since, sinceAll uint64
	own, all        *list.Element
	// refusal is why the producer's latest batch was refused, nil when it was not:
	// what follows that one is refused as well.
	refusal error
	// shown is page as readers see it: when it is durable.
	shown atomic.Uint64
}

func (x *producerTopic) id() producerTopicID { return producerTopicID{x.producer.id, x.topic} }

func newProducers() producers {
	return producers{
		byID: map[storage.ProducerID]*producer{}, idle: list.New(), tail: list.New(), most: storage.MaxProducers,
	}
}

// add makes a producer known, which is not open.
func (s *producers) add(id storage.ProducerID, epoch uint64, usedAt time.Time) *producer {
	p := &producer{id: id, epoch: epoch, usedAt: usedAt, topics: map[storage.TopicID]*producerTopic{}, tail: list.New()}
	s.byID[id] = p
	p.place = s.idle.PushBack(p)
	return p
}

// begin notes an opening.
func (s *producers) begin(p *producer, now time.Time) {
	p.open++
	p.usedAt = now
	if p.place != nil {
		s.idle.Remove(p.place)
		p.place = nil
	}
}

// end notes that an opening is closed.
func (s *producers) end(p *producer, now time.Time) {
	p.open--
	p.usedAt = now
	if p.open == 0 {
		p.place = s.idle.PushBack(p)
	}
}

// longestIdle is the producer that is idle for longest, nil when none is.
func (s *producers) longestIdle() *producer {
	if front := s.idle.Front(); front != nil {
		return front.Value.(*producer) //nolint:forcetypeassert // the list holds nothing else
	}
	return nil
}

// overdue is a producer that is to be forgotten, nil when none is.
func (s *producers) overdue(now time.Time) *producer {
	p := s.longestIdle()
	if p == nil || len(s.byID) <= s.most && now.Sub(p.usedAt) < storage.ProducerIdle {
		return nil
	}
	return p
}

// sortIdle puts the longest idle first, once all producers are known.
func (s *producers) sortIdle() {
	all := slices.SortedFunc(maps.Values(s.byID), func(a, b *producer) int { return a.usedAt.Compare(b.usedAt) })
	s.idle.Init()
	for _, p := range all {
		p.place = s.idle.PushBack(p)
	}
}

// remove forgets a producer that is idle.
func (s *producers) remove(p *producer) {
	s.idle.Remove(p.place)
	delete(s.byID, p.id)
}

// topic is how far a producer has come in a topic.
func (p *producer) topic(id storage.TopicID) *producerTopic {
	x := p.topics[id]
	if x == nil {
		x = &producerTopic{producer: p, topic: id}
		p.topics[id] = x
	}
	return x
}

// judge says what to do with a batch: it continues what is stored, it was stored
// before (again), or it is refused.
func (x *producerTopic) judge(b *storage.ProducerBatch) (again bool, err error) {
	switch {
	case b.First == 0 || b.Count == 0:
		return false, storage.ErrSequenceGap
	case b.First == x.highest+1:
		return false, nil
	case b.Last() <= x.highest:
		return true, nil
	case b.First <= x.highest:
		return false, storage.ErrBatchChanged
	case b.Follows && x.refusal != nil:
		return false, x.refusal
	case x.highest == 0:
		return false, storage.ErrOutcomeForgotten
	default:
		return false, storage.ErrSequenceGap
	}
}
