package server_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage/shardlog"
)

// controlled is a server for tests, with the stub that controls it.
type controlled struct {
	*servertest.Server
	headracev1.TestControlServiceClient
}

// startControlled starts a server whose clock can be moved.
func startControlled(t *testing.T) controlled {
	t.Helper()
	var ahead atomic.Int64
	clock := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	s := servertest.Start(t, servertest.Options{
		Store:  shardlog.Options{Clock: clock},
		Broker: broker.Config{Clock: clock},
		Server: server.Config{TestControl: &server.TestControl{AdvanceWall: func(d time.Duration) { ahead.Add(int64(d)) }}},
	})
	return controlled{s, headracev1.NewTestControlServiceClient(s.Conn)}
}

func (c controlled) inject(t *testing.T, r *headracev1.InjectFaultRequest) {
	t.Helper()
	if _, err := c.InjectFault(bounded(t), r); err != nil {
		t.Fatal(err)
	}
}

// delay delays calls or frames of a method.
func delay(method string, by time.Duration, frames bool) *headracev1.InjectFaultRequest {
	return &headracev1.InjectFaultRequest{Method: method, Fault: &headracev1.InjectFaultRequest_Delay_{
		Delay: &headracev1.InjectFaultRequest_Delay{By: durationpb.New(by), EachFrame: frames},
	}}
}

// refusal refuses calls of a method.
func refusal(method string, times uint32, reason headracev1.ErrorReason) *headracev1.InjectFaultRequest {
	return &headracev1.InjectFaultRequest{Method: method, Times: times, Fault: &headracev1.InjectFaultRequest_Refusal_{
		Refusal: &headracev1.InjectFaultRequest_Refusal{Reason: reason},
	}}
}

func (c controlled) publishOne(t *testing.T) error {
	t.Helper()
	_, err := c.Publisher.Publish(bounded(t), &headracev1.PublishRequest{Topic: "orders", Messages: numberedMessages(1, 1)})
	return err
}

func TestAServerThatIsNotForTestsHasNoTestControl(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	_, err := headracev1.NewTestControlServiceClient(s.Conn).ClearFaults(bounded(t), &headracev1.ClearFaultsRequest{})
	if status.Code(err) != codes.Unimplemented {
		t.Errorf("%v, want UNIMPLEMENTED", err)
	}
}

func TestAdvanceClockEndsALeaseAndTellsHowFarAheadItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startControlled(t)
		session := hoard(t, s.Server, 1, resumable())
		session.send(started(sequences(1, 1)...))
		synctest.Wait()
		for hour := range 2 {
			r, err := s.AdvanceClock(bounded(t), &headracev1.AdvanceClockRequest{By: durationpb.New(time.Hour)})
			if err != nil {
				t.Fatal(err)
			}
			if want := time.Duration(hour+1) * time.Hour; r.GetAhead().AsDuration() != want {
				t.Errorf("ahead by %v, want %v", r.GetAhead().AsDuration(), want)
			}
		}
		session.nextBatch()
		if stats := subscriptionStats(t, s.Server, "workers"); stats.GetExpired() != 1 || len(stats.GetSessions()) != 1 {
			t.Errorf("after two hours: %v", stats)
		}
	})
}

func TestARefusalMeetsAsManyCallsAsItSays(t *testing.T) {
	s := startControlled(t)
	s.CreateTopic("orders")
	s.inject(t, refusal("PublisherService/Publish", 2, headracev1.ErrorReason_ERROR_REASON_DISK_FULL))
	for range 2 {
		checkStatus(t, s.publishOne(t), codes.ResourceExhausted, "DISK_FULL", "")
	}
	if err := s.publishOne(t); err != nil {
		t.Errorf("the third call: %v", err)
	}
}

func TestFaultsLastUntilTheyAreCleared(t *testing.T) {
	s := startControlled(t)
	s.CreateTopic("orders")
	s.inject(t, refusal("", 0, headracev1.ErrorReason_ERROR_REASON_STARTING))
	for range 3 {
		checkStatus(t, s.publishOne(t), codes.Unavailable, "STARTING", "")
	}
	if err := dialPublish(t, s.Server).end(); errorInfo(err).GetReason() != "STARTING" {
		t.Errorf("a stream: %v", err)
	}
	if _, err := s.ClearFaults(bounded(t), &headracev1.ClearFaultsRequest{}); err != nil {
		t.Fatal(err)
	}
	if err := s.publishOne(t); err != nil {
		t.Errorf("after ClearFaults: %v", err)
	}
}

func TestADelayMakesCallsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startControlled(t)
		s.CreateTopic("orders")
		s.inject(t, delay("PublisherService", 3*time.Second, false))
		s.inject(t, delay("", 2*time.Second, false))
		began := time.Now()
		if err := s.publishOne(t); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began).Truncate(time.Second); took != 5*time.Second {
			t.Errorf("took %v, want 5 s", took)
		}
	})
}

func TestADelayOfFramesTouchesStreamsThatAreOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startControlled(t)
		s.CreateTopic("orders")
		p := openPublish(t, s.Server)
		s.inject(t, delay("PublisherService/PublishStream", 4*time.Second, true))
		began := time.Now()
		p.send(batch("orders", 1, numberedMessages(1, 1)...))
		p.await(1)
		if took := time.Since(began).Truncate(time.Second); took != 4*time.Second {
			t.Errorf("the result took %v, want 4 s", took)
		}
		if _, err := s.ClearFaults(bounded(t), &headracev1.ClearFaultsRequest{}); err != nil {
			t.Fatal(err)
		}
		p.finish()
	})
}

func TestADroppedStreamLooksLikeABrokenConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startControlled(t)
		session := hoard(t, s.Server, 2, resumable())
		publisher := openPublish(t, s.Server)
		r, err := s.DropStreams(bounded(t), &headracev1.DropStreamsRequest{Method: "SubscriberService/Subscribe"})
		if err != nil || r.GetStreams() != 1 {
			t.Fatalf("dropped %v, %v", r, err)
		}
		if _, err := session.stream.Recv(); status.Code(err) != codes.Unavailable || errorInfo(err) != nil {
			t.Errorf("the stream ended with %v", err)
		}
		again := comeBack(t, s.Server, session, 1)
		if kept := again.opened.GetResumed().GetKept(); len(kept) != 1 || kept[0].GetLast() != 2 {
			t.Errorf("the session kept %v", kept)
		}
		publisher.finish() // it was none of those
		again.send(ack(1, 1, 2))
		again.awaitConfirmed(1)
		again.finish()
	})
}

func TestTestControlRefusesWhatCannotBe(t *testing.T) {
	s := startControlled(t)
	for name, call := range map[string]func() error{
		"method": func() error {
			_, err := s.InjectFault(bounded(t), delay("PublisherService/Nothing", time.Second, false))
			return err
		},
		"refusal.reason": func() error {
			_, err := s.InjectFault(bounded(t), refusal("", 1, headracev1.ErrorReason_ERROR_REASON_LEASE_CAPPED))
			return err
		},
		"delay.by": func() error {
			_, err := s.InjectFault(bounded(t), delay("", maxTestDelay+1, false))
			return err
		},
		"fault": func() error {
			_, err := s.InjectFault(bounded(t), &headracev1.InjectFaultRequest{})
			return err
		},
		"by": func() error {
			_, err := s.AdvanceClock(bounded(t), &headracev1.AdvanceClockRequest{By: durationpb.New(-1)})
			return err
		},
	} {
		checkStatus(t, call(), codes.InvalidArgument, "INVALID_FIELD", name)
	}
	_, err := s.DropStreams(bounded(t), &headracev1.DropStreamsRequest{Method: "TestControlService"})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "method")
}

// maxTestDelay is the longest delay that may be injected.
const maxTestDelay = time.Hour
