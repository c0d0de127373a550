package headrace

import (
	"context"
	"iter"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// Peek shows the messages of a partition that a subscription has not acked, in order of
// their offsets from one on, asking for one page after the other as the loop goes on.
// includeAcked shows what is acked, too, as far as it is retained. It takes nothing: no
// attempt is counted and no session waits. A message that is too large for a page is left
// out of its entry. An error is the last element. Errors: [ErrInvalidName],
// [ErrInvalidField], [ErrSubscriptionNotFound], [ErrPartitionNotFound], [ErrDataLoss].
func (s *Subscriptions) Peek(
	ctx context.Context, name string, from Position, includeAcked bool,
) iter.Seq2[*headracev1.PeekedMessage, error] {
	return func(yield func(*headracev1.PeekedMessage, error) bool) {
		for {
			r, err := s.rpc.PeekSubscription(ctx, &headracev1.PeekSubscriptionRequest{
				Subscription: name, Partition: from.Partition, FromOffset: from.Offset, IncludeAcked: includeAcked,
			})
			if err != nil {
				yield(nil, translate(err))
				return
			}
			for _, m := range r.GetMessages() {
				if !yield(m, nil) {
					return
				}
			}
			if r.NextOffset == nil {
				return
			}
			from.Offset = r.GetNextOffset()
		}
	}
}
