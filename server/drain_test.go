package server_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/storagetest"
)

func TestDrainLetsClientsFinishAndEndsTheirStreamsOK(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	s.Publish("orders", numberedMessages(1, 3)...)
	session := openSubscribe(t, s, open.GetOpen())
	session.nextBatch()
	publisher := openPublish(t, s)

	s.BeginDrain()
	goAway := session.await(func(r *headracev1.SubscribeResponse) bool { return r.GetGoAway() != nil }).GetGoAway()
	if goAway.GetReason() != headracev1.GoAwayReason_GO_AWAY_REASON_SHUTDOWN ||
		goAway.GetGrace().AsDuration() <= 0 || goAway.GetGrace().AsDuration() > server.DefaultDrainTimeout {
		t.Errorf("GoAway = %v", goAway)
	}
	for publisher.next().GetGoAway() == nil {
	}
	late := dialSubscribe(t, s)
	late.send(open)
	checkStatus(t, late.end(), codes.Unavailable, "DRAINING", "")
	_, err := s.Publisher.Publish(bounded(t), &headracev1.PublishRequest{Topic: "orders", Messages: numberedMessages(4, 1)})
	checkStatus(t, err, codes.Unavailable, "DRAINING", "")
	health, err := healthv1.NewHealthClient(s.Conn).Check(bounded(t), &healthv1.HealthCheckRequest{})
	if err != nil || health.GetStatus() != healthv1.HealthCheckResponse_NOT_SERVING {
		t.Errorf("health while draining: %v, %v", health, err)
	}

	publisher.send(batch("orders", 1, numberedMessages(4, 1)...))
	publisher.await(1)
	publisher.finish()
	session.send(ack(1, 1, 3))
	session.awaitConfirmed(1)
	if err := session.end(); err != nil {
		t.Errorf("the drained session ended with %v", err)
	}
	if err := s.Wait(); err != nil {
		t.Errorf("Serve returned %v", err)
	}
}

func TestWhatIsUnsettledWhenTheDrainEndsIsReleasedUncharged(t *testing.T) {
	home := storagetest.MemoryHome()
	s := servertest.Start(t, servertest.Options{
		Home: home, Server: server.Config{DrainTimeout: 10 * time.Millisecond},
	})
	session := holdOneMessage(t, s)
	s.BeginDrain()
	if err := session.end(); err != nil {
		t.Errorf("the session ended with %v", err)
	}
	if err := s.Wait(); err != nil {
		t.Errorf("Serve returned %v", err)
	}
	checkFirstAttempt(t, s, home)
}

func TestStopIsAtOnceAndChargesNothing(t *testing.T) {
	home := storagetest.MemoryHome()
	s := servertest.Start(t, servertest.Options{Home: home})
	session := holdOneMessage(t, s)
	s.BeginDrain()
	session.await(func(r *headracev1.SubscribeResponse) bool { return r.GetGoAway() != nil })
	s.Stop()
	checkStatus(t, session.end(), codes.Unavailable, "DRAINING", "")
	if err := s.Wait(); err != nil {
		t.Errorf("Serve returned %v", err)
	}
	checkFirstAttempt(t, s, home)
}

func TestABrokenStreamIsCharged(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	session := holdOneMessage(t, s)
	session.cancel()
	again := openSubscribe(t, s, open.GetOpen())
	b := again.nextBatch()
	checkProto(t, &headracev1.SubscribeResponse_AttemptRun{FirstSequence: 1, Count: 1, Attempt: 2}, b.GetAttempts()[0])
	again.finish()
}

func TestAHalfClosedStreamIsNotCharged(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	holdOneMessage(t, s).finish()
	again := openSubscribe(t, s, open.GetOpen())
	if b := again.nextBatch(); len(b.GetAttempts()) > 0 {
		t.Errorf("charged: %v", b.GetAttempts())
	}
	again.finish()
}

func TestAFailedStoreEndsTheServerWithItsError(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	session := openSubscribe(t, s, open.GetOpen())
	publisher := openPublish(t, s)
	disk, ok := s.Store.Engine.(*storagetest.Memory)
	if !ok {
		t.Fatal("the engine is not the one in memory")
	}
	disk.FailNext(storagetest.Fault{Err: storage.ErrUnknown})
	publisher.send(batch("orders", 1, numberedMessages(1, 1)...))
	checkStatus(t, publisher.end(), codes.Unknown, "UNKNOWN_OUTCOME", "")
	checkStatus(t, session.end(), codes.Unavailable, "STORE_UNAVAILABLE", "")
	err := s.Wait()
	if !errors.Is(err, storage.ErrUnknown) || !strings.Contains(err.Error(), "store") {
		t.Fatalf("Serve returned %v", err)
	}
}

func TestTheStatsSayThatASessionDrains(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	session := holdOneMessage(t, s)
	session.send(drain(time.Minute))
	session.await(func(r *headracev1.SubscribeResponse) bool {
		return slices.Equal(r.GetFlowState().GetBlockedBy(), draining)
	})
	if got := subscriptionStats(t, s, "workers").GetSessions()[0].GetBlockedBy(); !slices.Equal(got, draining) {
		t.Errorf("the session is blocked by %v", got)
	}
	session.send(ack(1, 1, 1))
	session.await(func(r *headracev1.SubscribeResponse) bool { return r.GetDrained() != nil })
	session.finish()
}

var draining = []headracev1.BlockedBy{headracev1.BlockedBy_BLOCKED_BY_DRAINING}

// A client comes back after STORE_UNAVAILABLE, and not after UNKNOWN_OUTCOME.
func TestACommitOfUnknownOutcomeEndsSessionsAsAFailedStore(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	session := holdOneMessage(t, s)
	disk, ok := s.Store.Engine.(*storagetest.Memory)
	if !ok {
		t.Fatal("the engine is not the one in memory")
	}
	disk.FailNext(storagetest.Fault{Err: storage.ErrUnknown})
	session.send(ack(1, 1, 1))
	checkStatus(t, session.end(), codes.Unavailable, "STORE_UNAVAILABLE", "")
	if err := s.Wait(); !errors.Is(err, storage.ErrUnknown) {
		t.Fatalf("Serve returned %v", err)
	}
}

func TestAStoreThatFailsDuringTheDrainIsTold(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	session := holdOneMessage(t, s)
	s.BeginDrain()
	session.await(func(r *headracev1.SubscribeResponse) bool { return r.GetGoAway() != nil })
	disk, ok := s.Store.Engine.(*storagetest.Memory)
	if !ok {
		t.Fatal("the engine is not the one in memory")
	}
	disk.FailNext(storagetest.Fault{Err: storage.ErrUnknown})
	session.send(ack(1, 1, 1))
	if err := session.end(); err == nil {
		t.Error("the session ended well")
	}
	if err := s.Wait(); !errors.Is(err, storage.ErrUnknown) {
		t.Errorf("Serve returned %v", err)
	}
}

// holdOneMessage opens a session that holds one message, unsettled.
func holdOneMessage(t *testing.T, s *servertest.Server) *subscribeStub {
	t.Helper()
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	s.Publish("orders", numberedMessages(1, 1)...)
	session := openSubscribe(t, s, open.GetOpen())
	session.nextBatch()
	return session
}

// checkFirstAttempt starts a server over the store of one that has stopped, and
// expects the message to come as if it had never been delivered.
func checkFirstAttempt(t *testing.T, stopped *servertest.Server, home storagetest.StoreHome) {
	t.Helper()
	stopped.Store.Stop()
	s := servertest.Start(t, servertest.Options{Home: home})
	session := openSubscribe(t, s, open.GetOpen())
	if b := session.nextBatch(); len(b.GetMessages()) != 1 || len(b.GetAttempts()) > 0 {
		t.Errorf("after the restart: %v", b)
	}
	session.finish()
}
