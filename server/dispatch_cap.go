package server

import (
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
)

func takeDispatchCap(c *broker.SubscriptionConfig, s *headracev1.Subscription, _ broker.SubscriptionConfig) error {
	from := s.GetDispatchCap()
	c.DispatchCap = broker.DispatchCap{
		MessagesPerSecond: from.GetMessagesPerSecond(),
		BytesPerSecond:    from.GetBytesPerSecond(),
		Concurrency:       from.GetConcurrency(),
	}
	return nil
}

func takeMessagesPerSecond(c *broker.SubscriptionConfig, s *headracev1.Subscription, _ broker.SubscriptionConfig) error {
	c.DispatchCap.MessagesPerSecond = s.GetDispatchCap().GetMessagesPerSecond()
	return nil
}

func takeBytesPerSecond(c *broker.SubscriptionConfig, s *headracev1.Subscription, _ broker.SubscriptionConfig) error {
	c.DispatchCap.BytesPerSecond = s.GetDispatchCap().GetBytesPerSecond()
	return nil
}

func takeConcurrency(c *broker.SubscriptionConfig, s *headracev1.Subscription, _ broker.SubscriptionConfig) error {
	c.DispatchCap.Concurrency = s.GetDispatchCap().GetConcurrency()
	return nil
}

// dispatchCapProto is a dispatch cap, absent when it bounds nothing.
func dispatchCapProto(c broker.DispatchCap) *headracev1.DispatchCap {
	if c == (broker.DispatchCap{}) {
		return nil
	}
	return &headracev1.DispatchCap{
		MessagesPerSecond: c.MessagesPerSecond, BytesPerSecond: c.BytesPerSecond, Concurrency: c.Concurrency,
	}
}
