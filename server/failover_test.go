package server_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

func TestFailoverTakeoverWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		s.CreateTopic("orders")
		created := s.CreateSubscriptionWith(&headracev1.Subscription{
			Name: "workers", Topic: "orders", Mode: headracev1.SubscriptionMode_SUBSCRIPTION_MODE_FAILOVER,
			Order: headracev1.DeliveryOrder_DELIVERY_ORDER_PARTITION,
		})
		if created.GetMode() != headracev1.SubscriptionMode_SUBSCRIPTION_MODE_FAILOVER || created.GetResumeWindow().AsDuration() != 0 {
			t.Errorf("created %v", created)
		}
		s.Publish("orders", numberedMessages(1, 10)...)
		open := resumable()
		open.Features = append(open.GetFeatures(), headracev1.Feature_FEATURE_KEY_BATCHES)
		sessions := []*subscribeStub{openSubscribe(t, s, open), openSubscribe(t, s, open), openSubscribe(t, s, open)}
		for i, active := range sessions {
			began := time.Now()
			active.nextBatch()
			if took := time.Since(began); took >= time.Second {
				t.Errorf("session %d was served after %v", i, took)
			}
			for _, standby := range sessions[i+1:] {
				standby.send(heartbeat())
				for !slices.Contains(standby.flow.GetBlockedBy(), headracev1.BlockedBy_BLOCKED_BY_STANDBY) {
					standby.next()
				}
				if standby.received > 0 {
					t.Error("one that stands by was served")
				}
			}
			active.cancel()
		}
	})
}
