package storage

import "errors"

// The sentinels of every engine. They are wrapped with detail for the log;
// callers compare with errors.Is.
var (
	// ErrFenced is returned when a newer owner of the shard exists. It is final.
	ErrFenced = errors.New("storage: fenced by a newer epoch")
	// ErrNoSpace is returned when the disk is below the mark that keeps the store
	// working. Nothing of the call was stored.
	ErrNoSpace = errors.New("storage: no space")
	// ErrBacklogFull is returned when a publish that is Full has something to store.
	ErrBacklogFull = errors.New("storage: backlog full")
	// ErrTooLarge is returned when a publish does not fit a commit segment or a
	// batch does not fit an engine's transaction.
	ErrTooLarge = errors.New("storage: too large")
	// ErrUnavailable is returned when the store does not take work: it is closed
	// or has failed. Nothing of the call was stored.
	ErrUnavailable = errors.New("storage: unavailable")
	// ErrUnknown is returned when a commit failed and may be applied all the same.
	// It is never retried blindly.
	ErrUnknown = errors.New("storage: outcome unknown")
	// ErrDataLoss is returned when a record is damaged, or missing where one must
	// be.
	ErrDataLoss = errors.New("storage: data loss")
	// ErrNotFound is returned when a key, topic, subscription or partition does
	// not exist and need not.
	ErrNotFound = errors.New("storage: not found")
	// ErrExists is returned when a name is taken, also by one being deleted.
	ErrExists = errors.New("storage: exists")
	// ErrInUse is returned when a topic with subscriptions should be deleted.
	ErrInUse = errors.New("storage: in use")
	// ErrLocked is returned by an engine's Open when another process has the
	// directory open.
	ErrLocked = errors.New("storage: directory in use by another process")
	// ErrFormat is returned by an engine's Open when the directory holds something
	// else, or a store of another format.
	ErrFormat = errors.New("storage: format not supported")
	// ErrStale is returned when a change was made for a subscription's state before a
	// seek. Nothing of it was stored.
	ErrStale = errors.New("storage: of an earlier generation")
	// ErrNotKept is returned when a subscription should go back on a topic that keeps
	// nothing of what is settled.
	ErrNotKept = errors.New("storage: nothing settled is kept")
	// ErrOtherTopic is returned when a subscription should be moved to a snapshot of
	// another topic.
	ErrOtherTopic = errors.New("storage: snapshot of another topic")
	// ErrTrimmed is returned when an offset is below the first retained one.
	ErrTrimmed = errors.New("storage: offset no longer retained")
	// ErrStaleProducer is returned when a producer was opened again since, or is
	// forgotten. It is final for this opening.
	ErrStaleProducer = errors.New("storage: stale producer")
	// ErrProducers is returned when as many producers are open as there may be.
	ErrProducers = errors.New("storage: too many producers")
	// ErrSequenceGap is returned when messages before a producer's batch are not
	// stored.
	ErrSequenceGap = errors.New("storage: sequence gap")
	// ErrBatchChanged is returned when a producer's batch has sequences of a batch
	// that was stored before and is not that one.
	ErrBatchChanged = errors.New("storage: batch changed")
	// ErrOutcomeForgotten is returned when it is not remembered whether a producer's
	// batch was stored before.
	ErrOutcomeForgotten = errors.New("storage: outcome forgotten")
)
