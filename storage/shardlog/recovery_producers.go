package shardlog

import (
	"errors"
	"fmt"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// readProducers reads all producers and how far they have come, up to their pages since
// the topics' records; what became of older batches stays where it is. One with a
// damaged record or page is fenced.
func (r *recovery) readProducers() error {
	records := map[*producer]record.Producer{}
	err := scan(r.engine, record.AppendProducerPrefix(nil), nil, func(key []byte, value storage.Value) error {
		id, err := record.ParseProducerKey(key)
		if err != nil {
			return err
		}
		p := r.producer(id)
		err = value.Read(func(value []byte) error {
			x, err := record.DecodeProducer(key, value)
			p.epoch, p.usedAt, p.pages = x.Epoch, x.UsedAt, x.Pages
			records[p] = x
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
	for p, x := range records {
		if p.damage == nil {
			if err := r.readTail(p, &x); err != nil {
				r.fenceProducer(p, err)
			}
		}
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
		p.records++
		err = value.Read(func(value []byte) error {
			t, err := record.DecodeProducerTopic(key, value)
			x.highest, x.page = t.Highest, t.Page
			return err
		})
		if err != nil {
			r.fenceProducer(p, err)
		}
		return nil
	})
}

// readTail reads the pages that say more than the records of the topics. Where batches
// are given up a record may be missing too: then all pages are read, and the records
// written again.
func (r *recovery) readTail(p *producer, x *record.Producer) error {
	if r.mends() {
		return r.mendProducer(p)
	}
	if p.records != x.Topics {
		return fmt.Errorf("%w: the records of %d topics are there, should be %d", storage.ErrDataLoss, p.records, x.Topics)
	}
	all := &r.shard.producers
	for n := x.Tail; n <= x.Pages; n++ {
		page, err := r.producerPage(p.id, n)
		if err != nil {
			return err
		}
		all.pages++
		for i := range page.Outcomes {
			o := &page.Outcomes[i]
			t := p.topics[o.Topic] // Whose record is gone was forgotten.
			switch {
			case t == nil || !t.goesOn(n, o):
			case o.First != t.highest+1:
				return fmt.Errorf("%w: page %d goes on in topic %d at %d, expected %d",
					storage.ErrDataLoss, n, o.Topic, o.First, t.highest+1)
			default:
				t.highest, t.page = o.Last(), n
				if t.own == nil {
					all.addTail(t, n, all.pages)
				}
			}
		}
	}
	return nil
}

// goesOn says that an outcome in a page comes after what is known of the topic.
func (x *producerTopic) goesOn(page uint64, o *record.PageOutcome) bool {
	return page > x.page || page == x.page && o.First > x.highest
}

func (r *recovery) producerPage(id storage.ProducerID, number uint64) (page record.ProducerPage, err error) {
	err = r.engine.View(func(v storage.Reader) (err error) {
		page, err = readProducerPage(v, id, number)
		return err
	})
	if err == nil && page.Number != number {
		err = fmt.Errorf("%w: page %d of producer %v, but page %d", errNoPage, number, id, page.Number)
	}
	return page, err
}

// mendProducer reads all pages that are left of a producer, and has its records written
// by them.
func (r *recovery) mendProducer(p *producer) error {
	for n := p.pages - min(p.pages, storage.ProducerPages) + 1; n <= p.pages; n++ {
		page, err := r.producerPage(p.id, n)
		if err != nil && !errors.Is(err, errNoPage) {
			return err
		}
		for i := range page.Outcomes {
			o := &page.Outcomes[i]
			if r.shard.topics[o.Topic] == nil {
				continue
			}
			if t := p.topic(o.Topic); t.goesOn(n, o) {
				t.highest, t.page = o.Last(), n
			}
		}
	}
	p.records = uint32(len(p.topics))
	r.repairs = append(r.repairs, func(b *batch) { b.touch(p) })
	for _, t := range p.topics {
		r.repairs = append(r.repairs, func(b *batch) { r.shard.producers.record(b, t) })
	}
	return nil
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
