package headrace

import (
	"context"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// Pause stops deliveries from a subscription until [Subscriptions.Resume], also over
// restarts of the server. What subscribers hold stays theirs. A subscription that is
// paused already is left so. It returns the subscription as stored. Errors:
// [ErrInvalidName], [ErrSubscriptionNotFound].
func (s *Subscriptions) Pause(ctx context.Context, name string) (*headracev1.Subscription, error) {
	r, err := s.rpc.PauseSubscription(ctx, &headracev1.PauseSubscriptionRequest{Subscription: name})
	return r.GetSubscription(), translate(err)
}

// Resume ends a pause; without one it does nothing. It returns the subscription as
// stored. Errors: [ErrInvalidName], [ErrSubscriptionNotFound].
func (s *Subscriptions) Resume(ctx context.Context, name string) (*headracev1.Subscription, error) {
	r, err := s.rpc.ResumeSubscription(ctx, &headracev1.ResumeSubscriptionRequest{Subscription: name})
	return r.GetSubscription(), translate(err)
}
