package broker

import (
	"errors"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// Amount is a number of messages together with their size in bytes.
type Amount = delivery.Credit

// Mode says who may receive from a subscription.
type Mode = delivery.Mode

// The modes that are served.
const (
	Shared    = delivery.Shared
	Exclusive = delivery.Exclusive
	Failover  = delivery.Failover
)

// The backoff of a subscription that asks for none.
const (
	DefaultMinBackoff = time.Second
	DefaultMaxBackoff = 10 * time.Minute
)

// Bounds and defaults of how often a message is tried.
const (
	DefaultMaxAttempts   = 16
	DefaultMaxDeliveries = 100
	maxAttempts          = 1000
)

// SubscriptionConfig is what a client says of a subscription. It is stored with all of
// its values, so that later defaults do not change what exists.
type SubscriptionConfig struct {
	// Name, Topic, Mode, Order and Guarantee are fixed at creation.
	Name      Name
	Topic     Name
	Mode      Mode
	Order     Order
	Guarantee Guarantee
	// KeyPolicy is what becomes of a key whose message exhausts its attempts.
	KeyPolicy KeyPolicy
	// Lease is the work lease of a delivery, 1 s to 12 h.
	Lease time.Duration
	// MaxLease is the longest that a delivery can be leased, extensions included,
	// Lease to 12 h.
	MaxLease time.Duration
	// ResumeWindow is how long the session of a broken stream waits to be taken up
	// again, 0 to 12 h; 0: not at all.
	ResumeWindow time.Duration
	// MinBackoff is the wait after the first failure, 100 ms to 12 h; it doubles up
	// to MaxBackoff, MinBackoff to 12 h.
	MinBackoff, MaxBackoff time.Duration
	// MaxAttempts is after how many failed attempts a message becomes a dead letter,
	// MaxDeliveries after how many deliveries lost before they were started; 0 to 1,000,
	// 0: never.
	MaxAttempts, MaxDeliveries uint32
	// MaxOutstanding is the ceiling on what all sessions hold together, both units
	// at least 1.
	MaxOutstanding Amount
	// ClientMaxOutstanding is the ceiling on what the sessions of one client id
	// hold together; a zero unit means none.
	ClientMaxOutstanding Amount
	// Labels are free: at most MaxLabels of at most MaxLabelsBytes together.
	Labels map[string]string
	// Ephemeral: it lives while a session does, and EphemeralGrace. Fixed at creation.
	Ephemeral bool
	// ExpireAfter: it ends when it had no session this long; 0, or EphemeralGrace to
	// MaxExpireAfter.
	ExpireAfter time.Duration
	// BacklogCap bounds what is not settled.
	BacklogCap BacklogCap
	// DeadLetterTopic is where dead letters are forwarded to; empty: nowhere.
	DeadLetterTopic Name
	// Paused: nothing is delivered.
	Paused bool
	// DispatchCap bounds rates and concurrency; a field that is 0 bounds nothing.
	DispatchCap DispatchCap
}

// NewSubscriptionConfig gives a subscription's configuration with every field at
// its default.
func NewSubscriptionConfig(name, topic Name) SubscriptionConfig {
	return SubscriptionConfig{
		Name:           name,
		Topic:          topic,
		Mode:           Shared,
		Order:          OrderKey,
		Lease:          delivery.DefaultLease,
		MaxLease:       delivery.DefaultLeaseCap,
		ResumeWindow:   DefaultResumeWindow(Shared),
		MinBackoff:     DefaultMinBackoff,
		MaxBackoff:     DefaultMaxBackoff,
		MaxAttempts:    DefaultMaxAttempts,
		MaxDeliveries:  DefaultMaxDeliveries,
		MaxOutstanding: Amount{Messages: delivery.DefaultMaxMessages, Bytes: delivery.DefaultMaxBytes},
	}
}

// DefaultResumeWindow is how long a broken session waits on a subscription of some
// mode that says nothing of it: where one session alone is served, the next one does
// not wait for it.
func DefaultResumeWindow(mode Mode) time.Duration {
	if mode == Shared {
		return delivery.DefaultResumeWindow
	}
	return 0
}

// Subscription is a subscription as the broker knows it.
type Subscription struct {
	SubscriptionConfig
	CreatedAt time.Time
	// State is storage.Active or storage.Damaged.
	State storage.State
	// Generation rises with every seek, from 1.
	Generation uint64
}

// validate says whether c is within its bounds.
func (c SubscriptionConfig) validate() error {
	switch {
	case c.Mode > Failover:
		return invalidField("mode", "shared, exclusive or failover")
	case c.Lease < delivery.MinLease || c.Lease > delivery.MaxLease:
		return invalidField("lease", "1 s to 12 h")
	case c.MaxLease < c.Lease || c.MaxLease > delivery.MaxLease:
		return invalidField("max_lease", "at least lease, at most 12 h")
	case c.ResumeWindow < 0 || c.ResumeWindow > delivery.MaxLease:
		return invalidField("resume_window", "0 to 12 h")
	case c.MinBackoff < delivery.MinRetryDelay || c.MinBackoff > delivery.MaxRetryDelay:
		return invalidField("retry.min_backoff", "100 ms to 12 h")
	case c.MaxBackoff < c.MinBackoff || c.MaxBackoff > delivery.MaxRetryDelay:
		return invalidField("retry.max_backoff", "at least min_backoff, at most 12 h")
	case c.MaxAttempts > maxAttempts:
		return invalidField("retry.max_attempts", "0 to 1,000")
	case c.MaxDeliveries > maxAttempts:
		return invalidField("retry.max_deliveries", "0 to 1,000")
	case c.MaxOutstanding.Messages < 1 || c.MaxOutstanding.Bytes < 1:
		return invalidField("max_outstanding", "at least 1 message and 1 byte")
	}
	return errors.Join(
		c.validateOrder(), c.validateGuarantee(), c.validateBacklogCap(), c.validateExpiry(),
		validateDispatchCap(c.DispatchCap), validateLabels(c.Labels),
	)
}
