package broker

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/storage"
)

// A restart delivers what is unsettled, with its attempts, and nothing that is settled:
// at once, but for what has failed, which waits for the rest of its backoff.
func TestRestartGoesOnWhereItStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		r.publishMany(5)
		s.receive(5)
		s.settle(1, 1, Ack)
		s.settle(3, 3, Ack)
		s.settle(4, 4, Retry)
		s.confirm()
		r.reopen()
		if err := s.end(); !errors.Is(err, ErrDraining) {
			t.Errorf("the old session ended with %v", err)
		}
		begin := time.Now()
		again := r.subscribe(nil)
		again.receive(2)
		if time.Since(begin) != 0 {
			t.Errorf("it took %v", time.Since(begin))
		}
		again.receive(3)
		if waited := time.Since(begin); waited < 800*time.Millisecond || waited > 1200*time.Millisecond {
			t.Errorf("what had failed came after %v", waited)
		}
		attempts := map[string]uint32{}
		for _, d := range again.received {
			attempts[d.body] = d.attempt
		}
		for body, want := range map[string]uint32{"m1": 1, "m3": 2, "m4": 1} {
			if attempts[body] != want {
				t.Errorf("%s came as attempt %d, want %d", body, attempts[body], want)
			}
		}
		stats := r.stats()
		if stats.Acked != 2 || stats.Retried != 1 || stats.Backlog.Messages != 3 || stats.Partitions[0].SettledPastFloor != 1 {
			t.Errorf("%+v", stats)
		}
	})
}

func TestDamagedSubscriptionIsKeptAndFenced(t *testing.T) {
	r := newRoom(t, 1, nil)
	id := r.id(billingSub)
	if _, err := r.CreateSubscription(t.Context(), NewSubscriptionConfig("shop/other", ordersTopic), storage.Start{}); err != nil {
		t.Fatal(err)
	}
	other := r.id("shop/other")
	r.store.set(func(f *fakeStore) {
		f.damaged[id] = true
		s := f.subscriptions[other]
		s.Definition = []byte{0xff}
		f.subscriptions[other] = s
	})
	r.reopen()
	for _, name := range []Name{billingSub, "shop/other"} {
		if s, err := r.Subscription(name); err != nil || s.State != storage.Damaged {
			t.Errorf("%s: state %v, %v", name, s.State, err)
		}
		if _, err := r.trySubscribe(func(p *SubscribeParams) { p.Subscription = name }); !errors.Is(err, ErrDataLoss) {
			t.Errorf("%s: a session: %v", name, err)
		}
		if err := r.DeleteSubscription(t.Context(), name); err != nil {
			t.Errorf("%s: cannot be deleted: %v", name, err)
		}
	}
	r.publish("a")
}

func TestDamagedTopicIsKeptAndFenced(t *testing.T) {
	r := newRoom(t, 1, nil)
	r.store.set(func(f *fakeStore) {
		for id, topic := range f.topics {
			topic.State = storage.Damaged
			f.topics[id] = topic
		}
	})
	r.reopen()
	if topic, err := r.Topic(ordersTopic); err != nil || topic.State != storage.Damaged || topic.Partitions != 1 {
		t.Errorf("%+v, %v", topic, err)
	}
	if _, err := r.PublishTopic(string(ordersTopic)); !errors.Is(err, ErrDataLoss) {
		t.Errorf("publish: %v", err)
	}
	if _, err := r.TopicStats(ordersTopic); !errors.Is(err, ErrDataLoss) {
		t.Errorf("stats: %v", err)
	}
	_, err := r.CreateSubscription(t.Context(), NewSubscriptionConfig("shop/other", ordersTopic), storage.Start{})
	if !errors.Is(err, ErrDataLoss) {
		t.Errorf("subscription: %v", err)
	}
}

// What is being created or deleted is the store's to finish, and not served.
func TestUnfinishedIsNotServed(t *testing.T) {
	for _, state := range []storage.State{storage.Creating, storage.Deleting} {
		r := newRoom(t, 1, nil)
		id := r.id(billingSub)
		r.store.set(func(f *fakeStore) {
			s := f.subscriptions[id]
			s.State = state
			f.subscriptions[id] = s
		})
		r.reopen()
		if _, err := r.Subscription(billingSub); !errors.Is(err, ErrSubscriptionNotFound) {
			t.Errorf("state %v: %v", state, err)
		}
	}
}
