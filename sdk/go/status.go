package headrace

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	// errorDomain is ErrorInfo.domain of the server's reasons.
	errorDomain = "headrace"
	// reasonPrefix is what the contract's names of reasons begin with.
	reasonPrefix = "ERROR_REASON_"
)

// translate turns the error of a call or stream into an *Error, or into the
// context's error when the context ended it. It is the one place that knows
// statuses.
func translate(err error) error {
	if err == nil {
		return nil
	}
	if _, known := errors.AsType[*Error](err); known {
		return err
	}
	s, ok := status.FromError(err)
	if !ok {
		return fmt.Errorf("headrace: %w", err)
	}
	if cause := contextCause(s); cause != nil {
		return cause
	}
	return fromStatus(s, err)
}

// contextCause returns the context's error when s stands for it: gRPC makes
// statuses of contexts that end on this side.
func contextCause(s *status.Status) error {
	if len(s.Details()) != 0 {
		return nil
	}
	switch s.Code() {
	case codes.Canceled:
		return fmt.Errorf("headrace: %w", context.Canceled)
	case codes.DeadlineExceeded:
		return fmt.Errorf("headrace: %w: %s", context.DeadlineExceeded, s.Message())
	default:
		return nil
	}
}

func fromStatus(s *status.Status, cause error) *Error {
	e := &Error{Code: codeName(s.Code()), Message: s.Message(), cause: cause}
	for _, detail := range s.Details() {
		switch d := detail.(type) {
		case *errdetails.ErrorInfo:
			e.addInfo(d)
		case *errdetails.RetryInfo:
			e.RetryAfter = d.GetRetryDelay().AsDuration()
		}
	}
	e.Retryable = e.Reason != "" && retryableCode(s.Code())
	return e
}

func (e *Error) addInfo(info *errdetails.ErrorInfo) {
	if info.GetDomain() != errorDomain {
		return
	}
	e.Reason = Reason(strings.TrimPrefix(info.GetReason(), reasonPrefix))
	e.Field = info.GetMetadata()["field"]
	e.Limit, _ = strconv.ParseUint(info.GetMetadata()["limit"], 10, 64) // Absent or odd: 0, none.
}

// retryableCode reports whether a call that failed with the code and with a
// reason of ours may be made again. Without a reason nothing is known: a proxy's
// UNAVAILABLE may hide a call that was carried out.
func retryableCode(c codes.Code) bool {
	return c == codes.Unavailable || c == codes.Aborted || c == codes.ResourceExhausted
}

// endsStream reports whether a stream that ended with err must not be opened
// again: the error needs somebody's hand.
func endsStream(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	if e.Reason != "" && e.Code != "" {
		return !e.Retryable
	}
	switch e.Code {
	case "INVALID_ARGUMENT", "NOT_FOUND", "PERMISSION_DENIED", "UNAUTHENTICATED", "UNIMPLEMENTED":
		return true
	}
	return false
}

// endsPublishing is endsStream for a producer, which can come back after an unknown
// outcome and ask.
func endsPublishing(err error) bool {
	return endsStream(err) && !errors.Is(err, ErrUnknownOutcome)
}

// stale reports whether a newer stream of the producer exists.
func stale(err error) bool { return errors.Is(err, ErrStaleProducer) }

// reasonOf returns the stable name of a reason of the contract.
func reasonOf(r headracev1.ErrorReason) Reason {
	return Reason(strings.TrimPrefix(r.String(), reasonPrefix))
}

// reasonCodes has the status code of each reason, as the contract comments it.
// What fails as one item of a frame has no status: the code comes from here.
var reasonCodes = map[headracev1.ErrorReason]codes.Code{
	headracev1.ErrorReason_ERROR_REASON_INVALID_NAME:             codes.InvalidArgument,
	headracev1.ErrorReason_ERROR_REASON_INVALID_FIELD:            codes.InvalidArgument,
	headracev1.ErrorReason_ERROR_REASON_MALFORMED_MESSAGE:        codes.InvalidArgument,
	headracev1.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE:        codes.InvalidArgument,
	headracev1.ErrorReason_ERROR_REASON_BATCH_SIZE:               codes.InvalidArgument,
	headracev1.ErrorReason_ERROR_REASON_FRAME_ORDER:              codes.InvalidArgument,
	headracev1.ErrorReason_ERROR_REASON_SETTLE_NUMBER_GAP:        codes.InvalidArgument,
	headracev1.ErrorReason_ERROR_REASON_PUBLISH_SEQUENCE_GAP:     codes.InvalidArgument,
	headracev1.ErrorReason_ERROR_REASON_TOO_MANY_RANGES:          codes.InvalidArgument,
	headracev1.ErrorReason_ERROR_REASON_NOT_SERVED:               codes.InvalidArgument,
	headracev1.ErrorReason_ERROR_REASON_MALFORMED_FRAME:          codes.InvalidArgument,
	headracev1.ErrorReason_ERROR_REASON_PUBLISH_BATCH_CHANGED:    codes.InvalidArgument,
	headracev1.ErrorReason_ERROR_REASON_DEDUPE_CONFLICT:          codes.AlreadyExists,
	headracev1.ErrorReason_ERROR_REASON_TOPIC_NOT_FOUND:          codes.NotFound,
	headracev1.ErrorReason_ERROR_REASON_SUBSCRIPTION_NOT_FOUND:   codes.NotFound,
	headracev1.ErrorReason_ERROR_REASON_TOPIC_EXISTS:             codes.AlreadyExists,
	headracev1.ErrorReason_ERROR_REASON_SUBSCRIPTION_EXISTS:      codes.AlreadyExists,
	headracev1.ErrorReason_ERROR_REASON_SESSION_NOT_FOUND:        codes.NotFound,
	headracev1.ErrorReason_ERROR_REASON_PARTITION_NOT_FOUND:      codes.NotFound,
	headracev1.ErrorReason_ERROR_REASON_TOPIC_DELETED:            codes.FailedPrecondition,
	headracev1.ErrorReason_ERROR_REASON_SUBSCRIPTION_DELETED:     codes.FailedPrecondition,
	headracev1.ErrorReason_ERROR_REASON_TOPIC_HAS_SUBSCRIPTIONS:  codes.FailedPrecondition,
	headracev1.ErrorReason_ERROR_REASON_EXCLUSIVE_SESSION_EXISTS: codes.FailedPrecondition,
	headracev1.ErrorReason_ERROR_REASON_TAKEN_OVER:               codes.FailedPrecondition,
	headracev1.ErrorReason_ERROR_REASON_STALE_PRODUCER:           codes.FailedPrecondition,
	headracev1.ErrorReason_ERROR_REASON_CROSS_SHARD:              codes.FailedPrecondition,
	headracev1.ErrorReason_ERROR_REASON_SESSION_SUPERSEDED:       codes.FailedPrecondition,
	headracev1.ErrorReason_ERROR_REASON_BACKUP_RUNNING:           codes.FailedPrecondition,
	headracev1.ErrorReason_ERROR_REASON_SNAPSHOT_NOT_FOUND:       codes.NotFound,
	headracev1.ErrorReason_ERROR_REASON_SNAPSHOT_EXISTS:          codes.AlreadyExists,
	headracev1.ErrorReason_ERROR_REASON_NOTHING_KEPT:             codes.FailedPrecondition,
	headracev1.ErrorReason_ERROR_REASON_POSITION_OUT_OF_RANGE:    codes.OutOfRange,
	headracev1.ErrorReason_ERROR_REASON_DISK_FULL:                codes.ResourceExhausted,
	headracev1.ErrorReason_ERROR_REASON_BACKLOG_FULL:             codes.ResourceExhausted,
	headracev1.ErrorReason_ERROR_REASON_PUBLISH_WINDOW_EXCEEDED:  codes.ResourceExhausted,
	headracev1.ErrorReason_ERROR_REASON_SLOW_READER:              codes.ResourceExhausted,
	headracev1.ErrorReason_ERROR_REASON_RESULTS_UNREAD:           codes.ResourceExhausted,
	headracev1.ErrorReason_ERROR_REASON_LIMIT_REACHED:            codes.ResourceExhausted,
	headracev1.ErrorReason_ERROR_REASON_STARTING:                 codes.Unavailable,
	headracev1.ErrorReason_ERROR_REASON_DRAINING:                 codes.Unavailable,
	headracev1.ErrorReason_ERROR_REASON_STORE_UNAVAILABLE:        codes.Unavailable,
	headracev1.ErrorReason_ERROR_REASON_NOT_OWNER:                codes.Unavailable,
	headracev1.ErrorReason_ERROR_REASON_SESSION_SILENT:           codes.Unavailable,
	headracev1.ErrorReason_ERROR_REASON_FENCED:                   codes.Aborted,
	headracev1.ErrorReason_ERROR_REASON_UNKNOWN_OUTCOME:          codes.Unknown,
	headracev1.ErrorReason_ERROR_REASON_OUTCOME_FORGOTTEN:        codes.Unknown,
	headracev1.ErrorReason_ERROR_REASON_BACKUP_TOO_SLOW:          codes.Aborted,
	headracev1.ErrorReason_ERROR_REASON_DATA_LOSS:                codes.DataLoss,
	headracev1.ErrorReason_ERROR_REASON_INTERNAL:                 codes.Internal,
}

// itemError returns the error of one item of a frame: a message or a delivery.
func itemError(r headracev1.ErrorReason) *Error {
	e := &Error{Reason: reasonOf(r)}
	if code, ok := reasonCodes[r]; ok {
		e.Code, e.Retryable = codeName(code), retryableCode(code)
	}
	return e
}

// codeName returns the name of a status code as the protocol writes it.
func codeName(c codes.Code) string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return "UNKNOWN"
}

var codeNames = [...]string{
	codes.OK: "OK", codes.Canceled: "CANCELLED", codes.Unknown: "UNKNOWN",
	codes.InvalidArgument: "INVALID_ARGUMENT", codes.DeadlineExceeded: "DEADLINE_EXCEEDED",
	codes.NotFound: "NOT_FOUND", codes.AlreadyExists: "ALREADY_EXISTS",
	codes.PermissionDenied: "PERMISSION_DENIED", codes.ResourceExhausted: "RESOURCE_EXHAUSTED",
	codes.FailedPrecondition: "FAILED_PRECONDITION", codes.Aborted: "ABORTED",
	codes.OutOfRange: "OUT_OF_RANGE", codes.Unimplemented: "UNIMPLEMENTED",
	codes.Internal: "INTERNAL", codes.Unavailable: "UNAVAILABLE",
	codes.DataLoss: "DATA_LOSS", codes.Unauthenticated: "UNAUTHENTICATED",
}
