package broker

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/headrace/headrace/storage"
)

const (
	// expiryInterval is how often unused subscriptions are looked for.
	expiryInterval = time.Second
	// maxUseGrain bounds how old a written time of use may be, of a subscription in use.
	maxUseGrain = time.Hour
	// useGrains is how many grains a lifetime has.
	useGrains = 16
)

// expiry ends subscriptions that nobody uses. It looks at those only that may end.
type expiry struct {
	mu      sync.Mutex
	mortals map[*subscription]*mortal
}

// mortal is a subscription that may end, with the last use of it that is written down.
type mortal struct {
	used time.Time
}

// useGrain is how coarsely the use of a subscription with a lifetime is written down.
func useGrain(lifetime time.Duration) time.Duration {
	return min(max(lifetime/useGrains, time.Second), maxUseGrain)
}

// watchExpiry adds a subscription that may end, or takes it off.
func (b *Broker) watchExpiry(s *subscription, used time.Time) {
	e := &b.expiry
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.config.Load().mortal() == 0 {
		delete(e.mortals, s)
		return
	}
	if e.mortals == nil {
		e.mortals = map[*subscription]*mortal{}
	}
	if e.mortals[s] == nil {
		e.mortals[s] = &mortal{used: used}
	}
}

func (e *expiry) forget(s *subscription) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.mortals, s)
}

// take lists those that may end.
func (e *expiry) take() map[*subscription]*mortal {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.mortals)
}

// recallUse has the use of a subscription go on after a start. What is written down is up
// to a grain old, and the wall clock may have gone back: then it counts as used later. At
// a start the clock is believed if it has gone forward, but nobody loses a subscription
// before EphemeralGrace is over.
func (b *Broker) recallUse(s *subscription, stored storage.Subscription) {
	lifetime := s.config.Load().mortal()
	if lifetime == 0 {
		return
	}
	used, grain := stored.CreatedAt, time.Duration(0)
	if stored.LastUse.After(used) {
		used, grain = stored.LastUse, useGrain(lifetime)
	}
	unused := b.clock.wall().Sub(used) - grain
	s.usage.touch(b.clock.now() - min(max(unused, 0), lifetime-EphemeralGrace))
	b.watchExpiry(s, used)
}

// expire ends what nobody uses until the broker drains.
func (b *Broker) expire() {
	tick := time.NewTicker(expiryInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-b.life.draining:
			return
		}
		for s, m := range b.expiry.take() {
			b.look(s, m)
		}
	}
}

// look ends a subscription whose time is over, and writes down the use of one in use.
func (b *Broker) look(s *subscription, m *mortal) {
	now, lifetime := b.clock.now(), s.config.Load().mortal()
	if lifetime == 0 || !s.usage.end(now, lifetime) {
		b.noteUse(s, m, lifetime)
		return
	}
	err := b.deleteSubscription(context.Background(), s)
	switch {
	case err == nil:
		b.config.Logger.Info("subscription ended: nobody used it", "subscription", s.name, "for", lifetime)
	case errors.Is(err, ErrSubscriptionNotFound):
		b.expiry.forget(s)
	case !errors.Is(err, ErrDraining):
		b.config.Logger.Error("an unused subscription could not be deleted", "subscription", s.name, "error", err)
		s.usage.revive()
	}
}

// noteUse writes down when a subscription was used last, if that is a grain later than
// what is written. An ephemeral one does not live on it.
func (b *Broker) noteUse(s *subscription, m *mortal, lifetime time.Duration) {
	if lifetime == 0 || s.config.Load().Ephemeral {
		return
	}
	now := b.clock.now()
	used := b.clock.wall().Add(s.usage.last(now) - now)
	if used.Sub(m.used) < useGrain(lifetime) {
		return
	}
	m.used = used
	if err := b.store.UseSubscription(context.Background(), s.id, used); err != nil && !errors.Is(err, storage.ErrNotFound) {
		b.config.Logger.Error("the use of a subscription is not written down", "subscription", s.name, "error", err)
	}
}
