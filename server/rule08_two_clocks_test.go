package server_test

import (
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

// tells is an Open of a client that tells what it starts, with a lease of 5 s.
func tells(more ...headracev1.Feature) *headracev1.SubscribeRequest_Open {
	return &headracev1.SubscribeRequest_Open{
		Subscription: "workers", Lease: durationOf(5 * time.Second),
		Features: append([]headracev1.Feature{headracev1.Feature_FEATURE_STARTED}, more...),
	}
}

// hoard has a new session hold messages of a new topic.
func hoard(t *testing.T, s *servertest.Server, messages int, open *headracev1.SubscribeRequest_Open) *subscribeStub {
	t.Helper()
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	s.Publish("orders", numberedMessages(1, messages)...)
	session := openSubscribe(t, s, open)
	for session.received < uint64(messages) {
		session.nextBatch()
	}
	return session
}

// stay has a session say for some time that it is alive, and reads nothing.
func (c *subscribeStub) stay(d time.Duration) {
	for ; d > 0; d -= 10 * time.Second {
		time.Sleep(min(d, 10*time.Second)) //nolint:forbidigo // in a bubble
		c.send(heartbeat())
	}
}

func TestRule08OpenedSaysThatStartedAndRecallAreServed(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	session := hoard(t, s, 1, tells())
	want := map[headracev1.Feature]bool{
		headracev1.Feature_FEATURE_STARTED: true, headracev1.Feature_FEATURE_RECALL: true,
	}
	for _, f := range session.opened.GetFeatures() {
		delete(want, f)
	}
	if len(want) > 0 {
		t.Errorf("served: %v", session.opened.GetFeatures())
	}
	session.finish()
}

func TestRule08TheWorkLeaseBeginsWithStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		session := hoard(t, s, 2, tells())
		session.stay(2 * time.Minute)
		session.send(started(sequences(2, 2)...))
		began := time.Now()
		revoked := session.await(func(r *headracev1.SubscribeResponse) bool { return r.GetRevoked() != nil }).GetRevoked()
		checkProto(t, &headracev1.SubscribeResponse_Revoked{
			Ranges: sequences(2, 2), Reason: headracev1.RevokeReason_REVOKE_REASON_LEASE_EXPIRED,
		}, revoked)
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("revoked %v after it was started", took)
		}
		checkProto(t, &headracev1.SubscribeResponse_AttemptRun{FirstSequence: 3, Count: 1, Attempt: 2}, session.nextBatch().GetAttempts()[0])
		if got := subscriptionStats(t, s, "workers").GetExpired(); got != 1 {
			t.Errorf("%d attempts charged", got)
		}
		session.finish()
	})
}

func TestRule08WhoDoesNotTellHasWorkLeasesFromTheDelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		began := time.Now()
		session := hoard(t, s, 2, &headracev1.SubscribeRequest_Open{Subscription: "workers", Lease: durationOf(5 * time.Second)})
		session.await(func(r *headracev1.SubscribeResponse) bool { return r.GetRevoked() != nil })
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("revoked after %v", took)
		}
		session.finish()
	})
}

func TestRule08ADeadClientIsChargedForWhatItHadStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		session := hoard(t, s, 100, tells())
		session.send(started(sequences(1, 5)...))
		synctest.Wait()
		session.cancel()
		next := openSubscribe(t, s, tells())
		attempts := uint32(0)
		for next.received < 100 {
			for _, a := range next.nextBatch().GetAttempts() {
				attempts += a.GetCount() * (a.GetAttempt() - 1)
			}
		}
		if got := subscriptionStats(t, s, "workers").GetExpired(); got != 5 || attempts != 5 {
			t.Errorf("%d attempts charged, %d told", got, attempts)
		}
		next.finish()
	})
}

// A client that dies while it decodes is never charged an attempt; max_deliveries
// stops it.
func TestRule08MaxDeliveriesEndsWhatKillsItsClientsUnstarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		s.CreateTopic("orders")
		s.CreateSubscriptionWith(&headracev1.Subscription{
			Name: "workers", Topic: "orders",
			Retry: &headracev1.RetryPolicy{MaxAttempts: proto.Uint32(1), MaxDeliveries: proto.Uint32(3)},
		})
		s.Publish("orders", numberedMessages(1, 1)...)
		for range 3 {
			session := openSubscribe(t, s, tells())
			if attempts := session.nextBatch().GetAttempts(); len(attempts) > 0 {
				t.Errorf("attempts %v", attempts)
			}
			session.cancel()
		}
		synctest.Wait()
		dead := listDeadLetters(t, s, &headracev1.ListDeadLettersRequest{})
		if len(dead) != 1 || dead[0].GetReason() != headracev1.DeadLetterReason_DEAD_LETTER_REASON_MAX_DELIVERIES {
			t.Errorf("dead letters: %v", dead)
		}
	})
}
