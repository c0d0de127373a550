package server_test

import (
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

func move(t *testing.T, s *servertest.Server, session string, grace time.Duration) uint64 {
	t.Helper()
	r, err := s.Subscriptions.MoveSessions(bounded(t), &headracev1.MoveSessionsRequest{
		Subscription: "workers", Session: session, Grace: durationOf(grace),
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.GetSessions()
}

func (c *subscribeStub) nextGoAway() *headracev1.GoAway {
	c.t.Helper()
	return c.await(func(r *headracev1.SubscribeResponse) bool { return r.GetGoAway() != nil }).GetGoAway()
}

func TestRule14ASuccessorResumesAndTheOldStreamEndsOK(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		session := hoard(t, s, 10, resumable())
		session.send(started(sequences(1, 5)...))
		other := openSubscribe(t, s, resumable())
		name := subscriptionStats(t, s, "workers").GetSessions()[0].GetSession()
		if n := move(t, s, name, time.Minute); n != 1 {
			t.Errorf("%d sessions were asked", n)
		}
		checkProto(t, &headracev1.GoAway{
			Reason: headracev1.GoAwayReason_GO_AWAY_REASON_STREAM, Grace: durationOf(time.Minute),
		}, session.nextGoAway())
		successor := comeBack(t, s, session, 1)
		if err := session.end(); err != nil {
			t.Errorf("the old stream ended with %v", err)
		}
		checkProto(t, &headracev1.SubscribeResponse_Resumed{
			Kept: sequences(1, 10), NextSequence: 11, ChargedBytes: session.charged,
		}, successor.opened.GetResumed())
		successor.send(ack(1, 1, 10))
		successor.awaitConfirmed(1)
		s.Publish("orders", numberedMessages(1, 2)...)
		successor.nextBatch()
		stats := subscriptionStats(t, s, "workers")
		if stats.GetExpired()+stats.GetReleased()+stats.GetRedelivered() > 0 {
			t.Errorf("in the end: %v", stats)
		}
		successor.finish()
		other.finish()
	})
}

func TestRule14WhoStaysLosesItsStreamAndMayComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		session := hoard(t, s, 4, resumable())
		session.send(started(sequences(1, 4)...))
		synctest.Wait()
		began := time.Now()
		move(t, s, "", 5*time.Second)
		if got := session.nextGoAway().GetReason(); got != headracev1.GoAwayReason_GO_AWAY_REASON_REBALANCE {
			t.Errorf("reason %v", got)
		}
		if err := session.end(); err != nil || time.Since(began) != 5*time.Second {
			t.Errorf("ended with %v after %v", err, time.Since(began))
		}
		if away := subscriptionStats(t, s, "workers").GetSessions(); len(away) != 1 || away[0].GetResumableFor() == nil {
			t.Errorf("while it is away: %v", away)
		}
		time.Sleep(31 * time.Second) //nolint:forbidigo // in a bubble
		if stats := subscriptionStats(t, s, "workers"); stats.GetExpired() > 0 || stats.GetReleased() != 4 {
			t.Errorf("it did not come back: %v", stats)
		}
	})
}

func TestRule14WhoCannotResumeWorksOffAndEndsOK(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		session := hoard(t, s, 2, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
		move(t, s, "", time.Minute)
		session.nextGoAway()
		session.send(ack(1, 1, 2))
		if err := session.end(); err != nil || session.confirmed != 1 {
			t.Errorf("ended with %v, confirmed %d", err, session.confirmed)
		}
	})
}

func TestRule14MoveRefusesWhatIsNotThere(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	session := hoard(t, s, 1, resumable())
	for name, c := range map[string]struct {
		request       *headracev1.MoveSessionsRequest
		code          codes.Code
		reason, field string
	}{
		"no such session": {&headracev1.MoveSessionsRequest{Subscription: "workers", Session: "s0"}, codes.NotFound, "SESSION_NOT_FOUND", ""},
		"no such subscription": {
			&headracev1.MoveSessionsRequest{Subscription: "others"}, codes.NotFound, "SUBSCRIPTION_NOT_FOUND", "",
		},
		"a long grace": {
			&headracev1.MoveSessionsRequest{Subscription: "workers", Grace: durationOf(12*time.Hour + 1)},
			codes.InvalidArgument, "INVALID_FIELD", "grace",
		},
	} {
		if _, err := s.Subscriptions.MoveSessions(bounded(t), c.request); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			checkStatus(t, err, c.code, c.reason, c.field)
		}
	}
	session.finish()
}
