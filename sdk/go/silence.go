package headrace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

const (
	// heartbeatInterval is how often each side speaks unless the server says
	// otherwise.
	heartbeatInterval = 10 * time.Second
	// missedHeartbeats is after how many of them the server is taken for dead.
	missedHeartbeats = 3
)

// errSilent ends a stream on which the server says nothing.
var errSilent = &Error{
	Code: "UNAVAILABLE", Message: fmt.Sprintf("nothing was heard of the server for %d heartbeats", missedHeartbeats),
}

// silence ends a stream when the server is silent: nothing else would notice a
// server, or a proxy, that keeps the connection and is gone behind it.
type silence struct {
	timeout time.Duration
	timer   *time.Timer
}

func newSilence(interval time.Duration, cancel context.CancelCauseFunc) *silence {
	timeout := missedHeartbeats * interval
	return &silence{timeout: timeout, timer: time.AfterFunc(timeout, func() { cancel(errSilent) })}
}

// heard is called when anything was heard of the server.
func (s *silence) heard() { s.timer.Reset(s.timeout) }

// setInterval is heard, and what the server says of its heartbeats.
func (s *silence) setInterval(interval time.Duration) {
	if interval > 0 {
		s.timeout = missedHeartbeats * interval
	}
	s.heard()
}

func (s *silence) stop() { s.timer.Stop() }

// streamError returns why a stream ended: what this side ended it with, else
// what the server or the transport says.
func streamError(ctx context.Context, err error) error {
	if own, ok := errors.AsType[*Error](context.Cause(ctx)); ok {
		return own
	}
	return translate(err)
}

// goAwayName returns the reason of a GoAway as the protocol writes it.
func goAwayName(r headracev1.GoAwayReason) string {
	return strings.TrimPrefix(r.String(), "GO_AWAY_REASON_")
}
