package broker

import (
	"context"

	"github.com/headrace/headrace/storage"
)

// Seek of the fake moves nothing: what a seek does is tested over the store itself.
func (f *fakeStore) Seek(context.Context, storage.SubscriptionID, storage.Target) (storage.Seeked, error) {
	return storage.Seeked{}, storage.ErrNotKept
}
