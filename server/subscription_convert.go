package server

import (
	"errors"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/storage"
)

// newSubscriptionConfig reads a subscription that a client wants to create.
func newSubscriptionConfig(s *headracev1.Subscription) (broker.SubscriptionConfig, error) {
	name, err := parseName("name", s.GetName())
	if err != nil {
		return broker.SubscriptionConfig{}, err
	}
	topic, err := parseName("topic", s.GetTopic())
	if err != nil {
		return broker.SubscriptionConfig{}, err
	}
	c := broker.NewSubscriptionConfig(name, topic)
	if err := checkCreated(s); err != nil {
		return c, err
	}
	c.Mode = modes[s.GetMode()]
	c.Ephemeral = s.GetEphemeral()
	c.Order, c.Guarantee = orders[s.GetOrder()], guarantees[s.GetGuarantee()]
	if c.Guarantee == broker.AtMostOnce && s.GetOrder() == headracev1.DeliveryOrder_DELIVERY_ORDER_UNSPECIFIED {
		c.Order = broker.OrderNone
	}
	defaults := c
	for _, path := range createdPaths {
		if err := subscriptionPaths[path](&c, s, defaults); err != nil {
			return c, err
		}
	}
	return c, nil
}

// modes are the modes; SHARED is the default.
var modes = map[headracev1.SubscriptionMode]broker.Mode{
	headracev1.SubscriptionMode_SUBSCRIPTION_MODE_UNSPECIFIED: broker.Shared,
	headracev1.SubscriptionMode_SUBSCRIPTION_MODE_SHARED:      broker.Shared,
	headracev1.SubscriptionMode_SUBSCRIPTION_MODE_EXCLUSIVE:   broker.Exclusive,
	headracev1.SubscriptionMode_SUBSCRIPTION_MODE_FAILOVER:    broker.Failover,
}

func modeProto(m broker.Mode) headracev1.SubscriptionMode {
	switch m {
	case broker.Exclusive:
		return headracev1.SubscriptionMode_SUBSCRIPTION_MODE_EXCLUSIVE
	case broker.Failover:
		return headracev1.SubscriptionMode_SUBSCRIPTION_MODE_FAILOVER
	default:
		return headracev1.SubscriptionMode_SUBSCRIPTION_MODE_SHARED
	}
}

// createdPaths are the paths that a new subscription takes over, the lease before
// the longest lease, whose default depends on it.
var createdPaths = []string{
	"lease", "max_lease", "retry", "max_outstanding", "client_max_outstanding", "labels", "key_failure_policy",
	"paused", "dispatch_cap", "backlog_cap", "expire_after", "dead_letter_topic",
	"resume_window",
}

// checkCreated refuses what a new subscription may not say.
func checkCreated(s *headracev1.Subscription) error {
	switch {
	case s.GetCreateTime() != nil,
		s.GetState() != headracev1.ResourceState_RESOURCE_STATE_UNSPECIFIED,
		s.GetGeneration() != 0:
		return invalidField("create_time, state, generation", "set by the server")
	}
	return nil
}

// subscriptionPaths are the fields of a subscription that an update may name.
var subscriptionPaths = map[string]taker[broker.SubscriptionConfig, *headracev1.Subscription]{
	"lease":                  takeLease,
	"max_lease":              takeMaxLease,
	"resume_window":          takeResumeWindow,
	"retry":                  takeRetry,
	"retry.min_backoff":      takeMinBackoff,
	"retry.max_backoff":      takeMaxBackoff,
	"retry.max_attempts":     takeMaxAttempts,
	"retry.max_deliveries":   takeMaxDeliveries,
	"max_outstanding":        takeMaxOutstanding,
	"client_max_outstanding": takeClientMaxOutstanding,
	"key_failure_policy":     takeKeyPolicy,
	"dispatch_cap":           takeDispatchCap,
	"backlog_cap":            takeBacklogCap,
	"expire_after":           takeExpireAfter,
	"dead_letter_topic":      takeDeadLetterTopic,

	"dispatch_cap.messages_per_second": takeMessagesPerSecond,
	"dispatch_cap.bytes_per_second":    takeBytesPerSecond,
	"dispatch_cap.concurrency":         takeConcurrency,

	"labels": func(c *broker.SubscriptionConfig, s *headracev1.Subscription, _ broker.SubscriptionConfig) error {
		c.Labels = s.GetLabels()
		return nil
	},
	"paused": func(c *broker.SubscriptionConfig, s *headracev1.Subscription, _ broker.SubscriptionConfig) error {
		c.Paused = s.GetPaused()
		return nil
	},
}

func takeExpireAfter(c *broker.SubscriptionConfig, s *headracev1.Subscription, _ broker.SubscriptionConfig) (err error) {
	c.ExpireAfter, err = duration("expire_after", s.GetExpireAfter(), 0, broker.MaxExpireAfter, 0)
	return err
}

func takeLease(c *broker.SubscriptionConfig, s *headracev1.Subscription, d broker.SubscriptionConfig) (err error) {
	c.Lease, err = duration("lease", s.GetLease(), minLease, maxLease, d.Lease)
	return err
}

func takeMaxLease(c *broker.SubscriptionConfig, s *headracev1.Subscription, d broker.SubscriptionConfig) (err error) {
	c.MaxLease, err = duration("max_lease", s.GetMaxLease(), minLease, maxLease, max(d.MaxLease, c.Lease))
	return err
}

// takeResumeWindow takes over how long a broken session waits; the default depends on
// the mode.
func takeResumeWindow(c *broker.SubscriptionConfig, s *headracev1.Subscription, _ broker.SubscriptionConfig) (err error) {
	c.ResumeWindow, err = duration("resume_window", s.GetResumeWindow(), 0, maxLease, broker.DefaultResumeWindow(c.Mode))
	return err
}

func takeRetry(c *broker.SubscriptionConfig, s *headracev1.Subscription, d broker.SubscriptionConfig) error {
	if err := takeMinBackoff(c, s, d); err != nil {
		return err
	}
	if err := takeMaxBackoff(c, s, d); err != nil {
		return err
	}
	return errors.Join(takeMaxAttempts(c, s, d), takeMaxDeliveries(c, s, d))
}

func takeMaxAttempts(c *broker.SubscriptionConfig, s *headracev1.Subscription, d broker.SubscriptionConfig) error {
	c.MaxAttempts = d.MaxAttempts
	if n := s.GetRetry(); n != nil && n.MaxAttempts != nil {
		c.MaxAttempts = n.GetMaxAttempts()
	}
	return nil
}

func takeMaxDeliveries(c *broker.SubscriptionConfig, s *headracev1.Subscription, d broker.SubscriptionConfig) error {
	c.MaxDeliveries = d.MaxDeliveries
	if n := s.GetRetry(); n != nil && n.MaxDeliveries != nil {
		c.MaxDeliveries = n.GetMaxDeliveries()
	}
	return nil
}

func takeMinBackoff(c *broker.SubscriptionConfig, s *headracev1.Subscription, d broker.SubscriptionConfig) (err error) {
	c.MinBackoff, err = duration("retry.min_backoff", s.GetRetry().GetMinBackoff(), minBackoff, maxDelay, d.MinBackoff)
	return err
}

func takeMaxBackoff(c *broker.SubscriptionConfig, s *headracev1.Subscription, d broker.SubscriptionConfig) (err error) {
	fallback := max(d.MaxBackoff, c.MinBackoff)
	c.MaxBackoff, err = duration("retry.max_backoff", s.GetRetry().GetMaxBackoff(), minBackoff, maxDelay, fallback)
	return err
}

// minBackoff is the shortest wait after a failure.
const minBackoff = 100 * time.Millisecond

func takeMaxOutstanding(c *broker.SubscriptionConfig, s *headracev1.Subscription, d broker.SubscriptionConfig) error {
	c.MaxOutstanding = d.MaxOutstanding
	if a := s.GetMaxOutstanding(); a != nil {
		c.MaxOutstanding = amountOf(a)
	}
	return nil
}

// takeClientMaxOutstanding takes the ceiling of a client id over; a unit that is
// zero has none.
func takeClientMaxOutstanding(c *broker.SubscriptionConfig, s *headracev1.Subscription, _ broker.SubscriptionConfig) error {
	c.ClientMaxOutstanding = amountOf(s.GetClientMaxOutstanding())
	return nil
}

func amountOf(a *headracev1.Amount) broker.Amount {
	return broker.Amount{Messages: a.GetMessages(), Bytes: a.GetBytes()}
}

// startOf reads where a new subscription begins.
func startOf(p *headracev1.StartPosition) (storage.Start, error) {
	switch position := p.GetPosition().(type) {
	case *headracev1.StartPosition_Latest:
		return storage.Start{Kind: storage.StartLatest}, mustBeTrue("start.latest", position.Latest)
	case *headracev1.StartPosition_Earliest:
		return storage.Start{Kind: storage.StartEarliest}, mustBeTrue("start.earliest", position.Earliest)
	case *headracev1.StartPosition_Time:
		if position.Time.CheckValid() != nil {
			return storage.Start{}, invalidField("start.time", "a valid time")
		}
		return storage.Start{Kind: storage.StartAtTime, Time: position.Time.AsTime()}, nil
	case *headracev1.StartPosition_Offsets:
		return startAtOffsets("start.offsets", position.Offsets)
	}
	return storage.Start{Kind: storage.StartLatest}, nil
}

func mustBeTrue(field string, value bool) error {
	if !value {
		return invalidField(field, "true when set")
	}
	return nil
}

func startAtOffsets(field string, o *headracev1.StartOffsets) (storage.Start, error) {
	start := storage.Start{Kind: storage.StartAtOffsets, Offsets: map[uint16]storage.Offset{}}
	for _, p := range o.GetPositions() {
		if p.GetPartition() >= broker.MaxPartitions {
			return start, invalidField(field, "partitions of 0 to 255")
		}
		if _, twice := start.Offsets[uint16(p.GetPartition())]; twice {
			return start, invalidField(field, "one position a partition")
		}
		start.Offsets[uint16(p.GetPartition())] = storage.Offset(p.GetOffset())
	}
	return start, nil
}

func subscriptionProto(s broker.Subscription) *headracev1.Subscription {
	return &headracev1.Subscription{
		Name:      string(s.Name),
		Topic:     string(s.Topic),
		Mode:      modeProto(s.Mode),
		Order:     orderProto(s.Order),
		Guarantee: guaranteeProto(s.Guarantee),
		Lease:     durationpb.New(s.Lease),
		MaxLease:  durationpb.New(s.MaxLease),

		ResumeWindow: durationpb.New(s.ResumeWindow),
		Retry: &headracev1.RetryPolicy{
			MinBackoff:    durationpb.New(s.MinBackoff),
			MaxBackoff:    durationpb.New(s.MaxBackoff),
			MaxAttempts:   new(s.MaxAttempts),
			MaxDeliveries: new(s.MaxDeliveries),
		},
		MaxOutstanding:       amountProto(s.MaxOutstanding),
		ClientMaxOutstanding: ceilingProto(s.ClientMaxOutstanding),
		Labels:               s.Labels,
		Paused:               s.Paused,
		DispatchCap:          dispatchCapProto(s.DispatchCap),
		BacklogCap:           backlogCapProto(s.BacklogCap),
		Ephemeral:            s.Ephemeral,
		ExpireAfter:          ageProto(s.ExpireAfter),
		KeyFailurePolicy:     keyPolicyProto(s),
		DeadLetterTopic:      string(s.DeadLetterTopic),
		CreateTime:           timestamppb.New(s.CreatedAt),
		State:                stateProto(s.State),
		Generation:           s.Generation,
	}
}

// ceilingProto is a ceiling, absent when there is none.
func ceilingProto(a broker.Amount) *headracev1.Amount {
	if a == (broker.Amount{}) {
		return nil
	}
	return amountProto(a)
}
