package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

func TestANewSubscriptionHasItsDefaultsFilledIn(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	got := s.CreateSubscription("workers", "orders")
	if got.GetCreateTime() == nil {
		t.Error("no create time")
	}
	got.CreateTime = nil
	checkProto(t, &headracev1.Subscription{
		Name: "default/workers", Topic: "default/orders",
		Mode:      headracev1.SubscriptionMode_SUBSCRIPTION_MODE_SHARED,
		Order:     headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
		Guarantee: headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_AT_LEAST_ONCE,
		Lease:     durationpb.New(30 * time.Second),
		MaxLease:  durationpb.New(time.Hour),

		ResumeWindow: durationpb.New(30 * time.Second),
		Retry: &headracev1.RetryPolicy{
			MinBackoff: durationpb.New(time.Second), MaxBackoff: durationpb.New(10 * time.Minute),
			MaxAttempts: proto.Uint32(16), MaxDeliveries: proto.Uint32(100),
		},
		MaxOutstanding: &headracev1.Amount{Messages: 100_000, Bytes: 1 << 30},
		State:          headracev1.ResourceState_RESOURCE_STATE_ACTIVE,
		Generation:     1,
	}, got)
}

func TestALongLeaseRaisesTheLongestLease(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	got := s.CreateSubscriptionWith(&headracev1.Subscription{
		Name: "workers", Topic: "orders", Lease: durationpb.New(2 * time.Hour),
	})
	if got.GetMaxLease().AsDuration() != 2*time.Hour {
		t.Errorf("max_lease = %v", got.GetMaxLease().AsDuration())
	}
}

func TestSubscriptionsThatCannotBeCreated(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	for name, c := range map[string]struct {
		change        func(*headracev1.Subscription)
		reason, field string
	}{
		"no name":           {func(s *headracev1.Subscription) { s.Name = "" }, "INVALID_NAME", "name"},
		"no topic":          {func(s *headracev1.Subscription) { s.Topic = "" }, "INVALID_NAME", "topic"},
		"a shared order":    {func(s *headracev1.Subscription) { s.Order = 3 }, "INVALID_FIELD", "order"},
		"a policy, no keys": {func(s *headracev1.Subscription) { s.KeyFailurePolicy = 1 }, "INVALID_FIELD", "key_failure_policy"},
		"an unknown policy": {func(s *headracev1.Subscription) { s.KeyFailurePolicy = 9 }, "INVALID_FIELD", "key_failure_policy"},
		"an unknown order":  {func(s *headracev1.Subscription) { s.Order = 9 }, "INVALID_FIELD", "order"},
		"an unknown mode":   {func(s *headracev1.Subscription) { s.Mode = 9 }, "INVALID_FIELD", "mode"},
		"a short lease":     {func(s *headracev1.Subscription) { s.Lease = durationpb.New(time.Second - 1) }, "INVALID_FIELD", "lease"},
		"a long lease":      {func(s *headracev1.Subscription) { s.MaxLease = durationpb.New(12*time.Hour + 1) }, "INVALID_FIELD", "max_lease"},
		"a lease past the longest": {func(s *headracev1.Subscription) {
			s.Lease, s.MaxLease = durationpb.New(2*time.Second), durationpb.New(time.Second)
		}, "INVALID_FIELD", "max_lease"},
		"a short backoff": {func(s *headracev1.Subscription) {
			s.Retry = &headracev1.RetryPolicy{MinBackoff: durationpb.New(time.Millisecond)}
		}, "INVALID_FIELD", "retry.min_backoff"},
		"a backoff that shrinks": {func(s *headracev1.Subscription) {
			s.Retry = &headracev1.RetryPolicy{MinBackoff: durationpb.New(2 * time.Second), MaxBackoff: durationpb.New(time.Second)}
		}, "INVALID_FIELD", "retry.max_backoff"},
		"too many attempts": {func(s *headracev1.Subscription) {
			s.Retry = &headracev1.RetryPolicy{MaxAttempts: proto.Uint32(1001)}
		}, "INVALID_FIELD", "retry.max_attempts"},
		"too many deliveries": {func(s *headracev1.Subscription) {
			s.Retry = &headracev1.RetryPolicy{MaxDeliveries: proto.Uint32(1001)}
		}, "INVALID_FIELD", "retry.max_deliveries"},
		"nothing outstanding": {func(s *headracev1.Subscription) { s.MaxOutstanding = &headracev1.Amount{Bytes: 1} }, "INVALID_FIELD", "max_outstanding"},
		"a generation":        {func(s *headracev1.Subscription) { s.Generation = 1 }, "INVALID_FIELD", "create_time, state, generation"},
		"65 labels":           {func(s *headracev1.Subscription) { s.Labels = manyLabels(65) }, "INVALID_FIELD", "labels"},
	} {
		t.Run(name, func(t *testing.T) {
			subscription := &headracev1.Subscription{
				Name: "workers", Topic: "orders", Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
			}
			c.change(subscription)
			_, err := s.Subscriptions.CreateSubscription(bounded(t), &headracev1.CreateSubscriptionRequest{Subscription: subscription})
			checkStatus(t, err, codes.InvalidArgument, c.reason, c.field)
		})
	}
	_, err := s.Subscriptions.CreateSubscription(bounded(t), &headracev1.CreateSubscriptionRequest{
		Subscription: &headracev1.Subscription{Name: "workers", Topic: "missing", Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE},
	})
	checkStatus(t, err, codes.NotFound, "TOPIC_NOT_FOUND", "")
}

func TestWhereANewSubscriptionBegins(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopicWith(&headracev1.Topic{Name: "orders", Partitions: 2})
	s.Publish("orders", &headracev1.Message{OrderingKey: "a"}, &headracev1.Message{OrderingKey: "a"}, &headracev1.Message{OrderingKey: "a"})
	full := uint32(0)
	if stats := topicStats(t, s, "orders"); stats.GetPartitions()[1].GetNextOffset() > 0 {
		full = 1
	}
	for name, c := range map[string]struct {
		start   *headracev1.StartPosition
		backlog uint64
	}{
		"default":  {nil, 0},
		"latest":   {&headracev1.StartPosition{Position: &headracev1.StartPosition_Latest{Latest: true}}, 0},
		"earliest": {&headracev1.StartPosition{Position: &headracev1.StartPosition_Earliest{Earliest: true}}, 3},
		"long-ago": {&headracev1.StartPosition{Position: &headracev1.StartPosition_Time{Time: timestamppb.New(time.Unix(0, 0))}}, 3},
		"offset-1": {startAt(&headracev1.Position{Partition: full, Offset: 1}), 2},
	} {
		_, err := s.Subscriptions.CreateSubscription(bounded(t), &headracev1.CreateSubscriptionRequest{
			Subscription: &headracev1.Subscription{Name: name, Topic: "orders", Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE},
			Start:        c.start,
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := subscriptionStats(t, s, name).GetBacklog().GetMessages(); got != c.backlog {
			t.Errorf("%s: backlog %d, want %d", name, got, c.backlog)
		}
	}
	for name, c := range map[string]struct {
		start  *headracev1.StartPosition
		code   codes.Code
		reason string
		field  string
	}{
		"latest false":      {&headracev1.StartPosition{Position: &headracev1.StartPosition_Latest{}}, codes.InvalidArgument, "INVALID_FIELD", "start.latest"},
		"earliest false":    {&headracev1.StartPosition{Position: &headracev1.StartPosition_Earliest{}}, codes.InvalidArgument, "INVALID_FIELD", "start.earliest"},
		"no time":           {&headracev1.StartPosition{Position: &headracev1.StartPosition_Time{Time: &timestamppb.Timestamp{Nanos: -1}}}, codes.InvalidArgument, "INVALID_FIELD", "start.time"},
		"partition 256":     {startAt(&headracev1.Position{Partition: 256}), codes.InvalidArgument, "INVALID_FIELD", "start.offsets"},
		"a partition twice": {startAt(&headracev1.Position{}, &headracev1.Position{}), codes.InvalidArgument, "INVALID_FIELD", "start.offsets"},
		"partition 2":       {startAt(&headracev1.Position{Partition: 2}), codes.OutOfRange, "POSITION_OUT_OF_RANGE", ""},
		"past the end":      {startAt(&headracev1.Position{Partition: full, Offset: 4}), codes.OutOfRange, "POSITION_OUT_OF_RANGE", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Subscriptions.CreateSubscription(bounded(t), &headracev1.CreateSubscriptionRequest{
				Subscription: &headracev1.Subscription{Name: "refused", Topic: "orders", Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE},
				Start:        c.start,
			})
			checkStatus(t, err, c.code, c.reason, c.field)
		})
	}
}

func TestASubscriptionsUpdateReachesItsSessions(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	session := openSubscribe(t, s, open.GetOpen())
	got, err := s.Subscriptions.UpdateSubscription(bounded(t), &headracev1.UpdateSubscriptionRequest{
		Subscription: &headracev1.Subscription{
			Name: "workers", MaxOutstanding: &headracev1.Amount{Messages: 7, Bytes: 1000}, Lease: durationpb.New(2 * time.Hour),
		},
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"max_outstanding", "max_lease", "lease"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if u := got.GetSubscription(); u.GetMaxOutstanding().GetMessages() != 7 || u.GetMaxLease().AsDuration() != 2*time.Hour {
		t.Errorf("updated to %v", u)
	}
	limits := session.await(func(r *headracev1.SubscribeResponse) bool { return r.GetFlowState().GetLimits() != nil })
	if limits.GetFlowState().GetLimits().GetSubscriptionMaxOutstanding().GetMessages() != 7 {
		t.Errorf("the session was told %v", limits)
	}
	session.finish()
	for path, reason := range map[string]string{"mode": "INVALID_FIELD", "filter": "NOT_SERVED"} {
		_, err := s.Subscriptions.UpdateSubscription(bounded(t), &headracev1.UpdateSubscriptionRequest{
			Subscription: &headracev1.Subscription{Name: "workers"}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{path}},
		})
		if got := errorInfo(err).GetReason(); got != reason {
			t.Errorf("updating %s: %v, want %s", path, err, reason)
		}
	}
}

func TestSubscriptionsAreListedByTopic(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateTopic("parcels")
	s.CreateSubscription("workers", "orders")
	s.CreateSubscription("others", "parcels")
	page, err := s.Subscriptions.ListSubscriptions(bounded(t), &headracev1.ListSubscriptionsRequest{Topic: "orders"})
	if err != nil || len(page.GetSubscriptions()) != 1 || page.GetSubscriptions()[0].GetName() != "default/workers" {
		t.Fatalf("page = %v, %v", page, err)
	}
	got, err := s.Subscriptions.GetSubscription(bounded(t), &headracev1.GetSubscriptionRequest{Subscription: "workers"})
	if err != nil {
		t.Fatal(err)
	}
	checkProto(t, page.GetSubscriptions()[0], got.GetSubscription())
	_, err = s.Subscriptions.ListSubscriptions(bounded(t), &headracev1.ListSubscriptionsRequest{Topic: "no"})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_NAME", "topic")
}

func TestALargestPageFitsEveryClient(t *testing.T) {
	const subscriptions, labelsBytes = 1000, 2000
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	for i := range subscriptions {
		s.CreateSubscriptionWith(&headracev1.Subscription{
			Name: fmt.Sprintf("%s-%04d", strings.Repeat("w", 250), i), Topic: "orders",
			Labels: map[string]string{"k": strings.Repeat("v", 1000), "l": strings.Repeat("v", labelsBytes-1000)},
		})
	}
	page, err := s.Subscriptions.ListSubscriptions(bounded(t), &headracev1.ListSubscriptionsRequest{PageSize: subscriptions})
	if err != nil {
		t.Fatal(err)
	}
	checkFits(t, page)
	if n := len(page.GetSubscriptions()); n != subscriptions && page.GetNextPageToken() == "" {
		t.Errorf("%d subscriptions and no next page", n)
	}
}

func TestStatsOfSessions(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	session := holdOneMessage(t, s)
	stats := subscriptionStats(t, s, "workers")
	if len(stats.GetSessions()) != 1 || stats.GetSessions()[0].GetOutstanding().GetMessages() != 1 ||
		stats.GetOutstanding().GetMessages() != 1 || stats.GetBacklog().GetMessages() != 1 || stats.GetDelivered() != 1 ||
		stats.GetOldestUnackedAge() == nil || len(stats.GetPartitions()) != 1 {
		t.Errorf("stats = %v", stats)
	}
	if stats.GetSessions()[0].GetSession() == session.opened.GetSessionId() {
		t.Error("the stats show the session's secret id")
	}
	session.finish()
}

func startAt(positions ...*headracev1.Position) *headracev1.StartPosition {
	return &headracev1.StartPosition{Position: &headracev1.StartPosition_Offsets{
		Offsets: &headracev1.StartOffsets{Positions: positions},
	}}
}

func topicStats(t *testing.T, s *servertest.Server, name string) *headracev1.TopicStats {
	t.Helper()
	r, err := s.Topics.GetTopicStats(bounded(t), &headracev1.GetTopicStatsRequest{Topic: name})
	if err != nil {
		t.Fatal(err)
	}
	return r.GetStats()
}
