package server_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

// blockedCase makes a session that is told of one reason why nothing comes.
type blockedCase struct {
	subscription *headracev1.Subscription
	open         *headracev1.SubscribeRequest_Open
	// messages are published before it opens.
	messages []*headracev1.Message
	// then happens when it is open.
	then func(t *testing.T, s *servertest.Server, c *subscribeStub)
}

// notSentYet are the reasons that belong to features to come.
var notSentYet = map[headracev1.BlockedBy]bool{
	headracev1.BlockedBy_BLOCKED_BY_UNSPECIFIED: true,
	headracev1.BlockedBy_BLOCKED_BY_DELAYED:     true,
}

func blockedWindow(messages, bytes uint64) *headracev1.SubscribeRequest_Window {
	return &headracev1.SubscribeRequest_Window{Messages: &messages, Bytes: &bytes}
}

// messagesOfOneKey have one ordering key.
func messagesOfOneKey(n int) []*headracev1.Message {
	all := numberedMessages(0, n)
	for _, m := range all {
		m.OrderingKey = "key"
	}
	return all
}

func large(n, size int) []*headracev1.Message {
	all := numberedMessages(0, n)
	for _, m := range all {
		m.Data = make([]byte, size)
	}
	return all
}

var blockedCases = map[headracev1.BlockedBy]blockedCase{
	headracev1.BlockedBy_BLOCKED_BY_NO_MESSAGES: {},
	headracev1.BlockedBy_BLOCKED_BY_NO_CREDIT_MESSAGES: {
		open: &headracev1.SubscribeRequest_Open{Window: blockedWindow(0, 1000)}, messages: numberedMessages(0, 1),
	},
	headracev1.BlockedBy_BLOCKED_BY_NO_CREDIT_BYTES: {
		open: &headracev1.SubscribeRequest_Open{Window: blockedWindow(10, 0)}, messages: numberedMessages(0, 1),
	},
	headracev1.BlockedBy_BLOCKED_BY_SUBSCRIPTION_CAP: {
		subscription: &headracev1.Subscription{MaxOutstanding: &headracev1.Amount{Messages: 1, Bytes: 1 << 20}},
		messages:     numberedMessages(0, 2),
	},
	headracev1.BlockedBy_BLOCKED_BY_CLIENT_CAP: {
		subscription: &headracev1.Subscription{ClientMaxOutstanding: &headracev1.Amount{Messages: 1}},
		open:         &headracev1.SubscribeRequest_Open{ClientId: "worker"},
		messages:     numberedMessages(0, 2),
	},
	headracev1.BlockedBy_BLOCKED_BY_KEYS_BLOCKED: {
		subscription: &headracev1.Subscription{Order: headracev1.DeliveryOrder_DELIVERY_ORDER_KEY},
		messages:     messagesOfOneKey(2),
	},
	headracev1.BlockedBy_BLOCKED_BY_RETRY_BACKOFF: {
		messages: numberedMessages(0, 1),
		then: func(_ *testing.T, _ *servertest.Server, c *subscribeStub) {
			c.nextBatch()
			retry := settling(1, 1, headracev1.Verdict_VERDICT_RETRY, "", "")
			retry.GetSettle().Delay = durationpb.New(time.Hour)
			c.send(retry)
		},
	},
	headracev1.BlockedBy_BLOCKED_BY_PAUSED: {subscription: &headracev1.Subscription{Paused: true}},
	headracev1.BlockedBy_BLOCKED_BY_RATE_LIMITED: {
		subscription: &headracev1.Subscription{DispatchCap: &headracev1.DispatchCap{MessagesPerSecond: 0.001}},
		messages:     numberedMessages(0, 2),
	},
	headracev1.BlockedBy_BLOCKED_BY_STANDBY: {
		subscription: &headracev1.Subscription{Mode: headracev1.SubscriptionMode_SUBSCRIPTION_MODE_FAILOVER},
		then: func(t *testing.T, s *servertest.Server, c *subscribeStub) {
			t.Helper()
			*c = *openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
		},
	},
	headracev1.BlockedBy_BLOCKED_BY_MESSAGE_TOO_LARGE: {
		open: &headracev1.SubscribeRequest_Open{MaxFrameBytes: 4096}, messages: large(1, 5000),
	},
	headracev1.BlockedBy_BLOCKED_BY_WRITE_STALLED: {
		messages: large(40, 200_000),
		then: func(*testing.T, *servertest.Server, *subscribeStub) {
			time.Sleep(5 * time.Second) //nolint:forbidigo // in a bubble: it does not read
		},
	},
	headracev1.BlockedBy_BLOCKED_BY_DRAINING: {
		messages: numberedMessages(0, 1),
		then: func(_ *testing.T, _ *servertest.Server, c *subscribeStub) {
			c.nextBatch()
			c.send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Drain_{
				Drain: &headracev1.SubscribeRequest_Drain{Grace: durationpb.New(time.Hour)},
			}})
		},
	},
}

// TestEveryReasonWhyNothingComesIsTold: each reason of the contract has a case that
// produces it on the wire, or belongs to a feature to come.
func TestEveryReasonWhyNothingComesIsTold(t *testing.T) {
	for number, name := range headracev1.BlockedBy_name {
		reason := headracev1.BlockedBy(number)
		x, ok := blockedCases[reason]
		if ok == notSentYet[reason] {
			t.Errorf("%s: has a case: %v, is sent: %v", name, ok, !notSentYet[reason])
		}
		if ok {
			t.Run(strings.TrimPrefix(name, "BLOCKED_BY_"), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { x.produce(t, reason) })
			})
		}
	}
}

// produce has the reason told, on the stream and in the statistics.
func (x *blockedCase) produce(t *testing.T, reason headracev1.BlockedBy) {
	t.Helper()
	s := startQuiet(t, servertest.Options{
		Dial: []grpc.DialOption{grpc.WithStaticStreamWindowSize(64 << 10), grpc.WithStaticConnWindowSize(1 << 20)},
	})
	s.CreateTopic("orders")
	subscription, open := x.subscription, x.open
	if subscription == nil {
		subscription = &headracev1.Subscription{}
	}
	if open == nil {
		open = &headracev1.SubscribeRequest_Open{}
	}
	subscription.Name, subscription.Topic, open.Subscription = "workers", "orders", "workers"
	s.CreateSubscriptionWith(subscription)
	for _, m := range x.messages {
		s.Publish("orders", m)
	}
	c := openSubscribe(t, s, open)
	if x.then != nil {
		x.then(t, s, c)
	}
	synctest.Wait()
	if !countsBlocked(t, s, strings.ToLower(strings.TrimPrefix(reason.String(), "BLOCKED_BY_"))) {
		t.Errorf("%v is not among the metrics", reason)
	}
	c.awaitBlocked(reason)
}

// countsBlocked says whether the metrics count sessions that wait for a reason.
func countsBlocked(t *testing.T, s *servertest.Server, reason string) bool {
	t.Helper()
	return metricOf(t, s, "headrace_blocked_sessions", "reason", reason) > 0
}

// metricOf is the value of a metric of the one resource that has the label, 0 when there
// is none.
func metricOf(t *testing.T, s *servertest.Server, name, label, value string) float64 {
	t.Helper()
	families, err := s.Metrics().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if f.GetName() == name && l.GetName() == label && l.GetValue() == value {
					return m.GetGauge().GetValue() + m.GetCounter().GetValue()
				}
			}
		}
	}
	return 0
}
