package server_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

// setCap sets the parts of a subscription's dispatch cap that are named; none: the whole.
func setCap(t *testing.T, s *servertest.Server, name string, c *headracev1.DispatchCap, parts ...string) *headracev1.Subscription {
	t.Helper()
	paths := []string{"dispatch_cap"}
	if len(parts) > 0 {
		paths = nil
	}
	for _, part := range parts {
		paths = append(paths, "dispatch_cap."+part)
	}
	r, err := s.Subscriptions.UpdateSubscription(bounded(t), &headracev1.UpdateSubscriptionRequest{
		Subscription: &headracev1.Subscription{Name: name, DispatchCap: c},
		UpdateMask:   &fieldmaskpb.FieldMask{Paths: paths},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.GetSubscription()
}

// TestARateIsKeptOnTheWire: 20 messages a second come in 20 messages a second, and
// without the cap, which an update takes away under the open session, all at once.
func TestARateIsKeptOnTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startQuiet(t, servertest.Options{})
		s.CreateTopic("orders")
		s.CreateSubscriptionWith(&headracev1.Subscription{
			Name: "workers", Topic: "orders", DispatchCap: &headracev1.DispatchCap{MessagesPerSecond: 20},
		})
		s.Publish("orders", numberedMessages(1, 500)...)
		began := time.Now()
		c := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
		for c.received < 102 {
			c.nextBatch()
		}
		if took := time.Since(began); took < 5*time.Second || took > 5*time.Second+200*time.Millisecond {
			t.Errorf("102 messages at 20 a second, 2 of them at once, took %v", took)
		}
		c.awaitBlocked(headracev1.BlockedBy_BLOCKED_BY_RATE_LIMITED)
		if got := setCap(t, s, "workers", nil); got.GetDispatchCap() != nil {
			t.Errorf("the cap: %v", got.GetDispatchCap())
		}
		before := time.Now()
		for c.received < 500 {
			c.nextBatch()
		}
		if took := time.Since(before); took > time.Second {
			t.Errorf("the rest took %v without a cap", took)
		}
		c.finish()
	})
}

func TestADispatchCapIsChangedPartByPartAndOutlivesTheServer(t *testing.T) {
	home := servertest.BadgerHome(t)
	want := &headracev1.DispatchCap{MessagesPerSecond: 0.5, BytesPerSecond: 2e6, Concurrency: 7}
	t.Run("before the restart", func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{Home: home})
		s.CreateTopic("orders")
		s.CreateSubscriptionWith(&headracev1.Subscription{Name: "workers", Topic: "orders", DispatchCap: &headracev1.DispatchCap{BytesPerSecond: 2e6}})
		setCap(t, s, "workers", &headracev1.DispatchCap{MessagesPerSecond: 0.5, BytesPerSecond: 1}, "messages_per_second")
		checkProto(t, want, setCap(t, s, "workers", &headracev1.DispatchCap{Concurrency: 7}, "concurrency").GetDispatchCap())
	})
	s := servertest.Start(t, servertest.Options{Home: home})
	r, err := s.Subscriptions.GetSubscription(bounded(t), &headracev1.GetSubscriptionRequest{Subscription: "workers"})
	if err != nil {
		t.Fatal(err)
	}
	checkProto(t, want, r.GetSubscription().GetDispatchCap())
}

func TestDispatchCapsOutOfBoundsAreRefused(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	for field, caps := range map[string][]*headracev1.DispatchCap{
		"dispatch_cap.messages_per_second": {
			{MessagesPerSecond: -1}, {MessagesPerSecond: 0.0001}, {MessagesPerSecond: 2e9}, {MessagesPerSecond: math.NaN()}, {MessagesPerSecond: math.Inf(1)},
		},
		"dispatch_cap.bytes_per_second": {{BytesPerSecond: -1}, {BytesPerSecond: 2e12}},
	} {
		for _, c := range caps {
			_, err := s.Subscriptions.CreateSubscription(bounded(t), &headracev1.CreateSubscriptionRequest{
				Subscription: &headracev1.Subscription{Name: "workers", Topic: "orders", DispatchCap: c},
			})
			checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", field)
		}
	}
}
