package broker

import (
	"fmt"

	storagev1 "github.com/headrace/headrace/gen/go/headrace/storage/v1"
	"github.com/headrace/headrace/server/broker/delivery"
)

// Guarantee says how often a message may come.
type Guarantee = delivery.Guarantee

// The guarantees.
const (
	AtLeastOnce = delivery.AtLeastOnce
	AtMostOnce  = delivery.AtMostOnce
	ExactlyOnce = delivery.ExactlyOnce
)

// definedGuarantees are the guarantees as they are stored.
var definedGuarantees = map[Guarantee]storagev1.DefinedGuarantee{
	AtLeastOnce: storagev1.DefinedGuarantee_DEFINED_GUARANTEE_AT_LEAST_ONCE,
	AtMostOnce:  storagev1.DefinedGuarantee_DEFINED_GUARANTEE_AT_MOST_ONCE,
	ExactlyOnce: storagev1.DefinedGuarantee_DEFINED_GUARANTEE_EXACTLY_ONCE,
}

// servedGuarantee reads the guarantee of a stored definition.
func servedGuarantee(d *storagev1.SubscriptionDefinition) (Guarantee, error) {
	guarantee, ok := keyOf(definedGuarantees, d.GetGuarantee())
	if !ok {
		return 0, fmt.Errorf("%w: stored guarantee %v", ErrDataLoss, d.GetGuarantee())
	}
	return guarantee, nil
}

// validateGuarantee says whether the guarantee goes with the order: what is settled
// before it is sent keeps nothing waiting.
func (c SubscriptionConfig) validateGuarantee() error {
	switch {
	case c.Guarantee > ExactlyOnce:
		return invalidField("guarantee", "at least, at most or exactly once")
	case c.Guarantee == AtMostOnce && c.Order != OrderNone:
		return invalidField("order", "NONE where a message comes at most once")
	}
	return nil
}
