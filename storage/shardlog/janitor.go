package shardlog

import (
	"context"

	"github.com/headrace/headrace/storage"
)

// janitor does the slow work in small steps through the committer.
type janitor struct {
	store  *Store
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
}

func newJanitor(s *Store) *janitor {
	ctx, cancel := context.WithCancel(context.Background())
	return &janitor{store: s, ctx: ctx, cancel: cancel, done: make(chan struct{})}
}

func (j *janitor) run() {
	defer close(j.done)
	<-j.ctx.Done()
}

func (j *janitor) stop() {
	j.cancel()
	<-j.done
}

func (j *janitor) removeTopic(storage.TopicID) {}

func (j *janitor) removeSubscription(storage.SubscriptionID) {}
