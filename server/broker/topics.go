package broker

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/headrace/headrace/storage"
)

// CreateTopic creates a topic; it is durable when the call returns. Errors:
// ErrInvalidField, ErrTopicExists, ErrLimitReached, ErrDiskFull, ErrDraining, and
// those of a store that fails.
func (b *Broker) CreateTopic(ctx context.Context, config TopicConfig) (Topic, error) {
	if err := config.validate(b.config.MaxMessageBytes); err != nil {
		return Topic{}, err
	}
	stored, err := storedTopic(config)
	if err != nil {
		return Topic{}, err
	}
	done, err := b.change(ctx)
	if err != nil {
		return Topic{}, err
	}
	defer done()
	if topics, _ := b.catalog.sizes(); topics >= b.config.MaxTopics {
		return Topic{}, ErrLimitReached
	}
	created, err := b.store.CreateTopic(context.WithoutCancel(ctx), stored)
	if errors.Is(err, storage.ErrExists) {
		return Topic{}, ErrTopicExists
	} else if err != nil {
		return Topic{}, storeError(err)
	}
	t := newTopic(created)
	b.catalog.addTopic(t)
	return t.view(), nil
}

// Topic returns a topic. Errors: ErrTopicNotFound.
func (b *Broker) Topic(name Name) (Topic, error) {
	t, err := b.catalog.topic(name)
	if err != nil {
		return Topic{}, err
	}
	return t.view(), nil
}

// TopicName is the name of a topic by its id; empty: it is not there.
func (b *Broker) TopicName(id storage.TopicID) Name { return b.catalog.topicName(id) }

// ListTopics returns a page of topics and the token of the next page, empty on the
// last one. Errors: ErrInvalidField.
func (b *Broker) ListTopics(request ListRequest) ([]Topic, string, error) {
	found, next, err := page(request, b.catalog.allTopics(), func(t *topic) Name { return t.name })
	if err != nil {
		return nil, "", err
	}
	topics := make([]Topic, 0, len(found))
	for _, t := range found {
		topics = append(topics, t.view())
	}
	return topics, next, nil
}

// UpdateTopic applies change to a copy of the configuration and stores it; changes
// do not interleave. Errors: what change returns, ErrInvalidField (also when a
// fixed field changed), ErrTopicNotFound, ErrDataLoss, ErrDraining, and those of a
// store that fails.
func (b *Broker) UpdateTopic(ctx context.Context, name Name, change func(*TopicConfig) error) (Topic, error) {
	done, err := b.change(ctx)
	if err != nil {
		return Topic{}, err
	}
	defer done()
	t, err := b.catalog.topic(name)
	if err != nil {
		return Topic{}, err
	}
	if t.damage != nil {
		return Topic{}, t.damage
	}
	config, err := b.changedTopic(t, change)
	if err != nil {
		return Topic{}, err
	}
	if err := b.storeTopic(ctx, t, config); err != nil {
		return Topic{}, err
	}
	t.config.Store(&config)
	return t.view(), nil
}

// changedTopic is a topic's configuration after a change.
func (b *Broker) changedTopic(t *topic, change func(*TopicConfig) error) (TopicConfig, error) {
	config := *t.config.Load()
	config.Labels = maps.Clone(config.Labels)
	if err := change(&config); err != nil {
		return TopicConfig{}, err
	}
	switch {
	case config.Name != t.name:
		return TopicConfig{}, invalidField("name", "fixed at creation")
	case config.Partitions != t.partitions:
		return TopicConfig{}, invalidField("partitions", "fixed at creation")
	case config.Buffered != t.config.Load().Buffered:
		return TopicConfig{}, invalidField("durability", "fixed at creation")
	}
	return config, config.validate(b.config.MaxMessageBytes)
}

// storeTopic makes a changed configuration durable.
func (b *Broker) storeTopic(ctx context.Context, t *topic, config TopicConfig) error {
	stored, err := storedTopic(config)
	if err != nil {
		return err
	}
	stored.ID = t.id
	_, err = b.store.UpdateTopic(context.WithoutCancel(ctx), stored)
	if errors.Is(err, storage.ErrNotFound) {
		return ErrTopicNotFound
	}
	return storeError(err)
}

// DeleteTopic deletes a topic; it accepts nothing any more when the call returns.
// Errors: ErrTopicNotFound, ErrTopicHasSubscriptions (also as a *ForwardedToError),
// ErrDraining, and those of a
// store that fails.
func (b *Broker) DeleteTopic(ctx context.Context, name Name) error {
	done, err := b.change(ctx)
	if err != nil {
		return err
	}
	defer done()
	t, err := b.catalog.topic(name)
	if err == nil {
		err = b.catalog.forwardedTo(name)
	}
	if err != nil {
		return err
	}
	err = b.store.DeleteTopic(context.WithoutCancel(ctx), t.id)
	switch {
	case errors.Is(err, storage.ErrInUse):
		return ErrTopicHasSubscriptions
	case err != nil && !errors.Is(err, storage.ErrNotFound):
		return storeError(err)
	}
	t.deleted.Store(true)
	b.catalog.removeTopic(t)
	return nil
}

// TopicStats returns figures of a topic. Errors: ErrTopicNotFound, ErrDataLoss, and
// those of a store that fails.
func (b *Broker) TopicStats(name Name) (TopicStats, error) {
	t, err := b.catalog.topic(name)
	if err != nil {
		return TopicStats{}, err
	}
	if t.damage != nil {
		return TopicStats{}, t.damage
	}
	stats := TopicStats{
		Topic:         name,
		Partitions:    slices.Grow([]storage.PartitionStats(nil), t.partitions),
		Subscriptions: b.catalog.subscriptionsOf(t),
	}
	for p := range t.partitions {
		figures, err := b.partitionFigures(t, p)
		if err != nil {
			return TopicStats{}, err
		}
		stats.Partitions = append(stats.Partitions, figures)
		stats.Retained.Messages += figures.RetainedMessages
		stats.Retained.Bytes += figures.RetainedBytes
		stats.Published.Messages += uint64(figures.Next - t.born[p].Next)
		stats.Published.Bytes += figures.NextBytes - t.born[p].NextBytes
	}
	return stats, nil
}

// partitionFigures are the store's figures of one partition.
func (b *Broker) partitionFigures(t *topic, p int) (storage.PartitionStats, error) {
	figures, err := b.store.Stats(storage.PartitionID{Topic: t.id, Partition: uint16(p)})
	if errors.Is(err, storage.ErrNotFound) {
		return figures, ErrTopicNotFound
	}
	return figures, storeError(err)
}
