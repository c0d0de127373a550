package shardlog

import (
	"context"
	"fmt"
	"slices"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// A subscription's replay partition is the one partition of a private topic, and one
// more cursor of the subscription's. It comes to be with the first redrive and goes
// with the subscription.

// Redrive takes dead letters off a subscription's store and appends what is to be
// delivered instead, which again makes of each, to its replay partition, in one commit;
// its failures go along. At most MaxDeadLetters at once, and what fits one commit; done
// are those, in the order asked for, with the offsets given. What is gone already is
// passed over. Errors: ErrNotFound, ErrNoSpace, ErrTooLarge, ErrDataLoss.
func (s *Store) Redrive(
	ctx context.Context, id storage.SubscriptionID, sequences []uint64, again func(*storage.DeadLetter) []byte,
) (done []storage.Redriven, err error) {
	if !s.AcceptsPublishes() {
		return nil, storage.ErrNoSpace
	}
	there, release, err := s.claimDeadLetters(ctx, id, sequences)
	if err != nil {
		return nil, err
	}
	defer release()
	r := &redrive{store: s, id: id}
	if err := r.read(there, again); err != nil {
		return nil, err
	}
	return r.letters, r.run(context.WithoutCancel(ctx))
}

// redrive is one redrive on its way through the committer.
type redrive struct {
	store   *Store
	id      storage.SubscriptionID
	letters []storage.Redriven
	append  storage.Append

	// Loop only.
	subscription *subscription
	made         *topic
	shown        storage.Subscription
}

// read reads as many dead letters as one commit takes; the first whatever its size.
func (r *redrive) read(there []storage.DeadLetterID, again func(*storage.DeadLetter) []byte) error {
	size := 0
	return r.store.engine.View(func(v storage.Reader) error {
		for _, d := range there {
			key := record.AppendDeadLetterKey(nil, r.id, d)
			err := v.Get(key, func(value []byte) error {
				letter, err := record.DecodeDeadLetter(key, value)
				if err == nil {
					size += len(value)
					r.letters = append(r.letters, storage.Redriven{
						ID: d, Message: again(&letter), Key: letter.Key, Failures: letter.Failures,
					})
				}
				return err
			})
			if err != nil {
				return err
			}
			if size > redriveBytesAtOnce {
				return nil
			}
		}
		return nil
	})
}

// redriveBytesAtOnce bounds the dead letters that one commit redrives, but for the
// last of them.
const redriveBytesAtOnce = 512 << 10

func (r *redrive) run(ctx context.Context) error {
	if len(r.letters) == 0 {
		return nil
	}
	r.gather()
	need := r.need()
	if need.bodies > maxPublishBytes || !need.within(maxOpenInlineBytes, maxOpenKeys) {
		return fmt.Errorf("%w: redrive of %d bytes", storage.ErrTooLarge, need.bodies)
	}
	err := r.store.change(ctx, &change{need: need, apply: r.apply, settled: r.show})
	for i := range r.letters {
		r.letters[i].Topic = r.append.Partition.Topic
		r.letters[i].Offset = r.append.Base + storage.Offset(i)
	}
	return err
}

func (r *redrive) ids() []storage.DeadLetterID {
	ids := make([]storage.DeadLetterID, len(r.letters))
	for i := range r.letters {
		ids[i] = r.letters[i].ID
	}
	return ids
}

// gather makes one append of all messages.
func (r *redrive) gather() {
	keyed := false
	for i := range r.letters {
		l := &r.letters[i]
		r.append.Messages = append(r.append.Messages, l.Message...)
		r.append.Ends = append(r.append.Ends, uint32(len(r.append.Messages)))
		r.append.KeyHashes = append(r.append.KeyHashes, l.Key)
		keyed = keyed || l.Key.Present
	}
	if !keyed {
		r.append.KeyHashes = nil
	}
}

func (r *redrive) need() need {
	n := deadLetterRemovalNeed(len(r.letters)).plus(catalogNeed.times(2)).plus(shardNeed)
	n = n.plus(partitionNeed).plus(cursorNeed).plus(appendNeed(&r.append))
	for i := range r.letters {
		n = n.plus(historyNeed(r.letters[i].Failures))
	}
	return n
}

func (r *redrive) apply(b *batch) error {
	c := r.store.committer
	x, err := c.shard.subscription(r.id)
	if err != nil {
		return err
	}
	r.subscription = x
	if x.replay == nil {
		if err := r.begin(b, x); err != nil {
			return err
		}
	}
	p := x.partition(storage.ReplayPartition)
	if err := p.err(); err != nil {
		return err
	}
	x.removeDeadLetters(b, r.ids())
	r.append.Partition = p.id
	c.gather(&r.append)
	b.used = b.used.plus(appendNeed(&r.append))
	for i := range r.letters {
		if failures := r.letters[i].Failures; len(failures) > 0 {
			c.putHistory(x.replay, &storage.History{Offset: r.append.Base + storage.Offset(i), Failures: failures})
		}
	}
	b.rewriteCursor(x.replay)
	r.shown = x.shown()
	return nil
}

// begin makes the replay partition.
func (r *redrive) begin(b *batch, x *subscription) error {
	t, err := r.store.committer.createTopic(b, storage.Topic{
		Name: fmt.Sprintf("headrace.replay/%d", x.ID), Partitions: 1, ReplayOf: x.ID,
	})
	if err != nil {
		return err
	}
	r.made = t
	x.takeReplay(t)
	b.rewriteSubscription(x)
	x.replay = newCursor(x, storage.ReplayPartition, 0)
	return nil
}

func (r *redrive) show() {
	d := r.store.directory
	if r.made != nil {
		d.putTopic(r.made.Topic, r.made.partitions)
	}
	d.putSubscription(r.shown)
}

// takeReplay makes a private topic the subscription's.
func (s *subscription) takeReplay(t *topic) {
	s.Replay, s.replayTopic = t.ID, t
	t.replayOf = s
}

// cursor gives the cursor of a partition, nil where there is none.
func (s *subscription) cursor(partition uint16) *cursor {
	switch {
	case partition == storage.ReplayPartition:
		return s.replay
	case int(partition) < len(s.cursors):
		return s.cursors[partition]
	default:
		return nil
	}
}

// partition gives the partition that a cursor is on.
func (s *subscription) partition(partition uint16) *partition {
	if partition == storage.ReplayPartition {
		return s.replayTopic.partitions[0]
	}
	return s.topic.partitions[partition]
}

// allCursors gives every cursor there is.
func (s *subscription) allCursors() []*cursor {
	all := make([]*cursor, 0, len(s.cursors)+1)
	for _, c := range append(slices.Clip(s.cursors), s.replay) {
		if c != nil {
			all = append(all, c)
		}
	}
	return all
}

// replayFloor is where the replay of a private topic stands.
func (t *topic) replayFloor() storage.Offset {
	if s := t.replayOf; s.State != storage.Deleting && s.replay != nil {
		return s.replay.Floor
	}
	return t.partitions[0].next.Offset
}

// linkReplays finds the subscriptions of private topics. One whose subscription is
// gone goes, too.
func (r *recovery) linkReplays() error {
	for _, s := range r.shard.subscriptions {
		if s.Replay == 0 {
			continue
		}
		t := r.shard.topics[s.Replay]
		if t == nil || len(t.partitions) == 0 {
			r.fenceSubscriptionf(s, "its replay partition, topic %d, is missing or damaged", s.Replay)
			continue
		}
		s.takeReplay(t)
	}
	for _, t := range r.shard.topics {
		if t.ReplayOf != 0 && t.replayOf == nil {
			t.replayOf = newSubscription(storage.Subscription{State: storage.Deleting}, t)
			t.State = storage.Deleting
		}
	}
	return nil
}
