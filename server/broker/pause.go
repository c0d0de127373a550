package broker

import "context"

// PauseSubscription stops deliveries, or lets them go on; a subscription that is so
// already is left alone. Errors: those of UpdateSubscription.
func (b *Broker) PauseSubscription(ctx context.Context, name Name, paused bool) (Subscription, error) {
	s, err := b.Subscription(name)
	if err != nil || s.Paused == paused {
		return s, err
	}
	return b.UpdateSubscription(ctx, name, func(c *SubscriptionConfig) error {
		c.Paused = paused
		return nil
	})
}
