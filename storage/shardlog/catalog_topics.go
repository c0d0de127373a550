package shardlog

import (
	"bytes"
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/headrace/headrace/storage"
)

// MaxPartitions is how many partitions a topic may have.
const MaxPartitions = 256

// maxNameBytes bounds names, so that a catalog record stays inline in the engine.
const maxNameBytes = 512

// Topics lists everything that is not gone, by id.
func (s *Store) Topics() []storage.Topic { return s.directory.listTopics() }

// CreateTopic stores a topic under a new id, with 1..MaxPartitions partitions. ID,
// State and CreatedAt are set by the store. Errors: ErrExists, ErrNoSpace,
// ErrTooLarge for a name or definition, ErrUnavailable, ErrUnknown.
func (s *Store) CreateTopic(ctx context.Context, def storage.Topic) (storage.Topic, error) {
	if def.Partitions < 1 || def.Partitions > MaxPartitions {
		return def, fmt.Errorf("shardlog: topic with %d partitions, 1 to %d allowed", def.Partitions, MaxPartitions)
	}
	if err := s.checkNew(def.Name, def.Definition); err != nil {
		return def, err
	}
	var t *topic
	var shown storage.Topic
	c := s.committer
	err := s.change(ctx, &change{
		need: catalogNeed.plus(shardNeed).plus(partitionNeed.times(int(def.Partitions))),
		apply: func(b *batch) (err error) {
			t, err = c.createTopic(b, def)
			if err == nil {
				shown = t.Topic
			}
			return err
		},
		settled: func() { s.directory.putTopic(shown, t.partitions) },
	})
	if err != nil {
		return def, err
	}
	return shown, nil
}

// createTopic adds a topic and the records of all its partitions, which fit one
// batch, so that there is nothing half made. Loop only.
func (c *committer) createTopic(b *batch, def storage.Topic) (*topic, error) {
	if _, taken := c.shard.topicNames[def.Name]; taken {
		return nil, fmt.Errorf("%w: topic %q", storage.ErrExists, def.Name)
	}
	def.ID, def.State, def.CreatedAt = c.shard.NextTopic, storage.Active, c.now()
	def.Definition = bytes.Clone(def.Definition)
	c.shard.NextTopic++
	b.shard = true
	t := newTopic(def)
	c.shard.addTopic(t)
	b.rewriteTopic(t)
	for _, p := range t.partitions {
		b.rewrite(p)
	}
	return t, nil
}

// UpdateTopic replaces MinAge, KeepSettled, MaxAge, MaxBytes, DedupeWindow, DedupeIDs and
// Definition. Errors: ErrNotFound, ErrTooLarge.
func (s *Store) UpdateTopic(ctx context.Context, def storage.Topic) (storage.Topic, error) {
	if err := checkDefinition(def.Definition); err != nil {
		return def, err
	}
	return s.editTopic(ctx, def.ID, func(t *topic) error {
		if t.State == storage.Damaged {
			return fmt.Errorf("%w: topic %d", storage.ErrDataLoss, def.ID)
		}
		t.MinAge, t.Definition = def.MinAge, bytes.Clone(def.Definition)
		t.KeepSettled, t.MaxAge, t.MaxBytes = def.KeepSettled, def.MaxAge, def.MaxBytes
		t.DedupeWindow, t.DedupeIDs = def.DedupeWindow, def.DedupeIDs
		return nil
	})
}

// DeleteTopic ends a topic; its data goes in the background, and its name is free
// when all of it is gone. Errors: ErrNotFound, ErrInUse.
func (s *Store) DeleteTopic(ctx context.Context, id storage.TopicID) error {
	_, err := s.editTopic(ctx, id, func(t *topic) error {
		if t.inUse() {
			return fmt.Errorf("%w: topic %q", storage.ErrInUse, t.Name)
		}
		t.State = storage.Deleting
		return nil
	})
	if err == nil {
		s.janitor.removeTopic(id)
	}
	return err
}

// editTopic changes the record of a topic that is not being removed, and shows it.
func (s *Store) editTopic(ctx context.Context, id storage.TopicID, edit func(t *topic) error) (storage.Topic, error) {
	var t *topic
	var shown storage.Topic
	err := s.change(ctx, &change{
		need: catalogNeed,
		apply: func(b *batch) error {
			t = s.committer.shard.topics[id]
			if t == nil || t.State == storage.Deleting {
				return fmt.Errorf("%w: topic %d", storage.ErrNotFound, id)
			}
			if err := edit(t); err != nil {
				return err
			}
			b.rewriteTopic(t)
			shown = t.Topic
			return nil
		},
		settled: func() {
			s.directory.putTopic(shown, t.partitions)
			s.attend(t)
		},
	})
	if err != nil {
		return storage.Topic{}, err
	}
	return shown, nil
}

// attend has the janitor look at all partitions of a topic.
func (s *Store) attend(t *topic) {
	for _, p := range t.partitions {
		s.committer.attention.add(p)
	}
}

// checkNew says whether a definition can be stored now.
func (s *Store) checkNew(name string, definition []byte) error {
	if !s.AcceptsPublishes() {
		return storage.ErrNoSpace
	}
	if len(name) > maxNameBytes || !utf8.ValidString(name) {
		return fmt.Errorf("%w: name of %d bytes, or not UTF-8", storage.ErrTooLarge, len(name))
	}
	return checkDefinition(definition)
}

func checkDefinition(definition []byte) error {
	if len(definition) > storage.MaxDefinitionBytes {
		return fmt.Errorf("%w: definition of %d bytes", storage.ErrTooLarge, len(definition))
	}
	return nil
}

// now is the wall clock as it is stored: without a monotonic part, in UTC.
func (c *committer) now() time.Time { return c.clock().Round(0).UTC() }
