package main

import "github.com/headrace/headrace/storage"

// settlerGroups is how many goroutines settle; each has its share of the topics.
const settlerGroups = 4

// startSettlers makes every subscription settle what it sees, as soon as it does: a
// change set at a time, like a subscription's loop.
func (b *bench) startSettlers() {
	for g := range settlerGroups {
		b.settlers.Go(func() { b.settle(g) })
	}
}

// settle plays the loops of a share of the subscriptions.
func (b *bench) settle(group int) {
	wake := make(chan struct{}, 1) // merged: all of the group are looked at
	var loops []*settler
	var cancels []func()
	defer func() {
		for _, cancel := range cancels {
			cancel()
		}
	}()
	for i := group; i < len(b.topics); i += settlerGroups {
		p := storage.PartitionID{Topic: b.topics[i]}
		cancels = append(cancels, b.store.Watch(p, wake))
		loops = append(loops, &settler{
			partition: p,
			slot:      b.store.NewStateSlot(b.subs[i]),
			set:       storage.ChangeSet{Subscription: b.subs[i], Cursors: make([]storage.CursorChange, 1)},
		})
	}
	for {
		select {
		case <-b.stop:
			return
		case <-wake:
		}
		for _, s := range loops {
			s.turn(b)
		}
	}
}

// settler plays one subscription's loop.
type settler struct {
	partition storage.PartitionID
	slot      storage.StateSlot
	set       storage.ChangeSet
	floor     storage.Offset
}

func (s *settler) turn(b *bench) {
	head := b.store.Head(s.partition)
	if head == s.floor {
		return
	}
	if idle, _ := s.slot.Done(); !idle {
		return
	}
	s.floor = head
	s.set.Cursors[0].Floor = head
	s.slot.Submit(&s.set)
}
