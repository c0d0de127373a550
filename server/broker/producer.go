package broker

import (
	"context"
	"fmt"
	"sync"

	"github.com/headrace/headrace/storage"
)

// producer is one opening of a producer, by one publish stream.
type producer struct {
	storage.Producer
	// hash decides the partition of its messages that have no key.
	hash storage.KeyHash
	// fenced is closed when a newer stream of the producer exists.
	fenced chan struct{}
}

// partition is what decides the partition of messages without a key; nothing without
// a producer.
func (p *producer) partition() storage.KeyHash {
	if p == nil {
		return storage.KeyHash{}
	}
	return p.hash
}

// producers are the openings that streams use, by producer: the newest of each.
type producers struct {
	mu     sync.Mutex
	newest map[storage.ProducerID]*producer
}

// enter makes an opening the newest, unless a newer one came first, and fences the
// other.
func (s *producers) enter(p *producer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest == nil {
		s.newest = map[storage.ProducerID]*producer{}
	}
	switch other := s.newest[p.ID]; {
	case other == nil:
		s.newest[p.ID] = p
	case other.Epoch > p.Epoch:
		close(p.fenced)
	default:
		close(other.fenced)
		s.newest[p.ID] = p
	}
}

// leave forgets an opening.
func (s *producers) leave(p *producer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest[p.ID] == p {
		delete(s.newest, p.ID)
	}
}

// OpenProducer is OpenPublisher for a stream of a producer: it fences the older ones,
// and what they sent and is not stored by now never will be. Errors: those of
// OpenPublisher, ErrDiskFull, ErrLimitReached, ErrDataLoss, ErrUnknownOutcome, ctx's.
func (b *Broker) OpenProducer(ctx context.Context, clientID, name string) (*Publisher, error) {
	p, err := b.OpenPublisher(clientID)
	if err != nil {
		return nil, err
	}
	if !b.store.AcceptsPublishes() {
		p.Close() // The opening would wait for room, and with it whoever publishes.
		return nil, ErrDiskFull
	}
	opened, err := b.store.OpenProducer(ctx, storage.NewProducerID(name))
	if err != nil {
		p.Close()
		return nil, storeError(err)
	}
	p.line.producer = &producer{Producer: opened, hash: HashKey([]byte(name)), fenced: make(chan struct{})}
	p.fenced = p.line.producer.fenced
	p.producers = &b.producers
	b.producers.enter(p.line.producer)
	return p, nil
}

// Epoch is the epoch given to the stream of a producer; 0 without one.
func (p *Publisher) Epoch() uint64 {
	if p.line.producer == nil {
		return 0
	}
	return p.line.producer.Epoch
}

// closeProducer gives the opening up.
func (p *Publisher) closeProducer() {
	if x := p.line.producer; x != nil {
		p.producers.leave(x)
		p.store.CloseProducer(x.ID)
	}
}

// LookedUp answers what became of a producer's messages to a topic.
type LookedUp struct {
	// Next is the sequence of the next message: all before it are done with.
	Next uint64
	// Outcomes are those of the batches from the one that was asked for on, as far as
	// they are remembered.
	Outcomes []storage.ProducerOutcome
}

// LookUp answers in batch, which comes back from Next in its turn, what became of the
// producer's messages to a topic from a sequence on; 0 asks for none. It reads the
// disk. Errors end the stream, and the batch stays the caller's: ErrSessionClosed,
// ErrDataLoss.
func (p *Publisher) LookUp(batch *PublishBatch, topic string, from uint64) error {
	p.Heard()
	batch.LookedUp = &LookedUp{Next: 1}
	if t, err := p.Topic(topic); err == nil {
		x := p.line.producer
		batch.LookedUp.Next, batch.LookedUp.Outcomes, err = p.store.ProducerOutcomes(x.ID, t.topic.id, from)
		if err != nil {
			return storeError(err)
		}
	}
	return p.line.answer(batch)
}

// storedBefore are outcomes of batches of one topic that were stored before, in their
// order. Batches are sent again in a row, so what is read for one serves the next ones.
type storedBefore struct {
	topic    storage.TopicID
	outcomes []storage.ProducerOutcome
}

// find gives what became of the batch that holds a sequence, or of the first one after
// it that is remembered; nil when none is.
func (s *storedBefore) find(store Store, b *storage.ProducerBatch) (*storage.ProducerOutcome, error) {
	for s.topic == b.Topic && len(s.outcomes) > 0 && s.outcomes[0].First <= b.First {
		if o := &s.outcomes[0]; o.Last() >= b.First {
			return o, nil
		}
		s.outcomes = s.outcomes[1:]
	}
	_, found, err := store.ProducerOutcomes(b.Producer.ID, b.Topic, b.First)
	*s = storedBefore{topic: b.Topic, outcomes: found}
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// tellAgain tells of a batch that was stored before what became of it then.
func (b *PublishBatch) tellAgain(store Store, before *storedBefore) error {
	sent := &b.produced
	found, err := before.find(store, sent)
	switch {
	case err != nil:
		return storeError(err)
	case found == nil || found.First > sent.Last():
		return ErrOutcomeForgotten
	case found.First != sent.First || found.Count != sent.Count || found.Hash != sent.Hash:
		return fmt.Errorf("%w: sequences from %d on", ErrBatchChanged, sent.First)
	}
	b.Parts = append(b.Parts[:0], found.Parts...)
	return nil
}
