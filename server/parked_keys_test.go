package server_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage/storagetest"
)

func parks(sub *headracev1.Subscription) {
	sub.KeyFailurePolicy = headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_PARK_KEY
}

func parkedKeys(t *testing.T, s *servertest.Server, pageSize uint32) (all []*headracev1.ParkedKey) {
	t.Helper()
	r := &headracev1.ListParkedKeysRequest{Subscription: "workers", PageSize: pageSize}
	for {
		page, err := s.Subscriptions.ListParkedKeys(bounded(t), r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.GetParkedKeys()...)
		if r.PageToken = page.GetNextPageToken(); r.GetPageToken() == "" {
			return all
		}
	}
}

func releaseParked(t *testing.T, s *servertest.Server, r *headracev1.ReleaseParkedKeysRequest) uint64 {
	t.Helper()
	r.Subscription = "workers"
	answer, err := s.Subscriptions.ReleaseParkedKeys(bounded(t), r)
	if err != nil {
		t.Fatal(err)
	}
	return answer.GetReleased()
}

// TestAParkedKeyWaitsThroughARestartUntilItIsReleased: its head is a dead letter, the
// others go on, and what is released stays so.
func TestAParkedKeyWaitsThroughARestartUntilItIsReleased(t *testing.T) {
	home := storagetest.MemoryHome()
	before := time.Now().Add(-time.Second)
	t.Run("parked", func(t *testing.T) {
		s := keyedServer(t, home, parks)
		s.Publish("orders", keyedMessages("a", "a", "b", "a")...)
		c := openKeyed(t, s, false)
		c.wantData("a:1", "b:1")
		c.send(settling(1, 1, headracev1.Verdict_VERDICT_REJECT, "BAD", "no such account"))
		c.awaitConfirmed(1)
		checkParked(t, s, before)
		c.finish()
	})
	t.Run("released", func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{Home: home})
		c := openKeyed(t, s, false)
		first := c.wantData("b:1")
		c.send(ack(1, first, first))
		c.awaitConfirmed(1)
		checkParked(t, s, before)
		if stats := subscriptionStats(t, s, "workers"); stats.GetParkedKeys() != 1 {
			t.Errorf("stats: %v", stats)
		}
		for _, name := range []string{"headrace_parked_keys", "headrace_dead_letters", "headrace_dead_lettered_total"} {
			if n := metricOf(t, s, name, "subscription", "default/workers"); n != 1 {
				t.Errorf("%s is %v", name, n)
			}
		}
		if n := releaseParked(t, s, &headracev1.ReleaseParkedKeysRequest{OrderingKeys: []string{"b", "a"}}); n != 1 {
			t.Errorf("%d released", n)
		}
		if n := metricOf(t, s, "headrace_parked_keys", "subscription", "default/workers"); n != 0 {
			t.Errorf("%v keys are parked after the release", n)
		}
		c.wantData("a:2")
		c.finish()
	})
	s := servertest.Start(t, servertest.Options{Home: home})
	if all := parkedKeys(t, s, 0); len(all) > 0 {
		t.Errorf("parked after the release: %v", all)
	}
	openKeyed(t, s, false).wantData("a:2")
}

func checkParked(t *testing.T, s *servertest.Server, since time.Time) {
	t.Helper()
	all := parkedKeys(t, s, 0)
	if len(all) != 1 || all[0].GetOrderingKey() != "a" || all[0].GetKeyHash() == 0 || all[0].GetParkTime().AsTime().Before(since) {
		t.Fatalf("parked: %v", all)
	}
}

func TestParkedKeysAreListedInPagesAndReleasedByPartitionOrAll(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopicWith(&headracev1.Topic{Name: "orders", Partitions: 3})
	sub := &headracev1.Subscription{Name: "workers", Topic: "orders", Order: headracev1.DeliveryOrder_DELIVERY_ORDER_KEY}
	parks(sub)
	s.CreateSubscriptionWith(sub)
	var keys []string
	for i := range 20 {
		keys = append(keys, fmt.Sprintf("key-%d", i))
	}
	s.Publish("orders", keyedMessages(keys...)...)
	c := openKeyed(t, s, false)
	for c.received < 20 {
		c.nextBatch()
	}
	c.send(settle(&headracev1.SubscribeRequest_Settle{
		Number: 1, Ranges: sequences(1, 20), Verdict: headracev1.Verdict_VERDICT_REJECT,
	}))
	c.awaitConfirmed(1)
	var listed []string
	inPartition := uint64(0)
	for _, k := range parkedKeys(t, s, 3) {
		listed = append(listed, k.GetOrderingKey())
		if k.GetPartition() == 1 {
			inPartition++
		}
	}
	slices.Sort(listed)
	slices.Sort(keys)
	if !slices.Equal(listed, keys) {
		t.Errorf("listed %v", listed)
	}
	if n := releaseParked(t, s, &headracev1.ReleaseParkedKeysRequest{Partitions: []uint32{1}}); n != inPartition || n == 0 {
		t.Errorf("%d of %d released", n, inPartition)
	}
	if n := releaseParked(t, s, &headracev1.ReleaseParkedKeysRequest{All: true}); n != 20-inPartition {
		t.Errorf("%d of %d released", n, 20-inPartition)
	}
	if n := releaseParked(t, s, &headracev1.ReleaseParkedKeysRequest{All: true}); n != 0 {
		t.Errorf("%d released twice", n)
	}
	c.finish()
}

func TestAReleaseThatIsNotOneIsRefused(t *testing.T) {
	s := keyedServer(t, nil, nil)
	s.CreateSubscription("plain", "orders")
	for name, c := range map[string]struct {
		request *headracev1.ReleaseParkedKeysRequest
		field   string
	}{
		"nothing":          {&headracev1.ReleaseParkedKeysRequest{}, "ordering_keys, partitions, all"},
		"two ways":         {&headracev1.ReleaseParkedKeysRequest{All: true, OrderingKeys: []string{"a"}}, "ordering_keys, partitions, all"},
		"too many":         {&headracev1.ReleaseParkedKeysRequest{OrderingKeys: make([]string, 1001)}, "ordering_keys"},
		"an empty key":     {&headracev1.ReleaseParkedKeysRequest{OrderingKeys: []string{""}}, "ordering_keys"},
		"a partition more": {&headracev1.ReleaseParkedKeysRequest{Partitions: []uint32{1}}, "partitions"},
		"keys of none":     {&headracev1.ReleaseParkedKeysRequest{Subscription: "plain", OrderingKeys: []string{"a"}}, "ordering_keys"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.request.GetSubscription() == "" {
				c.request.Subscription = "workers"
			}
			_, err := s.Subscriptions.ReleaseParkedKeys(bounded(t), c.request)
			checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", c.field)
		})
	}
	_, err := s.Subscriptions.ReleaseParkedKeys(bounded(t), &headracev1.ReleaseParkedKeysRequest{Subscription: "missing", All: true})
	checkStatus(t, err, codes.NotFound, "SUBSCRIPTION_NOT_FOUND", "")
	_, err = s.Subscriptions.ListParkedKeys(bounded(t), &headracev1.ListParkedKeysRequest{Subscription: "workers", PageSize: 1001})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "page_size")
	_, err = s.Subscriptions.ListParkedKeys(bounded(t), &headracev1.ListParkedKeysRequest{Subscription: "workers", PageToken: "?"})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "page_token")
}

func TestAParkedPartitionIsReleasedByItsNumber(t *testing.T) {
	s := keyedServer(t, nil, func(sub *headracev1.Subscription) {
		sub.Mode, sub.Order = headracev1.SubscriptionMode_SUBSCRIPTION_MODE_EXCLUSIVE, headracev1.DeliveryOrder_DELIVERY_ORDER_PARTITION
		parks(sub)
	})
	s.Publish("orders", keyedMessages("", "")...)
	c := openKeyed(t, s, false)
	c.wantData(":1")
	c.send(settling(1, 1, headracev1.Verdict_VERDICT_REJECT, "", ""))
	c.awaitConfirmed(1)
	if all := parkedKeys(t, s, 0); len(all) != 1 || all[0].GetOrderingKey() != "" || all[0].GetKeyHash() != 0 {
		t.Errorf("parked: %v", all)
	}
	if n := releaseParked(t, s, &headracev1.ReleaseParkedKeysRequest{Partitions: []uint32{0}}); n != 1 {
		t.Errorf("%d released", n)
	}
	c.wantData(":2")
	c.finish()
}

// TestASeekReleasesParkedKeys: also for good, over a restart.
func TestASeekReleasesParkedKeys(t *testing.T) {
	home := storagetest.MemoryHome()
	t.Run("sought", func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{Home: home})
		s.CreateTopicWith(&headracev1.Topic{Name: "orders", Retention: &headracev1.Retention{KeepSettled: durationOf(time.Hour)}})
		sub := &headracev1.Subscription{Name: "workers", Topic: "orders", Order: headracev1.DeliveryOrder_DELIVERY_ORDER_KEY}
		parks(sub)
		s.CreateSubscriptionWith(sub)
		s.Publish("orders", keyedMessages("a", "a")...)
		c := openKeyed(t, s, false)
		c.wantData("a:1")
		c.send(settling(1, 1, headracev1.Verdict_VERDICT_REJECT, "", ""))
		c.awaitConfirmed(1)
		seek := &headracev1.SeekSubscriptionRequest{Subscription: "workers", Target: seekToStart}
		if _, err := s.Subscriptions.SeekSubscription(bounded(t), seek); err != nil {
			t.Fatal(err)
		}
		first := c.wantData("a:1")
		if all := parkedKeys(t, s, 0); len(all) > 0 {
			t.Errorf("parked: %v", all)
		}
		c.send(ack(2, first, first))
		c.wantData("a:2")
		c.finish()
	})
	s := servertest.Start(t, servertest.Options{Home: home})
	if all := parkedKeys(t, s, 0); len(all) > 0 {
		t.Errorf("parked after a restart: %v", all)
	}
	openKeyed(t, s, false).wantData("a:2")
}
