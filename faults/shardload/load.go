package shardload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

const (
	// publishers is how many there are at most. With few of them, commits are small
	// and many, and the state of subscriptions fills memtables; with many, messages
	// fill value logs.
	publishers = 6
	// publishersPerLife keeps the numbers of two lives' publishers apart.
	publishersPerLife = 16
	// appendBytes bounds an append, but for a message larger than it.
	appendBytes = 128 << 10
	maxMessages = 200
	// lag is how far floors stay behind heads at most.
	lag = 10_000
	// retention is how often the store looks for what it may trim.
	retention = 20 * time.Millisecond
)

// loadOptions say what a child does.
type loadOptions struct {
	dir string
	// seed gives the load, and life the names of its publishers.
	seed uint64
	life uint32
	// hasty: the store promises too early.
	hasty bool
	log   *slog.Logger
}

// load uses a store and says what it promised, until stop is closed; then it closes
// the store.
type load struct {
	loadOptions
	store *shardlog.Store
	topic storage.TopicID
	stop  <-chan struct{}

	mu  sync.Mutex
	out io.Writer
}

// runLoad opens the store and loads it until stop is closed or the store fails.
func runLoad(ctx context.Context, o loadOptions, out io.Writer, stop <-chan struct{}) error {
	badger, err := badgerlog.Open(engineOptions(o.dir, o.log))
	if err != nil {
		return err
	}
	engine := storage.Engine(badger)
	if o.hasty {
		engine = &hastyEngine{Engine: badger}
	}
	s, err := shardlog.Open(ctx, engine, shardlog.Options{Logger: o.log, RetentionInterval: retention})
	if err != nil {
		return err
	}
	l := &load{loadOptions: o, store: s, stop: stop, out: out}
	err = l.run(ctx)
	return errors.Join(err, s.Close())
}

func (l *load) run(ctx context.Context) error {
	if err := l.createTopic(ctx); err != nil {
		return err
	}
	var users sync.WaitGroup
	bufferedTopic, err := l.createBuffered(ctx)
	if err != nil {
		return err
	}
	errs := make(chan error, publishers+len(subscriptionNames)+2) // one of each user
	for i, name := range subscriptionNames {
		a, err := l.newAcker(ctx, i, name)
		if err != nil {
			return err
		}
		users.Go(func() { errs <- a.run() })
	}
	l.tell("ready")
	for i := range uint32(1 + l.random(publishersPerLife).IntN(publishers)) {
		users.Go(func() { errs <- l.publish(i) })
	}
	users.Go(func() { errs <- l.publishBuffered(storage.PartitionID{Topic: bufferedTopic}) })
	users.Go(func() { errs <- l.tellHeads(storage.PartitionID{Topic: bufferedTopic}) })
	users.Wait()
	close(errs)
	var all error
	for err := range errs {
		all = errors.Join(all, err)
	}
	return all
}

func (l *load) createTopic(ctx context.Context) error {
	if t, there := topicNamed(l.store, topicName); there {
		l.topic = t.ID
		return nil
	}
	t, err := l.store.CreateTopic(ctx, storage.Topic{Name: topicName, Partitions: partitions})
	l.topic = t.ID
	return err
}

// tell writes lines at once, so that a kill does not cut one.
func (l *load) tell(lines ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Nobody listens any more when it fails.
	_, _ = io.WriteString(l.out, strings.Join(lines, "\n")+"\n")
}

func (l *load) random(stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(l.seed+uint64(l.life), stream))
}

func (l *load) stopped() bool {
	select {
	case <-l.stop:
		return true
	default:
		return false
	}
}

// publish publishes frames of random shapes, one after the other.
func (l *load) publish(i uint32) error {
	random := l.random(uint64(i))
	q := l.store.NewPublishQueue()
	defer q.Close()
	publisher := l.life*publishersPerLife + i
	for number := uint32(1); !l.stopped(); {
		p := &storage.Publish{}
		first := number
		for range 1 + random.IntN(3) {
			p.Appends = append(p.Appends, l.newAppend(random, publisher, number))
			number++
		}
		if !q.Put(p, l.stop) {
			return nil
		}
		for q.Done() == nil {
			<-q.Ready()
		}
		switch {
		case p.Err == nil:
			l.tellPublished(p, publisher, first)
		case !errors.Is(p.Err, storage.ErrNoSpace):
			return fmt.Errorf("publish: %w", p.Err)
		}
	}
	return nil
}

func (l *load) tellPublished(p *storage.Publish, publisher, first uint32) {
	lines := make([]string, len(p.Appends))
	for i := range p.Appends {
		a := &p.Appends[i]
		lines[i] = fmt.Sprintf("pub %d %d %d %d %d", publisher, first+uint32(i), a.Partition.Partition, a.Base, len(a.Ends))
	}
	l.tell(lines...)
}

// newAppend makes an append of one large, or of a few or many smaller messages.
func (l *load) newAppend(random *rand.Rand, publisher, number uint32) storage.Append {
	size := idBytes + random.IntN(1<<random.IntN(18))
	count := min(1+random.IntN(maxMessages), 1+appendBytes/size)
	bodies := make([]string, count)
	for i := range bodies {
		bodies[i] = string(appendBody(nil, messageID{publisher, number, uint32(i)}, size))
	}
	p := storage.PartitionID{Topic: l.topic, Partition: uint16(random.IntN(partitions))}
	return storagetest.NewAppend(p, bodies...)
}
