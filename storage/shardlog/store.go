package shardlog

import (
	"context"
	"sync"

	"github.com/headrace/headrace/storage"
)

// Store is one open shard. All methods are safe for concurrent use.
type Store struct {
	engine    storage.Engine
	options   Options
	in        *inbox
	committer *committer
	directory *directory
	janitor   *janitor
	cache     *segmentCache
	metrics   *metrics
	failure   *failure
	// deadLetterTurn has capacity 1: whoever takes dead letters away holds it.
	deadLetterTurn chan struct{}

	closing  sync.Once
	closeErr error
}

// Open recovers the shard that an engine keeps and takes it into service under a
// new epoch. The store owns the engine from now on: Close closes it, and so does
// an Open that fails. An empty engine becomes a new shard.
//
// Errors: MissingError when batches are missing whose loss Options does not accept;
// ErrDataLoss for other damage that names nobody; ErrFenced; ErrUnavailable.
func Open(ctx context.Context, engine storage.Engine, o Options) (*Store, error) {
	s, err := open(ctx, engine, o)
	if err != nil {
		_ = engine.Close() // The first error is the one to tell.
		return nil, err
	}
	go s.committer.run()
	go s.janitor.run()
	return s, nil
}

func open(ctx context.Context, engine storage.Engine, o Options) (*Store, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	s := &Store{
		engine: engine, options: o,
		in: newInbox(), directory: newDirectory(), failure: newFailure(),
		cache: newSegmentCache(o.CacheBytes), deadLetterTurn: make(chan struct{}, 1),
	}
	r, err := recoverShard(ctx, engine, o)
	if err != nil {
		return nil, err
	}
	s.committer = newCommitter(engine, o, s.in, r.shard, s.failure)
	s.metrics = s.committer.metrics
	s.janitor = newJanitor(s)
	if err := s.committer.takeOver(r.repairs, r.losses); err != nil {
		return nil, err
	}
	s.committer.remembers.Store(len(r.shard.producers.byID) > 0 || !r.shard.deduping.empty())
	s.show(r.shard)
	return s, nil
}

// show makes what was recovered visible.
func (s *Store) show(x *shard) {
	for _, t := range x.topics {
		for _, p := range t.partitions {
			p.publishMarks()
			s.committer.attention.add(p)
		}
		s.directory.putTopic(t.Topic, t.partitions)
	}
	for _, u := range x.subscriptions {
		s.directory.putSubscription(u.shown())
	}
	for _, p := range x.producers.byID {
		for _, t := range p.topics {
			s.committer.shownPages.show(t, t.page)
		}
	}
	s.resumeRemovals(x)
}

// resumeRemovals goes on removing what was deleted or never came to be.
func (s *Store) resumeRemovals(x *shard) {
	for id, u := range x.subscriptions {
		if u.State == storage.Deleting {
			s.janitor.removeSubscription(id)
		}
	}
	for id, t := range x.topics {
		if t.State == storage.Deleting {
			s.janitor.removeTopic(id)
		}
	}
}

// Close stops taking work, commits what was handed over, marks the shard as stopped
// in order, and closes the engine. What waits for room on the disk is refused
// instead, and Close says so with ErrNoSpace. It is safe to call twice; the error is
// that of the first call.
func (s *Store) Close() error {
	s.closing.Do(func() {
		close(s.committer.closing)
		s.janitor.stop()
		s.in.close()
		close(s.committer.stop)
		<-s.committer.done
		s.closeErr = s.failure.get()
		if err := s.engine.Close(); s.closeErr == nil {
			s.closeErr = err
		}
	})
	return s.closeErr
}

// AcceptsPublishes is false while the disk is below the high mark.
func (s *Store) AcceptsPublishes() bool { return s.engine.Space().AcceptsPublishes() }

// Failed is closed when the store failed for good.
func (s *Store) Failed() <-chan struct{} { return s.failure.failed }

// Err is why Failed was closed, else nil.
func (s *Store) Err() error { return s.failure.get() }

// Metrics are the store's figures.
func (s *Store) Metrics() Metrics { return s.metrics.snapshot() }

// NewPublishQueue makes one stream's way into the committer.
func (s *Store) NewPublishQueue() storage.PublishQueue { return newPublishQueue(s.in) }

// NewStateSlot makes a subscription's place in the committer's inbox; one owner at
// a time. An id that does not exist shows as ErrNotFound of the first change set.
func (s *Store) NewStateSlot(id storage.SubscriptionID) storage.StateSlot {
	return newStateSlot(s.in, id)
}
