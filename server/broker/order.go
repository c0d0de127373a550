package broker

import (
	"errors"
	"fmt"

	storagev1 "github.com/headrace/headrace/gen/go/headrace/storage/v1"
	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// Order is which order a subscription keeps.
type Order = delivery.Order

// The orders.
const (
	OrderNone      = delivery.OrderNone
	OrderKey       = delivery.OrderKey
	OrderPartition = delivery.OrderPartition
)

// KeyPolicy is what a message that exhausts its attempts does to its key.
type KeyPolicy = delivery.KeyPolicy

// The policies.
const (
	BlockKey = delivery.BlockKey
	ParkKey  = delivery.ParkKey
	SkipKey  = delivery.SkipKey
)

// definedOrders are the orders as they are stored.
var definedOrders = map[Order]storagev1.DefinedOrder{
	OrderNone:      storagev1.DefinedOrder_DEFINED_ORDER_NONE,
	OrderKey:       storagev1.DefinedOrder_DEFINED_ORDER_KEY,
	OrderPartition: storagev1.DefinedOrder_DEFINED_ORDER_PARTITION,
}

// definedKeyFailures are the policies as they are stored.
var definedKeyFailures = map[KeyPolicy]storagev1.DefinedKeyFailure{
	BlockKey: storagev1.DefinedKeyFailure_DEFINED_KEY_FAILURE_BLOCK,
	ParkKey:  storagev1.DefinedKeyFailure_DEFINED_KEY_FAILURE_PARK,
	SkipKey:  storagev1.DefinedKeyFailure_DEFINED_KEY_FAILURE_SKIP,
}

// definedKeyFailure is the stored policy: none without an order.
func definedKeyFailure(c SubscriptionConfig) storagev1.DefinedKeyFailure {
	if c.Order == OrderNone {
		return storagev1.DefinedKeyFailure_DEFINED_KEY_FAILURE_UNSPECIFIED
	}
	return definedKeyFailures[c.KeyPolicy]
}

// servedOrder reads the order and the policy of a stored definition.
func servedOrder(d *storagev1.SubscriptionDefinition) (Order, KeyPolicy, error) {
	order, ok := keyOf(definedOrders, d.GetOrder())
	if !ok {
		return 0, 0, fmt.Errorf("%w: stored order %v", ErrDataLoss, d.GetOrder())
	}
	if order == OrderNone {
		return order, BlockKey, nil
	}
	policy, ok := keyOf(definedKeyFailures, d.GetKeyFailure())
	if !ok {
		return 0, 0, fmt.Errorf("%w: stored key policy %v", ErrDataLoss, d.GetKeyFailure())
	}
	return order, policy, nil
}

// keyOf is the reverse of a look-up in a small map.
func keyOf[K, V comparable](in map[K]V, value V) (key K, ok bool) {
	for k, v := range in {
		if v == value {
			return k, true
		}
	}
	return key, false
}

// validateOrder says whether the order goes with the mode, and the policy with the
// order.
func (c SubscriptionConfig) validateOrder() error {
	var order, policy error
	if c.Order > OrderPartition || c.Order == OrderPartition && c.Mode == Shared {
		order = invalidField("order", "PARTITION only where one session is served at a time")
	}
	if c.KeyPolicy > SkipKey || c.KeyPolicy != BlockKey && c.Order == OrderNone {
		policy = invalidField("key_failure_policy", "only where an order is kept")
	}
	return errors.Join(order, policy)
}

// tellKeys tells the state machine of the keys of segments. They are copied: the
// store uses a segment's memory again.
func tellKeys(loaded *delivery.Loaded, segments []*storage.Segment) {
	for i, s := range segments {
		if s.KeyHashes == nil {
			continue
		}
		keys := make([]delivery.KeyHash, len(s.KeyHashes))
		for j, key := range s.KeyHashes {
			keys[j] = delivery.KeyHash(key)
		}
		loaded.Segments[i].KeyHashes = keys
	}
}
