package server

import (
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
)

// guarantees are those that a client may ask for.
var guarantees = map[headracev1.DeliveryGuarantee]broker.Guarantee{
	headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_UNSPECIFIED:   broker.AtLeastOnce,
	headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_AT_LEAST_ONCE: broker.AtLeastOnce,
	headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_AT_MOST_ONCE:  broker.AtMostOnce,
	headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_EXACTLY_ONCE:  broker.ExactlyOnce,
}

func guaranteeProto(g broker.Guarantee) headracev1.DeliveryGuarantee {
	switch g {
	case broker.AtMostOnce:
		return headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_AT_MOST_ONCE
	case broker.ExactlyOnce:
		return headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_EXACTLY_ONCE
	default:
		return headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_AT_LEAST_ONCE
	}
}
