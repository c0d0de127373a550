package broker

import (
	"context"
	"errors"
	"maps"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// CreateSubscription creates a subscription with a durable cursor on every
// partition: what is published after the call is delivered to it. Errors:
// ErrInvalidField, ErrTopicNotFound (also in a *DeadLetterTopicError),
// ErrSubscriptionExists, ErrPositionOutOfRange,
// ErrLimitReached, ErrDiskFull, ErrDraining, ErrDataLoss, and those of a store that
// fails.
func (b *Broker) CreateSubscription(ctx context.Context, config SubscriptionConfig, start storage.Start) (Subscription, error) {
	if err := config.validate(); err != nil {
		return Subscription{}, err
	}
	done, err := b.change(ctx)
	if err != nil {
		return Subscription{}, err
	}
	defer done()
	t, err := b.catalog.topic(config.Topic)
	if err != nil {
		return Subscription{}, err
	}
	if err := b.maySubscribe(t, start); err != nil {
		return Subscription{}, err
	}
	if err := b.mayForward(&config); err != nil {
		return Subscription{}, err
	}
	created, err := b.storeSubscription(ctx, config, t, start)
	if err != nil {
		return Subscription{}, err
	}
	s := b.openSubscription(context.WithoutCancel(ctx), created, t)
	b.catalog.addSubscription(s)
	return s.view(), s.damage
}

// maySubscribe says why a topic can have no further subscription, or nil.
func (b *Broker) maySubscribe(t *topic, start storage.Start) error {
	if t.damage != nil {
		return t.damage
	}
	for p := range start.Offsets {
		if int(p) >= t.partitions {
			return ErrPositionOutOfRange
		}
	}
	if _, subscriptions := b.catalog.sizes(); subscriptions >= b.config.MaxSubscriptions {
		return ErrLimitReached
	}
	return nil
}

// storeSubscription makes a new subscription durable.
func (b *Broker) storeSubscription(
	ctx context.Context, config SubscriptionConfig, t *topic, start storage.Start,
) (storage.Subscription, error) {
	stored, err := storedSubscription(config, t.id)
	if err != nil {
		return storage.Subscription{}, err
	}
	created, err := b.store.CreateSubscription(context.WithoutCancel(ctx), stored, start)
	switch {
	case errors.Is(err, storage.ErrExists):
		return created, ErrSubscriptionExists
	case errors.Is(err, storage.ErrNotFound):
		// The topic is there: changes do not interleave.
		return created, ErrPositionOutOfRange
	}
	return created, storeError(err)
}

// Subscription returns a subscription. Errors: ErrSubscriptionNotFound.
func (b *Broker) Subscription(name Name) (Subscription, error) {
	s, err := b.catalog.subscription(name)
	if err != nil {
		return Subscription{}, err
	}
	return s.view(), nil
}

// ListSubscriptions returns a page of subscriptions and the token of the next page,
// empty on the last one. Errors: ErrInvalidField.
func (b *Broker) ListSubscriptions(request ListRequest) ([]Subscription, string, error) {
	all := b.catalog.allSubscriptions()
	if request.Topic != "" {
		all = subscriptionsOf(all, request.Topic)
	}
	found, next, err := page(request, all, func(s *subscription) Name { return s.name })
	if err != nil {
		return nil, "", err
	}
	subscriptions := make([]Subscription, 0, len(found))
	for _, s := range found {
		subscriptions = append(subscriptions, s.view())
	}
	return subscriptions, next, nil
}

// subscriptionsOf are those of one topic.
func subscriptionsOf(all []*subscription, topic Name) []*subscription {
	var of []*subscription
	for _, s := range all {
		if s.topic != nil && s.topic.name == topic {
			of = append(of, s)
		}
	}
	return of
}

// UpdateSubscription applies change to a copy of the configuration and stores it;
// open sessions learn of it. Errors: what change returns, ErrInvalidField (also
// when a fixed field changed), ErrSubscriptionNotFound, *DeadLetterTopicError,
// ErrDataLoss, ErrDraining,
// and those of a store that fails.
func (b *Broker) UpdateSubscription(ctx context.Context, name Name, change func(*SubscriptionConfig) error) (Subscription, error) {
	done, err := b.change(ctx)
	if err != nil {
		return Subscription{}, err
	}
	defer done()
	s, err := b.catalog.subscription(name)
	if err == nil {
		err = s.failed()
	}
	if err != nil {
		return Subscription{}, err
	}
	config, err := s.changed(change)
	if err == nil && config.DeadLetterTopic != s.config.Load().DeadLetterTopic {
		err = b.mayForward(&config)
	}
	if err != nil {
		return Subscription{}, err
	}
	if err := b.storeUpdate(ctx, s, config); err != nil {
		return Subscription{}, err
	}
	s.config.Store(&config)
	s.usage.touch(b.clock.now())
	b.watchExpiry(s, s.createdAt)
	configure := &delivery.Configure{Config: b.machineConfig(config, s.id)}
	s.loop.orders.give(func(o *orderSlot) {
		o.configure, o.backlogCap, o.forwardTo = configure, &config.BacklogCap, &config.DeadLetterTopic
	})
	return s.view(), nil
}

// changed is the subscription's configuration after a change.
func (s *subscription) changed(change func(*SubscriptionConfig) error) (SubscriptionConfig, error) {
	old := s.config.Load()
	config := *old
	config.Labels = maps.Clone(old.Labels)
	if err := change(&config); err != nil {
		return SubscriptionConfig{}, err
	}
	switch {
	case config.Name != old.Name:
		return SubscriptionConfig{}, invalidField("name", "fixed at creation")
	case config.Topic != old.Topic:
		return SubscriptionConfig{}, invalidField("topic", "fixed at creation")
	case config.Ephemeral != old.Ephemeral:
		return SubscriptionConfig{}, invalidField("ephemeral", "fixed at creation")
	case config.Mode != old.Mode:
		return SubscriptionConfig{}, invalidField("mode", "fixed at creation")
	case config.Guarantee != old.Guarantee:
		return SubscriptionConfig{}, invalidField("guarantee", "fixed at creation")
	}
	return config, config.validate()
}

// storeUpdate makes a changed configuration durable.
func (b *Broker) storeUpdate(ctx context.Context, s *subscription, config SubscriptionConfig) error {
	stored, err := storedSubscription(config, s.topic.id)
	if err != nil {
		return err
	}
	stored.ID = s.id
	_, err = b.store.UpdateSubscription(context.WithoutCancel(ctx), stored)
	if errors.Is(err, storage.ErrNotFound) {
		return ErrSubscriptionNotFound
	}
	return storeError(err)
}

// DeleteSubscription deletes a subscription and ends its sessions with
// ErrSubscriptionDeleted. Errors: ErrSubscriptionNotFound, ErrDraining, and those of
// a store that fails.
func (b *Broker) DeleteSubscription(ctx context.Context, name Name) error {
	s, err := b.catalog.subscription(name)
	if err != nil {
		return err
	}
	return b.deleteSubscription(ctx, s)
}

// deleteSubscription deletes a subscription, if it is not gone already.
func (b *Broker) deleteSubscription(ctx context.Context, s *subscription) error {
	done, err := b.change(ctx)
	if err != nil {
		return err
	}
	defer done()
	if now, err := b.catalog.subscription(s.name); err != nil || now != s {
		return ErrSubscriptionNotFound
	}
	err = b.store.DeleteSubscription(context.WithoutCancel(ctx), s.id)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return storeError(err)
	}
	b.catalog.removeSubscription(s)
	b.expiry.forget(s)
	if s.loop != nil {
		s.loop.orders.end(ErrSubscriptionDeleted)
		<-s.loop.done
	}
	return nil
}

// SubscriptionStats returns figures of a subscription as of now; when its loop does
// not answer before ctx ends, the last ones it published. Errors:
// ErrSubscriptionNotFound, ErrDataLoss, ctx's when nothing was published, and those
// of a store that fails.
func (b *Broker) SubscriptionStats(ctx context.Context, name Name) (SubscriptionStats, error) {
	s, err := b.catalog.subscription(name)
	if err == nil {
		err = s.failed()
	}
	if err != nil {
		return SubscriptionStats{}, err
	}
	done := make(chan struct{}, 1) // capacity 1: the loop signals and never waits
	s.loop.orders.ask(done)
	select {
	case <-done:
	case <-s.loop.done:
	case <-ctx.Done():
	}
	taken, err := s.loop.lastSnapshot()
	if taken == nil {
		return SubscriptionStats{}, orDefault(err, ctx.Err())
	}
	return s.figures(context.WithoutCancel(ctx), b.store, taken)
}

// figures completes a loop's snapshot by what the store knows.
func (s *subscription) figures(ctx context.Context, log Log, taken *snapshot) (SubscriptionStats, error) {
	from := &taken.stats
	stats := SubscriptionStats{
		Subscription: s.name,
		Topic:        s.topic.name,
		Backlog:      Amount{Messages: from.Backlog},
		Outstanding:  Amount{Messages: from.Outstanding, Bytes: from.OutstandingBytes},
		Delivered:    from.Delivered,
		Redelivered:  from.Redelivered,
		Acked:        from.Acked,
		Retried:      from.Retried,
		Released:     from.Released,
		Expired:      from.Expired,
		Rejected:     from.Rejected,
		DeadLettered: from.DeadLettered,
		Removed:      from.Removed,
		Dropped:      from.Dropped,
		DeadLetters:  uint64(max(0, s.deadLetters.Load())),
		Forwarded:    s.forwards.forwarded.Load(),
		NotForwarded: s.forwards.failed.Load(),
		BusyShare:    taken.busy,
		ParkedKeys:   from.ParkedKeys,

		WaitingBehindKeys: from.WaitingBehindKeys,
		Sessions:          taken.sessionStats(),
	}
	for i := range from.Partitions {
		p := partitionStats(&from.Partitions[i])
		if !s.route.exists(s.route.place(uint32(p.Partition))) {
			continue
		}
		age, err := s.measure(ctx, log, &p)
		if err != nil {
			return SubscriptionStats{}, err
		}
		stats.OldestUnackedAge = max(stats.OldestUnackedAge, age)
		stats.Backlog.Bytes += p.Backlog.Bytes
		stats.Partitions = append(stats.Partitions, p)
	}
	return stats, nil
}

func partitionStats(from *delivery.PartitionStats) SubscriptionPartitionStats {
	return SubscriptionPartitionStats{
		Partition:        uint16(from.Partition),
		Floor:            storage.Offset(from.Floor),
		Next:             storage.Offset(from.Head),
		SettledPastFloor: from.Head - from.Floor - from.Backlog,
		Backlog:          Amount{Messages: from.Backlog},
	}
}
