package server

import (
	"context"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// PauseSubscription stops deliveries.
func (s *subscriptionService) PauseSubscription(
	ctx context.Context, r *headracev1.PauseSubscriptionRequest,
) (*headracev1.PauseSubscriptionResponse, error) {
	subscription, err := s.pause(ctx, r.GetSubscription(), true)
	return &headracev1.PauseSubscriptionResponse{Subscription: subscription}, err
}

// ResumeSubscription lets deliveries go on.
func (s *subscriptionService) ResumeSubscription(
	ctx context.Context, r *headracev1.ResumeSubscriptionRequest,
) (*headracev1.ResumeSubscriptionResponse, error) {
	subscription, err := s.pause(ctx, r.GetSubscription(), false)
	return &headracev1.ResumeSubscriptionResponse{Subscription: subscription}, err
}

func (s *subscriptionService) pause(ctx context.Context, subscription string, paused bool) (*headracev1.Subscription, error) {
	name, err := parseName("subscription", subscription)
	if err != nil {
		return nil, err
	}
	stored, err := s.broker.PauseSubscription(ctx, name, paused)
	if err != nil {
		return nil, err
	}
	return subscriptionProto(stored), nil
}
