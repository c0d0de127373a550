package shardlog

import (
	"context"
	"time"

	"github.com/headrace/headrace/storage"
)

// UseSubscription writes down when a subscription was used last; what is written never
// goes back. Errors: ErrNotFound.
func (s *Store) UseSubscription(ctx context.Context, id storage.SubscriptionID, at time.Time) error {
	_, err := s.editSubscription(ctx, id, func(x *subscription) error {
		x.LastUse = later(x.LastUse, at.Round(0).UTC())
		return nil
	})
	return err
}
