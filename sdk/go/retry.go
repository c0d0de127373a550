package headrace

import (
	"errors"
	"time"
)

// RetryOption changes a retry.
type RetryOption func(*verdict)

// maxRetryDelay is the longest delay that a server takes.
const maxRetryDelay = 12 * time.Hour

// RetryAfter makes the message come again after d: below 100 ms counts as 100 ms, above
// 12 h as 12 h. Default: the subscription's backoff.
func RetryAfter(d time.Duration) RetryOption {
	return func(v *verdict) { v.delay, v.delayed = min(max(0, d), maxRetryDelay), true }
}

// RetryBecause keeps a code and a reason with the failed attempt: at most 255 and
// 1,024 bytes, cut there. They are in the dead letter, should the message become one.
func RetryBecause(code, reason string) RetryOption {
	return func(v *verdict) { v.code, v.reason = bounded(code, maxCodeBytes), bounded(reason, maxReasonBytes) }
}

// Reject returns an error for a [Handler] to return: the message is hopeless and goes
// to the dead letters, with code and err's text as the reason, of at most 255 and 1,024
// bytes, cut there. code may be empty, err nil.
func Reject(code string, err error) error { return &rejectError{code: code, err: err} }

type rejectError struct {
	code string
	err  error
}

func (e *rejectError) Error() string {
	if e.err == nil {
		return "reject " + e.code
	}
	return "reject " + e.code + ": " + e.err.Error()
}

func (e *rejectError) Unwrap() error { return e.err }

// textOf is the text that is kept of an error.
func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// RetryIn returns an error for a [Handler] to return: the delivery is retried
// after d, as with [RetryAfter]. err is why, and may be nil; its text is kept as
// [RetryBecause] keeps a reason.
func RetryIn(d time.Duration, err error) error {
	return &delayedRetryError{delay: d, err: err}
}

type delayedRetryError struct {
	delay time.Duration
	err   error
}

func (e *delayedRetryError) Error() string {
	text := "retry in " + e.delay.String()
	if e.err != nil {
		text += ": " + e.err.Error()
	}
	return text
}

func (e *delayedRetryError) Unwrap() error { return e.err }

// verdictOf returns what becomes of a delivery whose handler returned err.
func verdictOf(err error) verdict {
	if err == nil {
		return ackVerdict
	}
	if errors.Is(err, ErrRelease) {
		return releaseVerdict
	}
	if rejected, ok := errors.AsType[*rejectError](err); ok {
		return rejectVerdict(rejected.code, textOf(rejected.err))
	}
	if delayed, ok := errors.AsType[*delayedRetryError](err); ok {
		return retryVerdict([]RetryOption{RetryAfter(delayed.delay), RetryBecause("", textOf(delayed.err))})
	}
	return retryVerdict([]RetryOption{RetryBecause("", textOf(err))})
}
