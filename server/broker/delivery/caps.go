package delivery

import (
	"math"
	"time"
)

// DispatchCap bounds how fast, and how much at a time, a subscription is delivered. A
// zero field means no bound.
type DispatchCap struct {
	// MessagesPerSecond and BytesPerSecond are rates of deliveries, redeliveries
	// included. Unused rate is kept for capBurst at most. Bytes are charged when they
	// went: a message that is larger than what is left goes when something is left, and
	// what follows waits until it is paid for.
	MessagesPerSecond float64
	BytesPerSecond    float64
	// Concurrency is how many messages may be outstanding.
	Concurrency uint64
}

const (
	// capBurst is for how long unused rate is kept.
	capBurst = 100 * time.Millisecond
	// capStep is how much rate, once all was used up, is waited for at most.
	capStep = 10 * time.Millisecond
	// capTolerance is what rounding may take from a bucket.
	capTolerance = 1e-6
)

// Bounds of rates. Below the least, the next message would be a day away.
const (
	MinRate     = 0.001
	MaxRate     = 1e9
	MaxByteRate = 1e12
)

// validate says whether every rate is 0 or within its bounds.
func (c DispatchCap) validate() bool {
	within := func(rate, most float64) bool { return rate == 0 || rate >= MinRate && rate <= most }
	return within(c.MessagesPerSecond, MaxRate) && within(c.BytesPerSecond, MaxByteRate)
}

// dispatchCap is a DispatchCap at work. The zero value bounds nothing.
type dispatchCap struct {
	// on says that there is a rate; limited that messages wait for it.
	on       bool
	limited  bool
	messages bucket
	bytes    bucket
}

func newDispatchCap(c DispatchCap, now Instant) dispatchCap {
	return dispatchCap{
		on:       c.MessagesPerSecond > 0 || c.BytesPerSecond > 0,
		messages: newBucket(c.MessagesPerSecond, now),
		bytes:    newBucket(c.BytesPerSecond, now),
	}
}

// bucket holds what a rate allows at once. It begins full.
type bucket struct {
	rate  float64 // a second; 0: no bound
	burst float64
	step  float64
	level float64 // below 0: a debt
	at    Instant // when level was so
}

func newBucket(rate float64, now Instant) bucket {
	burst := max(1, rate*capBurst.Seconds())
	return bucket{rate: rate, burst: burst, step: max(1, rate*capStep.Seconds()), level: burst, at: now}
}

func (b *bucket) fill(now Instant) {
	b.level = min(b.burst, b.level+b.rate*(now-b.at).Seconds())
	b.at = now
}

// left is how much may go at once.
func (b *bucket) left() uint64 {
	if b.rate == 0 {
		return math.MaxUint64
	}
	return uint64(max(0, b.level+capTolerance))
}

func (b *bucket) take(n uint64) {
	if b.rate > 0 {
		b.level -= float64(n)
	}
}

// enough is when the bucket will hold a step.
func (b *bucket) enough() Instant {
	if b.rate == 0 || b.level >= b.step {
		return b.at
	}
	return b.at + Instant(math.Ceil((b.step-b.level)/b.rate*float64(time.Second)))
}

func (c *dispatchCap) fill(now Instant) {
	c.messages.fill(now)
	c.bytes.fill(now)
}

// empty says that nothing may go now.
func (c *dispatchCap) empty() bool { return c.messages.left() == 0 || c.bytes.left() == 0 }

// goesOn is when something may go again, at the latest.
func (c *dispatchCap) goesOn() Instant { return max(c.messages.enough(), c.bytes.enough()) }

func (c *dispatchCap) take(messages, bytes uint64) {
	c.messages.take(messages)
	c.bytes.take(bytes)
}

// rated says that the dispatch cap lets nothing go now.
func (s *State) rated() bool { return s.cap.on && s.cap.empty() }

// setCap applies a dispatch cap. One that changed begins with a full bucket.
func (s *State) setCap(before DispatchCap) {
	if s.config.Cap != before {
		s.cap = newDispatchCap(s.config.Cap, s.now)
	}
}

// ceiling is the effective ceiling on what is outstanding of the subscription.
func (c *Config) ceiling() Credit {
	limit := c.Subscription.credit()
	if c.Cap.Concurrency > 0 {
		limit.Messages = min(limit.Messages, c.Cap.Concurrency)
	}
	return limit
}

// ceilingReason says which setting it is by which the subscription's ceiling is reached.
func (s *State) ceilingReason() Blocked {
	n := s.config.Cap.Concurrency
	if n > 0 && n <= s.config.Subscription.Messages && s.ceiling.held.Messages >= n {
		return RateLimited
	}
	return SubscriptionCap
}
