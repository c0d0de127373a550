package server

import (
	"context"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
)

// subscriptionService manages subscriptions.
type subscriptionService struct {
	headracev1.UnimplementedSubscriptionServiceServer

	broker *broker.Broker
}

var _ headracev1.SubscriptionServiceServer = (*subscriptionService)(nil)

// CreateSubscription creates a subscription.
func (s *subscriptionService) CreateSubscription(
	ctx context.Context, r *headracev1.CreateSubscriptionRequest,
) (*headracev1.CreateSubscriptionResponse, error) {
	if err := checkServed(r.GetSubscription()); err != nil {
		return nil, err
	}
	config, err := newSubscriptionConfig(r.GetSubscription())
	if err != nil {
		return nil, err
	}
	start, err := startOf(r.GetStart())
	if err != nil {
		return nil, err
	}
	subscription, err := s.broker.CreateSubscription(ctx, config, start)
	if err != nil {
		return nil, err
	}
	return &headracev1.CreateSubscriptionResponse{Subscription: subscriptionProto(subscription)}, nil
}

// GetSubscription returns a subscription.
func (s *subscriptionService) GetSubscription(
	_ context.Context, r *headracev1.GetSubscriptionRequest,
) (*headracev1.GetSubscriptionResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	subscription, err := s.broker.Subscription(name)
	if err != nil {
		return nil, err
	}
	return &headracev1.GetSubscriptionResponse{Subscription: subscriptionProto(subscription)}, nil
}

// ListSubscriptions returns a page of subscriptions.
func (s *subscriptionService) ListSubscriptions(
	_ context.Context, r *headracev1.ListSubscriptionsRequest,
) (*headracev1.ListSubscriptionsResponse, error) {
	request, err := listRequest(r)
	if err != nil {
		return nil, err
	}
	if r.GetTopic() != "" {
		if request.Topic, err = parseName("topic", r.GetTopic()); err != nil {
			return nil, err
		}
	}
	return fitPage(request, func(request broker.ListRequest) (*headracev1.ListSubscriptionsResponse, error) {
		subscriptions, next, err := s.broker.ListSubscriptions(request)
		out := &headracev1.ListSubscriptionsResponse{NextPageToken: next}
		for _, sub := range subscriptions {
			out.Subscriptions = append(out.Subscriptions, subscriptionProto(sub))
		}
		return out, err
	})
}

// UpdateSubscription changes what the mask names.
func (s *subscriptionService) UpdateSubscription(
	ctx context.Context, r *headracev1.UpdateSubscriptionRequest,
) (*headracev1.UpdateSubscriptionResponse, error) {
	if err := checkServed(r.GetSubscription()); err != nil {
		return nil, err
	}
	name, err := parseName("name", r.GetSubscription().GetName())
	if err != nil {
		return nil, err
	}
	paths := r.GetUpdateMask().GetPaths()
	if err := checkMask(paths, subscriptionPaths, r.GetSubscription()); err != nil {
		return nil, err
	}
	subscription, err := s.broker.UpdateSubscription(ctx, name, func(c *broker.SubscriptionConfig) error {
		return applyMask(paths, subscriptionPaths, c, r.GetSubscription(), broker.NewSubscriptionConfig(c.Name, c.Topic))
	})
	if err != nil {
		return nil, err
	}
	return &headracev1.UpdateSubscriptionResponse{Subscription: subscriptionProto(subscription)}, nil
}

// DeleteSubscription deletes a subscription.
func (s *subscriptionService) DeleteSubscription(
	ctx context.Context, r *headracev1.DeleteSubscriptionRequest,
) (*headracev1.DeleteSubscriptionResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	return &headracev1.DeleteSubscriptionResponse{}, s.broker.DeleteSubscription(ctx, name)
}

// GetSubscriptionStats returns figures of a subscription.
func (s *subscriptionService) GetSubscriptionStats(
	ctx context.Context, r *headracev1.GetSubscriptionStatsRequest,
) (*headracev1.GetSubscriptionStatsResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	stats, err := s.broker.SubscriptionStats(ctx, name)
	if err != nil {
		return nil, err
	}
	return &headracev1.GetSubscriptionStatsResponse{Stats: subscriptionStatsProto(stats)}, nil
}
