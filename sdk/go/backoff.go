package headrace

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

const (
	// shortestBackoff is the bound of the first wait before a stream is opened again.
	shortestBackoff = 100 * time.Millisecond
	// longestBackoff is the bound of the longest one.
	longestBackoff = 10 * time.Second
	// healthyAfter is how long a stream must have lived for the next wait to be
	// a first one again.
	healthyAfter = 10 * time.Second
)

// backoffPause counts waits that double, each with full jitter, so that the
// clients of a server that restarts do not come back all at once. The zero value
// is ready.
type backoffPause struct {
	tries int
}

// next returns how long to wait now: between half of the bound and the bound.
func (b *backoffPause) next() time.Duration {
	bound := longestBackoff
	if b.tries < 7 {
		bound = min(longestBackoff, shortestBackoff<<b.tries)
	}
	b.tries++
	return bound/2 + rand.N(bound/2+1)
}

// after returns how long to wait before a stream is opened again that ended with
// err after it lived that long. A server that says when is obeyed.
func (b *backoffPause) after(err error, lived time.Duration) time.Duration {
	if lived >= healthyAfter {
		b.tries = 0
	}
	wait := b.next()
	if e, ok := errors.AsType[*Error](err); ok {
		wait = max(wait, e.RetryAfter)
	}
	return wait
}

// sleep waits for d and reports true, or reports false when ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
