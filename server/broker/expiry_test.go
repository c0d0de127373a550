package broker

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/storage"
)

func ephemeral(c *SubscriptionConfig) { c.Ephemeral = true }

func expiring(after time.Duration) func(*SubscriptionConfig) {
	return func(c *SubscriptionConfig) { c.ExpireAfter = after }
}

// there says whether billing is there, once what is about to happen has.
func (r *room) there() bool {
	synctest.Wait()
	_, err := r.Subscription(billingSub)
	return err == nil
}

// pass lets time pass in the bubble.
func pass(d time.Duration) { time.Sleep(d) } //nolint:forbidigo // the bubble has its own clock

// An ephemeral subscription lives while a session does, and a grace after: after its
// creation, after the last session, and after a start. Then its name is free.
func TestAnEphemeralSubscriptionLivesWhileASessionDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, ephemeral)
		pass(EphemeralGrace - 2*time.Second)
		if !r.there() {
			t.Fatal("gone within its grace")
		}
		s := r.subscribe(nil)
		for range 30 {
			pass(5 * time.Second)
			if err := s.Heartbeat(); err != nil {
				t.Fatal(err)
			}
		}
		if !r.there() {
			t.Fatal("gone while a session lives")
		}
		s.Close(CloseClean)
		if err := s.end(); err == nil {
			t.Fatal("a closed session goes on")
		}
		pass(EphemeralGrace - 2*time.Second)
		r.reopen()
		pass(EphemeralGrace - 2*time.Second)
		if !r.there() {
			t.Fatal("gone within its grace after a start")
		}
		pass(4 * time.Second)
		if r.there() {
			t.Fatal("there after its grace")
		}
		if n := len(r.store.Subscriptions()); n != 0 {
			t.Errorf("%d subscriptions stored", n)
		}
		if _, err := r.CreateSubscription(t.Context(), NewSubscriptionConfig(billingSub, ordersTopic), storage.Start{}); err != nil {
			t.Errorf("its name: %v", err)
		}
		pass(24 * time.Hour)
		if !r.there() {
			t.Error("one that does not end, ended")
		}
	})
}

// Unused time goes on over a start, by what was written down while it was in use.
func TestAnUnusedSubscriptionExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const after = 16 * time.Minute // a grain of a minute
		r := newRoom(t, 1, expiring(after))
		s := r.subscribe(nil)
		for range 12 * 30 { // half an hour
			pass(5 * time.Second)
			if err := s.Heartbeat(); err != nil {
				t.Fatal(err)
			}
		}
		uses := 0
		r.store.set(func(f *fakeStore) { uses = f.uses })
		if uses < 25 || uses > 35 {
			t.Errorf("its use was written down %d times in half an hour", uses)
		}
		s.Close(CloseGone)
		pass(10 * time.Minute)
		r.reopen()
		pass(5 * time.Minute)
		if !r.there() {
			t.Fatal("gone after 15 minutes")
		}
		pass(3*time.Minute + 2*time.Second) // what is written is two grains old at most
		if r.there() {
			t.Error("there after 18 minutes")
		}
	})
}

// A wall clock that goes back never ends a subscription early, nor does one that goes
// ahead while the server runs; at a start it is believed, but for a grace.
func TestStepsOfTheWallClockAndExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var offset atomic.Int64
		step := func(to time.Duration) { offset.Store(int64(to)) }
		r := newRoom(t, 1, expiring(time.Hour))
		r.Close()
		start := func() {
			r.open(Config{Clock: func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }})
		}
		start()
		step(-24 * time.Hour)
		pass(25 * time.Minute)
		r.Close()
		start()
		pass(25 * time.Minute)
		if !r.there() {
			t.Fatal("gone early by a step back")
		}
		step(24 * time.Hour)
		pass(5 * time.Minute)
		if !r.there() {
			t.Fatal("gone early by a step ahead of a server that runs")
		}
		r.Close()
		step(48 * time.Hour)
		start()
		pass(EphemeralGrace - 2*time.Second)
		if !r.there() {
			t.Fatal("gone before the grace after a start")
		}
		pass(4 * time.Second)
		if r.there() {
			t.Error("there though the clock at the start says a day")
		}
	})
}

// A change counts as use, and may begin and end the count; a deletion that the store
// refuses is tried again, and meanwhile sessions are taken.
func TestExpiryIsChangedAtAnyTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		set := func(after time.Duration) error {
			_, err := r.UpdateSubscription(t.Context(), billingSub, func(c *SubscriptionConfig) error {
				c.ExpireAfter = after
				return nil
			})
			return err
		}
		pass(time.Hour)
		if err := set(time.Hour); err != nil {
			t.Fatal(err)
		}
		pass(59 * time.Minute)
		if err := set(2 * time.Hour); err != nil || !r.there() {
			t.Fatal("gone early", err)
		}
		pass(119 * time.Minute)
		if err := set(0); err != nil {
			t.Fatal(err)
		}
		pass(100 * time.Hour)
		if !r.there() {
			t.Error("gone though it does not end any more")
		}
		for _, wrong := range []time.Duration{time.Second, MaxExpireAfter + 1, -1} {
			if err := set(wrong); !errors.Is(err, ErrInvalidField) {
				t.Errorf("%v: %v", wrong, err)
			}
		}
		c := SubscriptionConfig{Ephemeral: true, ExpireAfter: time.Hour}
		if err := c.validateExpiry(); !errors.Is(err, ErrInvalidField) {
			t.Errorf("ephemeral and expiring: %v", err)
		}
	})
}

// A session that comes as its subscription ends is told so, and never lost without a
// word.
func TestASessionThatComesTooLateIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, ephemeral)
		s, err := r.catalog.subscription(billingSub)
		if err != nil || !s.usage.end(r.clock.now()+EphemeralGrace, EphemeralGrace) {
			t.Fatal("it does not end", err)
		}
		if _, err := r.trySubscribe(nil); !errors.Is(err, ErrSubscriptionDeleted) {
			t.Error(err)
		}
		s.usage.revive()
		r.subscribe(nil)
	})
}
