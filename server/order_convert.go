package server

import (
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
)

// orders are the orders of the contract; that which is not set is the default.
var orders = map[headracev1.DeliveryOrder]broker.Order{
	headracev1.DeliveryOrder_DELIVERY_ORDER_UNSPECIFIED: broker.OrderKey,
	headracev1.DeliveryOrder_DELIVERY_ORDER_KEY:         broker.OrderKey,
	headracev1.DeliveryOrder_DELIVERY_ORDER_NONE:        broker.OrderNone,
	headracev1.DeliveryOrder_DELIVERY_ORDER_PARTITION:   broker.OrderPartition,
}

// orderProto is an order as clients see it.
func orderProto(o broker.Order) headracev1.DeliveryOrder {
	switch o {
	case broker.OrderKey:
		return headracev1.DeliveryOrder_DELIVERY_ORDER_KEY
	case broker.OrderPartition:
		return headracev1.DeliveryOrder_DELIVERY_ORDER_PARTITION
	default:
		return headracev1.DeliveryOrder_DELIVERY_ORDER_NONE
	}
}

// keyPolicies are the policies of the contract; that which is not set is the default.
var keyPolicies = map[headracev1.KeyFailurePolicy]broker.KeyPolicy{
	headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_UNSPECIFIED: broker.BlockKey,
	headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_BLOCK:       broker.BlockKey,
	headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_PARK_KEY:    broker.ParkKey,
	headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_SKIP:        broker.SkipKey,
}

// keyPolicyProto is a subscription's policy as clients see it: none without an order.
func keyPolicyProto(s broker.Subscription) headracev1.KeyFailurePolicy {
	switch {
	case s.Order == broker.OrderNone:
		return headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_UNSPECIFIED
	case s.KeyPolicy == broker.ParkKey:
		return headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_PARK_KEY
	case s.KeyPolicy == broker.SkipKey:
		return headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_SKIP
	default:
		return headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_BLOCK
	}
}

func takeKeyPolicy(c *broker.SubscriptionConfig, s *headracev1.Subscription, _ broker.SubscriptionConfig) error {
	policy := s.GetKeyFailurePolicy()
	if policy != headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_UNSPECIFIED && c.Order == broker.OrderNone {
		return invalidField("key_failure_policy", "only where an order is kept")
	}
	c.KeyPolicy = keyPolicies[policy]
	return nil
}

// orderedBy is what a subscription's order means for a session.
func orderedBy(o broker.Order) headracev1.OrderedBy {
	switch o {
	case broker.OrderKey:
		return headracev1.OrderedBy_ORDERED_BY_KEY
	case broker.OrderPartition:
		return headracev1.OrderedBy_ORDERED_BY_PARTITION
	default:
		return headracev1.OrderedBy_ORDERED_BY_UNSPECIFIED
	}
}
