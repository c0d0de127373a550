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

// stockFrameBytes is what every client accepts.
const stockFrameBytes = 4<<20 - 64<<10

func TestANewTopicHasItsDefaultsFilledIn(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	got := s.CreateTopic("orders")
	if got.GetCreateTime() == nil {
		t.Error("no create time")
	}
	got.CreateTime = nil
	want := &headracev1.Topic{
		Name: "default/orders", Partitions: 1, Durability: headracev1.Durability_DURABILITY_SYNCED,
		Retention:       &headracev1.Retention{MinAge: durationpb.New(10 * time.Minute)},
		MaxMessageBytes: 1 << 20, State: headracev1.ResourceState_RESOURCE_STATE_ACTIVE,
		DedupeWindow: durationpb.New(10 * time.Minute), DedupeMaxIds: 1_000_000,
	}
	checkProto(t, want, got)
	read, err := s.Topics.GetTopic(bounded(t), &headracev1.GetTopicRequest{Topic: "orders"})
	if err != nil {
		t.Fatal(err)
	}
	read.Topic.CreateTime = nil
	checkProto(t, want, read.GetTopic())
}

func TestTopicsThatCannotBeCreated(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	for name, c := range map[string]struct {
		topic         *headracev1.Topic
		reason, field string
	}{
		"nothing":            {nil, "INVALID_NAME", "name"},
		"257 partitions":     {&headracev1.Topic{Name: "orders", Partitions: 257}, "INVALID_FIELD", "partitions"},
		"2^32-1 partitions":  {&headracev1.Topic{Name: "orders", Partitions: 1<<32 - 1}, "INVALID_FIELD", "partitions"},
		"8 days of window":   {&headracev1.Topic{Name: "orders", DedupeWindow: durationpb.New(8 * 24 * time.Hour)}, "INVALID_FIELD", "dedupe_window"},
		"too many ids":       {&headracev1.Topic{Name: "orders", DedupeMaxIds: 1_000_001}, "INVALID_FIELD", "dedupe_max_ids"},
		"a create time":      {&headracev1.Topic{Name: "orders", CreateTime: &timestamppb.Timestamp{}}, "INVALID_FIELD", "create_time, state"},
		"a state":            {&headracev1.Topic{Name: "orders", State: 2}, "INVALID_FIELD", "create_time, state"},
		"too large messages": {&headracev1.Topic{Name: "orders", MaxMessageBytes: 1<<20 + 1}, "INVALID_FIELD", "max_message_bytes"},
		"huge messages":      {&headracev1.Topic{Name: "orders", MaxMessageBytes: 1 << 63}, "INVALID_FIELD", "max_message_bytes"},
		"negative age":       {topicWithMinAge(-1), "INVALID_FIELD", "retention.min_age"},
		"negative keeping":   {topicThatKeeps(-1), "INVALID_FIELD", "retention.keep_settled"},
		"11 years of it":     {topicThatKeeps(11 * 365 * 24 * time.Hour), "INVALID_FIELD", "retention.keep_settled"},
		"65 labels":          {&headracev1.Topic{Name: "orders", Labels: manyLabels(65)}, "INVALID_FIELD", "labels"},
		"not served":         {&headracev1.Topic{Name: "orders", Spread: true}, "NOT_SERVED", "spread"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Topics.CreateTopic(bounded(t), &headracev1.CreateTopicRequest{Topic: c.topic})
			checkStatus(t, err, codes.InvalidArgument, c.reason, c.field)
		})
	}
}

func TestAnUpdateChangesWhatItsMaskNames(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	want := s.CreateTopicWith(&headracev1.Topic{Name: "orders", Labels: map[string]string{"team": "a"}})
	update := &headracev1.Topic{
		Name: "orders", Partitions: 9, Labels: map[string]string{"team": "b"}, MaxMessageBytes: 5,
		Retention: &headracev1.Retention{MinAge: durationpb.New(0), KeepSettled: durationpb.New(time.Hour)}, DedupeWindow: durationpb.New(time.Hour), DedupeMaxIds: 7,
	}
	for _, c := range []struct {
		paths []string
		apply func()
	}{
		{[]string{"labels"}, func() { want.Labels = update.GetLabels() }},
		{[]string{"retention.min_age", "retention.keep_settled", "max_message_bytes"}, func() {
			want.Retention, want.MaxMessageBytes = update.GetRetention(), update.GetMaxMessageBytes()
		}},
		{[]string{"dedupe_window", "dedupe_max_ids"}, func() {
			want.DedupeWindow, want.DedupeMaxIds = update.GetDedupeWindow(), update.GetDedupeMaxIds()
		}},
	} {
		c.apply()
		got, err := s.Topics.UpdateTopic(bounded(t), &headracev1.UpdateTopicRequest{
			Topic: update, UpdateMask: &fieldmaskpb.FieldMask{Paths: c.paths},
		})
		if err != nil {
			t.Fatal(err)
		}
		checkProto(t, want, got.GetTopic())
	}
	got, err := s.Topics.UpdateTopic(bounded(t), &headracev1.UpdateTopicRequest{
		Topic: &headracev1.Topic{Name: "orders"}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{
			"retention", "max_message_bytes", "dedupe_window", "dedupe_max_ids", "labels",
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want.Labels, want.MaxMessageBytes = nil, 1<<20
	want.DedupeWindow, want.DedupeMaxIds = durationpb.New(10*time.Minute), 1_000_000
	want.Retention = &headracev1.Retention{MinAge: durationpb.New(10 * time.Minute)}
	checkProto(t, want, got.GetTopic())
}

func TestMasksThatAreRefused(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	for name, c := range map[string]struct {
		paths         []string
		reason, field string
	}{
		"no path":              {nil, "INVALID_FIELD", "update_mask"},
		"a fixed field":        {[]string{"labels", "partitions"}, "INVALID_FIELD", "update_mask"},
		"no such field":        {[]string{"color"}, "INVALID_FIELD", "update_mask"},
		"no such field inside": {[]string{"labels.team"}, "INVALID_FIELD", "update_mask"},
		"not served":           {[]string{"spread"}, "NOT_SERVED", "spread"},
		"everything":           {[]string{"*"}, "INVALID_FIELD", "update_mask"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Topics.UpdateTopic(bounded(t), &headracev1.UpdateTopicRequest{
				Topic: &headracev1.Topic{Name: "orders"}, UpdateMask: &fieldmaskpb.FieldMask{Paths: c.paths},
			})
			checkStatus(t, err, codes.InvalidArgument, c.reason, c.field)
		})
	}
	_, err := s.Topics.UpdateTopic(bounded(t), &headracev1.UpdateTopicRequest{
		Topic: &headracev1.Topic{Name: "missing"}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"labels"}},
	})
	checkStatus(t, err, codes.NotFound, "TOPIC_NOT_FOUND", "")
}

func TestATopicWithSubscriptionsStays(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	_, err := s.Topics.DeleteTopic(bounded(t), &headracev1.DeleteTopicRequest{Topic: "orders"})
	checkStatus(t, err, codes.FailedPrecondition, "TOPIC_HAS_SUBSCRIPTIONS", "")
}

func TestListsComeInPages(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	for i := range 5 {
		s.CreateTopic(fmt.Sprintf("topic-%d", i))
	}
	s.CreateTopic("other/topic")
	var names []string
	request := &headracev1.ListTopicsRequest{PageSize: 2}
	for pages := 1; ; pages++ {
		page, err := s.Topics.ListTopics(bounded(t), request)
		if err != nil {
			t.Fatal(err)
		}
		for _, topic := range page.GetTopics() {
			names = append(names, strings.TrimPrefix(topic.GetName(), "default/topic-"))
		}
		if request.PageToken = page.GetNextPageToken(); request.GetPageToken() == "" {
			if got := strings.Join(names, ""); got != "01234" || pages != 3 {
				t.Fatalf("%d pages with %q", pages, got)
			}
			break
		}
	}
	all, err := s.Topics.ListTopics(bounded(t), &headracev1.ListTopicsRequest{Namespace: "-"})
	if err != nil || len(all.GetTopics()) != 6 {
		t.Fatalf("all namespaces: %v, %v", all, err)
	}
	for field, request := range map[string]*headracev1.ListTopicsRequest{
		"page_size":  {PageSize: 1001},
		"page_token": {PageToken: "!"},
		"namespace":  {Namespace: "/"},
	} {
		_, err := s.Topics.ListTopics(bounded(t), request)
		checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", field)
	}
	_, err = s.Topics.ListTopics(bounded(t), &headracev1.ListTopicsRequest{PageSize: 1<<32 - 1})
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "page_size")
}

func TestTopicStats(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopicWith(&headracev1.Topic{Name: "orders", Partitions: 2})
	s.CreateSubscription("workers", "orders")
	s.Publish("orders", &headracev1.Message{OrderingKey: "a"}, &headracev1.Message{OrderingKey: "a"})
	r, err := s.Topics.GetTopicStats(bounded(t), &headracev1.GetTopicStatsRequest{Topic: "orders"})
	if err != nil {
		t.Fatal(err)
	}
	stats := r.GetStats()
	if stats.GetTopic() != "default/orders" || stats.GetSubscriptions() != 1 || len(stats.GetPartitions()) != 2 ||
		stats.GetRetained().GetMessages() != 2 || stats.GetPublished().GetMessages() != 2 || stats.GetPublished().GetBytes() == 0 {
		t.Errorf("stats = %v", stats)
	}
	_, err = s.Topics.GetTopicStats(bounded(t), &headracev1.GetTopicStatsRequest{Topic: "missing"})
	checkStatus(t, err, codes.NotFound, "TOPIC_NOT_FOUND", "")
}

func topicThatKeeps(d time.Duration) *headracev1.Topic {
	return &headracev1.Topic{Name: "orders", Retention: &headracev1.Retention{KeepSettled: durationpb.New(d)}}
}

func topicWithMinAge(d time.Duration) *headracev1.Topic {
	return &headracev1.Topic{Name: "orders", Retention: &headracev1.Retention{MinAge: durationpb.New(d)}}
}

func manyLabels(n int) map[string]string {
	out := map[string]string{}
	for i := range n {
		out[fmt.Sprintf("label-%d", i)] = ""
	}
	return out
}

// checkFits checks that an answer is small enough for every client.
func checkFits(t *testing.T, m proto.Message) {
	t.Helper()
	if size := proto.Size(m); size > stockFrameBytes {
		t.Errorf("an answer of %d bytes", size)
	}
}
