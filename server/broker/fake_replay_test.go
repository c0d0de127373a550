package broker

import (
	"context"
	"time"

	"github.com/headrace/headrace/storage"
)

// Unsettled of the fake finds nothing, likewise.
func (f *fakeStore) Unsettled(
	context.Context, storage.SubscriptionID, uint16, storage.Offset,
) (ranges []storage.OffsetRange, next storage.Offset, err error) {
	return nil, 0, nil
}

func (f *fakeStore) Snapshots() []storage.Snapshot { return nil }

func (f *fakeStore) CreateSnapshot(context.Context, string, storage.SubscriptionID, time.Time) (storage.Snapshot, error) {
	return storage.Snapshot{}, storage.ErrNotFound
}

func (f *fakeStore) DeleteSnapshot(context.Context, storage.SubscriptionID) error {
	return storage.ErrNotFound
}

// Seek of the fake moves nothing: what a seek does is tested over the store itself.
func (f *fakeStore) Seek(context.Context, storage.SubscriptionID, storage.Target) (storage.Seeked, error) {
	return storage.Seeked{}, storage.ErrNotKept
}
