package delivery

import (
	"errors"
	"fmt"
	"time"
)

// Instant is monotonic time since an origin that the caller chooses once for
// the life of a State.
type Instant = time.Duration

// Mode says how many sessions share a subscription.
type Mode uint8

const (
	// Shared lets any number of sessions compete for the messages. The default.
	Shared Mode = iota
	// Exclusive serves one session. A second one is refused, unless it asks to
	// take over or carries the same non-empty client id.
	Exclusive
	// Failover serves one session of many: the first that came, and when it leaves or
	// drains, the next. One that asks to take over is served at once.
	Failover
)

// Limits of the protocol, as far as they are kept here.
const (
	// DefaultMaxFrameBytes is what a stock gRPC client accepts, with room to spare.
	DefaultMaxFrameBytes = 4<<20 - 64<<10
	// DefaultLease is the work lease of a session that names none.
	DefaultLease = 30 * time.Second
	// DefaultQueueLease is how long a delivery waits to be started by a client that
	// is not heard.
	DefaultQueueLease = time.Minute
	// DefaultResumeWindow is how long a broken session waits to be taken up again.
	DefaultResumeWindow = 30 * time.Second
	// MinLease and MaxLease bound the lease that a session may ask for.
	MinLease = time.Second
	MaxLease = 12 * time.Hour
	// DefaultLeaseCap bounds how long extensions may hold a delivery, counted
	// from its start; a longer lease of the session raises it.
	DefaultLeaseCap = time.Hour
	// DefaultMaxMessages and DefaultMaxBytes are a subscription's ceiling.
	DefaultMaxMessages = 100_000
	DefaultMaxBytes    = 1 << 30
	// MinRetryDelay and MaxRetryDelay bound the delay that a RETRY may carry.
	MinRetryDelay = 100 * time.Millisecond
	MaxRetryDelay = 12 * time.Hour
	// DefaultMinBackoff and DefaultMaxBackoff bound the exponential backoff.
	DefaultMinBackoff = time.Second
	DefaultMaxBackoff = 10 * time.Minute
	// DefaultTurnBytes is how many message bytes go into one frame.
	DefaultTurnBytes = 256 << 10
	// DefaultLoadBytes is how far ahead of dispatch a partition is loaded.
	DefaultLoadBytes = 1 << 20
	// DefaultMaxWaiting is how many failed messages may wait for their retry.
	DefaultMaxWaiting = 1_000_000
)

// Credit is an amount in both units: messages, and bytes of encoded messages.
type Credit struct {
	Messages uint64
	Bytes    uint64
}

// Ceiling bounds what may be outstanding. A zero field means no limit.
type Ceiling struct {
	Messages uint64
	Bytes    uint64
}

// Config is what a subscription is set to. The zero value of each field means
// its default; the zero Config is valid.
type Config struct {
	// Mode is Shared unless set.
	Mode Mode
	// Paused: nothing is delivered; all else goes on.
	Paused bool
	// Cap bounds rates and concurrency; default none.
	Cap DispatchCap
	// Guarantee is AtLeastOnce unless set. It cannot change.
	Guarantee Guarantee
	// Order is OrderNone unless set; KeyPolicy BlockKey. AtMostOnce has none.
	Order     Order
	KeyPolicy KeyPolicy
	// Subscription is the ceiling on what all sessions together hold; default
	// DefaultMaxMessages and DefaultMaxBytes.
	Subscription Ceiling
	// Client is the ceiling on what the sessions of one non-empty client id hold
	// together; default none.
	Client Ceiling
	// Stream is the server's ceiling on what one session holds, whatever credit
	// it gave; default none.
	Stream Ceiling
	// Lease is the work lease of sessions that ask for none; default DefaultLease.
	Lease time.Duration
	// QueueLease is how long what was delivered to a session that tells what it
	// starts, and was not started, is kept for it after it was last heard; default
	// DefaultQueueLease, at most MaxLease.
	QueueLease time.Duration
	// ResumeWindow is how long the session of a broken stream waits to be taken up
	// again, if its client announced that it does; default DefaultResumeWindow, but
	// none for modes other than Shared; negative: none.
	ResumeWindow time.Duration
	// LeaseCap bounds extensions, counted from the start; default DefaultLeaseCap,
	// at most MaxLease. A session whose lease is longer has its lease as cap.
	LeaseCap time.Duration
	// BackoffMin and BackoffMax bound the wait after a failure, which doubles with
	// each failure of a message; defaults DefaultMinBackoff, DefaultMaxBackoff.
	BackoffMin time.Duration
	BackoffMax time.Duration
	// DeadLetters says that messages may be given up: Reject is served, failures are
	// remembered, MaxAttempts and MaxDeliveries are in force.
	DeadLetters bool
	// MaxAttempts is how many failed attempts a message may have; 0: any number, and
	// those are not held against it when a bound is set later.
	MaxAttempts uint32
	// MaxDeliveries is how many deliveries of a message may be lost with broken
	// sessions before they were started; 0: they are not counted.
	MaxDeliveries uint32
	// Seed makes the jitter of ± 20 % on each backoff.
	Seed uint64
	// TurnBytes is how many message bytes a frame may hold, unless a single
	// message is larger; default DefaultTurnBytes.
	TurnBytes uint64
	// LoadBytes is how many message bytes a partition is loaded ahead of dispatch;
	// default DefaultLoadBytes.
	LoadBytes uint64
	// MaxWaiting is how many failed messages may wait; above it no fresh message
	// is dispatched until some of them went out. Default DefaultMaxWaiting.
	MaxWaiting uint64
}

// ErrConfig is returned when a Config holds a value out of its bounds.
var ErrConfig = errors.New("delivery: invalid config")

// Validate says whether every field is within its bounds; the error names the field.
func (c Config) Validate() error {
	switch {
	case c.Mode > Failover:
		return fmt.Errorf("%w: mode %d", ErrConfig, c.Mode)
	case c.Order > OrderPartition || c.Order == OrderPartition && c.Mode == Shared:
		return fmt.Errorf("%w: order %d", ErrConfig, c.Order)
	case c.Guarantee > ExactlyOnce:
		return fmt.Errorf("%w: guarantee %d", ErrConfig, c.Guarantee)
	case c.Order != OrderNone && c.Guarantee == AtMostOnce:
		return fmt.Errorf("%w: order %d with at most once", ErrConfig, c.Order)
	case c.KeyPolicy > SkipKey:
		return fmt.Errorf("%w: key policy %d", ErrConfig, c.KeyPolicy)
	case !c.Cap.validate():
		return fmt.Errorf("%w: dispatch cap %v", ErrConfig, c.Cap)
	case c.Lease != 0 && (c.Lease < MinLease || c.Lease > MaxLease):
		return fmt.Errorf("%w: lease %v", ErrConfig, c.Lease)
	case c.QueueLease < 0 || c.QueueLease > MaxLease:
		return fmt.Errorf("%w: queue lease %v", ErrConfig, c.QueueLease)
	case c.ResumeWindow > MaxLease:
		return fmt.Errorf("%w: resume window %v", ErrConfig, c.ResumeWindow)
	case c.LeaseCap < 0 || c.LeaseCap > MaxLease:
		return fmt.Errorf("%w: lease cap %v", ErrConfig, c.LeaseCap)
	case c.BackoffMin < 0 || c.BackoffMax < 0 || c.BackoffMax > MaxRetryDelay:
		return fmt.Errorf("%w: backoff %v to %v", ErrConfig, c.BackoffMin, c.BackoffMax)
	case c.BackoffMax != 0 && c.BackoffMin > c.BackoffMax:
		return fmt.Errorf("%w: backoff %v above %v", ErrConfig, c.BackoffMin, c.BackoffMax)
	}
	return nil
}

// withDefaults returns c with every zero field set to its default.
func (c Config) withDefaults() Config {
	c.Subscription.Messages = orDefault(c.Subscription.Messages, DefaultMaxMessages)
	c.Subscription.Bytes = orDefault(c.Subscription.Bytes, DefaultMaxBytes)
	c.Lease = orDefault(c.Lease, DefaultLease)
	c.QueueLease = orDefault(c.QueueLease, DefaultQueueLease)
	c.LeaseCap = orDefault(c.LeaseCap, DefaultLeaseCap)
	c.BackoffMin = orDefault(c.BackoffMin, DefaultMinBackoff)
	c.BackoffMax = max(orDefault(c.BackoffMax, DefaultMaxBackoff), c.BackoffMin)
	c.TurnBytes = orDefault(c.TurnBytes, DefaultTurnBytes)
	c.LoadBytes = orDefault(c.LoadBytes, DefaultLoadBytes)
	c.MaxWaiting = orDefault(c.MaxWaiting, DefaultMaxWaiting)
	return c
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}
