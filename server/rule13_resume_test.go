package server_test

import (
	"errors"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage/storagetest"
)

// resumable is an Open of a client that takes its session up again.
func resumable() *headracev1.SubscribeRequest_Open {
	return &headracev1.SubscribeRequest_Open{Subscription: "workers", Features: resumes}
}

// comeBack opens the next stream of a session that holds what it received from a
// sequence on.
func comeBack(t *testing.T, s *servertest.Server, c *subscribeStub, from uint64) *subscribeStub {
	t.Helper()
	holding := sequences(from, c.received)
	if from > c.received {
		holding = nil
	}
	return openSubscribe(t, s, resuming(c.opened.GetSessionId(), c.received, holding...))
}

func TestRule13OpenedTellsWhatASessionKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		session := hoard(t, s, 10, resumable())
		if got := session.opened.GetLimits().GetResumeWindow().AsDuration(); got != 30*time.Second {
			t.Errorf("a window of %v", got)
		}
		if !slices.Contains(session.opened.GetFeatures(), headracev1.Feature_FEATURE_RESUME) || session.opened.GetResumed() != nil {
			t.Errorf("opened: %v", session.opened)
		}
		session.send(started(sequences(1, 5)...))
		session.send(ack(1, 1, 3))
		session.awaitConfirmed(1)
		session.cancel()
		synctest.Wait()
		away := subscriptionStats(t, s, "workers").GetSessions()
		if len(away) != 1 || away[0].GetResumableFor().AsDuration() != 30*time.Second {
			t.Errorf("while it is away: %v", away)
		}
		if gone, sessions := metric(t, s, "headrace_sessions_away"), metric(t, s, "headrace_sessions"); gone != 1 || sessions != 0 {
			t.Errorf("%v sessions away, %v open", gone, sessions)
		}
		time.Sleep(29 * time.Second) //nolint:forbidigo // in a bubble
		again := comeBack(t, s, session, 4)
		checkProto(t, &headracev1.SubscribeResponse_Resumed{
			Kept: sequences(4, 10), NextSequence: 11, ChargedBytes: session.charged,
		}, again.opened.GetResumed())
		if again.opened.GetSessionId() != session.opened.GetSessionId() {
			t.Error("its id changed")
		}
		again.send(ack(1, 1, 3)) // not known to be confirmed: a client may send it again
		again.send(ack(2, 4, 10))
		again.awaitConfirmed(2)
		stats := subscriptionStats(t, s, "workers")
		if stats.GetAcked() != 10 || stats.GetRedelivered()+stats.GetExpired() > 0 || len(again.failures) > 0 {
			t.Errorf("in the end: %v, %v", stats, again.failures)
		}
		again.finish()
	})
}

func TestRule13WhatWasNotReceivedComesAgainAndCountsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		session := hoard(t, s, 10, resumable())
		session.cancel()
		synctest.Wait()
		session.received = 6
		again := comeBack(t, s, session, 3) // it forgot 1 and 2, and never saw 7 to 10
		checkProto(t, &headracev1.SubscribeResponse_Resumed{
			Kept: sequences(3, 6), NextSequence: 11, ChargedBytes: session.charged,
		}, again.opened.GetResumed())
		first := again.nextBatch()
		if first.GetFirstSequence() != 11 || len(first.GetAttempts()) > 0 {
			t.Errorf("it goes on with %v", first)
		}
		for again.received < 16 {
			again.nextBatch()
		}
		if again.charged <= session.charged {
			t.Errorf("charged %d, and %d before", again.charged, session.charged)
		}
		again.finish()
	})
}

// After a resume credit begins anew, and in MANUAL sessions with nothing.
func TestRule13EarlierGrantsAreVoid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		s.CreateTopic("orders")
		s.CreateSubscription("workers", "orders")
		manual := resumable()
		manual.Replenish = headracev1.Replenish_REPLENISH_MANUAL
		session := openSubscribe(t, s, manual)
		session.send(grant(100, 1<<20))
		synctest.Wait()
		session.cancel()
		again := resuming(session.opened.GetSessionId(), 0)
		again.Replenish = headracev1.Replenish_REPLENISH_MANUAL
		next := openSubscribe(t, s, again)
		s.Publish("orders", numberedMessages(1, 1)...)
		flow := next.await(func(r *headracev1.SubscribeResponse) bool { return r.GetFlowState() != nil }).GetFlowState()
		if !slices.Contains(flow.GetBlockedBy(), headracev1.BlockedBy_BLOCKED_BY_NO_CREDIT_MESSAGES) || next.received > 0 {
			t.Errorf("after a resume: %v", flow)
		}
		next.send(grant(1, 1<<20))
		next.nextBatch()
		next.finish()
	})
}

func TestRule13AnOldStreamThatLooksAliveIsFenced(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	session := hoard(t, s, 3, resumable())
	again := comeBack(t, s, session, 1)
	checkStatus(t, session.end(), codes.FailedPrecondition, "SESSION_SUPERSEDED", "")
	again.send(ack(1, 1, 3))
	again.awaitConfirmed(1)
	again.finish()
}

func TestRule13WithoutResumedItIsANewSession(t *testing.T) {
	for name, end := range map[string]func(*servertest.Server) *servertest.Server{
		"after the window": func(s *servertest.Server) *servertest.Server {
			time.Sleep(30*time.Second + 1) //nolint:forbidigo // in a bubble
			return s
		},
		"after the session was drained": nil,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := servertest.Start(t, servertest.Options{})
			session := hoard(t, s, 4, resumable())
			session.send(started(sequences(1, 1)...))
			if end == nil {
				session.finish()
			} else {
				session.cancel()
				synctest.Wait()
				s = end(s)
			}
			again := comeBack(t, s, session, 1)
			if again.opened.GetResumed() != nil || again.opened.GetSessionId() == session.opened.GetSessionId() {
				t.Errorf("%s: %v", name, again.opened)
			}
			if first := again.nextBatch().GetFirstSequence(); first != 1 {
				t.Errorf("%s: it begins at %d", name, first)
			}
			again.finish()
		})
	}
}

func TestRule13ARestartedServerBeginsNewSessionsAndChargesNothing(t *testing.T) {
	home := storagetest.MemoryHome()
	s := servertest.Start(t, servertest.Options{Home: home})
	session := hoard(t, s, 4, resumable())
	session.send(started(sequences(1, 2)...))
	s.Stop()
	_ = s.Wait()
	s.Store.Stop()
	next := servertest.Start(t, servertest.Options{Home: home})
	again := comeBack(t, next, session, 1)
	if again.opened.GetResumed() != nil {
		t.Errorf("resumed: %v", again.opened)
	}
	if b := again.nextBatch(); b.GetFirstSequence() != 1 || len(b.GetAttempts()) > 0 {
		t.Errorf("it begins with %v", b)
	}
	again.finish()
}

func TestRule13ASessionIdOfAnotherClientIsRefused(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	session := hoard(t, s, 1, resumable())
	other := dialSubscribe(t, s)
	frame := resuming(session.opened.GetSessionId(), 1)
	frame.ClientId = "other"
	other.send(subscribeOpen(frame))
	checkStatus(t, other.end(), codes.InvalidArgument, "INVALID_FIELD", "resume.session_id")
	session.finish()
}

func TestRule13TheResumeWindowIsAProperty(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	for mode, want := range map[headracev1.SubscriptionMode]time.Duration{
		headracev1.SubscriptionMode_SUBSCRIPTION_MODE_SHARED:    30 * time.Second,
		headracev1.SubscriptionMode_SUBSCRIPTION_MODE_EXCLUSIVE: 0,
	} {
		created := s.CreateSubscriptionWith(&headracev1.Subscription{Name: mode.String(), Topic: "orders", Mode: mode})
		if got := created.GetResumeWindow().AsDuration(); got != want {
			t.Errorf("%v: %v by default", mode, got)
		}
		created.ResumeWindow = durationOf(time.Minute)
		updated, err := s.Subscriptions.UpdateSubscription(t.Context(), &headracev1.UpdateSubscriptionRequest{
			Subscription: &headracev1.Subscription{Name: created.GetName(), ResumeWindow: durationOf(time.Minute)},
			UpdateMask:   &fieldmaskpb.FieldMask{Paths: []string{"resume_window"}},
		})
		if err != nil || updated.GetSubscription().GetResumeWindow().AsDuration() != time.Minute {
			t.Errorf("%v: %v, %v", mode, updated, err)
		}
		back, err := s.Subscriptions.UpdateSubscription(t.Context(), &headracev1.UpdateSubscriptionRequest{
			Subscription: &headracev1.Subscription{Name: created.GetName()},
			UpdateMask:   &fieldmaskpb.FieldMask{Paths: []string{"resume_window"}},
		})
		if err != nil || back.GetSubscription().GetResumeWindow().AsDuration() != want {
			t.Errorf("%v, back to its default: %v, %v", mode, back, err)
		}
	}
	_, err := s.Subscriptions.CreateSubscription(t.Context(), &headracev1.CreateSubscriptionRequest{
		Subscription: &headracev1.Subscription{
			Name: "long", Topic: "orders", Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE, ResumeWindow: durationOf(12*time.Hour + 1),
		},
	})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "resume_window")
}

// Whatever a client says that it holds of what it never had, the stream goes on.
func TestRule13HoldingMoreThanWasSentIsHarmless(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	session := hoard(t, s, 2, resumable())
	again := openSubscribe(t, s, resuming(session.opened.GetSessionId(), 1<<40, sequences(1, 1<<40)...))
	checkProto(t, &headracev1.SubscribeResponse_Resumed{
		Kept: sequences(1, 2), NextSequence: 3, ChargedBytes: session.charged,
	}, again.opened.GetResumed())
	again.finish()
	if _, err := again.stream.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("the end: %v", err)
	}
}
