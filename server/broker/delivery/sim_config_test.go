package delivery_test

import (
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/server/broker/delivery/model"
)

func (s *sim) limit(messages, bytes int) delivery.Ceiling {
	return delivery.Ceiling{Messages: uint64(1 + s.IntN(messages)), Bytes: uint64(1 + s.IntN(bytes))}
}

// randomConfig sets a subscription to small limits, so that they are met.
func (s *sim) randomConfig() delivery.Config {
	c := delivery.Config{
		Seed: s.Uint64(), LeaseCap: time.Minute, Lease: 5 * time.Second,
		BackoffMin: 200 * time.Millisecond, BackoffMax: 5 * time.Second,
		TurnBytes: uint64(200 + s.IntN(3000)), LoadBytes: uint64(1 + s.IntN(5000)),
	}
	if s.one(2) {
		c.QueueLease = time.Duration(1+s.IntN(20)) * time.Second
	}
	if s.one(2) {
		c.DeadLetters = true
		c.MaxAttempts, c.MaxDeliveries = uint32(s.IntN(6)), uint32(s.IntN(4))
	}
	if s.one(6) {
		c.Mode = delivery.Exclusive
		if s.one(2) {
			c.Mode = delivery.Failover
		}
	}
	c.Paused = s.one(20)
	if s.one(4) {
		c.Cap = s.randomCap()
	}
	if s.one(2) {
		c.ResumeWindow = time.Duration(s.IntN(20)-1) * time.Second
	}
	if s.one(3) {
		c.Order = delivery.OrderKey
		if c.Mode != delivery.Shared && s.one(2) {
			c.Order = delivery.OrderPartition
		}
		c.KeyPolicy = delivery.KeyPolicy(s.IntN(3))
	}
	if s.one(4) {
		c.Subscription = s.limit(60, 6000)
	}
	if s.one(4) {
		c.Client = s.limit(30, 3000)
	}
	if s.one(4) {
		c.Stream = s.limit(20, 2000)
	}
	if s.one(5) && c.Order == delivery.OrderNone {
		c.MaxWaiting = uint64(5 + s.IntN(20))
	}
	return c
}

// randomCap bounds some of rates and concurrency.
func (s *sim) randomCap() (c delivery.DispatchCap) {
	if s.one(2) {
		c.MessagesPerSecond = float64(1+s.IntN(5000)) / 10
	}
	if s.one(2) {
		c.BytesPerSecond = float64(1 + s.IntN(30_000))
	}
	if s.one(3) {
		c.Concurrency = uint64(1 + s.IntN(40))
	}
	return c
}

// rules are the same in the model's words.
func (s *sim) rules() model.Rules {
	orElse := func(l delivery.Ceiling, messages, bytes uint64) model.Limit {
		m := model.Limit(l)
		if m.Messages == 0 {
			m.Messages = messages
		}
		if m.Bytes == 0 {
			m.Bytes = bytes
		}
		return m
	}
	c := s.config
	r := model.Rules{
		Exclusive: c.Mode == delivery.Exclusive,
		Failover:  c.Mode == delivery.Failover, Paused: c.Paused,
		Exact: c.Guarantee == delivery.ExactlyOnce, Forgets: c.Guarantee == delivery.AtMostOnce,
		MessageRate: c.Cap.MessagesPerSecond, ByteRate: c.Cap.BytesPerSecond, Concurrency: c.Cap.Concurrency,
		Order:        []string{"", "key", "partition"}[c.Order],
		Policy:       []string{"", "park", "skip"}[c.KeyPolicy],
		Redriven:     s.store.redriven,
		Subscription: orElse(c.Subscription, delivery.DefaultMaxMessages, delivery.DefaultMaxBytes),
		Client:       model.Limit(c.Client), Stream: model.Limit(c.Stream),
		LeaseCap: c.LeaseCap, QueueLease: c.QueueLease, DeadLetters: c.DeadLetters, MaxAttempts: c.MaxAttempts, MaxDeliveries: c.MaxDeliveries,
		BackoffMin: c.BackoffMin, BackoffMax: c.BackoffMax, MaxWaiting: c.MaxWaiting,
	}
	switch {
	case c.ResumeWindow > 0:
		r.ResumeWindow = c.ResumeWindow
	case c.ResumeWindow == 0 && c.Mode == delivery.Shared:
		r.ResumeWindow = delivery.DefaultResumeWindow
	}
	if r.QueueLease == 0 {
		r.QueueLease = delivery.DefaultQueueLease
	}
	if r.MaxWaiting == 0 {
		r.MaxWaiting = delivery.DefaultMaxWaiting
	}
	return r
}
