package servertest

import (
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// CreateTopic creates a topic with one partition and every default, and returns it as
// stored.
func (s *Server) CreateTopic(name string) *headracev1.Topic {
	s.t.Helper()
	return s.CreateTopicWith(&headracev1.Topic{Name: name})
}

// CreateTopicWith creates a topic, and returns it as stored.
func (s *Server) CreateTopicWith(topic *headracev1.Topic) *headracev1.Topic {
	s.t.Helper()
	r, err := s.Topics.CreateTopic(s.t.Context(), &headracev1.CreateTopicRequest{Topic: topic})
	if err != nil {
		s.t.Fatalf("create topic %s: %v", topic.GetName(), err)
	}
	return r.GetTopic()
}

// CreateSubscription creates a shared subscription without an order that begins at the
// topic's first message, and returns it as stored.
func (s *Server) CreateSubscription(name, topic string) *headracev1.Subscription {
	s.t.Helper()
	return s.CreateSubscriptionWith(&headracev1.Subscription{Name: name, Topic: topic})
}

// CreateSubscriptionWith creates a subscription that begins at the topic's first message,
// and returns it as stored. Its order is NONE unless it says otherwise.
func (s *Server) CreateSubscriptionWith(subscription *headracev1.Subscription) *headracev1.Subscription {
	s.t.Helper()
	if subscription.GetOrder() == headracev1.DeliveryOrder_DELIVERY_ORDER_UNSPECIFIED {
		subscription.Order = headracev1.DeliveryOrder_DELIVERY_ORDER_NONE
	}
	r, err := s.Subscriptions.CreateSubscription(s.t.Context(), &headracev1.CreateSubscriptionRequest{
		Subscription: subscription,
		Start:        &headracev1.StartPosition{Position: &headracev1.StartPosition_Earliest{Earliest: true}},
	})
	if err != nil {
		s.t.Fatalf("create subscription %s: %v", subscription.GetName(), err)
	}
	return r.GetSubscription()
}

// Publish publishes messages in one call, all of which must be stored: one that is not
// ends the test.
func (s *Server) Publish(topic string, messages ...*headracev1.Message) *headracev1.PublishResponse {
	s.t.Helper()
	r, err := s.Publisher.Publish(s.t.Context(), &headracev1.PublishRequest{Topic: topic, Messages: messages})
	if err != nil || len(r.GetFailures()) > 0 {
		s.t.Fatalf("publish to %s: %v, failures %v", topic, err, r.GetFailures())
	}
	return r
}
