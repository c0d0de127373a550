package broker

import "github.com/headrace/headrace/server/broker/delivery"

// DispatchCap bounds how fast, and how much at a time, a subscription is delivered. A
// zero field means no bound.
type DispatchCap = delivery.DispatchCap

// validateDispatchCap says whether both rates are 0 or within their bounds.
func validateDispatchCap(c DispatchCap) error {
	within := func(rate, most float64) bool { return rate == 0 || rate >= delivery.MinRate && rate <= most }
	switch {
	case !within(c.MessagesPerSecond, delivery.MaxRate):
		return invalidField("dispatch_cap.messages_per_second", "0, or 0.001 to 1,000,000,000")
	case !within(c.BytesPerSecond, delivery.MaxByteRate):
		return invalidField("dispatch_cap.bytes_per_second", "0, or 0.001 to 1,000,000,000,000")
	}
	return nil
}
