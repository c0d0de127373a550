package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/shardlog"
)

// load is one line of the table.
type load struct {
	name string
	// size is that of a message, in bytes.
	size int
	// topics there are; publishes go over them in turn.
	topics int
	window
	// acked: a subscription on each topic settles everything, and it is trimmed.
	acked bool
	// history is how many messages were published, settled and trimmed before.
	history int
	// backlog is how many messages are retained when it begins.
	backlog int
}

// window is how much is published at a time.
type window struct {
	// perPublish messages are published as one, to one topic.
	perPublish int
	// publishers have inFlight publishes open, each.
	publishers, inFlight int
}

const warmUp = time.Second

// Windows of publishers, as the server grants them: about 1,000 messages in all.
var (
	lone      = window{perPublish: 1, publishers: 1, inFlight: 1}
	many      = window{perPublish: 1, publishers: 64, inFlight: 1}
	hundreds  = window{perPublish: 100, publishers: 4, inFlight: 10}
	frames    = window{perPublish: 32, publishers: 4, inFlight: 8}
	large     = window{perPublish: 4, publishers: 4, inFlight: 4}
	tenTopics = window{perPublish: 32, publishers: 4, inFlight: 5}
	hundred   = window{perPublish: 8, publishers: 4, inFlight: 50}
	thousand  = window{perPublish: 1, publishers: 4, inFlight: 500}
)

const (
	kib       = 1 << 10
	allTopics = 10_000
	millions  = 2_000_000
)

var loads = []load{
	{name: "lone publisher, 1 KiB", size: kib, topics: 1, window: lone},
	{name: "64 publishers, 1 KiB", size: kib, topics: 1, window: many},
	{name: "1 topic, 100 B", size: 100, topics: 1, window: hundreds},
	{name: "1 topic, 1 KiB", size: kib, topics: 1, window: frames},
	{name: "1 topic, 64 KiB", size: 64 * kib, topics: 1, window: large},
	{name: "10 of 10,000 topics, 1 KiB", size: kib, topics: allTopics, window: tenTopics},
	{name: "100 of 10,000 topics, 1 KiB", size: kib, topics: allTopics, window: hundred},
	{name: "1,000 of 10,000 topics, 1 KiB", size: kib, topics: allTopics, window: thousand},
	{name: "1,000 of 10,000 topics, 100 B", size: 100, topics: allTopics, window: thousand},
	{name: "1 topic, 1 KiB, acked and trimmed", size: kib, topics: 1, window: frames, acked: true},
	{name: "1,000 of 10,000 topics, 100 B, acked and trimmed", size: 100, topics: allTopics, window: thousand, acked: true},
	{name: "1 topic, 1 KiB, after 2 M acked", size: kib, topics: 1, window: frames, acked: true, history: millions},
	{name: "1 topic, 1 KiB, over a backlog of 2 M", size: kib, topics: 1, window: frames, backlog: millions},
}

// setting is what all loads of a run share.
type setting struct {
	// dir is where the stores are made.
	dir string
	// duration is how long each load is measured.
	duration time.Duration
	// collect is how often the value log is collected; 0 as the engine has it.
	collect time.Duration
}

// bench is a load that runs.
type bench struct {
	*load
	setting
	store  *shardlog.Store
	topics []storage.TopicID
	subs   []storage.SubscriptionID
	body   []byte

	settlers sync.WaitGroup
	stop     chan struct{}
}

// measure runs the load in a store of its own.
func (l load) measure(s setting) (r result, err error) {
	dir, err := os.MkdirTemp(s.dir, "storebench")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := &bench{load: &l, setting: s, body: make([]byte, l.size), stop: make(chan struct{})}
	for i := range b.body {
		b.body[i] = byte(rand.IntN(256))
	}
	if err := b.open(dir); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, b.store.Close()) }()
	if err := b.prepare(); err != nil {
		return r, err
	}
	if l.acked {
		b.startSettlers()
		defer b.settlers.Wait()
		defer close(b.stop)
	}
	if l.history+l.backlog > 0 {
		b.publish(func(done int) bool { return done*l.publishers < l.history+l.backlog })
	}
	b.publishFor(warmUp)
	before := b.sample()
	b.publishFor(s.duration)
	r = b.sample().since(before)
	if r.onDisk, err = sizeOf(dir); err != nil {
		return r, err
	}
	return r, b.store.Err()
}

func (b *bench) open(dir string) error {
	options := badgerlog.DefaultOptions(dir)
	if b.collect > 0 {
		options.GCInterval = b.collect
	}
	options.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	engine, err := badgerlog.Open(options)
	if err != nil {
		return err
	}
	b.store, err = shardlog.Open(context.Background(), engine, shardlog.Options{Logger: options.Logger})
	return err
}

// prepare creates the topics, many at a time.
func (b *bench) prepare() error {
	const atOnce = 256
	b.topics = make([]storage.TopicID, b.load.topics)
	b.subs = make([]storage.SubscriptionID, b.load.topics)
	errs := make(chan error, atOnce) // one for each worker
	var workers sync.WaitGroup
	for w := range min(atOnce, b.load.topics) {
		workers.Go(func() {
			for i := w; i < b.load.topics; i += atOnce {
				if err := b.prepareTopic(i); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	workers.Wait()
	close(errs)
	return <-errs
}

func (b *bench) prepareTopic(i int) error {
	ctx := context.Background()
	t, err := b.store.CreateTopic(ctx, storage.Topic{Name: fmt.Sprintf("topic %d", i), Partitions: 1})
	if err != nil {
		return err
	}
	b.topics[i] = t.ID
	// Without a subscription messages would be trimmed at once.
	s, err := b.store.CreateSubscription(ctx, storage.Subscription{Name: t.Name, Topic: t.ID}, storage.Start{})
	b.subs[i] = s.ID
	return err
}

func (b *bench) publishFor(d time.Duration) {
	end := time.Now().Add(d)
	b.publish(func(int) bool { return time.Now().Before(end) })
}

// publish runs the publishers as long as more says so, given the messages of one.
func (b *bench) publish(more func(done int) bool) {
	var publishers sync.WaitGroup
	for i := range b.publishers {
		publishers.Go(func() { b.publisher(i, more) })
	}
	publishers.Wait()
}

func (b *bench) publisher(number int, more func(done int) bool) {
	q := b.store.NewPublishQueue()
	defer q.Close()
	next, done, open := number*b.load.topics/b.publishers, 0, 0
	send := func(p *storage.Publish) {
		p.Appends[0].Partition.Topic = b.topics[next%b.load.topics]
		next++
		if q.Put(p, nil) {
			open++
		}
	}
	for range b.inFlight {
		send(&storage.Publish{Appends: []storage.Append{b.newAppend()}})
	}
	for open > 0 {
		p := q.Done()
		if p == nil {
			<-q.Ready()
			continue
		}
		open--
		done += b.perPublish
		if p.Err == nil && more(done) {
			send(p)
		}
	}
}

func (b *bench) newAppend() storage.Append {
	var a storage.Append
	for range b.perPublish {
		a.Messages = append(a.Messages, 0x0a)
		a.Messages = binary.AppendUvarint(a.Messages, uint64(len(b.body)))
		a.Messages = append(a.Messages, b.body...)
		a.Ends = append(a.Ends, uint32(len(a.Messages)))
	}
	return a
}

// sizeOf is what a directory takes on the disk, in bytes: files may have holes.
func sizeOf(dir string) (bytes int64, err error) {
	const blockBytes = 512
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			bytes += stat.Blocks * blockBytes
		}
		return nil
	})
	return bytes, err
}
