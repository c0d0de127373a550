package broker

import (
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/headrace/headrace/storage"
)

// goldenTopic and goldenSubscription are stored definitions as they were first
// written: they must stay readable for ever.
const (
	goldenTopic        = "08011080201a070a0361006212001a100a047465616d12087061796d656e7473"
	goldenSubscription = "0802100118012202083c2a0308a03832051080c2d72f3a02083c400048005206080a108080405a02080562100a047465616d12087061796d656e74736a00"
	// firstSubscription is the same as it was written at first.
	firstSubscription = "0802100118012202083c2a0308a03832051080c2d72f3a02083c400048005206080a108080405a02080562100a047465616d12087061796d656e7473"
)

func sampleTopic() TopicConfig {
	return TopicConfig{
		Name: "shop/orders", Partitions: 16, MinAge: time.Hour, KeepSettled: 2 * time.Hour, MaxMessageBytes: 4096,
		MaxAge: 2 * time.Hour, MaxBytes: 1 << 30,
		DedupeWindow: time.Minute, DedupeIDs: 5,
		Labels: map[string]string{"team": "payments", "a\x00b": ""},
	}
}

func sampleSubscription() SubscriptionConfig {
	return SubscriptionConfig{
		Name: "shop/billing", Topic: "shop/orders", Mode: Exclusive,
		Lease: time.Minute, MaxLease: 2 * time.Hour, MinBackoff: 100 * time.Millisecond, MaxBackoff: time.Minute,
		MaxOutstanding:       Amount{Messages: 10, Bytes: 1 << 20},
		ClientMaxOutstanding: Amount{Messages: 5},
		Labels:               map[string]string{"team": "payments"},
	}
}

func TestDefinitionComesBack(t *testing.T) {
	topic, err := storedTopic(sampleTopic())
	if err != nil {
		t.Fatal(err)
	}
	gotTopic, err := topicConfig(topic)
	if diff := cmp.Diff(sampleTopic(), gotTopic); diff != "" || err != nil {
		t.Errorf("topic: %v %s", err, diff)
	}
	subscription, err := storedSubscription(sampleSubscription(), 7)
	if err != nil {
		t.Fatal(err)
	}
	gotSubscription, err := subscriptionConfig(subscription, "shop/orders")
	if diff := cmp.Diff(sampleSubscription(), gotSubscription); diff != "" || err != nil {
		t.Errorf("subscription: %v %s", err, diff)
	}
	if subscription.Topic != 7 {
		t.Errorf("topic id %d, want 7", subscription.Topic)
	}
}

func TestDefinitionIsGolden(t *testing.T) {
	topic, _ := storedTopic(sampleTopic())
	if got := hex.EncodeToString(topic.Definition); got != goldenTopic {
		t.Errorf("topic definition is %s", got)
	}
	subscription, _ := storedSubscription(sampleSubscription(), 7)
	if got := hex.EncodeToString(subscription.Definition); got != goldenSubscription {
		t.Errorf("subscription definition is %s", got)
	}
}

func TestDefinitionThatWasWrittenAtFirstIsRead(t *testing.T) {
	definition, err := hex.DecodeString(firstSubscription)
	if err != nil {
		t.Fatal(err)
	}
	got, err := subscriptionConfig(storage.Subscription{Name: "shop/billing", Definition: definition}, "shop/orders")
	if diff := cmp.Diff(sampleSubscription(), got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

// Defaults are stored by value, so that a new default does not change what exists:
// an empty definition is no definition.
func TestEmptyDefinitionIsDamage(t *testing.T) {
	if _, err := topicConfig(storage.Topic{Name: "shop/orders"}); !errors.Is(err, ErrDataLoss) {
		t.Errorf("topic: %v", err)
	}
	if _, err := subscriptionConfig(storage.Subscription{Name: "shop/billing"}, "shop/orders"); !errors.Is(err, ErrDataLoss) {
		t.Errorf("subscription: %v", err)
	}
}

func FuzzDefinition(f *testing.F) {
	topic, _ := storedTopic(sampleTopic())
	subscription, _ := storedSubscription(sampleSubscription(), 7)
	f.Add(topic.Definition)
	f.Add(subscription.Definition)
	f.Add([]byte{0xff})
	f.Fuzz(func(t *testing.T, definition []byte) {
		if c, err := topicConfig(storage.Topic{Name: "shop/orders", Partitions: 1, Definition: definition}); err == nil && c.Name != "shop/orders" {
			t.Errorf("read %+v", c)
		}
		c, err := subscriptionConfig(storage.Subscription{Name: "shop/billing", Definition: definition}, "shop/orders")
		if err != nil || c.validate() != nil {
			return
		}
		again, err := storedSubscription(c, 1)
		if err != nil {
			t.Fatalf("a definition that was read cannot be written: %v", err)
		}
		if back, err := subscriptionConfig(again, "shop/orders"); err != nil || !cmp.Equal(back, c, cmpopts.EquateEmpty()) {
			t.Errorf("%+v became %+v, %v", c, back, err)
		}
	})
}

func TestLabelsHaveBounds(t *testing.T) {
	for name, labels := range map[string]map[string]string{
		"empty key":     {"": "x"},
		"long key":      {long(257): "x"},
		"long value":    {"x": long(1025)},
		"too much":      {"a": long(1024), "b": long(1024)},
		"no valid UTF8": {"a": "\xff"},
	} {
		c := sampleTopic()
		c.Labels = labels
		err := c.validate(1 << 20)
		if err == nil {
			_, err = storedTopic(c)
		}
		var field *FieldError
		if !errors.As(err, &field) || field.Field != "labels" || !errors.Is(err, ErrInvalidField) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLargestLabelsFitTheStore(t *testing.T) {
	labels := map[string]string{}
	for i := range MaxLabels {
		labels[string(rune('a'+i/26))+string(rune('a'+i%26))] = long(MaxLabelsBytes/MaxLabels - 2)
	}
	topic, subscription := sampleTopic(), sampleSubscription()
	topic.Labels, subscription.Labels = labels, labels
	if _, err := storedTopic(topic); err != nil || topic.validate(1<<20) != nil {
		t.Errorf("topic: %v", err)
	}
	if _, err := storedSubscription(subscription, 1); err != nil || subscription.validate() != nil {
		t.Errorf("subscription: %v", err)
	}
}
