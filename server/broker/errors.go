package broker

import (
	"errors"
	"fmt"
)

// The sentinels of the package. They are wrapped with detail; compare with
// errors.Is. Each corresponds to one reason of headrace.v1.ErrorReason.
var (
	// ErrInvalidName is returned when a resource name is not a legal name.
	ErrInvalidName = errors.New("broker: invalid name")
	// ErrInvalidField is returned when a value is out of its bounds; the error is a
	// *FieldError that says which.
	ErrInvalidField = errors.New("broker: invalid field")
	// ErrFrameOrder is returned when a session does what its kind does not allow:
	// a Window in a manual session, a Grant in another.
	ErrFrameOrder = errors.New("broker: not allowed for this session")
	// ErrSettleNumberGap is returned when a settle or extend does not have the next
	// number.
	ErrSettleNumberGap = errors.New("broker: settle number skips one")

	// ErrTopicNotFound is returned when no topic has the name.
	ErrTopicNotFound = errors.New("broker: topic not found")
	// ErrSubscriptionNotFound is returned when no subscription has the name.
	ErrSubscriptionNotFound = errors.New("broker: subscription not found")
	// ErrPartitionNotFound is returned when the subscription has no such partition.
	ErrPartitionNotFound = errors.New("broker: partition not found")
	// ErrSessionNotFound is returned when the subscription has no such session.
	ErrSessionNotFound = errors.New("broker: session not found")
	// ErrTopicExists is returned when a topic has the name, or one that is being
	// deleted had it.
	ErrTopicExists = errors.New("broker: topic exists")
	// ErrSubscriptionExists is returned when a subscription has the name, or one
	// that is being deleted had it.
	ErrSubscriptionExists = errors.New("broker: subscription exists")
	// ErrTopicDeleted is returned when the topic was deleted while it was in use.
	ErrTopicDeleted = errors.New("broker: topic deleted")
	// ErrSubscriptionDeleted is returned when the subscription was deleted while it
	// was in use.
	ErrSubscriptionDeleted = errors.New("broker: subscription deleted")
	// ErrTopicHasSubscriptions is returned when a topic with subscriptions should
	// be deleted.
	ErrTopicHasSubscriptions = errors.New("broker: topic has subscriptions")

	// ErrExclusiveSessionExists is returned when an exclusive subscription has a
	// session already.
	ErrExclusiveSessionExists = errors.New("broker: exclusive subscription has a session")
	// ErrTakenOver is returned when another session took this one's place.
	ErrTakenOver = errors.New("broker: session taken over")
	// ErrSuperseded is returned when another stream took the session of this one up
	// again.
	ErrSuperseded = errors.New("broker: session taken up by another stream")
	// ErrSessionSilent is returned when nothing was heard of the client for three
	// heartbeats.
	ErrSessionSilent = errors.New("broker: session silent")
	// ErrSlowReader is returned when a frame was not written in time.
	ErrSlowReader = errors.New("broker: slow reader")
	// ErrResultsUnread is returned when more results wait for the client than a
	// slot may hold.
	ErrResultsUnread = errors.New("broker: results unread")
	// ErrSessionClosed is returned by the methods of a session, or publisher, that
	// its own stream closed.
	ErrSessionClosed = errors.New("broker: closed")

	// ErrPositionOutOfRange is returned when a start position is after the end of
	// its partition, or names a partition that does not exist, or a seek goes below
	// what is retained.
	ErrPositionOutOfRange = errors.New("broker: position out of range")
	// ErrSnapshotNotFound is returned when no snapshot has the name.
	ErrSnapshotNotFound = errors.New("broker: snapshot not found")
	// ErrSnapshotExists is returned when a snapshot has the name, or one that is being
	// deleted had it.
	ErrSnapshotExists = errors.New("broker: snapshot exists")
	// ErrNothingKept is returned when a subscription should go back on a topic that
	// keeps nothing of what is settled.
	ErrNothingKept = errors.New("broker: nothing settled is kept")
	// ErrPublishWindowExceeded is returned when a publisher sent more than its
	// window.
	ErrPublishWindowExceeded = errors.New("broker: publish window exceeded")
	// ErrStaleProducer is returned when a newer stream of the producer exists.
	ErrStaleProducer = errors.New("broker: stale producer")
	// ErrSequenceGap is returned when messages of the producer before a batch are not
	// stored, nor is the batch.
	ErrSequenceGap = errors.New("broker: publish sequence gap")
	// ErrBatchChanged is returned when a batch is sent again and is not the same.
	ErrBatchChanged = errors.New("broker: batch changed")
	// ErrOutcomeForgotten is returned when nobody remembers whether a batch was stored
	// by an earlier sending; by this one it was not.
	ErrOutcomeForgotten = errors.New("broker: outcome forgotten")
	// ErrMessageTooLarge is returned when a message or batch does not fit the store.
	ErrMessageTooLarge = errors.New("broker: message too large")
	// ErrLimitReached is returned when there are as many topics, subscriptions or
	// sessions as the configuration allows.
	ErrLimitReached = errors.New("broker: limit reached")

	// ErrDiskFull is returned when the disk is too full to accept messages.
	ErrDiskFull = errors.New("broker: disk full")
	// ErrDraining is returned when the broker drains or is closed.
	ErrDraining = errors.New("broker: draining")
	// ErrStoreUnavailable is returned when the store stopped after a failure;
	// nothing of the call was stored.
	ErrStoreUnavailable = errors.New("broker: store unavailable")
	// ErrUnknownOutcome is returned when a publish or change may be stored or not.
	ErrUnknownOutcome = errors.New("broker: outcome unknown")
	// ErrFenced is returned when a newer owner of the shard exists.
	ErrFenced = errors.New("broker: fenced")
	// ErrDataLoss is returned when stored data that the call needs is damaged.
	ErrDataLoss = errors.New("broker: data loss")
)

// FieldError says which field is out of its bounds. It matches ErrInvalidField.
type FieldError struct {
	// Field is the field's name as the contract writes it, for instance
	// "retry.min_backoff".
	Field string
	// Limit is the bound that was passed, in words, or what is wrong.
	Limit string
}

// Error tells the field and the bound.
func (e *FieldError) Error() string {
	return fmt.Sprintf("%v: %s: %s", ErrInvalidField, e.Field, e.Limit)
}

// Unwrap makes a FieldError match ErrInvalidField.
func (e *FieldError) Unwrap() error { return ErrInvalidField }

// invalidField makes a FieldError.
func invalidField(field, limit string) error {
	return &FieldError{Field: field, Limit: limit}
}

// asDamage is err when it is damage, else nil.
func asDamage(err error) error {
	if errors.Is(err, ErrDataLoss) {
		return err
	}
	return nil
}
