package shardlog

import (
	"bytes"
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// removeKeysAtOnce bounds the records that one step of a removal deletes.
const removeKeysAtOnce = 1000

// remove takes away what was deleted: subscriptions first, for their topics wait
// for them. What a step fails at is taken up again after the next opening.
func (j *janitor) remove() {
	topics, subscriptions := j.removals.take()
	for _, id := range subscriptions {
		j.report(fmt.Sprintf("remove subscription %d", id), j.eraseSubscription(id))
	}
	for _, id := range topics {
		j.report(fmt.Sprintf("remove topic %d", id), j.eraseTopic(id))
	}
}

// eraseSubscription deletes what a subscription's cursors count, then them and its
// record. Its private topic goes after it.
func (j *janitor) eraseSubscription(id storage.SubscriptionID) error {
	for _, prefix := range [][]byte{
		record.AppendAckSubscriptionPrefix(nil, id),
		record.AppendHistorySubscriptionPrefix(nil, id),
		record.AppendParkedSubscriptionPrefix(nil, id),
		record.AppendDeadLetterPrefix(nil, id),
		record.AppendSessionSubscriptionPrefix(nil, id),
	} {
		if err := j.eraseKeys(prefix); err != nil {
			return err
		}
	}
	c := j.store.committer
	var gone *subscription
	return j.change(&change{
		need: deleteNeed.times(MaxPartitions + 2).plus(catalogNeed),
		apply: func(b *batch) error {
			gone = c.shard.subscriptions[id]
			if gone == nil {
				return nil
			}
			for _, x := range gone.allCursors() {
				b.deleteCursor(id, x.partition)
			}
			if t := gone.replayTopic; t != nil {
				t.State = storage.Deleting
				b.rewriteTopic(t)
			}
			b.deleteSubscription(id)
			c.shard.removeSubscription(gone)
			return nil
		},
		settled: func() {
			if gone != nil {
				j.store.directory.removeSubscription(id)
				j.store.attend(gone.topic)
				if gone.replayTopic != nil {
					j.removeTopic(gone.replayTopic.ID)
				}
			}
		},
	})
}

// eraseTopic deletes a topic's pointers with their segments, then the partitions'
// records and its own.
func (j *janitor) eraseTopic(id storage.TopicID) error {
	t, err := j.topic(id)
	if err != nil || t == nil {
		return err
	}
	if err := j.eraseSnapshots(id); err != nil {
		return err
	}
	for _, p := range t.partitions {
		if err := j.erasePartition(p); err != nil {
			return err
		}
	}
	if err := j.eraseProducers(id); err != nil {
		return err
	}
	if err := j.eraseKeys(record.AppendDedupePrefix(nil, id)); err != nil {
		return err
	}
	c := j.store.committer
	return j.change(&change{
		need: deleteNeed.times(len(t.partitions) + 1),
		apply: func(b *batch) error {
			if len(t.subscriptions) > 0 {
				return fmt.Errorf("%w: topic %q", storage.ErrInUse, t.Name)
			}
			for _, p := range t.partitions {
				b.deletePartition(p.id)
				// A checkpoint would bring the record back.
				p.movedIn = 0
			}
			b.deleteTopic(id)
			c.shard.removeTopic(t)
			return nil
		},
		settled: func() {
			j.store.directory.removeTopic(id)
			for _, p := range t.partitions {
				c.tails.Clear(&p.ring)
			}
		},
	})
}

func (j *janitor) topic(id storage.TopicID) (t *topic, err error) {
	err = j.ask(func() { t = j.store.committer.shard.topics[id] })
	return t, err
}

// erasePartition deletes all pointers of a partition. A damaged one is deleted like
// any other; what it pointed to is found when segments are counted again.
func (j *janitor) erasePartition(p *partition) error {
	for {
		if j.stopped() {
			return storage.ErrUnavailable
		}
		var pointers []pointer
		var damaged []storage.Offset
		prefix := record.AppendPointerPrefix(nil, p.id)
		err := j.store.engine.View(func(r storage.Reader) error {
			return r.Ascend(prefix, nil, func(key []byte, value storage.Value) (bool, error) {
				x, err := decodePointer(key, value)
				if err != nil {
					damaged = append(damaged, x.base)
				} else {
					pointers = append(pointers, x)
				}
				return len(pointers)+len(damaged) < trimPointersAtOnce, nil
			})
		})
		if err != nil || len(pointers)+len(damaged) == 0 {
			return err
		}
		if err := j.erasePointers(p, pointers, damaged); err != nil {
			return err
		}
	}
}

// erasePointers deletes pointers of a partition that is being removed. Its own
// record moves along, so that a crash in between leaves a log that fits.
func (j *janitor) erasePointers(p *partition, pointers []pointer, damaged []storage.Offset) error {
	c := j.store.committer
	return j.change(&change{
		need: partitionNeed.plus(deleteNeed.times(2*len(pointers) + len(damaged))),
		apply: func(b *batch) error {
			for i := range pointers {
				c.dropPointer(b, p, pointers[i].place())
			}
			for _, base := range damaged {
				b.deletePointer(p.id, base)
			}
			if n := len(pointers); n > 0 && len(damaged) == 0 {
				x := &pointers[n-1]
				p.first = record.Mark{Offset: x.end(), LogTime: x.LogTime, Before: x.After()}
				b.rewrite(p)
			}
			return nil
		},
	})
}

// eraseKeys deletes every key with a prefix.
func (j *janitor) eraseKeys(prefix []byte) error {
	for {
		if j.stopped() {
			return storage.ErrUnavailable
		}
		var keys [][]byte
		err := j.store.engine.View(func(r storage.Reader) error {
			return r.Ascend(prefix, nil, func(key []byte, _ storage.Value) (bool, error) {
				keys = append(keys, bytes.Clone(key))
				return len(keys) < removeKeysAtOnce, nil
			})
		})
		if err != nil || len(keys) == 0 {
			return err
		}
		err = j.change(&change{
			need: deleteNeed.times(len(keys)),
			apply: func(b *batch) error {
				for _, key := range keys {
					b.Ops = append(b.Ops, storage.Op{Key: key})
				}
				return nil
			},
		})
		if err != nil {
			return err
		}
	}
}
