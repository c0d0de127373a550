package broker

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/storage"
)

// twoSubscriptions is a room with a second subscription, auditing, and a session on
// each. What happens to billing must not touch auditing.
func twoSubscriptions(t *testing.T) (r *room, billed, audited *reader) {
	t.Helper()
	r = newRoom(t, 1, nil)
	if _, err := r.CreateSubscription(t.Context(), NewSubscriptionConfig("default/auditing", ordersTopic), storage.Start{}); err != nil {
		t.Fatal(err)
	}
	audited = r.subscribe(func(p *SubscribeParams) { p.Subscription = "default/auditing" })
	billed = r.subscribe(nil)
	return r, billed, audited
}

// A commit of delivery state that fails ends that subscription's sessions with a
// reason of its own; others go on.
func TestFailedStateCommitEndsTheSubscription(t *testing.T) {
	for storeErr, want := range map[error]error{
		storage.ErrUnknown:     ErrStoreUnavailable,
		storage.ErrUnavailable: ErrStoreUnavailable,
		storage.ErrDataLoss:    ErrDataLoss,
		storage.ErrNotFound:    ErrSubscriptionDeleted,
		storage.ErrFenced:      ErrFenced,
	} {
		synctest.Test(t, func(t *testing.T) {
			r, billed, audited := twoSubscriptions(t)
			r.publish("a")
			billed.receive(1)
			r.store.set(func(f *fakeStore) { f.stateErr = storeErr })
			billed.settle(1, 1, Ack)
			if err := billed.end(); !errors.Is(err, want) {
				t.Errorf("%v: ended with %v, want %v", storeErr, err, want)
			}
			if billed.result.ConfirmedThrough != 0 {
				t.Errorf("%v: confirmed a settle that failed", storeErr)
			}
			if _, err := r.trySubscribe(nil); !errors.Is(err, want) {
				t.Errorf("%v: a new session: %v, want %v", storeErr, err, want)
			}
			r.store.set(func(f *fakeStore) { f.stateErr = nil })
			audited.receive(1)
			audited.settle(1, 1, Ack)
			audited.confirm()
		})
	}
}

func TestDamageFencesOneSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, billed, _ := twoSubscriptions(t)
		r.publish("a")
		billed.receive(1)
		r.store.set(func(f *fakeStore) { f.stateErr = storage.ErrDataLoss })
		billed.settle(1, 1, Ack)
		if err := billed.end(); !errors.Is(err, ErrDataLoss) {
			t.Fatal(err)
		}
		if s, err := r.Subscription(billingSub); err != nil || s.State != storage.Damaged {
			t.Errorf("state %v, %v", s.State, err)
		}
		if _, err := r.SubscriptionStats(t.Context(), billingSub); !errors.Is(err, ErrDataLoss) {
			t.Errorf("stats: %v", err)
		}
		if s, err := r.Subscription("default/auditing"); err != nil || s.State != storage.Active {
			t.Errorf("the other's state %v, %v", s.State, err)
		}
	})
}

// Below the second mark of the disk a change set waits, and is committed when there
// is room: nobody loses a settle.
func TestChangeSetWaitsForRoomOnDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		r.publish("a", "b")
		s.receive(2)
		r.store.set(func(f *fakeStore) { f.stateErr = storage.ErrNoSpace })
		s.settle(1, 1, Ack)
		time.Sleep(5 * noSpaceWait) //nolint:forbidigo // in a bubble
		s.settle(2, 2, Ack)
		r.store.set(func(f *fakeStore) { f.stateErr = nil })
		s.confirm()
		if floor := r.store.cursors[r.id(billingSub)][0].Floor; floor != 2 {
			t.Errorf("the stored floor is %d", floor)
		}
	})
}

func TestFailedReadEndsTheSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, billed, audited := twoSubscriptions(t)
		r.store.set(func(f *fakeStore) { f.tailless = true })
		audited.Close(CloseClean)
		r.publish("a")
		r.store.set(func(f *fakeStore) { f.partitions[r.partition()].runs = nil })
		if err := billed.end(); !errors.Is(err, ErrDataLoss) {
			t.Errorf("ended with %v", err)
		}
	})
}

// What was trimmed under a subscription counts as settled.
func TestTrimmedMessagesAreSteppedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		r.store.set(func(f *fakeStore) { f.tailless = true })
		r.publishMany(5)
		r.store.trim(r.partition(), 3)
		s := r.subscribe(nil)
		s.receive(2)
		if s.received[0].offset != 3 || s.received[1].offset != 4 {
			t.Errorf("received %+v", s.received)
		}
	})
}

func TestFailedStoreEndsEverySession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, billed, audited := twoSubscriptions(t)
		r.store.fail(storage.ErrUnknown)
		for _, s := range []*reader{billed, audited} {
			if err := s.end(); !errors.Is(err, ErrStoreUnavailable) {
				t.Errorf("ended with %v", err)
			}
		}
		if _, err := r.trySubscribe(nil); !errors.Is(err, ErrStoreUnavailable) {
			t.Errorf("a new session: %v", err)
		}
		if n := r.sessions.open; n != 0 {
			t.Errorf("%d sessions count as open", n)
		}
		if _, err := New(r.store, Config{}); !errors.Is(err, ErrStoreUnavailable) {
			t.Errorf("a new broker: %v", err)
		}
	})
}

func TestFencedStoreSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, billed, _ := twoSubscriptions(t)
		r.store.fail(storage.ErrFenced)
		if err := billed.end(); !errors.Is(err, ErrFenced) {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestFullDiskRefusesNewTopics(t *testing.T) {
	r := newRoom(t, 1, nil)
	r.store.set(func(f *fakeStore) { f.full = true })
	if _, err := r.CreateTopic(t.Context(), r.NewTopicConfig("shop/other")); !errors.Is(err, ErrDiskFull) {
		t.Errorf("%v", err)
	}
}
