package server_test

import (
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

// awaitBlocked reads until the latest flow names a cause.
func (c *subscribeStub) awaitBlocked(by headracev1.BlockedBy) {
	c.t.Helper()
	for !slices.Contains(c.flow.GetBlockedBy(), by) {
		c.next()
	}
}

func pause(t *testing.T, s *servertest.Server, name string) *headracev1.Subscription {
	t.Helper()
	r, err := s.Subscriptions.PauseSubscription(bounded(t), &headracev1.PauseSubscriptionRequest{Subscription: name})
	if err != nil {
		t.Fatal(err)
	}
	return r.GetSubscription()
}

func resume(t *testing.T, s *servertest.Server, name string) *headracev1.Subscription {
	t.Helper()
	r, err := s.Subscriptions.ResumeSubscription(bounded(t), &headracev1.ResumeSubscriptionRequest{Subscription: name})
	if err != nil {
		t.Fatal(err)
	}
	return r.GetSubscription()
}

// TestAPauseStopsDeliveriesAndNothingElse: open sessions learn of it, what they hold
// can be settled, messages pile up, and all of them come when it ends.
func TestAPauseStopsDeliveriesAndNothingElse(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	s.Publish("orders", numberedMessages(1, 1)...)
	c := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
	c.nextBatch()
	for range 2 { // It is idempotent.
		if got := pause(t, s, "workers"); !got.GetPaused() {
			t.Fatalf("paused: %v", got)
		}
	}
	c.awaitBlocked(headracev1.BlockedBy_BLOCKED_BY_PAUSED)
	s.Publish("orders", numberedMessages(2, 2)...)
	c.send(ack(1, 1, 1))
	c.awaitConfirmed(1)
	late := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
	late.awaitBlocked(headracev1.BlockedBy_BLOCKED_BY_PAUSED)
	late.finish()
	if stats := subscriptionStats(t, s, "workers"); stats.GetDelivered() != 1 || stats.GetAcked() != 1 || stats.GetBacklog().GetMessages() != 2 {
		t.Errorf("while it is paused: %v", stats)
	}
	for range 2 {
		if got := resume(t, s, "workers"); got.GetPaused() {
			t.Fatalf("resumed: %v", got)
		}
	}
	for c.received < 3 {
		c.next()
	}
	if slices.Contains(c.flow.GetBlockedBy(), headracev1.BlockedBy_BLOCKED_BY_PAUSED) {
		t.Errorf("the flow: %v", c.flow)
	}
	c.finish()
}

func TestAPauseOutlivesTheServer(t *testing.T) {
	home := servertest.BadgerHome(t)
	t.Run("paused from the beginning, and by an update", func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{Home: home})
		s.CreateTopic("orders")
		s.CreateSubscriptionWith(&headracev1.Subscription{Name: "created", Topic: "orders", Paused: true})
		s.CreateSubscription("updated", "orders")
		if _, err := s.Subscriptions.UpdateSubscription(bounded(t), &headracev1.UpdateSubscriptionRequest{
			Subscription: &headracev1.Subscription{Name: "updated", Paused: true},
			UpdateMask:   &fieldmaskpb.FieldMask{Paths: []string{"paused"}},
		}); err != nil {
			t.Fatal(err)
		}
		s.Publish("orders", numberedMessages(1, 1)...)
	})
	s := servertest.Start(t, servertest.Options{Home: home})
	for _, name := range []string{"created", "updated"} {
		c := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: name})
		c.awaitBlocked(headracev1.BlockedBy_BLOCKED_BY_PAUSED)
		if c.received != 0 {
			t.Errorf("%s delivers while it is paused", name)
		}
		resume(t, s, name)
		c.nextBatch()
		c.finish()
	}
}

func TestPausesThatCannotBe(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	_, err := s.Subscriptions.PauseSubscription(bounded(t), &headracev1.PauseSubscriptionRequest{Subscription: "workers"})
	checkStatus(t, err, codes.NotFound, "SUBSCRIPTION_NOT_FOUND", "")
	_, err = s.Subscriptions.ResumeSubscription(bounded(t), &headracev1.ResumeSubscriptionRequest{Subscription: "7up"})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_NAME", "subscription")
}
