package headrace

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	// backoffMin is the bound of the first wait before a stream is opened again.
	backoffMin = 100 * time.Millisecond
	// backoffMax is the bound of the longest one.
	backoffMax = 10 * time.Second
	// backoffHealthy is how long a stream must have lived for the next wait to be
	// a first one again.
	backoffHealthy = 10 * time.Second
)

// backoffPause counts waits that double, each with full jitter, so that the
// clients of a server that restarts do not come back all at once. The zero value
// is ready.
type backoffPause struct {
	tries int
}

// next returns how long to wait now: between half of the bound and the bound.
func (b *backoffPause) next() time.Duration {
	bound := backoffMax
	if b.tries < 7 {
		bound = min(backoffMax, backoffMin<<b.tries)
	}
	b.tries++
	return bound/2 + rand.N(bound/2+1)
}

// reset makes the next wait a first one.
func (b *backoffPause) reset() { b.tries = 0 }

// wait waits and reports true, or reports false when ctx ends first.
func (b *backoffPause) wait(ctx context.Context) bool { return sleep(ctx, b.next()) }

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
