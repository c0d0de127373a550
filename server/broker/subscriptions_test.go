package broker

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/storage"
)

func TestSubscriptionFieldsHaveBounds(t *testing.T) {
	r := newRoom(t, 1, nil)
	for field, change := range map[string]func(*SubscriptionConfig){
		"mode":              func(c *SubscriptionConfig) { c.Mode = 9 },
		"lease":             func(c *SubscriptionConfig) { c.Lease = time.Second - 1 },
		"max_lease":         func(c *SubscriptionConfig) { c.MaxLease = c.Lease - 1 },
		"retry.min_backoff": func(c *SubscriptionConfig) { c.MinBackoff = 99 * time.Millisecond },
		"retry.max_backoff": func(c *SubscriptionConfig) { c.MaxBackoff = 13 * time.Hour },
		"max_outstanding":   func(c *SubscriptionConfig) { c.MaxOutstanding.Bytes = 0 },
	} {
		config := NewSubscriptionConfig("shop/other", ordersTopic)
		change(&config)
		_, err := r.CreateSubscription(t.Context(), config, storage.Start{})
		var got *FieldError
		if !errors.As(err, &got) || got.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestSubscriptionNeedsItsTopicAndName(t *testing.T) {
	r := newRoom(t, 1, nil)
	for want, config := range map[error]SubscriptionConfig{
		ErrTopicNotFound:      NewSubscriptionConfig("shop/other", "shop/unknown"),
		ErrSubscriptionExists: NewSubscriptionConfig(billingSub, ordersTopic),
	} {
		if _, err := r.CreateSubscription(t.Context(), config, storage.Start{}); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	for _, offsets := range []map[uint16]storage.Offset{{0: 1}, {1: 0}} {
		config := NewSubscriptionConfig("shop/other", ordersTopic)
		start := storage.Start{Kind: storage.StartAtOffsets, Offsets: offsets}
		if _, err := r.CreateSubscription(t.Context(), config, start); !errors.Is(err, ErrPositionOutOfRange) {
			t.Errorf("start at %v: %v", offsets, err)
		}
	}
}

func TestSubscriptionStartsWhereItIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		r.publishMany(3)
		config := NewSubscriptionConfig("shop/other", ordersTopic)
		if _, err := r.CreateSubscription(t.Context(), config, storage.Start{Kind: storage.StartEarliest}); err != nil {
			t.Fatal(err)
		}
		s := r.subscribe(func(p *SubscribeParams) { p.Subscription = "shop/other" })
		s.receive(3)
	})
}

func TestUpdateReachesOpenSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		_, err := r.UpdateSubscription(t.Context(), billingSub, func(c *SubscriptionConfig) error {
			c.MaxOutstanding.Messages = 2
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		r.publish("a", "b", "c")
		s.until("new limits", func() bool {
			return s.flow.Limits != nil && s.flow.Limits.SubscriptionMaxOutstanding.Messages == 2
		})
		if len(s.received) != 2 {
			t.Errorf("received %d above a ceiling of 2", len(s.received))
		}
		_, err = r.UpdateSubscription(t.Context(), billingSub, func(c *SubscriptionConfig) error {
			c.Lease, c.MaxLease = 2*time.Hour, 3*time.Hour
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		s.until("new leases", func() bool {
			return s.flow.Limits != nil && s.flow.Limits.Lease == 2*time.Hour && s.flow.Limits.MaxLease == 3*time.Hour
		})
		for field, change := range map[string]func(*SubscriptionConfig){
			"topic": func(c *SubscriptionConfig) { c.Topic = "shop/other" },
			"mode":  func(c *SubscriptionConfig) { c.Mode = Exclusive },
			"name":  func(c *SubscriptionConfig) { c.Name = "shop/other" },
		} {
			_, err := r.UpdateSubscription(t.Context(), billingSub, func(c *SubscriptionConfig) error { change(c); return nil })
			if !errors.Is(err, ErrInvalidField) {
				t.Errorf("changed %s: %v", field, err)
			}
		}
	})
}

func TestDeletedSubscriptionEndsItsSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		if err := r.DeleteSubscription(t.Context(), billingSub); err != nil {
			t.Fatal(err)
		}
		if err := s.end(); !errors.Is(err, ErrSubscriptionDeleted) {
			t.Errorf("the session ended with %v", err)
		}
		if err := s.Heartbeat(); !errors.Is(err, ErrSubscriptionDeleted) {
			t.Errorf("a late frame: %v", err)
		}
		if _, err := r.trySubscribe(nil); !errors.Is(err, ErrSubscriptionNotFound) {
			t.Errorf("a new session: %v", err)
		}
	})
}

func TestSubscriptionsAreListedByTopic(t *testing.T) {
	r := newRoom(t, 1, nil)
	if _, err := r.CreateTopic(t.Context(), r.NewTopicConfig("shop/parcels")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.CreateSubscription(t.Context(), NewSubscriptionConfig("shop/other", "shop/parcels"), storage.Start{}); err != nil {
		t.Fatal(err)
	}
	for request, want := range map[ListRequest]Name{
		{Namespace: AllNamespaces, Topic: ordersTopic}: billingSub,
		{Namespace: "shop"}:                            "shop/other",
		{}:                                             billingSub,
	} {
		got, _, err := r.ListSubscriptions(request)
		if err != nil || len(got) != 1 || got[0].Name != want {
			t.Errorf("%+v: %+v, %v", request, got, err)
		}
	}
}

func TestSubscriptionStatsTellBacklogAndAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		r.publish("aa", "bb")
		time.Sleep(time.Minute) //nolint:forbidigo // in a bubble
		r.publish("cccc")
		stats := r.stats()
		if want := (Amount{Messages: 3, Bytes: 14}); stats.Backlog != want {
			t.Errorf("backlog %+v, want %+v", stats.Backlog, want)
		}
		if stats.OldestUnackedAge != time.Minute {
			t.Errorf("oldest age %v", stats.OldestUnackedAge)
		}
		r.stats()
		if n := r.store.locates.Load(); n != 1 {
			t.Errorf("the store was asked %d times where the floor stands", n)
		}
		s := r.subscribe(func(p *SubscribeParams) { p.ClientID, p.Labels = "c1", map[string]string{"a": "b"} })
		s.receive(3)
		stats = r.stats()
		if want := (Amount{Messages: 3, Bytes: 14}); stats.Outstanding != want || len(stats.Sessions) != 1 {
			t.Fatalf("outstanding %+v, %d sessions", stats.Outstanding, len(stats.Sessions))
		}
		session := stats.Sessions[0]
		if session.Session != s.PublicName() || session.ClientID != "c1" || session.Labels["a"] != "b" || session.Delivered != 3 {
			t.Errorf("session %+v", session)
		}
		s.settle(1, 3, Ack)
		s.confirm()
		stats = r.stats()
		if stats.Backlog != (Amount{}) || stats.OldestUnackedAge != 0 || stats.Acked != 3 {
			t.Errorf("after acking all: %+v", stats)
		}
	})
}

func TestSessionIDIsNotItsName(t *testing.T) {
	r := newRoom(t, 1, nil)
	one, two := r.subscribe(nil), r.subscribe(nil)
	if len(one.ID()) < 22 || len(one.ID()) > 64 || one.ID() == two.ID() || one.PublicName() == two.PublicName() {
		t.Errorf("ids %q and %q, names %q and %q", one.ID(), two.ID(), one.PublicName(), two.PublicName())
	}
}
