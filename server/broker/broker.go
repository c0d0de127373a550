package broker

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// Broker owns the catalog in memory and one owner loop for each active subscription.
// Its methods may be called by any goroutine.
type Broker struct {
	store  Store
	config Config
	clock  *clock
	life   *life
	memory *outboundMemory

	catalog *catalog
	// changing holds a token while somebody changes the catalog; its capacity of 1
	// makes changes come one after the other.
	changing chan struct{}

	expiry expiry

	sessions    *census
	lastSession atomic.Uint64
	publishers  *census
	producers   producers
	publishing  *publishMemory
	unary       *unaryPublishers
}

// New makes a broker over a store: it loads topics and subscriptions and starts an
// owner loop for each active subscription. A damaged one is kept and answers
// ErrDataLoss. The store stays the caller's, to be closed after the broker.
// Errors: those of Config.Validate, ErrStoreUnavailable.
func New(store Store, config Config) (*Broker, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	b := &Broker{
		store:      store,
		config:     config,
		clock:      newClock(config.Clock),
		life:       newLife(),
		memory:     &outboundMemory{limit: config.OutboundMemoryBytes},
		catalog:    newCatalog(),
		changing:   make(chan struct{}, 1),
		sessions:   newCensus(config.MaxSessions),
		publishers: newCensus(0),
		publishing: &publishMemory{limit: config.PublishMemoryBytes},
		unary:      &unaryPublishers{},
	}
	if store.Err() != nil {
		return nil, storeFailure(store)
	}
	b.life.start(func() { b.clock.watch(b.life.closed) })
	b.load(context.Background())
	b.life.start(b.expire)
	return b, nil
}

// load makes the handles of everything that the store has. What is being created
// or deleted is the store's to finish.
func (b *Broker) load(ctx context.Context) {
	byID := map[storage.TopicID]*topic{}
	for _, stored := range b.store.Topics() {
		if !isServed(stored.State) {
			continue
		}
		t := newTopic(stored)
		b.measureBirth(t)
		if t.damage != nil {
			b.config.Logger.Error("topic not served", "topic", t.name, "error", t.damage)
		}
		byID[t.id] = t
		b.catalog.addTopic(t)
	}
	for _, stored := range b.store.Subscriptions() {
		if isServed(stored.State) {
			b.catalog.addSubscription(b.openSubscription(ctx, stored, byID[stored.Topic]))
		}
	}
}

// measureBirth notes how far a topic's partitions are.
func (b *Broker) measureBirth(t *topic) {
	for p := 0; p < t.partitions && t.damage == nil; p++ {
		t.born[p], t.damage = b.partitionFigures(t, p)
	}
}

func isServed(s storage.State) bool { return s == storage.Active || s == storage.Damaged }

// change waits for the turn to change the catalog; done gives it back. Errors:
// ErrDraining, ctx's.
func (b *Broker) change(ctx context.Context) (done func(), err error) {
	if b.life.drains() {
		return nil, ErrDraining
	}
	select {
	case b.changing <- struct{}{}:
		return func() { <-b.changing }, nil
	case <-b.life.draining:
		return nil, ErrDraining
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// OutboundBytes is what all frames that wait to be written take together.
func (b *Broker) OutboundBytes() int64 { return b.memory.used.Load() }

// PublishingBytes is what all messages between receipt and result take together.
func (b *Broker) PublishingBytes() int64 { return b.publishing.used.Load() }

// Drain stops what is new, sends every stream a GoAway, waits until sessions hold
// nothing and publishers have gone, at most for grace, and then ends the rest; what
// is unsettled is released without being charged. It returns nil when all ended,
// or ctx's error. A second call waits for the same end.
func (b *Broker) Drain(ctx context.Context, grace time.Duration) error {
	if b.life.drain(grace) {
		b.shutDownLoops(grace)
	}
	for _, s := range b.catalog.allSubscriptions() {
		if s.loop == nil {
			continue
		}
		select {
		case <-s.loop.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return b.awaitPublishers(ctx)
}

// shutDownLoops orders every loop to work off what its sessions hold. A change of
// the catalog that had begun is waited for, so that no loop is missed.
func (b *Broker) shutDownLoops(grace time.Duration) {
	b.changing <- struct{}{}
	defer func() { <-b.changing }()
	for _, s := range b.catalog.allSubscriptions() {
		if s.loop != nil {
			s.loop.orders.give(func(o *orderSlot) { o.shutdown = &delivery.Shutdown{Grace: grace} })
		}
	}
}

// awaitPublishers waits until every publisher is closed, or the grace is over: then
// they are told by their Next.
func (b *Broker) awaitPublishers(ctx context.Context) error {
	over := time.NewTimer(b.life.grace())
	defer over.Stop()
	select {
	case <-b.publishers.vacated():
	case <-over.C:
	case <-b.life.closed:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// Close ends every stream at once with ErrDraining, charging nothing, and waits for
// the loops. It may be called at any time, by many, more than once.
func (b *Broker) Close() {
	b.life.close()
	b.unary.close()
}
