package broker

import (
	"context"
	"time"

	"github.com/headrace/headrace/storage"
)

// Catalog keeps the definitions of topics and subscriptions. Every change is
// durable when its call returns; calls block for commits and are not made from
// loops.
type Catalog interface {
	// Topics and Subscriptions list everything that is not gone.
	Topics() []storage.Topic
	Subscriptions() []storage.Subscription

	// CreateTopic stores a topic under a new id. Errors: ErrExists, ErrNoSpace.
	CreateTopic(ctx context.Context, t storage.Topic) (storage.Topic, error)
	// UpdateTopic replaces MinAge, KeepSettled, MaxAge, MaxBytes, DedupeWindow, DedupeIDs
	// and Definition. Errors: ErrNotFound.
	UpdateTopic(ctx context.Context, t storage.Topic) (storage.Topic, error)
	// DeleteTopic ends a topic; its data goes in the background. Errors:
	// ErrNotFound, ErrInUse.
	DeleteTopic(ctx context.Context, id storage.TopicID) error

	// CreateSubscription stores a subscription under a new id with a durable
	// cursor on every partition. Errors: ErrExists, ErrNotFound, ErrNoSpace.
	CreateSubscription(ctx context.Context, s storage.Subscription, start storage.Start) (storage.Subscription, error)
	// UpdateSubscription replaces Definition. Errors: ErrNotFound.
	UpdateSubscription(ctx context.Context, s storage.Subscription) (storage.Subscription, error)
	// UseSubscription writes down when a subscription was used last. Errors: ErrNotFound.
	UseSubscription(ctx context.Context, id storage.SubscriptionID, at time.Time) error
	// DeleteSubscription ends a subscription; its state goes in the background.
	// Errors: ErrNotFound.
	DeleteSubscription(ctx context.Context, id storage.SubscriptionID) error
}

// Log takes messages in and hands them out.
type Log interface {
	// NewPublishQueue makes one stream's way into the committer.
	NewPublishQueue() storage.PublishQueue
	// Head is the offset that the partition's next durable message will have. It
	// never blocks.
	Head(p storage.PartitionID) storage.Offset
	// Watch signals wake, which has capacity 1, each time the partition's head
	// rose, until cancel is called.
	Watch(p storage.PartitionID, wake chan<- struct{}) (cancel func())
	// KeptFrom is the offset from which on a partition keeps what is not settled:
	// subscriptions settle what is before it. It never goes back and never blocks.
	KeptFrom(p storage.PartitionID) storage.Offset
	// WatchKept signals wake, which has capacity 1, each time KeptFrom rose in a
	// partition of a topic, until cancel is called.
	WatchKept(topic storage.TopicID, wake chan<- struct{}) (cancel func())
	// Tail gives the segment that holds an offset from memory, with a reference
	// for the caller, or nil when it is not there. It never blocks nor reads the
	// disk.
	Tail(p storage.PartitionID, at storage.Offset) *storage.Segment
	// Read finds what stands at an offset below the head, from memory or disk. It
	// may block and is not called from loops. Errors: ErrTrimmed, ErrDataLoss,
	// ErrNotFound.
	Read(ctx context.Context, p storage.PartitionID, at storage.Offset) (storage.Piece, error)
	// Locate says when and after how much an offset was written. It may block.
	// Errors as Read's; ErrNotFound at and past the head.
	Locate(ctx context.Context, p storage.PartitionID, at storage.Offset) (storage.Place, error)
	// Stats are a partition's figures. It never blocks.
	Stats(p storage.PartitionID) (storage.PartitionStats, error)
}

// Producers remembers what producers stored.
type Producers interface {
	// OpenProducer raises a producer's epoch, which is durable when it returns: what
	// was handed over under a lower one, and is not in a commit by then, is refused.
	// It is remembered at least until CloseProducer, which is called once. Errors:
	// ErrProducers, ctx's.
	OpenProducer(ctx context.Context, id storage.ProducerID) (storage.Producer, error)
	CloseProducer(id storage.ProducerID)
	// ProducerOutcomes reads what became of the producer's batches to a topic, from
	// the one that holds a sequence on (0: of none), as far as it remembers them, and
	// the sequence that comes next. It reads the disk. Errors: ErrDataLoss.
	ProducerOutcomes(id storage.ProducerID, topic storage.TopicID, from uint64) (
		next uint64, outcomes []storage.ProducerOutcome, err error)
}

// State keeps the delivery state of subscriptions.
type State interface {
	// Cursors is a subscription's state as stored, one entry a partition. It may
	// block. Errors: ErrNotFound, ErrDataLoss.
	Cursors(ctx context.Context, id storage.SubscriptionID) ([]storage.Cursor, error)
	// Sessions are those of an exactly-once subscription as stored. It may block.
	// Errors: ErrNotFound, ErrDataLoss.
	Sessions(ctx context.Context, id storage.SubscriptionID) ([]storage.StoredSession, error)
	// NewStateSlot makes the subscription's place in the committer's inbox; one
	// owner at a time.
	NewStateSlot(id storage.SubscriptionID) storage.StateSlot
}

// Parks keep which ordering keys wait to be released.
type Parks interface {
	// ParkedKeys gives parked keys from one on, in order of partition and hash: some, or
	// none at the end. Errors: ErrNotFound, ErrDataLoss.
	ParkedKeys(ctx context.Context, id storage.SubscriptionID, from storage.ParkedKeyID) ([]storage.ParkedKey, error)
}

// Mover moves subscriptions, and tells where they are.
type Mover interface {
	Snapshots
	// Unsettled gives what a subscription has not settled of a partition from an offset
	// on, as it is committed, and where the look ended; at the head there is nothing
	// more. It may block. Errors: ErrNotFound, ErrDataLoss.
	Unsettled(ctx context.Context, id storage.SubscriptionID, partition uint16, from storage.Offset) (
		ranges []storage.OffsetRange, next storage.Offset, err error)
	// Seek moves a subscription in one commit, in a new generation. Errors:
	// ErrNotFound, also for a target past the end; ErrTrimmed, ErrNotKept, ErrDataLoss.
	Seek(ctx context.Context, id storage.SubscriptionID, to storage.Target) (storage.Seeked, error)
}

// Snapshots keep what subscriptions had not settled.
type Snapshots interface {
	// Snapshots lists the snapshots that are not gone.
	Snapshots() []storage.Snapshot
	// CreateSnapshot keeps what a subscription has not settled. Errors: ErrExists,
	// ErrNotFound, ErrNoSpace, ErrDataLoss.
	CreateSnapshot(ctx context.Context, name string, of storage.SubscriptionID, expires time.Time) (storage.Snapshot, error)
	// DeleteSnapshot ends a snapshot; what it held goes in the background. Errors:
	// ErrNotFound.
	DeleteSnapshot(ctx context.Context, id storage.SubscriptionID) error
}

// Graves keep what subscriptions have given up.
type Graves interface {
	// DeadLetters gives dead letters from a sequence on, in order: some, or none at
	// the end. Errors: ErrNotFound; ErrDataLoss when the first one is damaged.
	DeadLetters(ctx context.Context, id storage.SubscriptionID, from uint64) ([]storage.DeadLetter, error)
	// FindDeadLetter looks for the first dead letter that stood at a position, among so many
	// of the first ones; more says that there are others, and it may be among them. It may
	// block. Errors: ErrNotFound, ErrDataLoss, ctx's.
	FindDeadLetter(ctx context.Context, id storage.SubscriptionID, partition uint16, at storage.Offset, most int) (
		found *storage.DeadLetter, more bool, err error)
	// DiscardDeadLetters deletes dead letters in one commit and gives those that were
	// there. Errors: ErrNotFound, ErrTooLarge, ErrDataLoss.
	DiscardDeadLetters(ctx context.Context, id storage.SubscriptionID, sequences []uint64) ([]storage.DeadLetterID, error)
	// Redrive moves dead letters to the replay partition in one commit, as many as
	// that takes, in the order given. Errors: ErrNotFound, ErrNoSpace, ErrDataLoss.
	Redrive(
		ctx context.Context, id storage.SubscriptionID, sequences []uint64, again func(*storage.DeadLetter) []byte,
	) ([]storage.Redriven, error)
}

// Store is what the broker needs of a shard.
type Store interface {
	Catalog
	Log
	Producers
	State
	Mover
	Graves
	Parks
	// AcceptsPublishes is false while the disk is below the high mark.
	AcceptsPublishes() bool
	// Failed is closed when the store failed for good; Err says why.
	Failed() <-chan struct{}
	Err() error
}
