package server_test

import (
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

func TestADayOfHeartbeatsKeepsASessionAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		s.CreateTopic("orders")
		s.CreateSubscription("workers", "orders")
		session := openForHours(t, s, "workers")
		began := time.Now()
		for time.Since(began) < 24*time.Hour {
			flow := session.await(func(r *headracev1.SubscribeResponse) bool { return r.GetFlowState() != nil }).GetFlowState()
			if len(flow.GetBlockedBy()) == 0 || flow.GetBlockedBy()[0] != headracev1.BlockedBy_BLOCKED_BY_NO_MESSAGES {
				t.Fatalf("after %v: %v", time.Since(began), flow)
			}
			session.send(heartbeat())
		}
		session.finish()
	})
}

func TestASilentSessionEndsAfterThreeHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		s.CreateTopic("orders")
		s.CreateSubscription("workers", "orders")
		session := openForHours(t, s, "workers")
		began := time.Now()
		checkStatus(t, session.end(), codes.Unavailable, "SESSION_SILENT", "")
		if silent := time.Since(began); silent < 30*time.Second || silent > 31*time.Second {
			t.Errorf("ended after %v of silence", silent)
		}
	})
}

func TestASilentPublisherEndsAfterThreeHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		publisher := openPublish(t, s)
		heard := time.Now()
		for range 4 {
			for publisher.next().GetPublishWindow() == nil {
			}
			publisher.send(publishHeartbeat())
			heard = time.Now()
		}
		checkStatus(t, publisher.end(), codes.Unavailable, "SESSION_SILENT", "")
		if silent := time.Since(heard); silent < 30*time.Second || silent > 31*time.Second {
			t.Errorf("ended after %v of silence", silent)
		}
	})
}

func TestASlowReaderIsCutOffAndHurtsNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const messages, size = 64, 64 << 10
		s := servertest.Start(t, servertest.Options{Dial: []grpc.DialOption{grpc.WithStaticStreamWindowSize(64 << 10)}})
		s.CreateTopic("orders")
		s.CreateSubscription("slow", "orders")
		s.CreateSubscription("quick", "orders")
		slow := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "slow"})
		quick := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "quick"})
		began := time.Now()
		for range messages {
			s.Publish("orders", &headracev1.Message{Data: make([]byte, size)})
		}
		for next := uint64(1); next <= messages; {
			b := quick.nextBatch()
			next = b.GetFirstSequence() + uint64(len(b.GetMessages()))
		}
		quick.send(ack(1, 1, messages))
		quick.awaitConfirmed(1)
		if took := time.Since(began); took > time.Second {
			t.Errorf("the quick session took %v", took)
		}
		quick.finish()

		beat := time.NewTicker(10 * time.Second)
		defer beat.Stop()
		for range 12 {
			<-beat.C
			slow.send(heartbeat())
		}
		checkStatus(t, slow.end(), codes.ResourceExhausted, "SLOW_READER", "")
	})
}

func TestAPublisherThatDoesNotReadIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const batches, messages = 27, 300
		s := servertest.Start(t, servertest.Options{Dial: []grpc.DialOption{grpc.WithStaticStreamWindowSize(64 << 10)}})
		s.CreateTopic("orders")
		publisher := openPublish(t, s)
		bad := make([]*headracev1.Message, messages)
		for i := range bad {
			bad[i] = &headracev1.Message{Attributes: map[string]string{"": "x"}}
			if i%2 == 0 {
				bad[i] = &headracev1.Message{Ttl: durationpb.New(1)}
			}
		}
		beat := time.NewTicker(10 * time.Second)
		defer beat.Stop()
		for i := range uint64(batches) {
			publisher.send(batch("orders", 1+i*messages, bad...))
			<-beat.C
		}
		checkStatus(t, publisher.end(), codes.ResourceExhausted, "SLOW_READER", "")
	})
}

func TestTheMetricsTellHowLongASessionHasHadNoCredit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		session := holdOneMessage(t, s)
		session.send(window(1, 1<<20))
		time.Sleep(5 * time.Second) //nolint:forbidigo // in a bubble
		if got := metric(t, s, "headrace_without_credit_seconds"); got < 4 || got > 5 {
			t.Errorf("%v s without credit, want about 5", got)
		}
		session.send(window(2, 1<<20))
		time.Sleep(5 * time.Second) //nolint:forbidigo // in a bubble
		if got := metric(t, s, "headrace_without_credit_seconds"); got != 0 {
			t.Errorf("%v s without credit, want none", got)
		}
		session.finish()
	})
}

// metric is the value of a gauge of one resource.
func metric(t *testing.T, s *servertest.Server, name string) float64 {
	t.Helper()
	families, err := s.Metrics().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// openForHours opens a session without the deadline that other tests' streams have.
func openForHours(t *testing.T, s *servertest.Server, subscription string) *subscribeStub {
	t.Helper()
	stream, err := s.Subscriber.Subscribe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &subscribeStub{t: t, stream: stream}
	c.send(subscribeOpen(&headracev1.SubscribeRequest_Open{Subscription: subscription}))
	c.opened = c.next().GetOpened()
	return c
}
