package broker

import (
	"errors"
	"fmt"

	"github.com/headrace/headrace/storage"
)

// storeErrors says what the broker makes of a store's errors. What is not in it,
// like ErrNotFound, means something else in each call.
var storeErrors = []struct{ storage, broker error }{
	{storage.ErrNoSpace, ErrDiskFull},
	{storage.ErrBacklogFull, ErrBacklogFull},
	{storage.ErrUnavailable, ErrStoreUnavailable},
	{storage.ErrUnknown, ErrUnknownOutcome},
	{storage.ErrFenced, ErrFenced},
	{storage.ErrDataLoss, ErrDataLoss},
	{storage.ErrTooLarge, ErrMessageTooLarge},
	{storage.ErrStaleProducer, ErrStaleProducer},
	{storage.ErrProducers, ErrLimitReached},
	{storage.ErrSequenceGap, ErrSequenceGap},
	{storage.ErrBatchChanged, ErrBatchChanged},
	{storage.ErrOutcomeForgotten, ErrOutcomeForgotten},
}

// storeError translates an error of the store; one it does not know stays as it is.
func storeError(err error) error {
	for _, pair := range storeErrors {
		if errors.Is(err, pair.storage) {
			return fmt.Errorf("%w: %w", pair.broker, err)
		}
	}
	return err
}

// sessionError translates an error of the store for sessions. To them a commit of
// which nobody knows whether it is stored is a store that failed, no more: what is not
// confirmed may be stored in any case, and a client is to come back.
func sessionError(err error) error {
	if errors.Is(err, storage.ErrUnknown) {
		return fmt.Errorf("%w: %w", ErrStoreUnavailable, err)
	}
	return storeError(err)
}

// storeFailure is how everything ends when the store failed for good.
func storeFailure(store Store) error {
	if err := store.Err(); errors.Is(err, storage.ErrFenced) {
		return fmt.Errorf("%w: %w", ErrFenced, err)
	} else if err != nil {
		return fmt.Errorf("%w: %w", ErrStoreUnavailable, err)
	}
	return ErrStoreUnavailable
}
