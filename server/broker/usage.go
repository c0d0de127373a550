package broker

import (
	"sync"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

const (
	// EphemeralGrace is how long an ephemeral subscription lives without a session. It is
	// also what any subscription that ends unused is given after a start, so that its
	// clients can come back.
	EphemeralGrace = 60 * time.Second
	// MaxExpireAfter bounds how long a subscription may live unused.
	MaxExpireAfter = 10 * 365 * 24 * time.Hour
)

// usage is whether somebody uses a subscription, judged by the monotonic clock: no step
// of the wall clock ends one that is in use, or ends it early.
type usage struct {
	mu       sync.Mutex
	sessions int
	// idleSince is since when there is no session.
	idleSince delivery.Instant
	// ended says that the subscription ends for want of use.
	ended bool
}

// enter notes a session; false when it comes too late.
func (u *usage) enter() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended {
		return false
	}
	u.sessions++
	return true
}

// leave notes the end of a session.
func (u *usage) leave(now delivery.Instant) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sessions--
	u.idleSince = now
}

// touch counts as use, though there is no session.
func (u *usage) touch(at delivery.Instant) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.idleSince = at
}

// last is when the subscription was used last, as of now.
func (u *usage) last(now delivery.Instant) delivery.Instant {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.sessions > 0 {
		return now
	}
	return u.idleSince
}

// end says whether nobody has used the subscription for so long; then nobody can any
// more.
func (u *usage) end(now delivery.Instant, unused time.Duration) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = u.sessions == 0 && now-u.idleSince >= unused
	return u.ended
}

// revive takes an end back that could not be made durable.
func (u *usage) revive() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = false
}

// mortal says how long a subscription lives unused; 0: for ever.
func (c *SubscriptionConfig) mortal() time.Duration {
	if c.Ephemeral {
		return EphemeralGrace
	}
	return c.ExpireAfter
}

func (c SubscriptionConfig) validateExpiry() error {
	switch {
	case c.Ephemeral && c.ExpireAfter != 0:
		return invalidField("expire_after", "0 for an ephemeral subscription")
	case c.ExpireAfter != 0 && (c.ExpireAfter < EphemeralGrace || c.ExpireAfter > MaxExpireAfter):
		return invalidField("expire_after", "0, or 1 minute to 10 years")
	}
	return nil
}
