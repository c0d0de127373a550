package server_test

import (
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

// An ephemeral subscription is gone, with all that it held, a minute after its last
// session, from the store, too; one that expires shows it.
func TestAnEphemeralSubscriptionGoesDurably(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		s.CreateTopic("orders")
		for _, sub := range []*headracev1.Subscription{
			{Name: "instance", Topic: "orders", Ephemeral: true},
			{Name: "nightly", Topic: "orders", ExpireAfter: durationpb.New(48 * time.Hour)},
		} {
			got, err := s.Subscriptions.CreateSubscription(t.Context(), &headracev1.CreateSubscriptionRequest{Subscription: sub})
			if err != nil || got.GetSubscription().GetEphemeral() != sub.GetEphemeral() ||
				got.GetSubscription().GetExpireAfter().AsDuration() != sub.GetExpireAfter().AsDuration() {
				t.Fatal(got, err)
			}
		}
		session := openForHours(t, s, "instance")
		session.finish()
		time.Sleep(62 * time.Second) //nolint:forbidigo // the bubble has its own clock
		synctest.Wait()
		_, err := s.Subscriptions.GetSubscription(t.Context(), &headracev1.GetSubscriptionRequest{Subscription: "instance"})
		checkStatus(t, err, codes.NotFound, "SUBSCRIPTION_NOT_FOUND", "")
		if left := s.Store.Subscriptions(); len(left) != 1 || left[0].Name != "default/nightly" {
			t.Errorf("stored: %+v", left)
		}
	})
}

func TestLifetimesThatAreRefused(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	for name, sub := range map[string]*headracev1.Subscription{
		"too short":               {ExpireAfter: durationpb.New(time.Second)},
		"ephemeral, and expiring": {Ephemeral: true, ExpireAfter: durationpb.New(time.Hour)},
	} {
		sub.Name, sub.Topic = "brief", "orders"
		_, err := s.Subscriptions.CreateSubscription(t.Context(), &headracev1.CreateSubscriptionRequest{Subscription: sub})
		t.Run(name, func(t *testing.T) { checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "expire_after") })
	}
}
