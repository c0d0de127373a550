package server_test

import (
	"testing"
	"testing/synctest"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

func createCapped(t *testing.T, s *servertest.Server, limit *headracev1.BacklogCap) (*headracev1.Subscription, error) {
	t.Helper()
	created, err := s.Subscriptions.CreateSubscription(t.Context(), &headracev1.CreateSubscriptionRequest{
		Subscription: &headracev1.Subscription{Name: "slow", Topic: "orders", BacklogCap: limit},
	})
	return created.GetSubscription(), err
}

// A full backlog refuses single calls, batches of a stream, and a producer's, whose
// stored batches are answered all the same; the refusal names the subscription and is
// to be tried again.
func TestAFullBacklogRefusesEachWayOfPublishing(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	limit := &headracev1.BacklogCap{
		Max: &headracev1.Amount{Messages: 2}, Action: headracev1.BacklogAction_BACKLOG_ACTION_REJECT_PUBLISH,
	}
	created, err := createCapped(t, s, limit)
	if err != nil {
		t.Fatal(err)
	}
	checkProto(t, limit, created.GetBacklogCap())
	stored := batch("orders", 1, numberedMessages(1, 2)...)
	loader := openProducer(t, s, "loader")
	loader.send(stored)
	loader.await(2)
	if n := subscriptionStats(t, s, "slow").GetBacklog().GetMessages(); n != 2 {
		t.Fatalf("backlog %d", n)
	}

	_, err = s.Publisher.Publish(t.Context(), &headracev1.PublishRequest{Topic: "orders", Messages: numberedMessages(1, 1)})
	checkStatus(t, err, codes.ResourceExhausted, "BACKLOG_FULL", "")
	info, retry := (*errdetails.ErrorInfo)(nil), false
	for _, detail := range status.Convert(err).Details() {
		switch d := detail.(type) {
		case *errdetails.ErrorInfo:
			info = d
		case *errdetails.RetryInfo:
			retry = d.GetRetryDelay().AsDuration() > 0
		}
	}
	if info.GetMetadata()["subscription"] != "default/slow" || !retry {
		t.Errorf("%v, to be tried again: %v", info, retry)
	}
	wantFull := func(p *publishStub) {
		t.Helper()
		failures := p.nextResult().GetFailures()
		if len(failures) != 1 || failures[0].GetReason() != headracev1.ErrorReason_ERROR_REASON_BACKLOG_FULL ||
			failures[0].GetField() != "default/slow" {
			t.Errorf("failures %v", failures)
		}
	}
	plain := openPublish(t, s)
	plain.send(batch("orders", 1, numberedMessages(1, 1)...))
	wantFull(plain)
	loader.send(batch("orders", 3, numberedMessages(3, 1)...))
	wantFull(loader)
	again := openProducer(t, s, "loader")
	again.send(stored)
	if result := again.nextResult(); len(result.GetRuns()) != 1 || len(result.GetFailures()) > 0 {
		t.Errorf("a stored batch, sent again: %v", result)
	}
}

// Above the cap the oldest messages that nobody got become dead letters with their
// bodies, which may be redriven; the rest is delivered.
func TestTheOldestMessagesBecomeDeadLettersAtTheCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		s.CreateTopic("orders")
		_, err := s.Subscriptions.CreateSubscription(t.Context(), &headracev1.CreateSubscriptionRequest{
			Subscription: &headracev1.Subscription{
				Name: "slow", Topic: "orders", Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
				BacklogCap: &headracev1.BacklogCap{
					Max: &headracev1.Amount{Messages: 4}, Action: headracev1.BacklogAction_BACKLOG_ACTION_DEAD_LETTER,
				},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			s.Publish("orders", numberedMessages(i, 1)...)
			synctest.Wait()
		}
		stats := subscriptionStats(t, s, "slow")
		if stats.GetBacklog().GetMessages() != 4 || stats.GetDeadLetters() != 6 || stats.GetDropped() != 0 {
			t.Errorf("%v", stats)
		}
		list, err := s.Subscriptions.ListDeadLetters(t.Context(), &headracev1.ListDeadLettersRequest{
			Subscription: "slow",
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range list.GetDeadLetters() {
			if d.GetReason() != headracev1.DeadLetterReason_DEAD_LETTER_REASON_BACKLOG || len(d.GetFailures()) > 0 ||
				string(d.GetMessage().GetData()) != string(numberedMessages(i, 1)[0].GetData()) {
				t.Errorf("dead letter %d: %v", i, d)
			}
		}
		session := openForHours(t, s, "slow")
		if got := string(session.nextBatch().GetMessages()[0].GetData()); got != "message 6" {
			t.Errorf("the first one delivered is %q", got)
		}
	})
}

func TestBacklogCapsThatAreRefused(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	_, err := createCapped(t, s, &headracev1.BacklogCap{})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "backlog_cap.max")
}
