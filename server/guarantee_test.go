package server_test

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
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
