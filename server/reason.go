package server

import (
	"context"
	"errors"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
	"github.com/headrace/headrace/storage"
)

// errorDomain is the domain of every ErrorInfo.
const errorDomain = "headrace"

// The keys of an ErrorInfo's metadata.
const (
	metadataField = "field"
	metadataLimit = "limit"
	metadataValue = "value"

	metadataSubscription = "subscription"
)

// refusal is what the server itself does not accept of a client. Its text is for
// the client.
type refusal struct {
	reason headracev1.ErrorReason
	// field, limit and value become metadata where they are not empty.
	field, limit, value string
	text                string
}

// Error tells the text.
func (r *refusal) Error() string { return r.text }

// The reasons, by their names without the enum's prefix.
const (
	reasonInvalidName        = headracev1.ErrorReason_ERROR_REASON_INVALID_NAME
	reasonInvalidField       = headracev1.ErrorReason_ERROR_REASON_INVALID_FIELD
	reasonMalformedMessage   = headracev1.ErrorReason_ERROR_REASON_MALFORMED_MESSAGE
	reasonMessageTooLarge    = headracev1.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE
	reasonBatchSize          = headracev1.ErrorReason_ERROR_REASON_BATCH_SIZE
	reasonFrameOrder         = headracev1.ErrorReason_ERROR_REASON_FRAME_ORDER
	reasonSettleNumberGap    = headracev1.ErrorReason_ERROR_REASON_SETTLE_NUMBER_GAP
	reasonPublishSequenceGap = headracev1.ErrorReason_ERROR_REASON_PUBLISH_SEQUENCE_GAP
	reasonTooManyRanges      = headracev1.ErrorReason_ERROR_REASON_TOO_MANY_RANGES
	reasonNotServed          = headracev1.ErrorReason_ERROR_REASON_NOT_SERVED
	reasonBatchChanged       = headracev1.ErrorReason_ERROR_REASON_PUBLISH_BATCH_CHANGED
	reasonMalformedFrame     = headracev1.ErrorReason_ERROR_REASON_MALFORMED_FRAME

	reasonTopicNotFound        = headracev1.ErrorReason_ERROR_REASON_TOPIC_NOT_FOUND
	reasonSubscriptionNotFound = headracev1.ErrorReason_ERROR_REASON_SUBSCRIPTION_NOT_FOUND
	reasonTopicExists          = headracev1.ErrorReason_ERROR_REASON_TOPIC_EXISTS
	reasonSubscriptionExists   = headracev1.ErrorReason_ERROR_REASON_SUBSCRIPTION_EXISTS
	reasonSnapshotNotFound     = headracev1.ErrorReason_ERROR_REASON_SNAPSHOT_NOT_FOUND
	reasonSnapshotExists       = headracev1.ErrorReason_ERROR_REASON_SNAPSHOT_EXISTS
	reasonDedupeConflict       = headracev1.ErrorReason_ERROR_REASON_DEDUPE_CONFLICT
	reasonInvalidToken         = headracev1.ErrorReason_ERROR_REASON_INVALID_TOKEN
	reasonSessionNotFound      = headracev1.ErrorReason_ERROR_REASON_SESSION_NOT_FOUND
	reasonPartitionNotFound    = headracev1.ErrorReason_ERROR_REASON_PARTITION_NOT_FOUND

	reasonTopicDeleted           = headracev1.ErrorReason_ERROR_REASON_TOPIC_DELETED
	reasonSubscriptionDeleted    = headracev1.ErrorReason_ERROR_REASON_SUBSCRIPTION_DELETED
	reasonTopicHasSubscriptions  = headracev1.ErrorReason_ERROR_REASON_TOPIC_HAS_SUBSCRIPTIONS
	reasonExclusiveSessionExists = headracev1.ErrorReason_ERROR_REASON_EXCLUSIVE_SESSION_EXISTS
	reasonTakenOver              = headracev1.ErrorReason_ERROR_REASON_TAKEN_OVER
	reasonStaleProducer          = headracev1.ErrorReason_ERROR_REASON_STALE_PRODUCER
	reasonCrossShard             = headracev1.ErrorReason_ERROR_REASON_CROSS_SHARD
	reasonSessionSuperseded      = headracev1.ErrorReason_ERROR_REASON_SESSION_SUPERSEDED
	reasonBackupRunning          = headracev1.ErrorReason_ERROR_REASON_BACKUP_RUNNING
	reasonNothingKept            = headracev1.ErrorReason_ERROR_REASON_NOTHING_KEPT

	reasonPositionOutOfRange = headracev1.ErrorReason_ERROR_REASON_POSITION_OUT_OF_RANGE

	reasonDiskFull              = headracev1.ErrorReason_ERROR_REASON_DISK_FULL
	reasonBacklogFull           = headracev1.ErrorReason_ERROR_REASON_BACKLOG_FULL
	reasonPublishWindowExceeded = headracev1.ErrorReason_ERROR_REASON_PUBLISH_WINDOW_EXCEEDED
	reasonSlowReader            = headracev1.ErrorReason_ERROR_REASON_SLOW_READER
	reasonResultsUnread         = headracev1.ErrorReason_ERROR_REASON_RESULTS_UNREAD
	reasonLimitReached          = headracev1.ErrorReason_ERROR_REASON_LIMIT_REACHED

	reasonStarting         = headracev1.ErrorReason_ERROR_REASON_STARTING
	reasonDraining         = headracev1.ErrorReason_ERROR_REASON_DRAINING
	reasonStoreUnavailable = headracev1.ErrorReason_ERROR_REASON_STORE_UNAVAILABLE
	reasonNotOwner         = headracev1.ErrorReason_ERROR_REASON_NOT_OWNER
	reasonSessionSilent    = headracev1.ErrorReason_ERROR_REASON_SESSION_SILENT

	reasonFenced           = headracev1.ErrorReason_ERROR_REASON_FENCED
	reasonUnknownOutcome   = headracev1.ErrorReason_ERROR_REASON_UNKNOWN_OUTCOME
	reasonOutcomeForgotten = headracev1.ErrorReason_ERROR_REASON_OUTCOME_FORGOTTEN
	reasonBackupTooSlow    = headracev1.ErrorReason_ERROR_REASON_BACKUP_TOO_SLOW

	reasonDataLoss = headracev1.ErrorReason_ERROR_REASON_DATA_LOSS
	reasonInternal = headracev1.ErrorReason_ERROR_REASON_INTERNAL

	reasonUnknownSequence = headracev1.ErrorReason_ERROR_REASON_UNKNOWN_SEQUENCE
	reasonStaleDelivery   = headracev1.ErrorReason_ERROR_REASON_STALE_DELIVERY
	reasonLeaseCapped     = headracev1.ErrorReason_ERROR_REASON_LEASE_CAPPED
)

// verdict is what a reason looks like as a status.
type verdict struct {
	code codes.Code
	text string
	// retryAfter, when not 0, is told as RetryInfo.
	retryAfter time.Duration
	// loud reasons are an operator's business: the whole error is logged.
	loud bool
}

// verdicts has every reason that ends a call or a stream. The code is the one that
// the contract names beside the reason.
var verdicts = map[headracev1.ErrorReason]verdict{
	reasonInvalidName:        {code: codes.InvalidArgument, text: "not a legal name"},
	reasonInvalidField:       {code: codes.InvalidArgument, text: "a field is missing, malformed or out of its bounds"},
	reasonMalformedMessage:   {code: codes.InvalidArgument, text: "a message is not a strict encoding"},
	reasonMessageTooLarge:    {code: codes.InvalidArgument, text: "a message or batch is too large"},
	reasonBatchSize:          {code: codes.InvalidArgument, text: "a batch has too many messages or bytes, or none"},
	reasonFrameOrder:         {code: codes.InvalidArgument, text: "a frame came where the protocol does not allow it"},
	reasonSettleNumberGap:    {code: codes.InvalidArgument, text: "a settle or extend does not have the next number"},
	reasonPublishSequenceGap: {code: codes.InvalidArgument, text: "a batch does not begin with the next sequence"},
	reasonTooManyRanges:      {code: codes.InvalidArgument, text: "a frame names too many ranges"},
	reasonNotServed:          {code: codes.InvalidArgument, text: "this server does not serve that yet"},
	reasonBatchChanged:       {code: codes.InvalidArgument, text: "a batch that is sent again is not the same"},
	reasonMalformedFrame:     {code: codes.InvalidArgument, text: "a frame is not a strict encoding"},

	reasonTopicNotFound:        {code: codes.NotFound, text: "no topic has this name"},
	reasonSubscriptionNotFound: {code: codes.NotFound, text: "no subscription has this name"},
	reasonTopicExists:          {code: codes.AlreadyExists, text: "a topic has this name"},
	reasonSubscriptionExists:   {code: codes.AlreadyExists, text: "a subscription has this name"},
	reasonSessionNotFound:      {code: codes.NotFound, text: "the subscription has no session of this name"},
	reasonPartitionNotFound:    {code: codes.NotFound, text: "the subscription has no partition of this number"},
	reasonSnapshotNotFound:     {code: codes.NotFound, text: "no snapshot has this name"},
	reasonSnapshotExists:       {code: codes.AlreadyExists, text: "a snapshot has this name"},
	reasonDedupeConflict:       {code: codes.AlreadyExists, text: "a message with this dedupe_id and other data is stored"},

	reasonTopicDeleted:           {code: codes.FailedPrecondition, text: "the topic was deleted while it was in use"},
	reasonSubscriptionDeleted:    {code: codes.FailedPrecondition, text: "the subscription was deleted while it was in use"},
	reasonTopicHasSubscriptions:  {code: codes.FailedPrecondition, text: "the topic still has subscriptions, or takes dead letters of one"},
	reasonExclusiveSessionExists: {code: codes.FailedPrecondition, text: "the exclusive subscription has a session already"},
	reasonTakenOver:              {code: codes.FailedPrecondition, text: "another session took this one's place"},
	reasonStaleProducer:          {code: codes.FailedPrecondition, text: "a newer stream of this producer exists"},
	reasonCrossShard:             {code: codes.FailedPrecondition, text: "what is named does not live in one shard"},
	reasonSessionSuperseded:      {code: codes.FailedPrecondition, text: "another stream took up this one's session"},
	reasonBackupRunning:          {code: codes.FailedPrecondition, text: "a backup is running; there is one at a time"},
	reasonNothingKept:            {code: codes.FailedPrecondition, text: "the topic keeps nothing of what is settled"},

	reasonPositionOutOfRange: {code: codes.OutOfRange, text: "the position is before what is retained, or after the end"},

	reasonDiskFull: {
		code: codes.ResourceExhausted, text: "the disk is too full to accept messages", retryAfter: 5 * time.Second,
	},
	reasonBacklogFull: {
		code: codes.ResourceExhausted, text: "a subscription's backlog is at its cap", retryAfter: time.Second,
	},
	reasonPublishWindowExceeded: {code: codes.ResourceExhausted, text: "more was sent than the publish window allows"},
	reasonSlowReader:            {code: codes.ResourceExhausted, text: "a frame could not be written in time"},
	reasonResultsUnread:         {code: codes.ResourceExhausted, text: "too many results wait unread"},
	reasonLimitReached: {
		code: codes.ResourceExhausted, text: "the server has as many of these as it may", retryAfter: 5 * time.Second,
	},

	reasonStarting:         {code: codes.Unavailable, text: "the server is starting", retryAfter: time.Second},
	reasonDraining:         {code: codes.Unavailable, text: "the server is stopping"},
	reasonStoreUnavailable: {code: codes.Unavailable, text: "the store stopped after a failure", loud: true},
	reasonNotOwner:         {code: codes.Unavailable, text: "this server does not own the shard"},
	reasonSessionSilent:    {code: codes.Unavailable, text: "nothing was heard of the client for three heartbeats"},

	reasonFenced:           {code: codes.Aborted, text: "a newer owner of the shard exists", loud: true},
	reasonUnknownOutcome:   {code: codes.Unknown, text: "the outcome is not known: it may be stored", loud: true},
	reasonOutcomeForgotten: {code: codes.Unknown, text: "the outcome is no longer remembered"},
	reasonBackupTooSlow:    {code: codes.Aborted, text: "the backup was read more slowly than others published"},

	reasonDataLoss: {code: codes.DataLoss, text: "stored data is damaged", loud: true},
	reasonInternal: {code: codes.Internal, text: "internal error", loud: true},
}

// sentinels says which reason each error of the rooms below stands for. The first
// match counts.
var sentinels = []struct {
	err    error
	reason headracev1.ErrorReason
}{
	// An unknown outcome carries what caused it, which says less.
	{broker.ErrUnknownOutcome, reasonUnknownOutcome},
	{wire.ErrMalformed, reasonMalformedFrame},
	{broker.ErrInvalidName, reasonInvalidName},
	{broker.ErrInvalidField, reasonInvalidField},
	{broker.ErrFrameOrder, reasonFrameOrder},
	{broker.ErrSettleNumberGap, reasonSettleNumberGap},
	{broker.ErrTopicNotFound, reasonTopicNotFound},
	{broker.ErrSubscriptionNotFound, reasonSubscriptionNotFound},
	{broker.ErrPartitionNotFound, reasonPartitionNotFound},
	{broker.ErrSessionNotFound, reasonSessionNotFound},
	{broker.ErrTopicExists, reasonTopicExists},
	{broker.ErrSubscriptionExists, reasonSubscriptionExists},
	{broker.ErrTopicDeleted, reasonTopicDeleted},
	{broker.ErrSubscriptionDeleted, reasonSubscriptionDeleted},
	{broker.ErrTopicHasSubscriptions, reasonTopicHasSubscriptions},
	{broker.ErrExclusiveSessionExists, reasonExclusiveSessionExists},
	{broker.ErrTakenOver, reasonTakenOver},
	{broker.ErrSuperseded, reasonSessionSuperseded},
	{broker.ErrSessionSilent, reasonSessionSilent},
	{broker.ErrSlowReader, reasonSlowReader},
	{broker.ErrResultsUnread, reasonResultsUnread},
	{broker.ErrPositionOutOfRange, reasonPositionOutOfRange},
	{broker.ErrNothingKept, reasonNothingKept},
	{broker.ErrSnapshotNotFound, reasonSnapshotNotFound},
	{broker.ErrSnapshotExists, reasonSnapshotExists},
	{broker.ErrStaleProducer, reasonStaleProducer},
	{broker.ErrSequenceGap, reasonPublishSequenceGap},
	{broker.ErrBatchChanged, reasonBatchChanged},
	{broker.ErrOutcomeForgotten, reasonOutcomeForgotten},
	{broker.ErrPublishWindowExceeded, reasonPublishWindowExceeded},
	{broker.ErrMessageTooLarge, reasonMessageTooLarge},
	{broker.ErrLimitReached, reasonLimitReached},
	{broker.ErrDiskFull, reasonDiskFull},
	{broker.ErrBacklogFull, reasonBacklogFull},
	{broker.ErrDraining, reasonDraining},
	{broker.ErrStoreUnavailable, reasonStoreUnavailable},
	{broker.ErrFenced, reasonFenced},
	{broker.ErrDataLoss, reasonDataLoss},
	{ErrBackupRunning, reasonBackupRunning},
	{ErrBackupTooSlow, reasonBackupTooSlow},
	{storage.ErrDataLoss, reasonDataLoss},
	{storage.ErrUnavailable, reasonStoreUnavailable},
}

// reasonOf is the reason that an error stands for; it is not mapped when it is
// none of ours, and then INTERNAL.
func reasonOf(err error) (reason headracev1.ErrorReason, mapped bool) {
	if own := (*refusal)(nil); errors.As(err, &own) {
		return own.reason, true
	}
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			return s.reason, true
		}
	}
	return reasonInternal, false
}

// statusOf turns an error into what the client sees. An error that nobody mapped
// is INTERNAL and bare. Loud ones are to be logged whole.
func statusOf(err error) (st *status.Status, loud bool) {
	reason, mapped := reasonOf(err)
	if foreign, ok := foreignStatus(err); ok && !mapped {
		return foreign, false
	}
	v := verdicts[reason]
	st = status.New(v.code, clientText(err, v.text))
	if detailed, detailErr := st.WithDetails(details(reason, v, err)...); detailErr == nil {
		st = detailed
	}
	return st, v.loud
}

// foreignStatus finds what needs no reason of ours: the end of the call's context,
// and what gRPC itself says of a broken stream.
func foreignStatus(err error) (*status.Status, bool) {
	switch {
	case errors.Is(err, context.Canceled):
		return status.New(codes.Canceled, context.Canceled.Error()), true
	case errors.Is(err, context.DeadlineExceeded):
		return status.New(codes.DeadlineExceeded, context.DeadlineExceeded.Error()), true
	}
	return status.FromError(err)
}

// clientText is the text of a status: only what was written for clients.
func clientText(err error, fallback string) string {
	if own := (*refusal)(nil); errors.As(err, &own) {
		return own.text
	}
	if field := (*broker.FieldError)(nil); errors.As(err, &field) {
		return field.Field + ": " + field.Limit
	}
	return fallback
}

func details(reason headracev1.ErrorReason, v verdict, err error) []protoadapt.MessageV1 {
	out := []protoadapt.MessageV1{&errdetails.ErrorInfo{
		Reason:   reasonName(reason),
		Domain:   errorDomain,
		Metadata: metadata(err),
	}}
	if v.retryAfter > 0 {
		out = append(out, &errdetails.RetryInfo{RetryDelay: durationpb.New(v.retryAfter)})
	}
	return out
}

// metadata names the field, the limit and the value, where the error knows them.
func metadata(err error) map[string]string {
	out := map[string]string{}
	if field := (*broker.FieldError)(nil); errors.As(err, &field) {
		out[metadataField], out[metadataLimit] = field.Field, field.Limit
	}
	if full := (*broker.BacklogFullError)(nil); errors.As(err, &full) {
		out[metadataSubscription] = string(full.Subscription)
	}
	if to := (*broker.ForwardedToError)(nil); errors.As(err, &to) {
		out[metadataSubscription] = string(to.Subscription)
	}
	if to := (*broker.DeadLetterTopicError)(nil); errors.As(err, &to) {
		out[metadataField] = "dead_letter_topic"
	}
	if own := (*refusal)(nil); errors.As(err, &own) {
		out[metadataField], out[metadataLimit], out[metadataValue] = own.field, own.limit, own.value
	}
	for key, value := range out {
		if value == "" {
			delete(out, key)
		}
	}
	return out
}

// reasonName is a reason as an ErrorInfo writes it.
func reasonName(reason headracev1.ErrorReason) string {
	return strings.TrimPrefix(reason.String(), "ERROR_REASON_")
}
