package broker

import (
	"cmp"
	"context"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// MaxReleasedKeys is how many ordering keys one call names.
const MaxReleasedKeys = 1000

// ParkedKey is an ordering key that waits to be released.
type ParkedKey struct {
	storage.ParkedKey
	// Waiting counts the messages that were found to wait behind it.
	Waiting uint64
}

// KeyRelease says which parked keys go on: those named, those of some partitions, of
// the replay partition among them, or all.
type KeyRelease struct {
	Keys       []string
	Partitions []uint32
	All        bool
}

// ParkedKeys gives parked keys of a subscription from one on, in order of partition and
// hash: some, or none at the end. Errors: ErrSubscriptionNotFound, ErrDataLoss, ctx's.
func (b *Broker) ParkedKeys(ctx context.Context, name Name, from storage.ParkedKeyID) ([]ParkedKey, error) {
	s, err := b.catalog.subscription(name)
	if err == nil {
		err = s.failed()
	}
	if err != nil {
		return nil, err
	}
	stored, err := b.store.ParkedKeys(ctx, s.id, from)
	if err != nil || len(stored) == 0 {
		return nil, subscriptionError(err)
	}
	live, err := s.loop.askKeys(ctx, keyOrder{})
	if err != nil {
		return nil, err
	}
	waiting := make(map[storage.ParkedKeyID]uint64, len(live))
	for _, k := range live {
		waiting[storage.ParkedKeyID{Partition: uint16(k.Partition), Hash: k.Hash}] = k.Waiting
	}
	keys := make([]ParkedKey, len(stored))
	for i := range stored {
		keys[i] = ParkedKey{ParkedKey: stored[i], Waiting: waiting[stored[i].ParkedKeyID]}
	}
	return keys, nil
}

// ReleaseKeys lets parked keys go on, durably, and gives how many were parked. Errors:
// ErrSubscriptionNotFound, ErrInvalidField, ErrDataLoss, ctx's.
func (b *Broker) ReleaseKeys(ctx context.Context, name Name, r KeyRelease) (released uint64, err error) {
	s, err := b.catalog.subscription(name)
	if err == nil {
		err = s.failed()
	}
	if err != nil {
		return 0, err
	}
	events, err := s.releases(&r)
	if err != nil {
		return 0, err
	}
	gone, err := s.loop.askKeys(ctx, keyOrder{release: events})
	return uint64(len(gone)), err
}

// releases are the events of a release.
func (s *subscription) releases(r *KeyRelease) ([]delivery.ReleaseKeys, error) {
	if err := s.checkRelease(r); err != nil {
		return nil, err
	}
	byPartition := map[uint32]*delivery.ReleaseKeys{}
	event := func(partition uint32) *delivery.ReleaseKeys {
		if byPartition[partition] == nil {
			byPartition[partition] = &delivery.ReleaseKeys{Partition: partition}
		}
		return byPartition[partition]
	}
	for _, key := range r.Keys {
		hash := HashKey([]byte(key))
		for _, partition := range []uint32{uint32(keyPartition(hash, s.topic.partitions)), replayPartition} {
			e := event(partition)
			e.Hashes = append(e.Hashes, hash.Hash)
		}
	}
	for _, partition := range r.Partitions {
		event(partition).All = true
	}
	for place := 0; r.All && place < s.route.places(); place++ {
		event(s.route.partition(place)).All = true
	}
	events := make([]delivery.ReleaseKeys, 0, len(byPartition))
	for _, e := range byPartition {
		events = append(events, *e)
	}
	slices.SortFunc(events, func(a, b delivery.ReleaseKeys) int { return cmp.Compare(a.Partition, b.Partition) })
	return events, nil
}

func (s *subscription) checkRelease(r *KeyRelease) error {
	given := 0
	for _, is := range []bool{len(r.Keys) > 0, len(r.Partitions) > 0, r.All} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return invalidField("ordering_keys, partitions, all", "exactly one of them")
	case len(r.Keys) > 0 && s.config.Load().Order != OrderKey:
		return invalidField("ordering_keys", "only where keys are kept in order")
	case len(r.Keys) > MaxReleasedKeys:
		return invalidField("ordering_keys", "at most 1,000")
	case slices.ContainsFunc(r.Keys, func(k string) bool { return k == "" || len(k) > storage.MaxParkedKeyBytes }):
		return invalidField("ordering_keys", "of 1 to 1,024 bytes")
	case slices.ContainsFunc(r.Partitions, func(p uint32) bool { return p >= uint32(s.topic.partitions) && p != replayPartition }):
		return invalidField("partitions", "partitions of the topic")
	}
	return nil
}

// keyOrder asks for the parked keys, or releases some.
type keyOrder struct {
	release []delivery.ReleaseKeys
	// answer, of capacity 1, gets all that are parked, or were and are released.
	answer chan []delivery.ParkedKey
}

// askKeys has the owner loop answer; a release is durable then.
func (l *loop) askKeys(ctx context.Context, order keyOrder) ([]delivery.ParkedKey, error) {
	order.answer = make(chan []delivery.ParkedKey, 1) // capacity 1: the loop answers once and never waits
	l.orders.give(func(o *orderSlot) { o.keys = append(o.keys, order) })
	select {
	case keys := <-order.answer:
		return keys, nil
	case <-l.done:
		return nil, l.fate
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// keyRelease is a release that is not durable yet.
type keyRelease struct {
	answer   chan<- []delivery.ParkedKey
	released []delivery.ParkedKey
}

// collectKeys answers who asked for parked keys, and releases those that are to go on.
// Loop only, like the rest of this file.
func (l *loop) collectKeys() {
	for _, order := range l.taken.keys {
		parked := l.state.ParkedKeys(nil)
		if order.release == nil {
			order.answer <- parked
			continue
		}
		released := slices.DeleteFunc(parked, func(k delivery.ParkedKey) bool { return !releases(order.release, k) })
		if len(released) == 0 {
			order.answer <- nil
			continue
		}
		for i := range order.release {
			l.events = append(l.events, &order.release[i])
		}
		l.releases = append(l.releases, keyRelease{answer: order.answer, released: released})
	}
	l.taken.keys = nil
}

func releases(events []delivery.ReleaseKeys, k delivery.ParkedKey) bool {
	return slices.ContainsFunc(events, func(e delivery.ReleaseKeys) bool {
		return e.Partition == k.Partition && (e.All || slices.Contains(e.Hashes, k.Hash))
	})
}

// sealReleases notes that the releases so far are in the change set that is submitted.
func (l *loop) sealReleases() {
	l.sealed, l.releases = append(l.sealed, l.releases...), l.releases[:0]
}

// answerReleases tells that the change set in flight is durable.
func (l *loop) answerReleases() {
	for _, r := range l.sealed {
		r.answer <- r.released
	}
	clear(l.sealed)
	l.sealed = l.sealed[:0]
}

// changedKeys are the keys of a partition that were parked or released, by hash; the
// last change of one counts.
func (c *changeSet) changedKeys(
	from *delivery.ChangeSet, at int, due dueTimes, segments *segmentWindow, into []storage.KeyChange,
) []storage.KeyChange {
	partition := &from.Partitions[at]
	for _, k := range slices.Backward(partition.Keys) {
		if slices.ContainsFunc(into, func(other storage.KeyChange) bool { return other.Hash == k.Hash }) {
			continue
		}
		change := storage.KeyChange{Hash: k.Hash, Parked: k.Parked}
		if k.Parked {
			change.Since = due.wall.Round(0).UTC()
			change.Key = parkedKeyText(from.DeadLetters, k.Hash, segments)
		}
		into = append(into, change)
	}
	slices.SortFunc(into, func(a, b storage.KeyChange) int { return cmp.Compare(a.Hash, b.Hash) })
	return into
}

// parkedKeyText is the ordering key of the dead letter that parked it.
func parkedKeyText(letters []delivery.DeadLetter, hash uint32, segments *segmentWindow) string {
	for i := range letters {
		at := storage.Offset(letters[i].Offset)
		segment := segments.find(letters[i].Partition, at, at+1)
		if segment == nil || segment.KeyHashes == nil {
			continue
		}
		if key := segment.KeyHashes[at-segment.Base]; key.Present && key.Hash == hash {
			return orderingKey(segment.Range(at, at+1))
		}
	}
	return ""
}

// orderingKeyField is the number of Message.ordering_key.
const orderingKeyField = 5

// orderingKey reads the key of a message in its wire bytes: a tag, a length, and the
// fields, of which the last key counts. What is not so was never taken in.
func orderingKey(wire []byte) (key string) {
	_, _, tag := protowire.ConsumeTag(wire)
	message, n := protowire.ConsumeBytes(wire[max(tag, 0):])
	if tag < 0 || n < 0 {
		return ""
	}
	for len(message) > 0 {
		number, kind, tag := protowire.ConsumeTag(message)
		if tag < 0 {
			return key
		}
		size := protowire.ConsumeFieldValue(number, kind, message[tag:])
		if size < 0 {
			return key
		}
		if number == orderingKeyField && kind == protowire.BytesType {
			text, _ := protowire.ConsumeBytes(message[tag:])
			key = string(text)
		}
		message = message[tag+size:]
	}
	return key
}
