package broker

import (
	"encoding/hex"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	storagev1 "github.com/headrace/headrace/gen/go/headrace/storage/v1"
	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// goldenKeyed is sampleSubscription with an order, as it was first written.
const goldenKeyed = "0802100218012202083c2a0308a03832051080c2d72f3a02083c400048005206080a108080405a02080562100a047465616d12087061796d656e74736a00880103"

func TestOrderAndPolicyComeBack(t *testing.T) {
	for order := OrderNone; order <= OrderPartition; order++ {
		for policy := BlockKey; policy <= SkipKey; policy++ {
			if order == OrderNone && policy != BlockKey {
				continue
			}
			c := sampleSubscription()
			c.Order, c.KeyPolicy = order, policy
			stored, err := storedSubscription(c, 7)
			if err != nil {
				t.Fatal(err)
			}
			got, err := subscriptionConfig(stored, c.Topic)
			if diff := cmp.Diff(c, got); diff != "" || err != nil {
				t.Errorf("order %d, policy %d: %v %s", order, policy, err, diff)
			}
			if order == OrderKey && policy == SkipKey && hex.EncodeToString(stored.Definition) != goldenKeyed {
				t.Errorf("definition is %x", stored.Definition)
			}
		}
	}
}

func TestAStoredOrderThatIsNotKnownIsDamage(t *testing.T) {
	for _, d := range []*storagev1.SubscriptionDefinition{
		{Order: 9},
		{Order: storagev1.DefinedOrder_DEFINED_ORDER_KEY},
		{Order: storagev1.DefinedOrder_DEFINED_ORDER_KEY, KeyFailure: 9},
	} {
		if _, _, err := servedOrder(d); !errors.Is(err, ErrDataLoss) {
			t.Errorf("%v: %v", d, err)
		}
	}
}

func TestOrderHasToFitModeAndPolicy(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*SubscriptionConfig)
		field  string
	}{
		"partitions of a shared one":  {func(c *SubscriptionConfig) { c.Mode, c.Order = Shared, OrderPartition }, "order"},
		"no such order":               {func(c *SubscriptionConfig) { c.Order = OrderPartition + 1 }, "order"},
		"a policy without an order":   {func(c *SubscriptionConfig) { c.Order, c.KeyPolicy = OrderNone, SkipKey }, "key_failure_policy"},
		"no such policy":              {func(c *SubscriptionConfig) { c.Order, c.KeyPolicy = OrderKey, SkipKey+1 }, "key_failure_policy"},
		"partitions of an exclusive":  {func(c *SubscriptionConfig) { c.Order = OrderPartition }, ""},
		"keys, skipped, of a shared ": {func(c *SubscriptionConfig) { c.Mode, c.Order, c.KeyPolicy = Shared, OrderKey, SkipKey }, ""},
	} {
		config := sampleSubscription()
		c.change(&config)
		var field *FieldError
		if err := config.validate(); errors.As(err, &field) != (c.field != "") || field != nil && field.Field != c.field {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKeysOutliveTheirSegment: what the state machine was told of keys stays when the
// store uses a segment's memory for another one.
func TestKeysOutliveTheirSegment(t *testing.T) {
	segments := []*storage.Segment{
		{Base: 10, Ends: []uint32{1, 2}, KeyHashes: []storage.KeyHash{{Hash: 7, Present: true}, {}}},
		{Base: 12, Ends: []uint32{1}},
	}
	told := describe(0, segments)
	tellKeys(told, segments)
	segments[0].KeyHashes[0].Hash = 8
	if diff := cmp.Diff([]delivery.KeyHash{{Hash: 7, Present: true}, {}}, told.Segments[0].KeyHashes); diff != "" {
		t.Error(diff)
	}
	if told.Segments[1].KeyHashes != nil {
		t.Error("keys where there are none")
	}
}

func TestOrderingKeyIsReadFromTheWire(t *testing.T) {
	message := func(fields ...byte) []byte { return append([]byte{0x0a, byte(len(fields))}, fields...) }
	for name, c := range map[string]struct {
		wire []byte
		want string
	}{
		"a key":            {message(0x0a, 1, 'd', 0x2a, 2, 'k', '1'), "k1"},
		"the last counts":  {message(0x2a, 1, 'a', 0x2a, 1, 'b'), "b"},
		"none":             {message(0x0a, 1, 'd'), ""},
		"of another type":  {message(0x28, 7), ""},
		"cut in a field":   {message(0x2a, 1, 'a', 0x2a, 9, 'b'), "a"},
		"cut in a tag":     {message(0x2a, 1, 'a', 0x80), "a"},
		"cut":              {[]byte{0x0a, 9, 0x2a}, ""},
		"nothing":          {nil, ""},
		"no tag":           {[]byte{0x80}, ""},
		"nothing but tags": {[]byte{0x0a}, ""},
	} {
		if got := orderingKey(c.wire); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
