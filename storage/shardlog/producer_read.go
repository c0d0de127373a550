package shardlog

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// shownPages are the newest pages of producers' topics as readers see them: only what is
// durable. The committer changes them as it settles.
type shownPages struct {
	mu sync.RWMutex
	of map[producerTopicID]*producerTopic
}

// newest is the newest page of a producer that has something of a topic; 0 when there
// is none.
func (s *shownPages) newest(id producerTopicID) uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if x := s.of[id]; x != nil {
		return x.shown.Load()
	}
	return 0
}

// show shows what became of a producer's batches to a topic up to a page.
func (s *shownPages) show(x *producerTopic, page uint64) {
	if x.shown.Swap(page) > 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of[x.id()] = x
}

func (s *shownPages) remove(x *producerTopic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, x.id())
}

// ProducerOutcomes reads what became of the batches of a producer to a topic, from
// the one that holds a sequence on, the oldest first; what is not remembered any more is
// left out, and so is what comes before the newest storage.ProducerPages batches. Next is
// the sequence after the last one that is done with; 0 for from asks for nothing else. It
// reads the disk. Errors: ErrDataLoss, ErrUnavailable.
func (s *Store) ProducerOutcomes(id storage.ProducerID, topic storage.TopicID, from uint64) (
	next uint64, outcomes []storage.ProducerOutcome, err error,
) {
	page := s.committer.shownPages.newest(producerTopicID{id, topic})
	if page == 0 {
		return 1, nil, nil
	}
	r := producerReader{id: id, topic: topic}
	err = s.engine.View(func(v storage.Reader) error {
		r.view = v
		return r.read(page, from)
	})
	slices.Reverse(r.found)
	return r.next, r.found, err
}

// producerReader reads what a producer did in a topic from one snapshot.
type producerReader struct {
	view  storage.Reader
	id    storage.ProducerID
	topic storage.TopicID
	// next is the sequence after the newest outcome, found are the outcomes, the newest
	// first.
	next  uint64
	found []storage.ProducerOutcome
}

// read reads the outcomes from the newest, which is in a page, back to the one that
// holds a sequence.
func (r *producerReader) read(page, from uint64) error {
	for page > 0 {
		outcomes, err := r.page(page)
		if err != nil {
			return err
		}
		if outcomes == nil {
			break // The ring came round: what is older is forgotten.
		}
		page = outcomes[0].Previous
		for _, o := range slices.Backward(outcomes) {
			r.next = max(r.next, o.Last()+1)
			if from == 0 || o.Last() < from || len(r.found) == storage.ProducerPages {
				return nil
			}
			r.found = append(r.found, o.ProducerOutcome)
		}
	}
	if r.next > 0 {
		return nil
	}
	return r.readRecord()
}

// readRecord takes from the topic's record how far the producer has come: its newest
// page is not kept any more.
func (r *producerReader) readRecord() error {
	key := record.AppendProducerTopicKey(nil, r.id, r.topic)
	err := r.view.Get(key, func(value []byte) error {
		x, err := record.DecodeProducerTopic(key, value)
		r.next = x.Highest + 1
		return err
	})
	if errors.Is(err, storage.ErrNotFound) {
		r.next = 1 // It was forgotten this moment.
		return nil
	}
	return err
}

// page gives the outcomes of the topic in a page, which must be there; nil when its
// slot holds a later one.
func (r *producerReader) page(number uint64) (outcomes []record.PageOutcome, err error) {
	p, err := readProducerPage(r.view, r.id, number)
	switch {
	case err != nil:
		return nil, err
	case p.Number > number:
		return nil, nil
	}
	for _, o := range p.Outcomes {
		if o.Topic == r.topic {
			outcomes = append(outcomes, o)
		}
	}
	if outcomes == nil {
		err = fmt.Errorf("%w: page %d of producer %v has nothing of topic %d", storage.ErrDataLoss, number, r.id, r.topic)
	}
	return outcomes, err
}

// errNoPage is returned when a page is missing that must be there.
var errNoPage = fmt.Errorf("%w: a producer's page is missing", storage.ErrDataLoss)

// readProducerPage reads the page in the slot of a number, which is that one or a later
// one.
func readProducerPage(v storage.Reader, id storage.ProducerID, number uint64) (p record.ProducerPage, err error) {
	key := record.AppendProducerPageKey(nil, id, number)
	err = v.Get(key, func(value []byte) (err error) {
		p, err = record.DecodeProducerPage(key, value)
		return err
	})
	if errors.Is(err, storage.ErrNotFound) || err == nil && p.Number < number {
		err = fmt.Errorf("%w: page %d of producer %v", errNoPage, number, id)
	}
	return p, err
}
