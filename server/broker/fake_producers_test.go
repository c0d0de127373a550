package broker

import (
	"context"

	"github.com/headrace/headrace/storage"
)

// OpenProducer gives every producer the epoch 1: the fake store judges no sequences.
func (f *fakeStore) OpenProducer(_ context.Context, id storage.ProducerID) (storage.Producer, error) {
	return storage.Producer{ID: id, Epoch: 1}, nil
}

// CloseProducer forgets nothing.
func (f *fakeStore) CloseProducer(storage.ProducerID) {}

// ProducerOutcomes remembers nothing.
func (f *fakeStore) ProducerOutcomes(storage.ProducerID, storage.TopicID, uint64) (uint64, []storage.ProducerOutcome, error) {
	return 1, nil, nil
}
