package broker

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
)

func TestTopicHasDefaults(t *testing.T) {
	r := newRoom(t, 1, nil)
	topic, err := r.CreateTopic(t.Context(), r.NewTopicConfig("shop/parcels"))
	if err != nil {
		t.Fatal(err)
	}
	want := TopicConfig{Name: "shop/parcels", Partitions: 1, MinAge: 10 * time.Minute, MaxMessageBytes: 1 << 20}
	if topic.Partitions != want.Partitions || topic.MinAge != want.MinAge || topic.MaxMessageBytes != want.MaxMessageBytes {
		t.Errorf("created %+v, want %+v", topic.TopicConfig, want)
	}
	if topic.State != storage.Active || topic.CreatedAt.IsZero() {
		t.Errorf("created %v at %v", topic.State, topic.CreatedAt)
	}
}

func TestTopicFieldsHaveBounds(t *testing.T) {
	r := newRoom(t, 1, nil)
	for field, change := range map[string]func(*TopicConfig){
		"partitions":             func(c *TopicConfig) { c.Partitions = 257 },
		"retention.min_age":      func(c *TopicConfig) { c.MinAge = -1 },
		"retention.keep_settled": func(c *TopicConfig) { c.KeepSettled = MaxKeepSettled + 1 },
		"max_message_bytes":      func(c *TopicConfig) { c.MaxMessageBytes = 1<<20 + 1 },
		"labels":                 func(c *TopicConfig) { c.Labels = map[string]string{"": ""} },
	} {
		config := r.NewTopicConfig("shop/parcels")
		change(&config)
		_, err := r.CreateTopic(t.Context(), config)
		var got *FieldError
		if !errors.As(err, &got) || got.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := r.Topic("shop/parcels"); !errors.Is(err, ErrTopicNotFound) {
		t.Errorf("a refused topic: %v", err)
	}
}

func TestTopicIsListedUpdatedAndDeleted(t *testing.T) {
	r := newRoom(t, 1, nil)
	if _, err := r.CreateTopic(t.Context(), r.NewTopicConfig(ordersTopic)); !errors.Is(err, ErrTopicExists) {
		t.Errorf("created twice: %v", err)
	}
	topic, err := r.UpdateTopic(t.Context(), ordersTopic, func(c *TopicConfig) error {
		c.MinAge, c.Labels = 0, map[string]string{"a": "b"}
		return nil
	})
	if err != nil || topic.MinAge != 0 || topic.Labels["a"] != "b" {
		t.Errorf("updated to %+v, %v", topic, err)
	}
	if _, err := r.UpdateTopic(t.Context(), ordersTopic, func(c *TopicConfig) error { c.Partitions++; return nil }); !errors.Is(err, ErrInvalidField) {
		t.Errorf("changed partitions: %v", err)
	}
	if _, err := r.UpdateTopic(t.Context(), ordersTopic, func(c *TopicConfig) error { c.Buffered = true; return nil }); !errors.Is(err, ErrInvalidField) {
		t.Errorf("changed durability: %v", err)
	}
	if err := r.DeleteTopic(t.Context(), ordersTopic); !errors.Is(err, ErrTopicHasSubscriptions) {
		t.Errorf("deleted with a subscription: %v", err)
	}
	if err := r.DeleteSubscription(t.Context(), billingSub); err != nil {
		t.Fatal(err)
	}
	if err := r.DeleteTopic(t.Context(), ordersTopic); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Topic(ordersTopic); !errors.Is(err, ErrTopicNotFound) {
		t.Errorf("after deletion: %v", err)
	}
	if err := r.DeleteTopic(t.Context(), ordersTopic); !errors.Is(err, ErrTopicNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
}

// TestADurabilityThatTheStoreDoesNotShareIsDataLoss: the store acts by its own record.
func TestADurabilityThatTheStoreDoesNotShareIsDataLoss(t *testing.T) {
	for _, buffered := range []bool{false, true} {
		stored, err := storedTopic(TopicConfig{Name: ordersTopic, Partitions: 1, Buffered: buffered})
		if err != nil {
			t.Fatal(err)
		}
		if c, err := topicConfig(stored); err != nil || c.Buffered != buffered {
			t.Errorf("%+v, %v", c, err)
		}
		stored.Buffered = !buffered
		if _, err := topicConfig(stored); !errors.Is(err, ErrDataLoss) {
			t.Errorf("buffered by its definition is %t, by its record %t: %v", buffered, stored.Buffered, err)
		}
	}
}

func TestUpdateSurvivesReopening(t *testing.T) {
	r := newRoom(t, 4, nil)
	_, err := r.UpdateTopic(t.Context(), ordersTopic, func(c *TopicConfig) error { c.MaxMessageBytes = 10; return nil })
	if err != nil {
		t.Fatal(err)
	}
	r.reopen()
	if topic, err := r.Topic(ordersTopic); err != nil || topic.MaxMessageBytes != 10 || topic.Partitions != 4 {
		t.Errorf("after reopening: %+v, %v", topic, err)
	}
}

func TestTopicsArePaged(t *testing.T) {
	r := newRoom(t, 1, nil)
	for i := range 7 {
		if _, err := r.CreateTopic(t.Context(), r.NewTopicConfig(Name(fmt.Sprintf("shop/topic%d", i)))); err != nil {
			t.Fatal(err)
		}
	}
	var names []Name
	request := ListRequest{Namespace: "shop", PageSize: 3}
	for pages := 1; ; pages++ {
		topics, next, err := r.ListTopics(request)
		if err != nil || len(topics) > 3 {
			t.Fatalf("page of %d, %v", len(topics), err)
		}
		for _, topic := range topics {
			names = append(names, topic.Name)
		}
		if next == "" {
			break
		}
		request.PageToken = next
	}
	if len(names) != 7 || names[0] != "shop/topic0" || names[6] != "shop/topic6" {
		t.Errorf("listed %v", names)
	}
	if all, _, err := r.ListTopics(ListRequest{Namespace: AllNamespaces}); err != nil || len(all) != 8 {
		t.Errorf("all namespaces have %d topics, %v", len(all), err)
	}
	if own, _, err := r.ListTopics(ListRequest{}); err != nil || len(own) != 1 {
		t.Errorf("the default namespace has %d topics, %v", len(own), err)
	}
	for _, request := range []ListRequest{{PageSize: 1001}, {PageSize: -1}, {PageToken: "*"}, {Namespace: "a b"}} {
		if _, _, err := r.ListTopics(request); !errors.Is(err, ErrInvalidField) {
			t.Errorf("%+v: %v", request, err)
		}
	}
}

func TestLimitsOnNumbersHold(t *testing.T) {
	r := &room{t: t, store: newFakeStore(t)}
	r.open(Config{MaxTopics: 1, MaxSubscriptions: 1, MaxSessions: 1})
	if _, err := r.CreateTopic(t.Context(), r.NewTopicConfig(ordersTopic)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.CreateTopic(t.Context(), r.NewTopicConfig("shop/other")); !errors.Is(err, ErrLimitReached) {
		t.Errorf("second topic: %v", err)
	}
	if _, err := r.CreateSubscription(t.Context(), NewSubscriptionConfig(billingSub, ordersTopic), storage.Start{}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.CreateSubscription(t.Context(), NewSubscriptionConfig("shop/other", ordersTopic), storage.Start{}); !errors.Is(err, ErrLimitReached) {
		t.Errorf("second subscription: %v", err)
	}
	first := r.subscribe(nil)
	if _, err := r.trySubscribe(nil); !errors.Is(err, ErrLimitReached) {
		t.Errorf("second session: %v", err)
	}
	first.Close(CloseClean)
	if err := first.end(); err == nil {
		t.Error("a closed session goes on")
	}
	r.subscribe(nil)
}

func TestTopicStatsCount(t *testing.T) {
	r := newRoom(t, 2, nil)
	r.publish("abc", "def")
	r.reopen()
	r.publish("gh")
	stats, err := r.TopicStats(ordersTopic)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Amount{Messages: 3, Bytes: 14}); stats.Retained != want {
		t.Errorf("retained %+v, want %+v", stats.Retained, want)
	}
	if want := (Amount{Messages: 1, Bytes: 4}); stats.Published != want {
		t.Errorf("published %+v since the start, want %+v", stats.Published, want)
	}
	if len(stats.Partitions) != 2 || stats.Subscriptions != 1 {
		t.Errorf("%d partitions, %d subscriptions", len(stats.Partitions), stats.Subscriptions)
	}
}
