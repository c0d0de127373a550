package broker

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// subscription is the handle of a subscription.
type subscription struct {
	id         storage.SubscriptionID
	name       Name
	topic      *topic
	route      route
	createdAt  time.Time
	generation atomic.Uint64
	// config is an immutable snapshot, replaced by updates.
	config atomic.Pointer[SubscriptionConfig]
	// damage is why there is no loop, else nil.
	damage error
	loop   *loop
	usage  usage
	places places
	// moving holds a token while somebody has the subscription stand still; its
	// capacity of 1 makes that one at a time.
	moving chan struct{}
	// deadLetters counts those that are kept.
	deadLetters atomic.Int64
	// forwards counts those that were forwarded, or could not be.
	forwards forwardCounts
}

// view is the subscription as callers see it.
func (s *subscription) view() Subscription {
	return Subscription{
		SubscriptionConfig: *s.config.Load(),
		CreatedAt:          s.createdAt,
		State:              stateOf(s.failed()),
		Generation:         s.generation.Load(),
	}
}

// failed is why the subscription is not served, if it is damaged, else nil.
func (s *subscription) failed() error {
	if s.loop == nil {
		return s.damage
	}
	return s.loop.damage()
}

// openSubscription makes the handle of a stored subscription and starts its loop. A
// damaged one has no loop, and is kept so that it is seen and its name is taken.
func (b *Broker) openSubscription(ctx context.Context, stored storage.Subscription, t *topic) *subscription {
	s := &subscription{
		id: stored.ID, name: Name(stored.Name), topic: t, createdAt: stored.CreatedAt, moving: make(chan struct{}, 1),
	}
	if t != nil {
		s.route.topic, s.route.partitions = t.id, t.partitions
	}
	s.route.replay.Store(uint32(stored.Replay))
	config, cursors, err := b.recover(ctx, stored, t)
	var sessions []storage.StoredSession
	if err == nil {
		sessions, err = b.storedSessions(ctx, s.id, config)
	}
	if err != nil {
		b.config.Logger.Error("subscription not served", "subscription", stored.Name, "error", err)
		config.Name = s.name
		s.damage = err
	}
	s.config.Store(&config)
	b.recallUse(s, stored)
	if err == nil {
		s.generation.Store(generationOf(cursors))
		for i := range cursors {
			s.deadLetters.Add(int64(cursors[i].Dead))
		}
		s.loop = b.startLoop(s, config, cursors, sessions)
		s.loop.awaitJudgement()
	}
	return s
}

// recover reads what is stored of a subscription.
func (b *Broker) recover(
	ctx context.Context, stored storage.Subscription, t *topic,
) (SubscriptionConfig, []storage.Cursor, error) {
	if t == nil {
		return SubscriptionConfig{}, nil, fmt.Errorf("%w: its topic %d is not there", ErrDataLoss, stored.Topic)
	}
	config, err := subscriptionConfig(stored, t.name)
	if err == nil && stored.State == storage.Damaged {
		err = fmt.Errorf("%w: it is damaged in the store", ErrDataLoss)
	}
	if err == nil {
		err = asDataLoss(config.validate())
	}
	if err != nil {
		return config, nil, err
	}
	cursors, err := b.store.Cursors(ctx, stored.ID)
	if n := t.partitions; err == nil && len(cursors) != n && (stored.Replay == 0 || len(cursors) != n+1) {
		err = fmt.Errorf("%w: %d cursors for %d partitions", ErrDataLoss, len(cursors), n)
	}
	if err == nil && len(cursors) == t.partitions {
		// The replay partition is still to come.
		cursors = append(cursors, storage.Cursor{Partition: storage.ReplayPartition, Generation: 1})
	}
	return config, cursors, storeError(err)
}

// startLoop starts the owner loop of a subscription.
func (b *Broker) startLoop(
	s *subscription, config SubscriptionConfig, cursors []storage.Cursor, sessions []storage.StoredSession,
) *loop {
	wake := make(chan struct{}, 1) // capacity 1: it only says that there is something
	l := &loop{
		name:     s.name,
		store:    b.store,
		clock:    b.clock,
		memory:   b.memory,
		logger:   b.config.Logger,
		closing:  b.life.closed,
		mailbox:  &mailbox{clock: b.clock, wake: wake},
		orders:   &orders{wake: wake},
		graves:   &s.deadLetters,
		wake:     wake,
		heads:    make(chan struct{}, 1), // capacity 1: likewise
		done:     make(chan struct{}),
		slot:     b.store.NewStateSlot(s.id),
		changes:  changeSet{stored: storage.ChangeSet{Subscription: s.id}},
		route:    &s.route,
		segments: newSegmentWindow(&s.route),
		fetcher:  newFetcher(b.store, &s.route, wake),
		sessions: map[delivery.SessionID]*Session{},
		members:  newMembers(),
		maxLease: config.MaxLease,

		order:     config.Order,
		guarantee: config.Guarantee,

		resumeWindow: config.ResumeWindow,

		known:      make([]storage.Offset, s.route.places()),
		headEvents: make([]delivery.Head, s.route.places()),
		full:       &s.topic.full,
		judged:     make(chan struct{}),
		kept:       make([]storage.Offset, s.route.partitions),
		keeps:      make(chan struct{}, 1), // capacity 1: likewise
		now:        b.clock.now(),
		stalls:     b.clock.look(),
	}
	l.meter = meter{since: l.now, changed: l.now}
	l.forwarding = b.newForwarding(s, &config, cursors)
	l.state = b.machine(l, s.id, config, cursors, sessions)
	l.setBacklogCap(config.BacklogCap)
	if !b.life.start(l.run) {
		l.fate = ErrDraining
		l.finish()
	}
	return l
}

// recoverCursors hands the stored cursors and the partitions' heads to the state
// machine.
func (l *loop) recoverCursors(cursors []storage.Cursor) []delivery.Cursor {
	handed, due := make([]delivery.Cursor, 0, len(cursors)), l.clock.dueTimesNow()
	for i := range cursors {
		partition := uint32(cursors[i].Partition)
		place := l.route.place(partition)
		if l.route.exists(place) {
			l.known[place] = l.store.Head(l.route.id(partition))
		}
		handed = append(handed, recovered(&cursors[i], l.known[place], due))
		l.changes.histories.recovered(&handed[len(handed)-1])
	}
	return handed
}

// machineConfig is what the state machine is set to. The seed only makes jitter.
func (b *Broker) machineConfig(c SubscriptionConfig, id storage.SubscriptionID) delivery.Config {
	resumeWindow := c.ResumeWindow
	if resumeWindow == 0 {
		resumeWindow = -1 // for the state machine 0 is its default
	}
	return delivery.Config{
		Mode:         c.Mode,
		Paused:       c.Paused,
		Cap:          c.DispatchCap,
		Order:        c.Order,
		KeyPolicy:    c.KeyPolicy,
		ResumeWindow: resumeWindow,
		Guarantee:    c.Guarantee,
		Subscription: delivery.Ceiling(c.MaxOutstanding),
		Client:       delivery.Ceiling(c.ClientMaxOutstanding),
		Stream:       delivery.Ceiling(b.config.MaxSessionOutstanding),
		Lease:        c.Lease,
		LeaseCap:     c.MaxLease,
		BackoffMin:   c.MinBackoff,
		BackoffMax:   c.MaxBackoff,

		DeadLetters:   true,
		MaxAttempts:   c.MaxAttempts,
		MaxDeliveries: c.MaxDeliveries,

		Seed: uint64(id)<<32 ^ uint64(b.clock.origin.UnixNano()),
	}
}

// damage is why the loop stopped, if it found damage, else nil.
func (l *loop) damage() error {
	select {
	case <-l.done:
		return asDamage(l.fate)
	default:
		return nil
	}
}
