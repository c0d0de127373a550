package inspect

import (
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

const (
	adviceProducer = "the producer is fenced and the rest is served: let its client take another producer id"
	adviceOutcomes = "batches that are sent again may be answered with DATA_LOSS: let the client take another producer id"
)

// producerState is what was found of a producer.
type producerState struct {
	id     storage.ProducerID
	known  bool
	record record.Producer
	topics map[storage.TopicID]*producerTopicState
	pages  map[uint64][]pageOutcome
}

// producerTopicState is what was found of a producer in a topic.
type producerTopicState struct {
	hasRecord bool
	record    record.ProducerTopic
	// page and last are those of the newest outcome so far; page is 0 before the first.
	page, last uint64
}

// pageOutcome is of an outcome what chains it to the others.
type pageOutcome struct {
	topic                 storage.TopicID
	previous, first, last uint64
}

// readProducers checks that each producer's newest pages are there, that its batches to
// a topic follow each other, and that the records of its topics say how far it has come,
// up to its tail; and that nothing is without an owner.
func (w *walk) readProducers() {
	states := map[storage.ProducerID]*producerState{}
	state := func(id storage.ProducerID) *producerState {
		if states[id] == nil {
			states[id] = &producerState{
				id: id, topics: map[storage.TopicID]*producerTopicState{}, pages: map[uint64][]pageOutcome{},
			}
		}
		return states[id]
	}
	w.each(record.KindProducer, func(_ storage.Reader, key, value []byte) (err error) {
		if id, err := record.ParseProducerKey(key); err == nil {
			s := state(id)
			s.known = true
			w.report.Producers++
			s.record, err = record.DecodeProducer(key, value)
			return err
		}
		if id, topic, err := record.ParseProducerTopicKey(key); err == nil {
			t := state(id).topic(topic)
			t.hasRecord = true
			t.record, err = record.DecodeProducerTopic(key, value)
			return err
		}
		id, _, err := record.ParseProducerPageKey(key)
		if err != nil {
			return err
		}
		p, err := record.DecodeProducerPage(key, value)
		if err != nil {
			return err
		}
		return w.producerPage(state(id), &p)
	}, nowhere, adviceProducer)
	for _, s := range states {
		if why := s.fault(); why != "" {
			w.producerFault(s, why)
		}
	}
}

// producerFault adds what does not fit; where batches were given up it is no news.
func (w *walk) producerFault(s *producerState, why string) {
	severity := Damage
	if len(w.shard.AcceptedLosses) > 0 {
		severity = Note
	}
	w.report.Add(Finding{Severity: severity, Advice: adviceOutcomes, Text: fmt.Sprintf("producer %v: %s", s.id, why)})
}

// producerPage takes a page in, and checks that what it says is stored is not past its
// partition's end. What is left of a topic that is gone counts for nothing.
func (w *walk) producerPage(s *producerState, p *record.ProducerPage) error {
	for i := range p.Outcomes {
		o := &p.Outcomes[i]
		s.pages[p.Number] = append(s.pages[p.Number], pageOutcome{o.Topic, o.Previous, o.First, o.Last()})
		if _, ok := w.topics[o.Topic]; !ok {
			continue
		}
		w.report.ProducerBatches++
		for _, part := range o.Parts {
			to := w.partitions[storage.PartitionID{Topic: o.Topic, Partition: part.Partition}]
			if part.Fate != storage.Refused && (to == nil || part.Offset+storage.Offset(part.Count) > to.next.Offset) {
				return fmt.Errorf("%w: a producer's batch has messages past the end of partition %d of topic %d",
					storage.ErrDataLoss, part.Partition, o.Topic)
			}
		}
	}
	return nil
}

func (s *producerState) topic(id storage.TopicID) *producerTopicState {
	if s.topics[id] == nil {
		s.topics[id] = &producerTopicState{}
	}
	return s.topics[id]
}

// fault says what does not fit, or nothing.
func (s *producerState) fault() string {
	if !s.known {
		return "its own record is missing"
	}
	if n := s.records(); n != int(s.record.Topics) {
		return fmt.Sprintf("the records of %d topics are there, should be %d", n, s.record.Topics)
	}
	kept := min(s.record.Pages, storage.ProducerPages)
	if uint64(len(s.pages)) != kept {
		return fmt.Sprintf("%d pages are kept, should be %d", len(s.pages), kept)
	}
	oldest := s.record.Pages - kept + 1
	for n := oldest; n <= s.record.Pages; n++ {
		if s.pages[n] == nil {
			return fmt.Sprintf("page %d is missing", n)
		}
		for _, o := range s.pages[n] {
			if !s.topic(o.topic).follows(o, oldest) {
				return fmt.Sprintf("page %d has a batch at %d to topic %d that does not follow the one before it", n, o.first, o.topic)
			}
			if !s.topic(o.topic).take(o, n, s.record.Tail) {
				return fmt.Sprintf("page %d has a batch at %d to topic %d, whose record says that it has come to %d by page %d",
					n, o.first, o.topic, s.topic(o.topic).record.Highest, s.topic(o.topic).record.Page)
			}
		}
	}
	return s.recordFault(oldest)
}

// records counts the records of topics.
func (s *producerState) records() (n int) {
	for _, t := range s.topics {
		if t.hasRecord {
			n++
		}
	}
	return n
}

// recordFault finds a topic whose record says that it has come farther than its pages.
func (s *producerState) recordFault(oldest uint64) string {
	for id, t := range s.topics {
		if t.hasRecord && (t.record.Page > s.record.Pages || t.record.Page >= oldest && t.short()) {
			return fmt.Sprintf("topic %d has come to %d by page %d, says its record, and by the pages to %d by page %d",
				id, t.record.Highest, t.record.Page, t.last, t.page)
		}
	}
	return ""
}

// follows says that an outcome continues what is known of the topic, or begins it.
func (t *producerTopicState) follows(o pageOutcome, oldest uint64) bool {
	switch {
	case o.previous == 0:
		return o.first == 1
	case t.page == 0:
		return o.previous < oldest
	default:
		return o.previous == t.page && o.first == t.last+1
	}
}

// short says that the pages end before the record does.
func (t *producerTopicState) short() bool {
	return t.page < t.record.Page || t.page == t.record.Page && t.last < t.record.Highest
}

// take takes an outcome in a page in; false when it does not fit the topic's record. Of
// what has no record the topic is gone, or was forgotten.
func (t *producerTopicState) take(o pageOutcome, page, tail uint64) bool {
	t.page, t.last = page, o.last
	switch {
	case !t.hasRecord, page < t.record.Page:
		return true
	case page == t.record.Page:
		return o.last <= t.record.Highest
	default:
		return page >= tail && o.first > t.record.Highest
	}
}

// readDedupe checks that each partition's records of dedupe ids follow each other and
// that their messages are there.
func (w *walk) readDedupe() {
	last := map[storage.PartitionID]uint64{}
	w.each(record.KindDedupe, func(_ storage.Reader, key, value []byte) error {
		id, batch, err := record.ParseDedupeKey(key)
		if err != nil {
			return err
		}
		d, err := record.DecodeDedupe(key, value)
		if err != nil {
			return err
		}
		w.report.DedupeRecords++
		before, found := last[id]
		last[id] = batch
		p := w.partitions[id]
		switch {
		case w.topics[id.Topic].State == storage.Deleting:
			return nil
		case found && d.Previous != before && len(w.shard.AcceptedLosses) == 0:
			return fmt.Errorf("%w: the dedupe ids of batch %d follow batch %d, not %d", storage.ErrDataLoss, batch, d.Previous, before)
		case p == nil || d.IDs[len(d.IDs)-1].Offset >= p.next.Offset:
			return fmt.Errorf("%w: the dedupe ids of batch %d are of messages that are not there", storage.ErrDataLoss, batch)
		}
		return nil
	}, func(key []byte) Place {
		id, _, _ := record.ParseDedupeKey(key) // A key that is none has no better name.
		return w.of(id)
	}, adviceTopic)
}
