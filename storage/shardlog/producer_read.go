package shardlog

import (
	"errors"
	"fmt"
	"sort"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// ProducerOutcomes reads what became of the batches of a producer to a topic, from
// the one that holds a sequence on, the oldest first and at most a number of them;
// what is not remembered any more is left out. Next is the sequence after the last
// one that is done with. It reads the disk. Errors: ErrDataLoss, ErrUnavailable.
func (s *Store) ProducerOutcomes(id storage.ProducerID, topic storage.TopicID, from uint64, most int) (
	next uint64, outcomes []storage.ProducerOutcome, err error,
) {
	r := producerReader{id: id, topic: topic}
	err = s.engine.View(func(v storage.Reader) error {
		r.view = v
		if err := r.readHead(); err != nil {
			return err
		}
		outcomes, err = r.since(from, most)
		return err
	})
	return r.head.Highest + 1, outcomes, err
}

// producerReader reads the records of a producer in a topic from one snapshot.
type producerReader struct {
	view  storage.Reader
	id    storage.ProducerID
	topic storage.TopicID
	head  record.ProducerTopic
}

// readHead reads how far the producer has come: nowhere, when there is no record.
func (r *producerReader) readHead() error {
	key := record.AppendProducerTopicKey(nil, r.id, r.topic)
	err := r.view.Get(key, func(value []byte) (err error) {
		r.head, err = record.DecodeProducerTopic(key, value)
		return err
	})
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return err
}

// since reads the batches from the one that holds a sequence on.
func (r *producerReader) since(from uint64, most int) ([]storage.ProducerOutcome, error) {
	if from == 0 || from > r.head.Highest {
		return nil, nil
	}
	kept := int(min(r.head.Batches, storage.ProducerBatches))
	oldest := r.head.Batches - uint64(kept) + 1
	var failure error
	skipped := sort.Search(kept, func(i int) bool {
		b, err := r.batch(oldest + uint64(i))
		failure = errors.Join(failure, err)
		return err != nil || b.Last() >= from
	})
	var found []storage.ProducerOutcome
	for i := skipped; i < kept && len(found) < most && failure == nil; i++ {
		b, err := r.batch(oldest + uint64(i))
		failure = err
		found = append(found, b.ProducerOutcome)
	}
	return found, failure
}

// batch reads one batch, which must be there.
func (r *producerReader) batch(number uint64) (b record.ProducerBatch, err error) {
	key := record.AppendProducerBatchKey(nil, r.id, r.topic, number)
	err = r.view.Get(key, func(value []byte) (err error) {
		b, err = record.DecodeProducerBatch(key, value)
		return err
	})
	if errors.Is(err, storage.ErrNotFound) || err == nil && b.Number != number {
		err = fmt.Errorf("%w: batch %d of producer %v to topic %d is missing", storage.ErrDataLoss, number, r.id, r.topic)
	}
	return b, err
}
