package server_test

import (
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

func explainAt(t *testing.T, s *servertest.Server, offset uint64) *headracev1.MessageExplanation {
	t.Helper()
	r, err := s.Subscriptions.ExplainMessage(bounded(t), &headracev1.ExplainMessageRequest{
		Subscription: "workers",
		Message:      &headracev1.ExplainMessageRequest_Position{Position: &headracev1.Position{Offset: offset}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.GetExplanation()
}

// explained makes a subscription of which offset 0 is acked, 1 is held, 2 waits for its
// retry, 3 is a dead letter, 4 is held and heads the key of 5, and 6 waits for credit.
func explained(t *testing.T) (*servertest.Server, *subscribeStub) {
	t.Helper()
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscriptionWith(&headracev1.Subscription{
		Name: "workers", Topic: "orders", Order: headracev1.DeliveryOrder_DELIVERY_ORDER_KEY,
		Retry: &headracev1.RetryPolicy{MinBackoff: durationpb.New(time.Hour), MaxBackoff: durationpb.New(time.Hour)},
	})
	messages := numberedMessages(0, 7)
	messages[4].OrderingKey, messages[5].OrderingKey = "k", "k"
	s.Publish("orders", messages...)
	five := uint64(5)
	c := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{
		Subscription: "workers", ClientId: "worker-1",
		Window: &headracev1.SubscribeRequest_Window{Messages: &five},
	})
	for c.received < 5 {
		c.nextBatch()
	}
	none := uint64(0)
	c.send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Window_{
		Window: &headracev1.SubscribeRequest_Window{Messages: &none},
	}})
	c.send(ack(1, 1, 1))
	retry := settling(2, 3, headracev1.Verdict_VERDICT_RETRY, "DB", "no connection")
	retry.GetSettle().Delay = nil
	c.send(retry)
	c.send(settling(3, 4, headracev1.Verdict_VERDICT_REJECT, "BAD", "cannot be read"))
	c.awaitConfirmed(3)
	return s, c
}

func TestExplainSaysWhereEachMessageStands(t *testing.T) {
	s, c := explained(t)
	for offset, want := range []headracev1.MessageStanding{
		headracev1.MessageStanding_MESSAGE_STANDING_SETTLED,
		headracev1.MessageStanding_MESSAGE_STANDING_OUTSTANDING,
		headracev1.MessageStanding_MESSAGE_STANDING_RETRY_BACKOFF,
		headracev1.MessageStanding_MESSAGE_STANDING_DEAD_LETTER,
		headracev1.MessageStanding_MESSAGE_STANDING_OUTSTANDING,
		headracev1.MessageStanding_MESSAGE_STANDING_FRESH,
		headracev1.MessageStanding_MESSAGE_STANDING_FRESH,
		headracev1.MessageStanding_MESSAGE_STANDING_NOT_PUBLISHED,
	} {
		if got := explainAt(t, s, uint64(offset)).GetStanding(); got != want {
			t.Errorf("offset %d: %v, want %v", offset, got, want)
		}
	}
	held := explainAt(t, s, 1)
	if h := held.GetHolder(); h.GetClientId() != "worker-1" || h.GetSession() == "" || h.GetSequence() != 2 || !h.GetStarted() ||
		held.GetAttempt() != 1 || h.GetLeaseEnd().AsTime().Sub(h.GetSince().AsTime()) != 30*time.Second {
		t.Errorf("held: %v", held)
	}
	failed := explainAt(t, s, 2)
	if failed.GetAttempt() != 2 || failed.GetFailed() != 1 || failed.GetFailures()[0].GetCode() != "DB" ||
		time.Until(failed.GetDueTime().AsTime()) < 30*time.Minute {
		t.Errorf("failed: %v", failed)
	}
	if dead := explainAt(t, s, 3); dead.GetDeadLetter() != 1 || dead.GetFailures()[0].GetReason() != "cannot be read" || dead.GetAttempt() != 0 {
		t.Errorf("dead: %v", dead)
	}
	if fresh := explainAt(t, s, 6); fresh.GetAhead() != 1 {
		t.Errorf("fresh: %v", fresh)
	}
	r, err := s.Subscriptions.ExplainMessage(bounded(t), &headracev1.ExplainMessageRequest{
		Subscription: "workers", Message: &headracev1.ExplainMessageRequest_MessageId{MessageId: "0-1"},
	})
	if err != nil || r.GetExplanation().GetHolder().GetSequence() != 2 {
		t.Errorf("by its id: %v, %v", r, err)
	}
	c.finish()
}

func TestExplainSaysWhatAKeyWaitsFor(t *testing.T) {
	s, c := explained(t)
	two := uint64(20)
	c.send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Window_{
		Window: &headracev1.SubscribeRequest_Window{Messages: &two},
	}})
	for c.received < 6 { // The last one; the one behind the key is stepped over.
		c.next()
	}
	behind := explainAt(t, s, 5)
	if behind.GetStanding() != headracev1.MessageStanding_MESSAGE_STANDING_BEHIND_KEY || behind.GetKey().GetOutstanding() != 1 ||
		behind.GetKey().GetSession() == "" || behind.GetKey().GetNextOffset() != 5 {
		t.Errorf("behind its key: %v", behind)
	}
	r, err := s.Subscriptions.ExplainKey(bounded(t), &headracev1.ExplainKeyRequest{Subscription: "workers", OrderingKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	want := &headracev1.KeyExplanation{
		Busy: true, Session: behind.GetKey().GetSession(), Outstanding: 1, NextOffset: proto.Uint64(5), Waiting: 1,
	}
	checkProto(t, &headracev1.ExplainKeyResponse{Explanations: []*headracev1.KeyExplanation{want}}, r)
	r, err = s.Subscriptions.ExplainKey(bounded(t), &headracev1.ExplainKeyRequest{Subscription: "workers", OrderingKey: "idle"})
	if err != nil || len(r.GetExplanations()) != 1 || r.GetExplanations()[0].GetBusy() {
		t.Errorf("an idle key: %v, %v", r, err)
	}
	c.finish()
}

func TestExplainSaysWhatASessionHoldsAndWhatHoldsItBack(t *testing.T) {
	s, c := explained(t)
	name := explainAt(t, s, 1).GetHolder().GetSession()
	r, err := s.Subscriptions.ExplainSession(bounded(t), &headracev1.ExplainSessionRequest{Subscription: "workers", Session: name})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.GetHolding()) != 2 || r.GetHolding()[0].GetPosition().GetOffset() != 1 || r.GetHolding()[1].GetPosition().GetOffset() != 4 ||
		r.GetStats().GetClientId() != "worker-1" || r.GetStats().GetDelivered() != 5 || r.GetAway() ||
		r.GetStats().GetBlockedBy()[0] != headracev1.BlockedBy_BLOCKED_BY_NO_CREDIT_MESSAGES {
		t.Errorf("the session: %v", r)
	}
	c.finish()
	_, err = s.Subscriptions.ExplainSession(bounded(t), &headracev1.ExplainSessionRequest{Subscription: "workers", Session: name})
	checkStatus(t, err, codes.NotFound, "SESSION_NOT_FOUND", "")
}

func TestExplainSaysWhyASubscriptionDoesNotFlow(t *testing.T) {
	s, c := explained(t)
	pause(t, s, "workers")
	explain := func() *headracev1.ExplainSubscriptionResponse {
		r, err := s.Subscriptions.ExplainSubscription(bounded(t), &headracev1.ExplainSubscriptionRequest{Subscription: "workers"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := explain()
	if !r.GetPaused() || r.GetBacklog().GetMessages() != 5 || r.GetOutstanding().GetMessages() != 2 || r.GetWaiting() != 1 || r.GetFresh() != 2 ||
		r.GetOldest().GetPosition().GetOffset() != 1 || r.GetOldest().GetHolder().GetClientId() != "worker-1" ||
		r.GetNextRetryTime().AsTime().Before(time.Now()) || len(r.GetSessions()) != 1 || r.GetRateLimitedUntil() != nil {
		t.Errorf("with a session: %v", r)
	}
	c.finish()
	if r := explain(); len(r.GetSessions()) != 0 || r.GetOldest().GetStanding() != headracev1.MessageStanding_MESSAGE_STANDING_READY {
		t.Errorf("without one: %v", r)
	}
	s.Publish("orders", numberedMessages(7, 1)...)
	if fresh := explainAt(t, s, 7); fresh.GetStanding() != headracev1.MessageStanding_MESSAGE_STANDING_FRESH {
		t.Errorf("published while nobody subscribes: %v", fresh)
	}
}

func TestExplainRefusesWhatIsNotThere(t *testing.T) {
	s, c := explained(t)
	ask := func(r *headracev1.ExplainMessageRequest) error {
		_, err := s.Subscriptions.ExplainMessage(bounded(t), r)
		return err
	}
	at := func(name string, p *headracev1.Position) *headracev1.ExplainMessageRequest {
		return &headracev1.ExplainMessageRequest{Subscription: name, Message: &headracev1.ExplainMessageRequest_Position{Position: p}}
	}
	checkStatus(t, ask(at("lost", &headracev1.Position{})), codes.NotFound, "SUBSCRIPTION_NOT_FOUND", "")
	checkStatus(t, ask(at("workers", &headracev1.Position{Partition: 1})), codes.NotFound, "PARTITION_NOT_FOUND", "")
	checkStatus(t, ask(&headracev1.ExplainMessageRequest{Subscription: "workers"}), codes.InvalidArgument, "INVALID_FIELD", "message")
	checkStatus(t, ask(&headracev1.ExplainMessageRequest{
		Subscription: "workers", Message: &headracev1.ExplainMessageRequest_MessageId{MessageId: "order-17"},
	}), codes.InvalidArgument, "INVALID_FIELD", "message_id")
	_, err := s.Subscriptions.ExplainKey(bounded(t), &headracev1.ExplainKeyRequest{Subscription: "workers"})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "ordering_key")
	c.finish()
}

// TestExplainTellsWhatIsTrimmedFromWhatIsSettled: a settled message that the topic does
// not keep any more is gone for everybody.
func TestExplainTellsWhatIsTrimmedFromWhatIsSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startQuiet(t, servertest.Options{})
		createBounded(t, s, &headracev1.Retention{MinAge: durationpb.New(0)})
		s.CreateSubscription("workers", "clicks")
		s.Publish("clicks", numberedMessages(0, 1)...)
		s.Publish("clicks", numberedMessages(1, 1)...)
		settleTokens(t, s, ackVerdict, tokensOf(pull(t, s, atOnce(1)))...)
		if got := explainAt(t, s, 0).GetStanding(); got != headracev1.MessageStanding_MESSAGE_STANDING_SETTLED {
			t.Errorf("acked: %v", got)
		}
		time.Sleep(time.Minute) //nolint:forbidigo // the bubble has its own clock
		retain(s)
		if got := explainAt(t, s, 0).GetStanding(); got != headracev1.MessageStanding_MESSAGE_STANDING_TRIMMED {
			t.Errorf("trimmed: %v", got)
		}
		if got := explainAt(t, s, 1).GetStanding(); got != headracev1.MessageStanding_MESSAGE_STANDING_FRESH {
			t.Errorf("kept: %v", got)
		}
	})
}
