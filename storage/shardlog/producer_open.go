package shardlog

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/headrace/headrace/storage"
)

// spareProducers is by how much producers may be more than they should be, until the
// janitor has forgotten some, as a part of what they may be.
const spareProducers = 10

// OpenProducer raises a producer's epoch, which is durable when it returns: what was
// handed over under a lower one and is not in a batch by then is refused with
// ErrStaleProducer. The producer is not forgotten before CloseProducer, which is to
// be called once. Errors: ErrProducers, ErrUnavailable, ErrUnknown, ErrDataLoss, and
// ctx's, after which the producer is not open.
func (s *Store) OpenProducer(ctx context.Context, id storage.ProducerID) (storage.Producer, error) {
	for {
		o := &opening{store: s, id: id}
		err := s.change(ctx, &change{need: producerNeed, apply: o.apply, settled: o.settled})
		switch {
		case err != nil && (ctx.Err() == nil || o.abandon()):
			return storage.Producer{}, err
		case !o.later:
			return storage.Producer{ID: id, Epoch: o.epoch}, nil
		}
	}
}

// CloseProducer says that an opening of a producer is not used any more.
func (s *Store) CloseProducer(id storage.ProducerID) {
	s.in.addChange(&change{done: make(chan struct{}), apply: func(*batch) error {
		s.committer.closeProducer(id)
		return nil
	}})
}

// opening is one opening of a producer on its way through the committer.
type opening struct {
	store *Store
	id    storage.ProducerID
	// epoch is the one given; later says that it is to be tried again with the next
	// batch. Set by apply.
	epoch uint64
	later bool
	// ended is set once: by who abandons the opening, or by its being durable.
	ended atomic.Bool
}

// apply raises the epoch. Loop only.
func (o *opening) apply(b *batch) error {
	c := o.store.committer
	if c.shard.producers.forgotIn == b.Number {
		// The batch deletes records that the producer may write again.
		o.later = true
		return nil
	}
	p, err := c.shard.producers.open(o.id, c.now())
	if err != nil {
		return err
	}
	c.remembers.Store(true)
	p.epoch++
	o.epoch = p.epoch
	b.touch(p)
	return nil
}

// settled closes the producer again when nobody waits for it any more. Loop only.
func (o *opening) settled() {
	if !o.ended.CompareAndSwap(false, true) && !o.later {
		o.store.committer.closeProducer(o.id)
	}
}

// abandon gives the opening up; false when it came to be before that.
func (o *opening) abandon() bool { return o.ended.CompareAndSwap(false, true) }

// open finds a producer, or makes it known, and notes an opening.
func (s *producers) open(id storage.ProducerID, now time.Time) (*producer, error) {
	p := s.byID[id]
	if p == nil {
		if n := len(s.byID); n >= s.most && (s.idle.Len() == 0 || n >= s.most+s.most/spareProducers) {
			return nil, fmt.Errorf("%w: %d are remembered", storage.ErrProducers, n)
		}
		p = s.add(id, 0, now)
	}
	if p.damage != nil {
		return nil, p.damage
	}
	s.begin(p, now)
	return p, nil
}

// closeProducer notes that an opening is closed. Loop only.
func (c *committer) closeProducer(id storage.ProducerID) {
	if p := c.shard.producers.byID[id]; p != nil && p.open > 0 {
		c.shard.producers.end(p, c.now())
	}
}
