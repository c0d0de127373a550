package shardlog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/headrace/headrace/storage"
)

// A snapshot is stored as a subscription that nobody receives from: its cursors hold what
// was unsettled when it was taken, so retention, holes, recovery and removal treat it as
// any other. Its name has a prefix that no name of a subscription has.
const snapshotPrefix = "snapshot:"

// snapshotTries is how often a snapshot is begun anew because its subscription settled
// something meanwhile.
const snapshotTries = 8

// Snapshots lists the snapshots that are not gone, by id.
func (s *Store) Snapshots() []storage.Snapshot {
	if !s.directory.hasSnapshots() {
		return nil
	}
	var all []storage.Snapshot
	for _, x := range s.directory.listSubscriptions() {
		if x.Snapshot != nil {
			all = append(all, snapshotOf(x))
		}
	}
	return all
}

func snapshotOf(x storage.Subscription) storage.Snapshot {
	return storage.Snapshot{
		ID: x.ID, Name: strings.TrimPrefix(x.Name, snapshotPrefix), Topic: x.Topic, Of: x.Snapshot.Of, State: x.State,
		CreatedAt: x.CreatedAt, ExpiresAt: x.Snapshot.ExpiresAt, Unsettled: x.Snapshot.Unsettled,
	}
}

// CreateSnapshot keeps what a subscription has not settled, under a name of its own, until
// it expires: nothing of that goes, nor becomes a hole, nor does what comes later. It is
// of one moment, and there when it is whole. Errors: ErrExists, ErrNotFound, ErrNoSpace,
// ErrTooLarge for the name, ErrDataLoss; ErrStale when the subscription settled
// something again and again meanwhile.
func (s *Store) CreateSnapshot(
	ctx context.Context, name string, of storage.SubscriptionID, expires time.Time,
) (storage.Snapshot, error) {
	if err := s.checkNew(snapshotPrefix+name, nil); err != nil {
		return storage.Snapshot{}, err
	}
	for tries := 1; ; tries++ {
		shown, err := s.takeSnapshot(ctx, name, of, expires)
		if errors.Is(err, storage.ErrStale) && tries < snapshotTries {
			continue
		}
		return shown, err
	}
}

func (s *Store) takeSnapshot(
	ctx context.Context, name string, of storage.SubscriptionID, expires time.Time,
) (storage.Snapshot, error) {
	t := &taking{store: s, name: snapshotPrefix + name, of: of, expires: expires}
	if err := t.look(ctx); err != nil {
		return storage.Snapshot{}, err
	}
	if err := s.change(ctx, &change{
		need: catalogNeed.plus(shardNeed).plus(cursorNeed.times(len(t.sums))), apply: t.begin,
	}); err != nil {
		return storage.Snapshot{}, err
	}
	// What is begun is ended, or it would take the name until the next recovery.
	if err := t.fill(context.WithoutCancel(ctx)); err != nil {
		return storage.Snapshot{}, err
	}
	return snapshotOf(t.shown), nil
}

// taking is a snapshot on its way.
type taking struct {
	store   *Store
	name    string
	of      storage.SubscriptionID
	expires time.Time
	// cursors are the subscription's, as they were while sums were so.
	cursors   []storage.Cursor
	sums      []cursorSum
	ofName    string
	topic     storage.TopicID
	unsettled uint64

	// Loop only while a step runs.
	made  *subscription
	shown storage.Subscription
}

// cursorSum tells whether anything of a cursor changed.
type cursorSum struct {
	generation, sum uint64
	floor           storage.Offset
}

func sumsOf(x *subscription) []cursorSum {
	sums := make([]cursorSum, len(x.cursors))
	for i, c := range x.cursors {
		sums[i] = cursorSum{c.Generation, c.AckSum, c.Floor}
	}
	return sums
}

// look reads what the subscription has settled.
func (t *taking) look(ctx context.Context) error {
	var err error
	ended := t.store.ask(ctx, func() {
		var x *subscription
		if x, err = t.store.committer.shard.subscription(t.of); err == nil {
			t.sums, t.ofName, t.topic = sumsOf(x), x.Name, x.topic.ID
		}
	})
	if err := errors.Join(ended, err); err != nil {
		return err
	}
	if t.cursors, err = t.store.Cursors(ctx, t.of); err != nil {
		return err
	}
	t.cursors = t.cursors[:len(t.sums)]
	return t.count()
}

// count counts the messages that are unsettled.
func (t *taking) count() error {
	t.unsettled = 0
	for i := range t.cursors {
		c := &t.cursors[i]
		p, err := t.store.directory.partition(storage.PartitionID{Topic: t.topic, Partition: c.Partition})
		if err != nil {
			return err
		}
		_, next := p.marks.get()
		open := without(storage.OffsetRange{First: c.Floor, End: max(c.Floor, next.Offset)}, c.Holes)
		t.unsettled += total(open) - total(intersect(open, settledOf(c)))
	}
	return nil
}

// begin makes the snapshot with its floors: from then on what it needs is held, and more.
func (t *taking) begin(b *batch) error {
	x := t.store.committer.shard
	of, err := x.subscription(t.of)
	if err != nil {
		return err
	}
	if _, taken := x.subscriptionNames[t.name]; taken {
		return fmt.Errorf("%w: snapshot %q", storage.ErrExists, t.name)
	}
	for i, sum := range sumsOf(of) {
		if sum != t.sums[i] {
			return fmt.Errorf("%w: subscription %d settled something meanwhile", storage.ErrStale, t.of)
		}
	}
	def := storage.Subscription{
		ID: x.NextSubscription, Name: t.name, Topic: t.topic, State: storage.Creating, CreatedAt: t.store.committer.now(),
		Snapshot: &storage.SnapshotMark{ExpiresAt: t.expires.Round(0).UTC(), Of: t.ofName, Unsettled: t.unsettled},
	}
	x.NextSubscription++
	b.shard = true
	t.made = newSubscription(def, of.topic)
	x.addSubscription(t.made)
	for i := range t.cursors {
		t.made.cursors[i] = newCursor(t.made, uint16(i), t.cursors[i].Floor)
		b.rewriteCursor(t.made.cursors[i])
	}
	b.rewriteSubscription(t.made)
	return nil
}

// fill writes what was settled past the floors, as much as a batch takes at a time. With
// the last of it the snapshot is there.
func (t *taking) fill(ctx context.Context) error {
	for done := (chunkPlace{}); ; {
		next, n, last := t.store.chunksFrom(t.cursors, done)
		err := t.store.change(ctx, &change{
			need: n.plus(catalogNeed),
			apply: func(b *batch) error {
				for at := done; at != next; at = at.after(t.cursors) {
					if c := at.of(t.cursors); c != nil {
						b.rewriteCursor(t.made.cursors[at.cursor])
						t.store.committer.applyChunk(t.made.cursors[at.cursor], c)
					}
				}
				if last {
					t.made.State = storage.Active
					b.rewriteSubscription(t.made)
					t.shown = t.made.Subscription
				}
				return nil
			},
			settled: func() {
				if last {
					t.store.directory.putSubscription(t.shown)
				}
			},
		})
		if err != nil || last {
			return err
		}
		done = next
	}
}

// chunkPlace is a place in the ack chunks of several cursors.
type chunkPlace struct{ cursor, chunk int }

// of gives the chunk at a place, with nothing but what is settled; nil between cursors.
func (p chunkPlace) of(all []storage.Cursor) *storage.Chunk {
	if p.cursor >= len(all) || p.chunk >= len(all[p.cursor].Chunks) {
		return nil
	}
	c := all[p.cursor].Chunks[p.chunk]
	return &storage.Chunk{Index: c.Index, Acked: c.Acked}
}

// after gives the place behind one.
func (p chunkPlace) after(all []storage.Cursor) chunkPlace {
	if p.chunk+1 < len(all[p.cursor].Chunks) {
		return chunkPlace{p.cursor, p.chunk + 1}
	}
	return chunkPlace{p.cursor + 1, 0}
}

// chunksFrom gives how far one step takes the chunks from a place on, and what it needs.
func (s *Store) chunksFrom(all []storage.Cursor, from chunkPlace) (next chunkPlace, n need, last bool) {
	for next = from; next.cursor < len(all); next = next.after(all) {
		c := next.of(all)
		if c == nil {
			continue
		}
		more := n.plus(chunkNeed(c)).plus(cursorNeed)
		if n != (need{}) && !more.within(s.options.SnapshotStepBytes, maxOpenKeys/2) {
			return next, n, false
		}
		n = more
	}
	return next, n, true
}

// DeleteSnapshot ends a snapshot; what it held goes in the background, and its name is
// free when all of it is gone. Errors: ErrNotFound.
func (s *Store) DeleteSnapshot(ctx context.Context, id storage.SubscriptionID) error {
	return s.DeleteSubscription(ctx, id)
}

// forgetSnapshots ends the snapshots that have expired.
func (j *janitor) forgetSnapshots(now time.Time) error {
	ended := false
	for _, x := range j.store.Snapshots() {
		if x.State == storage.Deleting || x.ExpiresAt.After(now) {
			continue
		}
		err := j.store.DeleteSnapshot(context.Background(), x.ID)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
		ended = true
	}
	if ended {
		j.remove()
	}
	return nil
}

// eraseSnapshots ends the snapshots of a topic that goes.
func (j *janitor) eraseSnapshots(topic storage.TopicID) error {
	for _, x := range j.store.Snapshots() {
		if x.Topic != topic {
			continue
		}
		err := j.store.DeleteSnapshot(context.Background(), x.ID)
		if err == nil || errors.Is(err, storage.ErrNotFound) {
			err = j.eraseSubscription(x.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
