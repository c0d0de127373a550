package server_test

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage/storagetest"
)

// settling is a settle with a verdict and what is said of it.
func settling(number, sequence uint64, verdict headracev1.Verdict, code, reason string) *headracev1.SubscribeRequest {
	settle := &headracev1.SubscribeRequest_Settle{
		Number: number, Ranges: sequences(sequence, sequence), Verdict: verdict, Code: code, Reason: reason,
	}
	if verdict == headracev1.Verdict_VERDICT_RETRY {
		settle.Delay = durationpb.New(0)
	}
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Settle_{Settle: settle}}
}

// givenUp makes a server with a subscription that gave up two of three messages: the
// first after three attempts, the third at once. The second is acked.
func givenUp(t *testing.T, home storagetest.StoreHome) *servertest.Server {
	t.Helper()
	s := servertest.Start(t, servertest.Options{Home: home})
	s.CreateTopic("orders")
	s.CreateSubscriptionWith(&headracev1.Subscription{
		Name: "workers", Topic: "orders", Retry: &headracev1.RetryPolicy{MaxAttempts: proto.Uint32(3)},
	})
	for i := range 3 {
		s.Publish("orders", &headracev1.Message{
			Data: fmt.Appendf(nil, "order %d", i), OrderingKey: "key", Attributes: map[string]string{"a": "b"},
		})
	}
	c := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers", ClientId: "worker-1"})
	for c.received < 3 {
		c.nextBatch()
	}
	c.send(settling(1, 3, headracev1.Verdict_VERDICT_REJECT, "BAD", "cannot be read"))
	c.send(settling(2, 2, headracev1.Verdict_VERDICT_ACK, "", ""))
	c.send(settling(3, 1, headracev1.Verdict_VERDICT_RETRY, "DB", "no connection"))
	for attempt := uint32(2); attempt <= 3; attempt++ {
		b := c.nextBatch()
		if got := b.GetAttempts()[0].GetAttempt(); got != attempt {
			t.Fatalf("attempt %d, want %d", got, attempt)
		}
		c.send(settling(uint64(attempt)+2, b.GetFirstSequence(), headracev1.Verdict_VERDICT_RETRY, "DB", fmt.Sprintf("attempt %d", attempt)))
	}
	c.awaitConfirmed(5)
	c.finish()
	return s
}

func listDeadLetters(t *testing.T, s *servertest.Server, r *headracev1.ListDeadLettersRequest) []*headracev1.DeadLetter {
	t.Helper()
	r.Subscription = "workers"
	var all []*headracev1.DeadLetter
	for {
		page, err := s.Subscriptions.ListDeadLetters(bounded(t), r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.GetDeadLetters()...)
		if r.PageToken = page.GetNextPageToken(); r.GetPageToken() == "" {
			return all
		}
	}
}

// TestDeadLettersAreKeptWithBodyReasonAndFailures: after exactly max_attempts, and at
// once for a reject; over a restart, too.
func TestDeadLettersAreKeptWithBodyReasonAndFailures(t *testing.T) {
	home := servertest.BadgerHome(t)
	t.Run("before the restart", func(t *testing.T) { givenUp(t, home) })
	s := servertest.Start(t, servertest.Options{Home: home})
	all := listDeadLetters(t, s, &headracev1.ListDeadLettersRequest{PageSize: 1})
	if len(all) != 2 {
		t.Fatalf("%d dead letters: %v", len(all), all)
	}
	rejected, tired := all[0], all[1]
	if string(rejected.GetMessage().GetData()) != "order 2" || rejected.GetReason() != headracev1.DeadLetterReason_DEAD_LETTER_REASON_REJECTED ||
		rejected.GetMessage().GetMessageId() != "0-2" || rejected.GetFailures()[0].GetCode() != "BAD" || rejected.GetFailed() != 1 {
		t.Errorf("the rejected one: %v", rejected)
	}
	if string(tired.GetMessage().GetData()) != "order 0" || tired.GetFailed() != 3 || len(tired.GetFailures()) != 3 ||
		tired.GetReason() != headracev1.DeadLetterReason_DEAD_LETTER_REASON_MAX_ATTEMPTS || tired.GetMessage().GetOrderingKey() != "key" {
		t.Errorf("the one that failed: %v", tired)
	}
	last := tired.GetFailures()[2]
	if last.GetReason() != "attempt 3" || last.GetClientId() != "worker-1" ||
		last.GetKind() != headracev1.DeliveryFailureKind_DELIVERY_FAILURE_KIND_RETRIED || last.GetTime().AsTime().IsZero() {
		t.Errorf("its last failure: %v", last)
	}
	stats, err := s.Subscriptions.GetSubscriptionStats(bounded(t), &headracev1.GetSubscriptionStatsRequest{Subscription: "workers"})
	if err != nil {
		t.Fatal(err)
	}
	if x := stats.GetStats(); x.GetDeadLetters() != 2 || x.GetDeadLettered() != 2 || x.GetRejected() != 1 || x.GetBacklog().GetMessages() != 0 {
		t.Errorf("stats: %v", x)
	}
}

func TestDeadLettersAreFilteredByReasonAndTime(t *testing.T) {
	s := givenUp(t, nil)
	for name, c := range map[string]struct {
		filter *headracev1.DeadLetterFilter
		want   int
	}{
		"one reason": {&headracev1.DeadLetterFilter{
			Reasons: []headracev1.DeadLetterReason{headracev1.DeadLetterReason_DEAD_LETTER_REASON_REJECTED},
		}, 1},
		"another reason": {&headracev1.DeadLetterFilter{
			Reasons: []headracev1.DeadLetterReason{headracev1.DeadLetterReason_DEAD_LETTER_REASON_MAX_DELIVERIES},
		}, 0},
		"since now":      {&headracev1.DeadLetterFilter{DeadSince: timestamppb.New(time.Now().Add(time.Minute))}, 0},
		"before now":     {&headracev1.DeadLetterFilter{DeadBefore: timestamppb.New(time.Now().Add(time.Minute))}, 2},
		"before all":     {&headracev1.DeadLetterFilter{DeadBefore: timestamppb.New(time.Unix(1, 0))}, 0},
		"everything set": {&headracev1.DeadLetterFilter{DeadSince: timestamppb.New(time.Unix(1, 0)), DeadBefore: timestamppb.New(time.Now().Add(time.Minute))}, 2},
	} {
		all := listDeadLetters(t, s, &headracev1.ListDeadLettersRequest{Filter: c.filter, WithoutMessages: true})
		if len(all) != c.want {
			t.Errorf("%s: %d dead letters, want %d", name, len(all), c.want)
		}
		for _, d := range all {
			if d.GetMessage() != nil || d.GetMessageBytes() == 0 {
				t.Errorf("%s: with its message, or without its size: %v", name, d)
			}
		}
	}
}

// TestRedriveDeliversUnderTheFirstIDWithItsFailuresAndFreshAttempts: and what fails again
// is a dead letter again.
func TestRedriveDeliversUnderTheFirstIDWithItsFailuresAndFreshAttempts(t *testing.T) {
	s := givenUp(t, servertest.BadgerHome(t))
	c := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
	answer, err := s.Subscriptions.RedriveDeadLetters(bounded(t), &headracev1.RedriveDeadLettersRequest{
		Subscription: "workers", Sequences: []uint64{2, 99, 2},
	})
	if err != nil || len(answer.GetSequences()) != 1 || answer.GetSequences()[0] != 2 {
		t.Fatalf("redriven %v, %v", answer.GetSequences(), err)
	}
	b := c.nextBatch()
	m := b.GetMessages()[0]
	if string(m.GetData()) != "order 0" || m.GetMessageId() != "0-0" || m.GetOrderingKey() != "key" || len(b.GetAttempts()) > 0 {
		t.Errorf("delivered again: %v", b)
	}
	if at := b.GetRuns()[0]; at.GetPartition() != 65535 || at.GetFirstOffset() != 0 {
		t.Errorf("it stands at %v", at)
	}
	c.send(settling(1, b.GetFirstSequence(), headracev1.Verdict_VERDICT_REJECT, "STILL", ""))
	c.awaitConfirmed(1)
	all := listDeadLetters(t, s, &headracev1.ListDeadLettersRequest{})
	if len(all) != 2 || all[1].GetSequence() != 3 || all[1].GetMessage().GetMessageId() != "0-0" || len(all[1].GetFailures()) != 4 {
		t.Fatalf("dead again: %v", all)
	}
	// And once more, to be acked.
	if _, err := s.Subscriptions.RedriveDeadLetters(bounded(t), &headracev1.RedriveDeadLettersRequest{
		Subscription: "workers", Sequences: []uint64{3, 1},
	}); err != nil {
		t.Fatal(err)
	}
	for want := c.received + 2; c.received < want; {
		c.nextBatch()
	}
	c.send(ack(2, c.received-1, c.received))
	c.awaitConfirmed(2)
	c.finish()
	if left := listDeadLetters(t, s, &headracev1.ListDeadLettersRequest{}); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	stats, err := s.Subscriptions.GetSubscriptionStats(bounded(t), &headracev1.GetSubscriptionStatsRequest{Subscription: "workers"})
	if err != nil || stats.GetStats().GetBacklog().GetMessages() != 0 || stats.GetStats().GetDeadLetters() != 0 {
		t.Errorf("stats: %v, %v", stats, err)
	}
}

func TestDiscardedDeadLettersAreGone(t *testing.T) {
	s := givenUp(t, nil)
	answer, err := s.Subscriptions.DiscardDeadLetters(bounded(t), &headracev1.DiscardDeadLettersRequest{
		Subscription: "workers", Sequences: []uint64{1, 7},
	})
	if err != nil || len(answer.GetSequences()) != 1 {
		t.Fatalf("discarded %v, %v", answer.GetSequences(), err)
	}
	if left := listDeadLetters(t, s, &headracev1.ListDeadLettersRequest{}); len(left) != 1 || left[0].GetSequence() != 2 {
		t.Errorf("left: %v", left)
	}
}

func TestBadRequestsForDeadLettersNameTheFieldAndTheLimit(t *testing.T) {
	s := givenUp(t, nil)
	_, err := s.Subscriptions.DiscardDeadLetters(bounded(t), &headracev1.DiscardDeadLettersRequest{Subscription: "workers"})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "sequences")
	_, err = s.Subscriptions.RedriveDeadLetters(bounded(t), &headracev1.RedriveDeadLettersRequest{
		Subscription: "workers", Sequences: make([]uint64, 1001),
	})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "sequences")
	_, err = s.Subscriptions.ListDeadLetters(bounded(t), &headracev1.ListDeadLettersRequest{Subscription: "workers", PageToken: "?"})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "page_token")
	_, err = s.Subscriptions.ListDeadLetters(bounded(t), &headracev1.ListDeadLettersRequest{Subscription: "workers", PageSize: 1001})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "page_size")
	_, err = s.Subscriptions.ListDeadLetters(bounded(t), &headracev1.ListDeadLettersRequest{
		Subscription: "workers", Filter: &headracev1.DeadLetterFilter{Reasons: []headracev1.DeadLetterReason{0}},
	})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "filter.reasons")
	_, err = s.Subscriptions.ListDeadLetters(bounded(t), &headracev1.ListDeadLettersRequest{Subscription: "nobody"})
	checkStatus(t, err, codes.NotFound, "SUBSCRIPTION_NOT_FOUND", "")
}
