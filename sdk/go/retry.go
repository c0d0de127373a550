package headrace

import (
	"errors"
	"time"
)

// RetryOption changes a retry.
type RetryOption func(*verdict)

// RetryAfter makes the message come again after d, 0 to 12 h; below 100 ms
// counts as 100 ms. Default: the subscription's backoff.
func RetryAfter(d time.Duration) RetryOption {
	return func(v *verdict) { v.delay, v.delayed = max(0, d), true }
}

// RetryIn returns an error for a [Handler] to return: the delivery is retried
// after d, as with [RetryAfter]. err is why, and may be nil.
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
	if delayed, ok := errors.AsType[*delayedRetryError](err); ok {
		return retryVerdict([]RetryOption{RetryAfter(delayed.delay)})
	}
	return retryVerdict(nil)
}
