package headrace

import (
	"strings"
	"time"
)

// Reason is why something failed: the name of a reason of the contract, such as
// "TOPIC_NOT_FOUND", or of one of the client's own. It is stable; the text of an
// error is not. Test for one with errors.Is and the variables of this package.
type Reason string

// Error is every error of this package but those of contexts.
//
//	if errors.Is(err, headrace.ErrTopicNotFound) { … }
//
//	var e *headrace.Error
//	if errors.As(err, &e) && e.Retryable { … }
//
// The gRPC status of a failed call is kept and can be had with
// status.FromError(err) of google.golang.org/grpc/status.
type Error struct {
	// Reason is why. Empty when the server, or what is between, gave none.
	Reason Reason
	// Code is the gRPC status code's name, such as "NOT_FOUND". Empty for errors
	// of the client.
	Code string
	// Retryable says that the same call may succeed later and that nothing of
	// this one was done.
	Retryable bool
	// RetryAfter is how long the server asks to wait. 0: it does not say.
	RetryAfter time.Duration
	// Field is the field at fault, when there is one.
	Field string
	// Limit is the limit that was passed, in the field's unit. 0: none.
	Limit uint64
	// Message is what happened, for people.
	Message string

	cause error
}

// Error returns the text, for people: what happened and the reason.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("headrace: ")
	b.WriteString(e.text())
	if e.Reason != "" {
		b.WriteString(" (" + string(e.Reason) + ")")
	} else if e.Code != "" {
		b.WriteString(" (" + e.Code + ")")
	}
	return b.String()
}

func (e *Error) text() string {
	switch {
	case e.Message != "":
		return e.Message
	case e.cause != nil:
		return e.cause.Error()
	case e.Reason != "":
		return strings.ToLower(strings.ReplaceAll(string(e.Reason), "_", " "))
	}
	return "failed"
}

// Is reports whether target is an *Error of the same, non-empty reason.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Reason != "" && t.Reason == e.Reason
}

// Unwrap returns the cause: the gRPC status error, or nil.
func (e *Error) Unwrap() error { return e.cause }

func reason(name Reason) error { return &Error{Reason: name} }

// The reasons of the contract. Each variable is for errors.Is; what a call
// returns has more to say.
var (
	// ErrInvalidName is returned when a resource name is not a legal name.
	ErrInvalidName = reason("INVALID_NAME")
	// ErrInvalidField is returned when a field is missing, malformed or out of
	// its bounds; Error.Field names it.
	ErrInvalidField = reason("INVALID_FIELD")
	// ErrMalformedMessage is returned when a message is not a strict encoding:
	// above all when an attribute or a key is not UTF-8.
	ErrMalformedMessage = reason("MALFORMED_MESSAGE")
	// ErrMessageTooLarge is returned when an encoded message is larger than the
	// topic allows; Error.Limit is that size in bytes.
	ErrMessageTooLarge = reason("MESSAGE_TOO_LARGE")
	// ErrBatchSize is returned when a batch has too much, or nothing.
	ErrBatchSize = reason("BATCH_SIZE")
	// ErrFrameOrder is returned when a frame came where it may not.
	ErrFrameOrder = reason("FRAME_ORDER")
	// ErrSettleNumberGap is returned when a settle lacks the one before it.
	ErrSettleNumberGap = reason("SETTLE_NUMBER_GAP")
	// ErrPublishSequenceGap is returned when a batch lacks the one before it.
	ErrPublishSequenceGap = reason("PUBLISH_SEQUENCE_GAP")
	// ErrTooManyRanges is returned when a frame names too many ranges.
	ErrTooManyRanges = reason("TOO_MANY_RANGES")
	// ErrNotServed is returned when the server knows what was asked and does not
	// serve it; Error.Field names it.
	ErrNotServed = reason("NOT_SERVED")
	// ErrPublishBatchChanged is returned when a batch that is sent again is not the
	// one that was sent first: two clients use one producer id.
	ErrPublishBatchChanged = reason("PUBLISH_BATCH_CHANGED")
	// ErrMalformedFrame is returned when a frame is not a strict encoding.
	ErrMalformedFrame = reason("MALFORMED_FRAME")

	// ErrTopicNotFound is returned when no topic has this name.
	ErrTopicNotFound = reason("TOPIC_NOT_FOUND")
	// ErrSubscriptionNotFound is returned when no subscription has this name.
	ErrSubscriptionNotFound = reason("SUBSCRIPTION_NOT_FOUND")
	// ErrSessionNotFound is returned when the subscription has no session of this name.
	ErrSessionNotFound = reason("SESSION_NOT_FOUND")
	// ErrPartitionNotFound is returned when the subscription has no partition of this
	// number.
	ErrPartitionNotFound = reason("PARTITION_NOT_FOUND")
	// ErrTopicExists is returned when a topic has this name already.
	ErrTopicExists = reason("TOPIC_EXISTS")
	// ErrSubscriptionExists is returned when a subscription has this name
	// already.
	ErrSubscriptionExists = reason("SUBSCRIPTION_EXISTS")
	// ErrDedupeConflict is returned when a message with the same dedupe id and other
	// data is stored already.
	ErrDedupeConflict = reason("DEDUPE_CONFLICT")

	// ErrTopicDeleted is returned when the topic was deleted while in use.
	ErrTopicDeleted = reason("TOPIC_DELETED")
	// ErrSubscriptionDeleted is returned when the subscription was deleted while
	// in use.
	ErrSubscriptionDeleted = reason("SUBSCRIPTION_DELETED")
	// ErrTopicHasSubscriptions is returned when a topic to be deleted still has
	// subscriptions.
	ErrTopicHasSubscriptions = reason("TOPIC_HAS_SUBSCRIPTIONS")
	// ErrExclusiveSessionExists is returned when an exclusive subscription has a
	// session already.
	ErrExclusiveSessionExists = reason("EXCLUSIVE_SESSION_EXISTS")
	// ErrTakenOver is returned when another session took this one's place. Don't
	// open another at once: two programs would fence each other for ever.
	ErrTakenOver = reason("TAKEN_OVER")
	// ErrStaleProducer is returned when a newer stream of the producer exists.
	ErrStaleProducer = reason("STALE_PRODUCER")
	// ErrCrossShard is returned when what must be atomic is not in one shard.
	ErrCrossShard = reason("CROSS_SHARD")
	// ErrSessionSuperseded is returned when another stream took the session of this one
	// up again.
	ErrSessionSuperseded = reason("SESSION_SUPERSEDED")
	// ErrBackupRunning is returned when a backup should begin while one is running.
	ErrBackupRunning = reason("BACKUP_RUNNING")

	// ErrSnapshotNotFound is returned when no snapshot has the name, or it has expired.
	ErrSnapshotNotFound = reason("SNAPSHOT_NOT_FOUND")
	// ErrSnapshotExists is returned when a snapshot has the name, or one that is being
	// deleted had it.
	ErrSnapshotExists = reason("SNAPSHOT_EXISTS")
	// ErrNothingKept is returned when a subscription should be moved back on a topic
	// that keeps nothing of what is settled.
	ErrNothingKept = reason("NOTHING_KEPT")
	// ErrPositionOutOfRange is returned when a position is not retained.
	ErrPositionOutOfRange = reason("POSITION_OUT_OF_RANGE")

	// ErrDiskFull is returned when the server's disk is too full for messages.
	ErrDiskFull = reason("DISK_FULL")
	// ErrBacklogFull is returned when a subscription of the topic has as large a backlog as
	// it may, and wants publishes refused until it has less.
	ErrBacklogFull = reason("BACKLOG_FULL")
	// ErrPublishWindowExceeded is returned when more was sent than allowed.
	ErrPublishWindowExceeded = reason("PUBLISH_WINDOW_EXCEEDED")
	// ErrSlowReader is returned when a frame could not be written in time.
	ErrSlowReader = reason("SLOW_READER")
	// ErrResultsUnread is returned when too many results were not read.
	ErrResultsUnread = reason("RESULTS_UNREAD")
	// ErrLimitReached is returned when the server has as many sessions, topics
	// or subscriptions as it may have.
	ErrLimitReached = reason("LIMIT_REACHED")

	// ErrStarting is returned when the server is starting.
	ErrStarting = reason("STARTING")
	// ErrDraining is returned when the server is stopping.
	ErrDraining = reason("DRAINING")
	// ErrStoreUnavailable is returned when the server's store has stopped;
	// nothing of the call was stored.
	ErrStoreUnavailable = reason("STORE_UNAVAILABLE")
	// ErrNotOwner is returned when another server owns the shard.
	ErrNotOwner = reason("NOT_OWNER")
	// ErrSessionSilent is returned when the server heard nothing of the client.
	ErrSessionSilent = reason("SESSION_SILENT")

	// ErrFenced is returned when a newer owner of the shard exists.
	ErrFenced = reason("FENCED")
	// ErrUnknownOutcome is returned when something may be done or not: a message
	// stored, a settle applied. The stream broke before the answer, or the
	// context ended.
	ErrUnknownOutcome = reason("UNKNOWN_OUTCOME")
	// ErrOutcomeForgotten is returned when the outcome of a batch that was sent
	// again is no longer remembered.
	ErrOutcomeForgotten = reason("OUTCOME_FORGOTTEN")
	// ErrBackupTooSlow is returned when a backup was read more slowly than others
	// published.
	ErrBackupTooSlow = reason("BACKUP_TOO_SLOW")

	// ErrDataLoss is returned when stored data is damaged or missing.
	ErrDataLoss = reason("DATA_LOSS")
	// ErrInternal is returned when the server failed without another reason.
	ErrInternal = reason("INTERNAL")

	// ErrUnknownSequence is returned when a session never had the delivery.
	ErrUnknownSequence = reason("UNKNOWN_SEQUENCE")
	// ErrStaleDelivery is returned when a delivery is no longer the session's:
	// it is settled, its lease ended, it was revoked or its session is over.
	ErrStaleDelivery = reason("STALE_DELIVERY")
	// ErrInvalidToken is returned when a delivery token is none of the subscription's.
	ErrInvalidToken = reason("INVALID_TOKEN")
	// ErrLeaseCapped is the reason for an extension that was cut at the longest
	// lease. The client handles it; no method returns it.
	ErrLeaseCapped = reason("LEASE_CAPPED")
)

// The client's own reasons.
var (
	// ErrClosed is returned when the client is closed.
	ErrClosed = reason("CLOSED")
	// ErrBufferFull is returned when the publish buffer is full and
	// [WithPublishOverflowError] is set.
	ErrBufferFull = reason("BUFFER_FULL")
	// ErrUnreachable is returned when the server could not be reached.
	ErrUnreachable = reason("UNREACHABLE")
	// ErrDeliveryLost is the cause of a handler's cancelled context when the
	// delivery is no longer this subscriber's; somebody else will get it.
	ErrDeliveryLost = reason("DELIVERY_LOST")
	// ErrStopped is the cause of a handler's cancelled context when the time to
	// finish after a stop is over; the delivery is released.
	ErrStopped = reason("STOPPED")
	// ErrRelease is returned by a [Handler] that gives a delivery back untouched:
	// no attempt is charged, and somebody else gets it.
	ErrRelease = reason("RELEASE")
)
