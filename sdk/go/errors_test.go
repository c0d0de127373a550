package headrace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// sentinels has the variable of each reason of the contract.
var sentinels = map[headracev1.ErrorReason]error{
	headracev1.ErrorReason_ERROR_REASON_INVALID_NAME:             ErrInvalidName,
	headracev1.ErrorReason_ERROR_REASON_INVALID_FIELD:            ErrInvalidField,
	headracev1.ErrorReason_ERROR_REASON_MALFORMED_MESSAGE:        ErrMalformedMessage,
	headracev1.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE:        ErrMessageTooLarge,
	headracev1.ErrorReason_ERROR_REASON_BATCH_SIZE:               ErrBatchSize,
	headracev1.ErrorReason_ERROR_REASON_FRAME_ORDER:              ErrFrameOrder,
	headracev1.ErrorReason_ERROR_REASON_SETTLE_NUMBER_GAP:        ErrSettleNumberGap,
	headracev1.ErrorReason_ERROR_REASON_PUBLISH_SEQUENCE_GAP:     ErrPublishSequenceGap,
	headracev1.ErrorReason_ERROR_REASON_TOO_MANY_RANGES:          ErrTooManyRanges,
	headracev1.ErrorReason_ERROR_REASON_NOT_SERVED:               ErrNotServed,
	headracev1.ErrorReason_ERROR_REASON_MALFORMED_FRAME:          ErrMalformedFrame,
	headracev1.ErrorReason_ERROR_REASON_PUBLISH_BATCH_CHANGED:    ErrPublishBatchChanged,
	headracev1.ErrorReason_ERROR_REASON_DEDUPE_CONFLICT:          ErrDedupeConflict,
	headracev1.ErrorReason_ERROR_REASON_TOPIC_NOT_FOUND:          ErrTopicNotFound,
	headracev1.ErrorReason_ERROR_REASON_SUBSCRIPTION_NOT_FOUND:   ErrSubscriptionNotFound,
	headracev1.ErrorReason_ERROR_REASON_INVALID_TOKEN:            ErrInvalidToken,
	headracev1.ErrorReason_ERROR_REASON_SESSION_NOT_FOUND:        ErrSessionNotFound,
	headracev1.ErrorReason_ERROR_REASON_PARTITION_NOT_FOUND:      ErrPartitionNotFound,
	headracev1.ErrorReason_ERROR_REASON_TOPIC_EXISTS:             ErrTopicExists,
	headracev1.ErrorReason_ERROR_REASON_SUBSCRIPTION_EXISTS:      ErrSubscriptionExists,
	headracev1.ErrorReason_ERROR_REASON_TOPIC_DELETED:            ErrTopicDeleted,
	headracev1.ErrorReason_ERROR_REASON_SUBSCRIPTION_DELETED:     ErrSubscriptionDeleted,
	headracev1.ErrorReason_ERROR_REASON_TOPIC_HAS_SUBSCRIPTIONS:  ErrTopicHasSubscriptions,
	headracev1.ErrorReason_ERROR_REASON_EXCLUSIVE_SESSION_EXISTS: ErrExclusiveSessionExists,
	headracev1.ErrorReason_ERROR_REASON_TAKEN_OVER:               ErrTakenOver,
	headracev1.ErrorReason_ERROR_REASON_STALE_PRODUCER:           ErrStaleProducer,
	headracev1.ErrorReason_ERROR_REASON_CROSS_SHARD:              ErrCrossShard,
	headracev1.ErrorReason_ERROR_REASON_SESSION_SUPERSEDED:       ErrSessionSuperseded,
	headracev1.ErrorReason_ERROR_REASON_BACKUP_RUNNING:           ErrBackupRunning,
	headracev1.ErrorReason_ERROR_REASON_SNAPSHOT_NOT_FOUND:       ErrSnapshotNotFound,
	headracev1.ErrorReason_ERROR_REASON_SNAPSHOT_EXISTS:          ErrSnapshotExists,
	headracev1.ErrorReason_ERROR_REASON_NOTHING_KEPT:             ErrNothingKept,
	headracev1.ErrorReason_ERROR_REASON_POSITION_OUT_OF_RANGE:    ErrPositionOutOfRange,
	headracev1.ErrorReason_ERROR_REASON_DISK_FULL:                ErrDiskFull,
	headracev1.ErrorReason_ERROR_REASON_BACKLOG_FULL:             ErrBacklogFull,
	headracev1.ErrorReason_ERROR_REASON_PUBLISH_WINDOW_EXCEEDED:  ErrPublishWindowExceeded,
	headracev1.ErrorReason_ERROR_REASON_SLOW_READER:              ErrSlowReader,
	headracev1.ErrorReason_ERROR_REASON_RESULTS_UNREAD:           ErrResultsUnread,
	headracev1.ErrorReason_ERROR_REASON_LIMIT_REACHED:            ErrLimitReached,
	headracev1.ErrorReason_ERROR_REASON_STARTING:                 ErrStarting,
	headracev1.ErrorReason_ERROR_REASON_DRAINING:                 ErrDraining,
	headracev1.ErrorReason_ERROR_REASON_STORE_UNAVAILABLE:        ErrStoreUnavailable,
	headracev1.ErrorReason_ERROR_REASON_NOT_OWNER:                ErrNotOwner,
	headracev1.ErrorReason_ERROR_REASON_SESSION_SILENT:           ErrSessionSilent,
	headracev1.ErrorReason_ERROR_REASON_FENCED:                   ErrFenced,
	headracev1.ErrorReason_ERROR_REASON_UNKNOWN_OUTCOME:          ErrUnknownOutcome,
	headracev1.ErrorReason_ERROR_REASON_OUTCOME_FORGOTTEN:        ErrOutcomeForgotten,
	headracev1.ErrorReason_ERROR_REASON_BACKUP_TOO_SLOW:          ErrBackupTooSlow,
	headracev1.ErrorReason_ERROR_REASON_DATA_LOSS:                ErrDataLoss,
	headracev1.ErrorReason_ERROR_REASON_INTERNAL:                 ErrInternal,
	headracev1.ErrorReason_ERROR_REASON_UNKNOWN_SEQUENCE:         ErrUnknownSequence,
	headracev1.ErrorReason_ERROR_REASON_STALE_DELIVERY:           ErrStaleDelivery,
	headracev1.ErrorReason_ERROR_REASON_LEASE_CAPPED:             ErrLeaseCapped,
}

func statusWith(t *testing.T, code codes.Code, domain, reason string, metadata map[string]string, retry time.Duration) error {
	t.Helper()
	s, err := status.New(code, "what happened").WithDetails(
		&errdetails.ErrorInfo{Domain: domain, Reason: reason, Metadata: metadata},
		&errdetails.RetryInfo{RetryDelay: durationpb.New(retry)},
	)
	if err != nil {
		t.Fatal(err)
	}
	return s.Err()
}

func TestEveryReasonOfTheContractHasItsVariable(t *testing.T) {
	for number, name := range headracev1.ErrorReason_name {
		r := headracev1.ErrorReason(number)
		if r == headracev1.ErrorReason_ERROR_REASON_UNSPECIFIED {
			continue
		}
		t.Run(name, func(t *testing.T) {
			sentinel, ok := sentinels[r]
			if !ok {
				t.Fatal("no variable")
			}
			code, hasCode := reasonCodes[r]
			if ofItem := r >= headracev1.ErrorReason_ERROR_REASON_UNKNOWN_SEQUENCE; hasCode == ofItem {
				t.Fatalf("has a status code: %v, is of an item only: %v", hasCode, ofItem)
			}
			item := itemError(r)
			if !hasCode {
				code = codes.FailedPrecondition // Never a status; any will do.
			}
			err := translate(statusWith(t, code, "headrace", name, nil, 0))
			for other, s := range sentinels {
				if errors.Is(err, s) != (other == r) || errors.Is(item, s) != (other == r) {
					t.Errorf("errors.Is(%v, %v) is wrong", err, s)
				}
			}
			var e *Error
			if !errors.As(fmt.Errorf("wrapped: %w", err), &e) || e.Reason != Reason(strings.TrimPrefix(name, "ERROR_REASON_")) {
				t.Errorf("reason %v", e)
			}
			want := code == codes.Unavailable || code == codes.Aborted || code == codes.ResourceExhausted
			if e.Retryable != want || item.Retryable != want || endsStream(err) == want {
				t.Errorf("retryable %v, %v, want %v", e.Retryable, item.Retryable, want)
			}
			if !errors.Is(sentinel, err) {
				t.Error("the variable is not the error's reason")
			}
		})
	}
}

func TestAnErrorKeepsWhatTheStatusSays(t *testing.T) {
	cause := statusWith(t, codes.ResourceExhausted, "headrace", "ERROR_REASON_DISK_FULL",
		map[string]string{"field": "messages", "limit": "1048576"}, 7*time.Second)
	var e *Error
	if err := translate(cause); !errors.As(err, &e) {
		t.Fatal(err)
	}
	if e.Field != "messages" || e.Limit != 1_048_576 || e.RetryAfter != 7*time.Second || e.Code != "RESOURCE_EXHAUSTED" ||
		e.Message != "what happened" {
		t.Errorf("%+v", e)
	}
	if s, ok := status.FromError(e); !ok || s.Code() != codes.ResourceExhausted {
		t.Errorf("the status is lost: %v", s)
	}
	if want := "headrace: what happened (DISK_FULL)"; e.Error() != want {
		t.Errorf("text %q, want %q", e.Error(), want)
	}
}

func TestAStatusOfSomebodyElseHasNoReason(t *testing.T) {
	for name, cause := range map[string]error{
		"no details":     status.Error(codes.Unavailable, "connection refused"),
		"another domain": statusWith(t, codes.Unavailable, "elsewhere", "ERROR_REASON_DRAINING", nil, 0),
	} {
		var e *Error
		if err := translate(cause); !errors.As(err, &e) || e.Reason != "" || e.Retryable || endsStream(err) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestAContextsEndIsTheContextsError(t *testing.T) {
	for want, cause := range map[error]error{
		context.Canceled:         status.FromContextError(context.Canceled).Err(),
		context.DeadlineExceeded: status.FromContextError(context.DeadlineExceeded).Err(),
	} {
		if err := translate(cause); !errors.Is(err, want) || endsStream(err) {
			t.Errorf("%v became %v", cause, err)
		}
	}
	if err := translate(nil); err != nil {
		t.Errorf("nil became %v", err)
	}
	own := &Error{Reason: "CLOSED"}
	if err := translate(own); !errors.Is(err, ErrClosed) {
		t.Errorf("an error of ours became %v", err)
	}
	if err := translate(errors.New("odd")); err == nil {
		t.Error("an odd error was dropped")
	}
}

func TestErrorsWithoutAReasonAreNotEachOther(t *testing.T) {
	if errors.Is(&Error{Code: "UNAVAILABLE"}, &Error{Code: "UNAVAILABLE"}) {
		t.Error("two errors without a reason are taken for one")
	}
	for want, e := range map[string]*Error{
		"headrace: failed":                             {},
		"headrace: failed (UNAVAILABLE)":               {Code: "UNAVAILABLE"},
		"headrace: disk full (DISK_FULL)":              {Reason: "DISK_FULL"},
		"headrace: context canceled (UNKNOWN_OUTCOME)": {Reason: "UNKNOWN_OUTCOME", cause: context.Canceled},
	} {
		if e.Error() != want {
			t.Errorf("text %q, want %q", e.Error(), want)
		}
	}
}
