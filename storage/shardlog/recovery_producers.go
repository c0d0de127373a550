package shardlog

import (
	"fmt"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// readProducers reads all producers and how far they have come; what became of their
// batches stays where it is. One with a damaged record is fenced.
func (r *recovery) readProducers() error {
	err := scan(r.engine, record.AppendProducerPrefix(nil), nil, func(key []byte, value storage.Value) error {
		id, err := record.ParseProducerKey(key)
		if err != nil {
			return err
		}
		p := r.producer(id)
		err = value.Read(func(value []byte) error {
			x, err := record.DecodeProducer(key, value)
			p.epoch, p.usedAt = x.Epoch, x.OpenedAt
			return err
		})
		if err != nil {
			r.fenceProducer(p, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.readProducerTopics(); err != nil {
		return err
	}
	r.shard.producers.sortIdle()
	return nil
}

func (r *recovery) readProducerTopics() error {
	return scan(r.engine, record.AppendProducerTopicPrefix(nil), nil, func(key []byte, value storage.Value) error {
		id, topic, err := record.ParseProducerTopicKey(key)
		if err != nil {
			return err
		}
		p := r.producer(id)
		if p.epoch == 0 {
			r.fenceProducer(p, fmt.Errorf("%w: its own record is missing", storage.ErrDataLoss))
		}
		x := p.topic(topic)
		err = value.Read(func(value []byte) (err error) {
			x.ProducerTopic, err = record.DecodeProducerTopic(key, value)
			return err
		})
		if err != nil {
			r.fenceProducer(p, err)
		}
		if x.At.After(p.usedAt) {
			p.usedAt = x.At
		}
		return nil
	})
}

// producer finds a producer by the records that there are of it.
func (r *recovery) producer(id storage.ProducerID) *producer {
	if p := r.shard.producers.byID[id]; p != nil {
		return p
	}
	return r.shard.producers.add(id, 0, time.Time{})
}

// fenceProducer takes a producer out of service: nobody can say what it stored.
func (r *recovery) fenceProducer(p *producer, why error) {
	if p.damage == nil {
		p.damage = fmt.Errorf("producer %v: %w", p.id, why)
		r.logger.Error("producer is damaged and fenced", "producer", p.id.String(), "error", why)
	}
}

// readDedupe reads all dedupe ids. A partition with a damaged record is fenced: what
// it would take in might be there already.
func (r *recovery) readDedupe() error {
	return scan(r.engine, record.AppendPrefix(nil, record.KindDedupe), nil, func(key []byte, value storage.Value) error {
		id, batch, err := record.ParseDedupeKey(key)
		if err != nil {
			return err
		}
		p := r.partition(id)
		err = value.Read(func(value []byte) error {
			d, err := record.DecodeDedupe(key, value)
			if err != nil {
				return err
			}
			return r.recallIDs(p, batch, &d)
		})
		switch {
		case err != nil:
			r.fencef(p, "its dedupe ids: %v", err)
		case p.dedupe != nil:
			r.shard.remembersIDs(p)
		}
		return nil
	})
}

// gaveUp says that batches are missing whose loss was accepted: what names them may.
func (r *recovery) gaveUp() bool { return r.mends() || len(r.shard.AcceptedLosses) > 0 }

// recallIDs takes in the dedupe ids that a batch brought, as recovery found them, in
// the order of the batches.
func (r *recovery) recallIDs(p *partition, batch uint64, d *record.Dedupe) error {
	if p.dedupe == nil {
		p.dedupe = newDedupeWindow()
	} else if p.dedupe.last != d.Previous && !r.gaveUp() {
		return fmt.Errorf("%w: batch %d follows batch %d, found %d", storage.ErrDataLoss, batch, d.Previous, p.dedupe.last)
	}
	end := d.IDs[len(d.IDs)-1].Offset + 1
	if end > p.next.Offset && p.err() == nil {
		return fmt.Errorf("%w: batch %d has ids up to %d, the head is %d", storage.ErrDataLoss, batch, end, p.next.Offset)
	}
	for i := range d.IDs {
		x := &d.IDs[i]
		p.dedupe.ids[x.Hash] = dedupedMessage{offset: x.Offset, payload: x.Payload}
	}
	p.dedupe.add(commitOf(batch, d.At, end, d.IDs))
	return nil
}
