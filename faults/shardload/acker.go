package shardload

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/headrace/headrace/storage"
)

// acker settles what is published, for one subscription.
type acker struct {
	load   *load
	number int
	id     storage.SubscriptionID
	random *rand.Rand
	states [partitions]ackState
	last   uint64
}

// newAcker goes on where the stored state ends, or creates the subscription.
func (l *load) newAcker(ctx context.Context, number int, name string) (*acker, error) {
	a := &acker{load: l, number: number, random: l.random(uint64(publishers + number))}
	id, ok := subscriptionID(l.store, name)
	if !ok {
		def := storage.Subscription{Name: name, Topic: l.topic}
		s, err := l.store.CreateSubscription(ctx, def, storage.Start{Kind: storage.StartEarliest})
		a.id = s.ID
		return a, err
	}
	a.id = id
	cursors, err := l.store.Cursors(ctx, id)
	if err != nil {
		return nil, err
	}
	var lines []string
	for i := range cursors {
		s := stateOf(&cursors[i])
		a.states[i], a.last = s, max(a.last, s.sequence)
		lines = append(lines, fmt.Sprintf("at %d %d %d %d %d", number, i, s.sequence, s.floor, s.head))
	}
	l.tell(lines...)
	return a, nil
}

// run commits change sets, one after the other.
func (a *acker) run() error {
	wake := make(chan struct{}, 1) // merged
	unwatch := a.watch(wake)
	defer unwatch()
	slot := a.load.store.NewStateSlot(a.id)
	defer slot.Close()
	for {
		select {
		case <-wake:
		case <-a.load.stop:
			return nil
		case <-a.load.store.Failed():
			return a.load.store.Err()
		}
		if err := a.commit(slot); err != nil {
			return err
		}
	}
}

// watch has wake signalled when a head rose, until stop is called.
func (a *acker) watch(wake chan<- struct{}) (stop func()) {
	var cancels [partitions]func()
	for p := range cancels {
		cancels[p] = a.load.store.Watch(storage.PartitionID{Topic: a.load.topic, Partition: uint16(p)}, wake)
	}
	return func() {
		for _, cancel := range cancels {
			cancel()
		}
	}
}

// commit moves some partitions on.
func (a *acker) commit(slot storage.StateSlot) error {
	c := &storage.ChangeSet{Subscription: a.id}
	var lines []string
	a.last++
	for p := range uint16(partitions) {
		head := a.load.store.Head(storage.PartitionID{Topic: a.load.topic, Partition: p})
		if a.random.IntN(4) == 0 || head == 0 {
			continue
		}
		s := a.states[p].advance(a.last, head-min(head, storage.Offset(a.random.IntN(lag))), head)
		a.states[p] = s
		c.Cursors = append(c.Cursors, s.cursor(p, scattered(a.number)))
		lines = append(lines, fmt.Sprintf("try %d %d %d %d %d", a.number, p, s.sequence, s.floor, s.head))
	}
	if len(lines) == 0 {
		return nil
	}
	a.load.tell(lines...)
	slot.Submit(c)
	<-slot.Ready()
	if _, err := slot.Done(); err != nil {
		return fmt.Errorf("subscription %d: %w", a.number, err)
	}
	a.load.tell(fmt.Sprintf("ok %d", a.number))
	return nil
}
