package shardlog

import (
	"context"
	"sync"
	"time"

	"github.com/headrace/headrace/storage"
)

// janitor does the slow work in small steps through the committer: it counts what
// old commit segments hold, removes what was deleted, and trims what is settled
// and old enough. Only it takes pointers away, one step at a time, so what it read
// still stands when a step is applied.
type janitor struct {
	store *Store
	// quit is closed to end the loop, done by the loop when it has.
	quit, done chan struct{}
	// wake has capacity 1: there is something to remove.
	wake chan struct{}

	removals removals

	// Loop only.
	count   counting
	waiting dueQueue
	moves   mover
	scratch []*partition
}

func newJanitor(s *Store) *janitor {
	return &janitor{
		store: s,
		quit:  make(chan struct{}),
		done:  make(chan struct{}),
		wake:  make(chan struct{}, 1),
	}
}

// run is the janitor's loop. It ends when the janitor is stopped or the store fails.
func (j *janitor) run() {
	defer close(j.done)
	ticks, stop := j.ticks()
	defer stop()
	for !j.stopped() {
		j.remove()
		if j.count.step(j) {
			// There is more to count; it must not keep anything else waiting.
			select {
			case <-ticks:
				j.retain()
			default:
			}
			continue
		}
		select {
		case <-j.quit:
			return
		case <-j.store.in.down:
			return
		case <-j.wake:
		case <-ticks:
			j.retain()
		}
	}
}

func (j *janitor) ticks() (ticks <-chan time.Time, stop func()) {
	if ticks := j.store.options.RetentionTicks; ticks != nil {
		return ticks, func() {}
	}
	t := time.NewTicker(j.store.options.RetentionInterval)
	return t.C, t.Stop
}

// stop ends the loop and waits for it, and for a step that runs.
func (j *janitor) stop() {
	close(j.quit)
	<-j.done
}

// stopped says that there is no use in another step.
func (j *janitor) stopped() bool {
	select {
	case <-j.quit:
		return true
	case <-j.store.in.down:
		return true
	default:
		return false
	}
}

// removeTopic has a topic that is marked as deleted removed.
func (j *janitor) removeTopic(id storage.TopicID) {
	j.removals.addTopic(id)
	signal(j.wake)
}

// removeSubscription has a subscription that is marked as deleted removed.
func (j *janitor) removeSubscription(id storage.SubscriptionID) {
	j.removals.addSubscription(id)
	signal(j.wake)
}

// change and ask are the store's. They wait for the committer, which always
// answers: what a step shares with it must not be left behind.
func (j *janitor) change(c *change) error { return j.store.change(context.Background(), c) }

func (j *janitor) ask(question func()) error { return j.store.ask(context.Background(), question) }

// report logs what kept the janitor from a piece of work; a store that is closing
// or has failed is no news.
func (j *janitor) report(what string, err error) {
	if err != nil && !j.stopped() {
		j.store.options.Logger.Error("janitor: "+what, "error", err)
	}
}

// removals are what is to be removed.
type removals struct {
	mu            sync.Mutex
	topics        []storage.TopicID
	subscriptions []storage.SubscriptionID
}

func (r *removals) addTopic(id storage.TopicID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.topics = append(r.topics, id)
}

func (r *removals) addSubscription(id storage.SubscriptionID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.subscriptions = append(r.subscriptions, id)
}

func (r *removals) take() (topics []storage.TopicID, subscriptions []storage.SubscriptionID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	topics, subscriptions = r.topics, r.subscriptions
	r.topics, r.subscriptions = nil, nil
	return topics, subscriptions
}
