package server_test

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage/storagetest"
)

const (
	atMostOnce  = headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_AT_MOST_ONCE
	exactlyOnce = headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_EXACTLY_ONCE
)

// guaranteed has a topic orders with messages, and a subscription workers.
func guaranteed(t *testing.T, o servertest.Options, g headracev1.DeliveryGuarantee, messages int) *servertest.Server {
	t.Helper()
	s := servertest.Start(t, o)
	s.CreateTopic("orders")
	s.CreateSubscriptionWith(&headracev1.Subscription{Name: "workers", Topic: "orders", Guarantee: g})
	s.Publish("orders", numberedMessages(1, messages)...)
	return s
}

func TestAtMostOnceIsManualAndSettledWhenItComes(t *testing.T) {
	s := guaranteed(t, servertest.Options{}, atMostOnce, 5)
	refused := dialSubscribe(t, s)
	refused.send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Open_{Open: open.GetOpen()}})
	checkStatus(t, refused.end(), codes.InvalidArgument, "INVALID_FIELD", "replenish")

	session := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{
		Subscription: "workers", Replenish: headracev1.Replenish_REPLENISH_MANUAL,
	})
	if !session.opened.GetSettledWhenSent() {
		t.Errorf("opened with %v", session.opened)
	}
	session.send(grant(3, 1<<20))
	for session.received < 3 {
		session.nextBatch()
	}
	if stats := subscriptionStats(t, s, "workers"); stats.GetBacklog().GetMessages() != 2 || stats.GetOutstanding().GetMessages() != 0 {
		t.Errorf("settled before it is sent: %v", stats)
	}
	session.send(ack(1, 1, 3))
	session.send(settling(2, 2, headracev1.Verdict_VERDICT_RETRY, "", ""))
	session.awaitConfirmed(2)
	if len(session.failures) != 1 || session.failures[0].GetReason() != headracev1.ErrorReason_ERROR_REASON_STALE_DELIVERY {
		t.Errorf("failures %v", session.failures)
	}
	session.cancel()
	again := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{
		Subscription: "workers", Replenish: headracev1.Replenish_REPLENISH_MANUAL,
	})
	again.send(grant(10, 1<<20))
	for again.received < 2 {
		again.nextBatch()
	}
	if stats := subscriptionStats(t, s, "workers"); stats.GetDelivered() != 5 || stats.GetRedelivered() != 0 {
		t.Errorf("in the end: %v", stats)
	}
	again.finish()
}

func TestAGuaranteeIsShownAndFixedAtCreation(t *testing.T) {
	s := guaranteed(t, servertest.Options{}, exactlyOnce, 1)
	got, err := s.Subscriptions.GetSubscription(bounded(t), &headracev1.GetSubscriptionRequest{Subscription: "workers"})
	if err != nil || got.GetSubscription().GetGuarantee() != exactlyOnce {
		t.Errorf("shown as %v, %v", got, err)
	}
	_, err = s.Subscriptions.UpdateSubscription(bounded(t), &headracev1.UpdateSubscriptionRequest{
		Subscription: &headracev1.Subscription{Name: "workers", Guarantee: atMostOnce},
		UpdateMask:   &fieldmaskpb.FieldMask{Paths: []string{"guarantee"}},
	})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "update_mask")
	_, err = s.Subscriptions.CreateSubscription(bounded(t), &headracev1.CreateSubscriptionRequest{
		Subscription: &headracev1.Subscription{
			Name: "others", Topic: "orders", Guarantee: atMostOnce, Order: headracev1.DeliveryOrder_DELIVERY_ORDER_KEY,
		},
	})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "order")
}

// TestExactlyOnceASessionOutlivesItsServer: killed or stopped in the middle of handlers.
// They finish, the session is taken up again, what they settle applies, and nothing
// comes twice.
func TestExactlyOnceASessionOutlivesItsServer(t *testing.T) {
	homes := map[string]storagetest.StoreHome{"in memory": storagetest.MemoryHome(), "Badger": servertest.BadgerHome(t)}
	for engine, home := range homes {
		t.Run(engine, func(t *testing.T) {
			s := guaranteed(t, servertest.Options{Home: home}, exactlyOnce, 6)
			session := openSubscribe(t, s, resumable())
			for session.received < 6 {
				session.nextBatch()
			}
			session.send(started(sequences(1, 4)...))
			session.send(ack(1, 1, 2))
			session.awaitConfirmed(1)
			s.Store.Crash()
			_ = session.end()
			_ = s.Wait()

			s = servertest.Start(t, servertest.Options{
				Home: home, Server: server.Config{DrainTimeout: 10 * time.Millisecond},
			})
			again := comeBack(t, s, session, 1)
			checkProto(t, &headracev1.SubscribeResponse_Resumed{
				Kept: sequences(3, 6), NextSequence: 7, ChargedBytes: session.charged,
			}, again.opened.GetResumed())
			again.send(ack(1, 1, 2)) // as if it had not been confirmed
			again.send(ack(2, 3, 4))
			again.awaitConfirmed(2)
			s.BeginDrain()
			_ = again.end()
			_ = s.Wait()
			s.Store.Stop()

			s = servertest.Start(t, servertest.Options{Home: home})
			other := openSubscribe(t, s, resumable())
			last := openSubscribe(t, s, resuming(session.opened.GetSessionId(), 6, sequences(5, 6)...))
			last.send(ack(3, 5, 6))
			last.awaitConfirmed(3)
			stats := subscriptionStats(t, s, "workers")
			if other.received > 0 || len(again.failures)+len(last.failures) > 0 || stats.GetBacklog().GetMessages() > 0 {
				t.Errorf("others got %d; failures %v, %v; %v", other.received, again.failures, last.failures, stats)
			}
			if stats.GetDelivered() != 6 || stats.GetExpired()+stats.GetRedelivered() > 0 {
				t.Errorf("in the end: %v", stats)
			}
			last.finish()
			other.finish()
		})
	}
}

// TestExactlyOnceTokensOutliveTheirServer: what was pulled is held over a kill and a stop
// in order, and its tokens settle and extend it; what they settled before stays settled.
func TestExactlyOnceTokensOutliveTheirServer(t *testing.T) {
	homes := map[string]storagetest.StoreHome{"in memory": storagetest.MemoryHome(), "Badger": servertest.BadgerHome(t)}
	for engine, home := range homes {
		t.Run(engine, func(t *testing.T) {
			s := guaranteed(t, servertest.Options{Home: home}, exactlyOnce, 6)
			tokens := tokensOf(pull(t, s, atOnce(4)))
			others := tokensOf(pull(t, s, atOnce(2)))
			settled := settleTokens(t, s, ackVerdict, tokens[0])
			s.Store.Crash()
			_ = s.Wait()

			s = servertest.Start(t, servertest.Options{
				Home: home, Server: server.Config{DrainTimeout: 10 * time.Millisecond},
			})
			var together sync.WaitGroup // the first of them takes the session up
			for _, token := range []string{tokens[1], others[0]} {
				together.Go(func() {
					r, err := s.Subscriber.Settle(bounded(t), &headracev1.SettleRequest{
						Subscription: "workers", DeliveryTokens: []string{token}, Verdict: ackVerdict,
					})
					if err != nil || len(r.GetFailures()) > 0 {
						t.Errorf("acked after a kill: %v, %v", r, err)
					}
				})
			}
			for _, token := range tokens[2:] {
				together.Go(func() {
					r, err := s.Subscriber.Extend(bounded(t), &headracev1.ExtendRequest{
						Subscription: "workers", DeliveryTokens: []string{token}, Duration: durationpb.New(10 * time.Minute),
					})
					if err != nil || len(r.GetFailures()) > 0 {
						t.Errorf("extended after a kill: %v, %v", r, err)
					}
				})
			}
			together.Wait()
			if len(settled) > 0 {
				t.Errorf("acked before the kill: %v", settled)
			}
			s.BeginDrain()
			_ = s.Wait()
			s.Store.Stop()

			s = servertest.Start(t, servertest.Options{Home: home})
			failures := settleTokens(t, s, ackVerdict, append(tokens, others...)...)
			for _, f := range failures { // one that was settled before may be said to be stale
				if !slices.Contains([]string{tokens[0], tokens[1], others[0]}, f.GetDeliveryToken()) {
					t.Errorf("after a stop: %v", f)
				}
			}
			stats := subscriptionStats(t, s, "workers")
			if again := tokensOf(pull(t, s, atOnce(9))); stats.GetBacklog().GetMessages() > 0 || len(again) > 0 {
				t.Errorf("%d come again; %v", len(again), stats)
			}
			if stats.GetDelivered() != 6 || stats.GetExpired()+stats.GetRedelivered() > 0 {
				t.Errorf("in the end: %v", stats)
			}
		})
	}
}

// TestExactlyOnceNoStreamTakesUpWhatWasPulled: nor does one by a forged id.
func TestExactlyOnceNoStreamTakesUpWhatWasPulled(t *testing.T) {
	s := guaranteed(t, servertest.Options{}, exactlyOnce, 1)
	tokens := tokensOf(pull(t, s, atOnce(1)))
	raw, err := base64.RawURLEncoding.DecodeString(tokens[0])
	if err != nil {
		t.Fatal(err)
	}
	id := "pull-" + hex.EncodeToString(raw[len(raw)-16:])
	session := openSubscribe(t, s, resuming(id, 1, sequences(1, 1)...))
	if session.opened.GetResumed() != nil || session.opened.GetSessionId() == id {
		t.Errorf("opened %v", session.opened)
	}
	if failures := settleTokens(t, s, ackVerdict, tokens...); len(failures) > 0 {
		t.Errorf("failures %v", failures)
	}
	session.finish()
}

func TestExactlyOnceAnotherIDDoesNotGetASessionAfterARestart(t *testing.T) {
	home := storagetest.MemoryHome()
	s := guaranteed(t, servertest.Options{Home: home}, exactlyOnce, 1)
	session := openSubscribe(t, s, resumable())
	session.nextBatch()
	s.Store.Crash()
	_ = session.end()
	_ = s.Wait()
	s = servertest.Start(t, servertest.Options{Home: home})
	id := session.opened.GetSessionId()
	wrong := openSubscribe(t, s, resuming(id[:len(id)-1]+"_", 1))
	if wrong.opened.GetResumed() != nil {
		t.Error("another id took the session up")
	}
	wrong.finish()
}
