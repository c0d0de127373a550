package server_test

import (
	"fmt"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

// peekAll pages through a partition of billing, and gives the offsets with a mark behind
// what is acked, and the most bytes that an answer had.
func peekAll(t *testing.T, s *servertest.Server, r *headracev1.PeekSubscriptionRequest) (offsets []string, largest int) {
	t.Helper()
	r.Subscription = "billing"
	for {
		page, err := s.Subscriptions.PeekSubscription(bounded(t), r)
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, proto.Size(page))
		for _, m := range page.GetMessages() {
			mark := ""
			if m.GetAcked() {
				mark = "+"
			}
			offsets = append(offsets, fmt.Sprintf("%d%s", m.GetPosition().GetOffset(), mark))
		}
		if page.NextOffset == nil {
			return offsets, largest
		}
		r.FromOffset = page.GetNextOffset()
	}
}

// TestAPeekTakesNothing: it shows what is not acked, held or not, in order and within its
// bounds, and costs no delivery and no attempt.
func TestAPeekTakesNothing(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("billing", "orders")
	for i := range 6 {
		s.Publish("orders", &headracev1.Message{Data: fmt.Appendf(nil, "order %d", i), OrderingKey: "key"})
	}
	c := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "billing", Window: &headracev1.SubscribeRequest_Window{Messages: new(uint64(4)), Bytes: new(uint64(1 << 20))}})
	for c.received < 4 {
		c.nextBatch()
	}
	c.send(settling(1, 2, headracev1.Verdict_VERDICT_ACK, "", ""))
	c.awaitConfirmed(1)
	for name, look := range map[string]struct {
		request *headracev1.PeekSubscriptionRequest
		want    string
	}{
		"everything that is not acked": {&headracev1.PeekSubscriptionRequest{}, "[0 2 3 4 5]"},
		"one a page":                   {&headracev1.PeekSubscriptionRequest{MaxMessages: 1}, "[0 2 3 4 5]"},
		"from an offset":               {&headracev1.PeekSubscriptionRequest{FromOffset: 3}, "[3 4 5]"},
		"the acked ones, too":          {&headracev1.PeekSubscriptionRequest{IncludeAcked: true}, "[0 1+ 2 3 4 5]"},
		"past the end":                 {&headracev1.PeekSubscriptionRequest{FromOffset: 99}, "[]"},
		"the own partition":            {&headracev1.PeekSubscriptionRequest{Partition: 65_535}, "[]"},
	} {
		if got, _ := peekAll(t, s, look.request); fmt.Sprint(got) != look.want {
			t.Errorf("%s: %v, want %s", name, got, look.want)
		}
	}
	page, err := s.Subscriptions.PeekSubscription(bounded(t), &headracev1.PeekSubscriptionRequest{Subscription: "billing", MaxMessages: 1})
	if err != nil {
		t.Fatal(err)
	}
	first := page.GetMessages()[0]
	if m := first.GetMessage(); string(m.GetData()) != "order 0" || m.GetMessageId() != "0-0" || m.GetOrderingKey() != "key" ||
		m.GetPublishTime() == nil || first.GetLogTime() == nil || first.GetMessageBytes() == 0 {
		t.Errorf("%v", first)
	}
	stats, err := s.Subscriptions.GetSubscriptionStats(bounded(t), &headracev1.GetSubscriptionStatsRequest{Subscription: "billing"})
	if got := stats.GetStats(); err != nil || got.GetRedelivered() != 0 || got.GetBacklog().GetMessages() != 5 {
		t.Errorf("%v, %v", got, err)
	}
	c.finish()
}

// TestAPeekFitsItsFrame: answers stay within max_bytes, and a message that does not fit
// by itself is named without its body.
func TestAPeekFitsItsFrame(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("billing", "orders")
	for _, size := range []int{300, 300, 5000, 300} {
		s.Publish("orders", &headracev1.Message{Data: make([]byte, size)})
	}
	got, largest := peekAll(t, s, &headracev1.PeekSubscriptionRequest{MaxBytes: 800})
	if fmt.Sprint(got) != "[0 1 2 3]" || largest > 800 {
		t.Errorf("%v, an answer of %d bytes", got, largest)
	}
	page, err := s.Subscriptions.PeekSubscription(bounded(t), &headracev1.PeekSubscriptionRequest{
		Subscription: "billing", FromOffset: 2, MaxBytes: 800,
	})
	if err != nil || page.GetMessages()[0].GetMessage() != nil || page.GetMessages()[0].GetMessageBytes() < 5000 {
		t.Errorf("%v, %v", page, err)
	}
}

func TestPeeksThatAreRefused(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("billing", "orders")
	for name, c := range map[string]struct {
		request       *headracev1.PeekSubscriptionRequest
		code          codes.Code
		reason, field string
	}{
		"no name":           {&headracev1.PeekSubscriptionRequest{}, codes.InvalidArgument, "INVALID_NAME", "subscription"},
		"nobody":            {&headracev1.PeekSubscriptionRequest{Subscription: "nobody"}, codes.NotFound, "SUBSCRIPTION_NOT_FOUND", ""},
		"no such partition": {&headracev1.PeekSubscriptionRequest{Subscription: "billing", Partition: 1}, codes.NotFound, "PARTITION_NOT_FOUND", ""},
		"a huge partition":  {&headracev1.PeekSubscriptionRequest{Subscription: "billing", Partition: 1 << 20}, codes.InvalidArgument, "INVALID_FIELD", "partition"},
		"1,001 messages":    {&headracev1.PeekSubscriptionRequest{Subscription: "billing", MaxMessages: 1001}, codes.InvalidArgument, "INVALID_FIELD", "max_messages"},
		"4 MiB":             {&headracev1.PeekSubscriptionRequest{Subscription: "billing", MaxBytes: 4 << 20}, codes.InvalidArgument, "INVALID_FIELD", "max_bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Subscriptions.PeekSubscription(bounded(t), c.request)
			checkStatus(t, err, c.code, c.reason, c.field)
		})
	}
}
