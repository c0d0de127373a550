package storage

import "time"

// Snapshot is what a subscription had settled at a moment. It is kept as a subscription
// that nobody receives from: it holds what was unsettled then, and all that came since,
// like any other, until it expires.
type Snapshot struct {
	ID    SubscriptionID
	Name  string
	Topic TopicID
	// Of is the name of the subscription that it was taken of.
	Of        string
	State     State
	CreatedAt time.Time
	// ExpiresAt is when it goes.
	ExpiresAt time.Time
	// Unsettled is how many messages were unsettled when it was taken.
	Unsettled uint64
}

// SnapshotMark makes a Subscription a snapshot.
type SnapshotMark struct {
	ExpiresAt time.Time
	Of        string
	Unsettled uint64
}
