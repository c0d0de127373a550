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

// producerTopic names what a producer did in a topic.
type producerTopic struct {
	producer storage.ProducerID
	topic    storage.TopicID
}

// producerState is what was found of a producer in a topic.
type producerState struct {
	head    record.ProducerTopic
	hasHead bool
	// ends are by the number of a batch its first and last sequence.
	ends map[uint64][2]uint64
}

// readProducers checks that each producer's newest batches are there, each following
// the one before, up to how far it has come; and nothing without an owner.
func (w *walk) readProducers() {
	known := map[storage.ProducerID]bool{}
	states := map[producerTopic]*producerState{}
	state := func(id storage.ProducerID, topic storage.TopicID) *producerState {
		at := producerTopic{id, topic}
		if states[at] == nil {
			states[at] = &producerState{ends: map[uint64][2]uint64{}}
		}
		return states[at]
	}
	w.each(record.KindProducer, func(_ storage.Reader, key, value []byte) error {
		if id, err := record.ParseProducerKey(key); err == nil {
			known[id] = true
			w.report.Producers++
			_, err := record.DecodeProducer(key, value)
			return err
		}
		if id, topic, err := record.ParseProducerTopicKey(key); err == nil {
			s := state(id, topic)
			s.hasHead = true
			s.head, err = record.DecodeProducerTopic(key, value)
			return err
		}
		id, topic, _, err := record.ParseProducerBatchKey(key)
		if err != nil {
			return err
		}
		w.report.ProducerBatches++
		b, err := record.DecodeProducerBatch(key, value)
		if err != nil {
			return err
		}
		state(id, topic).ends[b.Number] = [2]uint64{b.First, b.Last()}
		return w.producerParts(topic, &b)
	}, nowhere, adviceProducer)
	for at, s := range states {
		if why := s.fault(known[at.producer]); why != "" {
			w.producerFault(at, why)
		}
	}
}

// producerFault adds what does not fit; where batches were given up it is no news.
func (w *walk) producerFault(at producerTopic, why string) {
	severity := Damage
	if len(w.shard.AcceptedLosses) > 0 {
		severity = Note
	}
	w.report.Add(Finding{
		Severity: severity, Place: w.of(storage.PartitionID{Topic: at.topic}), Advice: adviceOutcomes,
		Text: fmt.Sprintf("producer %v: %s", at.producer, why),
	})
}

// fault says what does not fit, or nothing.
func (s *producerState) fault(known bool) string {
	kept := min(s.head.Batches, storage.ProducerBatches)
	switch {
	case !known:
		return "its own record is missing"
	case !s.hasHead:
		return fmt.Sprintf("%d batches, but not how far it has come", len(s.ends))
	case uint64(len(s.ends)) != kept:
		return fmt.Sprintf("%d batches are kept, should be %d", len(s.ends), kept)
	}
	last := s.head.Highest
	for n := range kept {
		b, ok := s.ends[s.head.Batches-n]
		if !ok || b[1] != last {
			return fmt.Sprintf("batch %d does not end at sequence %d", s.head.Batches-n, last)
		}
		last = b[0] - 1
	}
	return ""
}

// producerParts checks that what a batch says is stored is not past its partition's
// end.
func (w *walk) producerParts(topic storage.TopicID, b *record.ProducerBatch) error {
	if _, ok := w.topics[topic]; !ok {
		return fmt.Errorf("%w: a producer's batch without a topic", storage.ErrDataLoss)
	}
	for _, part := range b.Parts {
		p := w.partitions[storage.PartitionID{Topic: topic, Partition: part.Partition}]
		if part.Fate != storage.Refused && (p == nil || part.Offset+storage.Offset(part.Count) > p.next.Offset) {
			return fmt.Errorf("%w: a producer's batch has messages past the end of partition %d", storage.ErrDataLoss, part.Partition)
		}
	}
	return nil
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
