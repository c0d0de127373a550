package broker

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/headrace/headrace/storage"
)

// peekLooks bounds how often one call looks for something to show, so that a long stretch
// of acked messages costs several calls, none of them long.
const peekLooks = 64

// PeekFrom says what is to be shown of a subscription.
type PeekFrom struct {
	// Partition is one of the topic's, or the subscription's own.
	Partition uint32
	// Offset is the first that is looked at; below the floor it means the floor, unless
	// what is settled is shown, too.
	Offset storage.Offset
	// Settled: what is settled is shown, too, as far as it is retained.
	Settled bool
}

// Peeked is a message that is shown. Message is valid until the call returns.
type Peeked struct {
	Partition uint32
	Offset    storage.Offset
	LogTime   time.Time
	Message   []byte
	Settled   bool
}

// Peek shows messages in order, as it is committed, as long as show wants more; next is
// where to go on, and more that there may be something. It takes nothing and holds up
// nobody. Errors: ErrSubscriptionNotFound, ErrPartitionNotFound, ErrDataLoss, ctx's.
func (b *Broker) Peek(
	ctx context.Context, name Name, from PeekFrom, show func(*Peeked) (more bool, err error),
) (next storage.Offset, more bool, err error) {
	s, err := b.catalog.subscription(name)
	if err == nil {
		err = s.failed()
	}
	if err != nil {
		return from.Offset, false, err
	}
	p := &peek{broker: b, subscription: s, from: from, show: show, next: from.Offset}
	switch place := s.route.place(from.Partition); {
	case from.Partition != replayPartition && int(from.Partition) >= s.route.partitions:
		return from.Offset, false, ErrPartitionNotFound
	case !s.route.exists(place):
		return from.Offset, false, nil
	}
	err = p.run(ctx)
	return p.next, p.more, err
}

// peek is one look.
type peek struct {
	broker       *Broker
	subscription *subscription
	from         PeekFrom
	show         func(*Peeked) (bool, error)
	// next is where it stands, more whether there is something behind.
	next storage.Offset
	more bool
	full bool
}

func (p *peek) run(ctx context.Context) error {
	for range peekLooks {
		unsettled, end, err := p.broker.store.Unsettled(ctx, p.subscription.id, uint16(p.from.Partition), p.next)
		if err != nil {
			return subscriptionError(err)
		}
		look := unsettled
		if p.from.Settled {
			look = []storage.OffsetRange{{First: p.next, End: end}}
		}
		for _, r := range look {
			if err := p.walk(ctx, r, unsettled); err != nil || p.full {
				return err
			}
		}
		p.next = max(p.next, end)
		head := p.broker.store.Head(p.subscription.route.id(p.from.Partition))
		if p.more = p.next < head; !p.more {
			return nil
		}
	}
	return nil
}

// walk shows what stands in a range.
func (p *peek) walk(ctx context.Context, r storage.OffsetRange, unsettled []storage.OffsetRange) error {
	id := p.subscription.route.id(p.from.Partition)
	for at := r.First; at < r.End; {
		piece, err := p.broker.store.Read(ctx, id, at)
		switch {
		case errors.Is(err, storage.ErrTrimmed):
			stats, err := p.broker.store.Stats(id)
			if err != nil {
				return subscriptionError(err)
			}
			at = max(at+1, stats.First)
			continue
		case err != nil:
			return subscriptionError(err)
		case piece.Segment == nil:
			at = piece.Hole.End
			continue
		}
		end := min(r.End, piece.Segment.End())
		err = p.segment(piece.Segment, storage.OffsetRange{First: at, End: end}, unsettled)
		piece.Segment.Release()
		if err != nil || p.full {
			return err
		}
		at = end
	}
	return nil
}

// segment shows a part of one.
func (p *peek) segment(s *storage.Segment, r storage.OffsetRange, unsettled []storage.OffsetRange) error {
	for at := r.First; at < r.End; at++ {
		settled := p.from.Settled && !slices.ContainsFunc(unsettled, func(u storage.OffsetRange) bool {
			return u.First <= at && at < u.End
		})
		more, err := p.show(&Peeked{
			Partition: p.from.Partition, Offset: at, LogTime: s.LogTime, Message: s.Range(at, at+1), Settled: settled,
		})
		if err != nil {
			return err
		}
		if !more {
			p.next, p.more, p.full = at, true, true
			return nil
		}
	}
	return nil
}
