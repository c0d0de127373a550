package server_test

import (
	"context"
	"encoding/base64"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/servertest"
)

func pull(t *testing.T, s *servertest.Server, r *headracev1.PullRequest) *headracev1.PullResponse {
	t.Helper()
	r.Subscription = "workers"
	out, err := s.Subscriber.Pull(bounded(t), r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// atOnce does not wait.
func atOnce(n uint32) *headracev1.PullRequest {
	return &headracev1.PullRequest{MaxMessages: n, Wait: durationpb.New(0)}
}

func tokensOf(r *headracev1.PullResponse) (all []string) {
	for _, m := range r.GetMessages() {
		all = append(all, m.GetDeliveryToken())
	}
	return all
}

func settleTokens(t *testing.T, s *servertest.Server, v headracev1.Verdict, tokens ...string) []*headracev1.TokenFailure {
	t.Helper()
	r, err := s.Subscriber.Settle(bounded(t), &headracev1.SettleRequest{Subscription: "workers", DeliveryTokens: tokens, Verdict: v})
	if err != nil {
		t.Fatal(err)
	}
	return r.GetFailures()
}

func startPull(t *testing.T, s *headracev1.Subscription) *servertest.Server {
	t.Helper()
	srv := servertest.Start(t, servertest.Options{})
	srv.CreateTopic("orders")
	s.Name, s.Topic = "workers", "orders"
	srv.CreateSubscriptionWith(s)
	return srv
}

const ackVerdict = headracev1.Verdict_VERDICT_ACK

func TestPulledMessagesAreSettledByTheirTokens(t *testing.T) {
	s := startPull(t, &headracev1.Subscription{})
	s.Publish("orders", numberedMessages(0, 5)...)
	first := pull(t, s, atOnce(3))
	if len(first.GetMessages()) != 3 || len(first.GetBlockedBy()) != 0 {
		t.Fatalf("pulled %v", first)
	}
	for i, m := range first.GetMessages() {
		if m.GetPosition().GetOffset() != uint64(i) || m.GetAttempt() != 1 || len(m.GetDeliveryToken()) > 170 ||
			string(m.GetMessage().GetData()) != string(numberedMessages(i, 1)[0].GetData()) {
			t.Errorf("message %d: %v", i, m)
		}
	}
	if id := first.GetMessages()[2].GetMessage().GetMessageId(); id != "0-2" {
		t.Errorf("its id is %q", id)
	}
	second := pull(t, s, atOnce(3))
	if len(second.GetMessages()) != 2 {
		t.Fatalf("then %v", second)
	}
	if none := pull(t, s, atOnce(3)); len(none.GetMessages()) != 0 || none.GetBlockedBy()[0] != headracev1.BlockedBy_BLOCKED_BY_NO_MESSAGES {
		t.Errorf("then %v", none)
	}
	// One call settles what several pulls took.
	all := append(tokensOf(first), tokensOf(second)...)
	if failures := settleTokens(t, s, ackVerdict, all[0], all[2], all[4]); failures != nil {
		t.Errorf("failures %v", failures)
	}
	if stats := subscriptionStats(t, s, "workers"); stats.GetAcked() != 3 || stats.GetOutstanding().GetMessages() != 2 || len(stats.GetSessions()) != 2 {
		t.Errorf("stats %v", stats)
	}
	if failures := settleTokens(t, s, headracev1.Verdict_VERDICT_RELEASE, all[1], all[3]); failures != nil {
		t.Errorf("failures %v", failures)
	}
	if stats := subscriptionStats(t, s, "workers"); stats.GetReleased() != 2 || len(stats.GetSessions()) != 0 {
		t.Errorf("stats %v", stats)
	}
}

// TestTokensThatReachNothingFailByThemselves: settled ones, forged ones, those of
// others, and what is no token at all.
func TestTokensThatReachNothingFailByThemselves(t *testing.T) {
	s := startPull(t, &headracev1.Subscription{})
	s.CreateSubscription("others", "orders")
	s.Publish("orders", numberedMessages(0, 3)...)
	tokens := tokensOf(pull(t, s, atOnce(2)))
	third := tokensOf(pull(t, s, atOnce(1)))[0]
	others, err := s.Subscriber.Pull(bounded(t), &headracev1.PullRequest{Subscription: "others", MaxMessages: 1})
	if err != nil {
		t.Fatal(err)
	}
	settleTokens(t, s, ackVerdict, tokens[0])
	const stale, invalid = headracev1.ErrorReason_ERROR_REASON_STALE_DELIVERY, headracev1.ErrorReason_ERROR_REASON_INVALID_TOKEN
	want := map[string]headracev1.ErrorReason{
		tokens[0]: stale, forged(t, third): stale, forged(t, tokens[1]): stale,
		tokensOf(&headracev1.PullResponse{Messages: others.GetMessages()})[0]: invalid, "": invalid, "nonsense": invalid, third + "A": invalid,
	}
	var asked []string
	for token := range want {
		asked = append(asked, token)
	}
	failures := settleTokens(t, s, ackVerdict, append(asked, tokens[1])...)
	for _, f := range failures {
		if want[f.GetDeliveryToken()] != f.GetReason() {
			t.Errorf("%q: %v, want %v", f.GetDeliveryToken(), f.GetReason(), want[f.GetDeliveryToken()])
		}
	}
	if len(failures) != len(want) {
		t.Errorf("%d failures: %v", len(failures), failures)
	}
	if stats := subscriptionStats(t, s, "workers"); stats.GetAcked() != 2 || stats.GetOutstanding().GetMessages() != 1 {
		t.Errorf("stats %v", stats)
	}
}

// forged makes a token one of a session that there is not.
func forged(t *testing.T, token string) string {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] ^= 1
	return base64.RawURLEncoding.EncodeToString(b)
}

// TestAPullWaitsForMessages: for the whole wait when none come, and no longer than it
// takes when one does.
func TestAPullWaitsForMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startQuiet(t, servertest.Options{})
		s.CreateTopic("orders")
		s.CreateSubscription("workers", "orders")
		began := time.Now()
		none := pull(t, s, &headracev1.PullRequest{Wait: durationpb.New(time.Minute)})
		if took := time.Since(began); took != time.Minute || len(none.GetMessages()) != 0 {
			t.Errorf("after %v: %v", took, none)
		}
		began = time.Now()
		pull(t, s, &headracev1.PullRequest{})
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("waits %v by default", took)
		}
		time.AfterFunc(20*time.Second, func() { s.Publish("orders", numberedMessages(0, 1)...) })
		began = time.Now()
		some := pull(t, s, &headracev1.PullRequest{Wait: durationpb.New(time.Minute)})
		if took := time.Since(began); took < 20*time.Second || took > 21*time.Second || len(some.GetMessages()) != 1 {
			t.Errorf("after %v: %v", took, some)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if r, err := s.Subscriber.Pull(ctx, &headracev1.PullRequest{Subscription: "workers"}); err != nil || len(r.GetMessages()) != 0 {
			t.Errorf("up to the caller's deadline: %v, %v", r, err)
		}
	})
}

// TestWhatIsPulledComesAgainWhenItsLeaseEnds: charged, unless it was extended; its tokens
// are stale then.
func TestWhatIsPulledComesAgainWhenItsLeaseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startQuiet(t, servertest.Options{})
		s.CreateTopic("orders")
		s.CreateSubscription("workers", "orders")
		s.Publish("orders", numberedMessages(0, 2)...)
		r := atOnce(2)
		r.Lease = durationpb.New(5 * time.Second)
		tokens := tokensOf(pull(t, s, r))
		e, err := s.Subscriber.Extend(bounded(t), &headracev1.ExtendRequest{
			Subscription: "workers", DeliveryTokens: tokens[1:], Duration: durationpb.New(time.Minute),
		})
		if err != nil || e.GetFailures() != nil {
			t.Fatalf("extended: %v, %v", e, err)
		}
		again := pull(t, s, &headracev1.PullRequest{Wait: durationpb.New(30 * time.Second)})
		if len(again.GetMessages()) != 1 || again.GetMessages()[0].GetAttempt() != 2 || again.GetMessages()[0].GetPosition().GetOffset() != 0 {
			t.Fatalf("again: %v", again)
		}
		failures := settleTokens(t, s, ackVerdict, tokens...)
		if len(failures) != 1 || failures[0].GetDeliveryToken() != tokens[0] {
			t.Errorf("failures %v", failures)
		}
		if stats := subscriptionStats(t, s, "workers"); stats.GetExpired() != 1 || stats.GetAcked() != 1 {
			t.Errorf("stats %v", stats)
		}
	})
}

func TestVerdictsByTokens(t *testing.T) {
	s := startPull(t, &headracev1.Subscription{})
	s.Publish("orders", numberedMessages(0, 2)...)
	tokens := tokensOf(pull(t, s, atOnce(2)))
	retry := &headracev1.SettleRequest{
		Subscription: "workers", DeliveryTokens: tokens[:1], Verdict: headracev1.Verdict_VERDICT_RETRY, Delay: durationpb.New(0), Code: "DB",
	}
	if _, err := s.Subscriber.Settle(bounded(t), retry); err != nil {
		t.Fatal(err)
	}
	settleTokens(t, s, headracev1.Verdict_VERDICT_REJECT, tokens[1])
	again := pull(t, s, &headracev1.PullRequest{})
	if len(again.GetMessages()) != 1 || again.GetMessages()[0].GetAttempt() != 2 {
		t.Errorf("again: %v", again)
	}
	if stats := subscriptionStats(t, s, "workers"); stats.GetDeadLetters() != 1 || stats.GetRetried() != 1 {
		t.Errorf("stats %v", stats)
	}
}

// TestACancelledPullGivesBackWhatItTook: at once and uncharged.
func TestACancelledPullGivesBackWhatItTook(t *testing.T) {
	s := startPull(t, &headracev1.Subscription{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := s.Subscriber.Pull(ctx, &headracev1.PullRequest{Subscription: "workers", Wait: durationpb.New(time.Minute)})
		ended <- err
	}()
	for len(subscriptionStats(t, s, "workers").GetSessions()) == 0 {
		continue
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("it ended well")
	}
	s.Publish("orders", numberedMessages(0, 1)...)
	r := pull(t, s, &headracev1.PullRequest{})
	if len(r.GetMessages()) != 1 || r.GetMessages()[0].GetAttempt() != 1 {
		t.Errorf("pulled %v", r)
	}
}

// TestPullsFitWhatTheClientTakes: an answer is within its bound, and a message larger
// than what is left of the bytes comes alone.
func TestPullsFitWhatTheClientTakes(t *testing.T) {
	s := startPull(t, &headracev1.Subscription{})
	const size, messages = 3000, 40
	for range messages {
		s.Publish("orders", &headracev1.Message{Data: make([]byte, size)})
	}
	for got := 0; got < messages; {
		r := pull(t, s, &headracev1.PullRequest{MaxAnswerBytes: 20_000, MaxMessages: 1000, Wait: durationpb.New(0)})
		if n := len(r.GetMessages()); n == 0 || proto.Size(r) > 20_000 {
			t.Fatalf("%d messages in %d bytes", n, proto.Size(r))
		}
		got += len(r.GetMessages())
	}
	s.Publish("orders", numberedMessages(0, 2)...)
	if r := pull(t, s, &headracev1.PullRequest{MaxBytes: 1, Wait: durationpb.New(0)}); len(r.GetMessages()) != 1 {
		t.Errorf("alone: %d", len(r.GetMessages()))
	}
	s.Publish("orders", &headracev1.Message{Data: make([]byte, 5000)})
	settleTokens(t, s, ackVerdict, tokensOf(pull(t, s, atOnce(1)))...)
	small := pull(t, s, &headracev1.PullRequest{MaxAnswerBytes: 4096, Wait: durationpb.New(0)})
	if len(small.GetMessages()) != 0 || small.GetBlockedBy()[0] != headracev1.BlockedBy_BLOCKED_BY_MESSAGE_TOO_LARGE {
		t.Errorf("too large: %v", small.GetBlockedBy())
	}
}

func TestPullsOnAnExclusiveSubscription(t *testing.T) {
	s := startPull(t, &headracev1.Subscription{Mode: headracev1.SubscriptionMode_SUBSCRIPTION_MODE_EXCLUSIVE})
	s.Publish("orders", numberedMessages(0, 3)...)
	mine := func() *headracev1.PullRequest {
		r := atOnce(1)
		r.ClientId = "mine"
		return r
	}
	tokens := append(tokensOf(pull(t, s, mine())), tokensOf(pull(t, s, mine()))...)
	_, err := s.Subscriber.Pull(bounded(t), &headracev1.PullRequest{Subscription: "workers", ClientId: "another"})
	checkStatus(t, err, codes.FailedPrecondition, "EXCLUSIVE_SESSION_EXISTS", "")
	settleTokens(t, s, ackVerdict, tokens...)
	if r := pull(t, s, atOnce(1)); len(r.GetMessages()) != 1 {
		t.Errorf("when nothing is held: %v", r)
	}
}

// TestPulledMessagesOverARestart: they come again at once, uncharged, and their tokens
// are stale, though sessions are numbered from the beginning again.
func TestPulledMessagesOverARestart(t *testing.T) {
	home := servertest.BadgerHome(t)
	var token string
	t.Run("before the restart", func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{Home: home})
		s.CreateTopic("orders")
		s.CreateSubscription("workers", "orders")
		s.Publish("orders", numberedMessages(0, 1)...)
		token = tokensOf(pull(t, s, atOnce(1)))[0]
	})
	s := servertest.Start(t, servertest.Options{Home: home})
	again := pull(t, s, atOnce(1))
	if len(again.GetMessages()) != 1 || again.GetMessages()[0].GetAttempt() != 1 {
		t.Fatalf("again: %v", again)
	}
	if failures := settleTokens(t, s, ackVerdict, token); len(failures) != 1 || failures[0].GetReason() != headracev1.ErrorReason_ERROR_REASON_STALE_DELIVERY {
		t.Errorf("the token of before: %v", failures)
	}
	if failures := settleTokens(t, s, ackVerdict, tokensOf(again)...); failures != nil {
		t.Errorf("the new one: %v", failures)
	}
}

// TestAWaitingPullEndsWithTheServer: at once, not when its wait is over.
func TestAWaitingPullEndsWithTheServer(t *testing.T) {
	s := startPull(t, &headracev1.Subscription{})
	ended := make(chan error)
	go func() {
		_, err := s.Subscriber.Pull(t.Context(), &headracev1.PullRequest{Subscription: "workers", Wait: durationpb.New(time.Minute)})
		ended <- err
	}()
	for len(subscriptionStats(t, s, "workers").GetSessions()) == 0 {
		continue
	}
	s.BeginDrain()
	checkStatus(t, <-ended, codes.Unavailable, "DRAINING", "")
}

func TestBadPullsAreRefused(t *testing.T) {
	s := startPull(t, &headracev1.Subscription{})
	for field, r := range map[string]*headracev1.PullRequest{
		"max_messages":     {MaxMessages: 1001},
		"wait":             {Wait: durationpb.New(61 * time.Second)},
		"lease":            {Lease: durationpb.New(time.Millisecond)},
		"max_answer_bytes": {MaxAnswerBytes: 100},
	} {
		r.Subscription = "workers"
		_, err := s.Subscriber.Pull(bounded(t), r)
		checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", field)
	}
	_, err := s.Subscriber.Pull(bounded(t), &headracev1.PullRequest{Subscription: "lost"})
	checkStatus(t, err, codes.NotFound, "SUBSCRIPTION_NOT_FOUND", "")
	for field, r := range map[string]*headracev1.SettleRequest{
		"delivery_tokens": {Verdict: ackVerdict},
		"verdict":         {DeliveryTokens: []string{"x"}},
		"delay":           {DeliveryTokens: []string{"x"}, Verdict: ackVerdict, Delay: durationpb.New(0)},
	} {
		r.Subscription = "workers"
		_, err := s.Subscriber.Settle(bounded(t), r)
		checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", field)
	}
	_, err = s.Subscriber.Extend(bounded(t), &headracev1.ExtendRequest{Subscription: "workers", DeliveryTokens: make([]string, 1001)})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "delivery_tokens")
}

// TestPullsLeaveNothingBehind: those that got nothing, and those that settled what they
// got, count as sessions no more; those that hold something do. (The one before may still
// be on its way out.)
func TestPullsLeaveNothingBehind(t *testing.T) {
	s := servertest.Start(t, servertest.Options{Broker: broker.Config{MaxSessions: 2}})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	for range 20 {
		s.Publish("orders", numberedMessages(0, 1)...)
		settleTokens(t, s, ackVerdict, tokensOf(pull(t, s, atOnce(1)))...)
		pull(t, s, atOnce(1)) // in vain
	}
	s.Publish("orders", numberedMessages(0, 3)...)
	tokens := append(tokensOf(pull(t, s, atOnce(1))), tokensOf(pull(t, s, atOnce(1)))...)
	_, err := s.Subscriber.Pull(bounded(t), atOnceFrom("workers"))
	checkStatus(t, err, codes.ResourceExhausted, "LIMIT_REACHED", "")
	settleTokens(t, s, ackVerdict, tokens...)
	pull(t, s, atOnce(1))
}

func atOnceFrom(subscription string) *headracev1.PullRequest {
	r := atOnce(1)
	r.Subscription = subscription
	return r
}

// TestManyPullAndSettleAtOnce: each message is acked once, whoever pulled it and whoever
// settles it.
func TestManyPullAndSettleAtOnce(t *testing.T) {
	const messages, pullers = 400, 8
	s := startPull(t, &headracev1.Subscription{})
	s.Publish("orders", numberedMessages(0, messages)...)
	tokens := make(chan []string, messages) // room for all of them
	var pulling sync.WaitGroup
	for range pullers {
		pulling.Go(func() {
			for {
				r, err := s.Subscriber.Pull(t.Context(), &headracev1.PullRequest{Subscription: "workers", MaxMessages: 7, Wait: durationpb.New(0)})
				if err != nil || len(r.GetMessages()) == 0 {
					return
				}
				tokens <- tokensOf(r)
			}
		})
	}
	pulling.Wait()
	close(tokens)
	for range pullers {
		pulling.Go(func() {
			for some := range tokens {
				r, err := s.Subscriber.Settle(t.Context(), &headracev1.SettleRequest{Subscription: "workers", DeliveryTokens: some, Verdict: ackVerdict})
				if err != nil || len(r.GetFailures()) > 0 {
					t.Errorf("%v, %v", r, err)
				}
			}
		})
	}
	pulling.Wait()
	if stats := subscriptionStats(t, s, "workers"); stats.GetAcked() != messages || stats.GetDelivered() != messages || len(stats.GetSessions()) != 0 {
		t.Errorf("stats %v", stats)
	}
}
