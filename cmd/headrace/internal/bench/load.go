package bench

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/headrace/headrace/internal/measure"
	"github.com/headrace/headrace/sdk/go"
)

// load is a server under load, from warm-up to the last result.
type load struct {
	options Options
	target  *target
	ground  ground
	meter   *meter
	clients []*headrace.Client
}

// window is what was used between the two ends of the measurement.
type window struct {
	elapsed              time.Duration
	clientCPU, serverCPU time.Duration
	serverCPUKnown       bool
}

// measure loads the server, and opens the meter once it is warm.
func (l *load) measure(ctx context.Context) (window, error) {
	defer l.close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	running, ctx := errgroup.WithContext(ctx)
	if err := l.start(ctx, running); err != nil {
		stop()
		return window{}, errors.Join(err, running.Wait())
	}
	w, err := l.watch(ctx)
	stop()
	if failed := running.Wait(); failed != nil {
		return window{}, failed
	}
	return w, err
}

// start sets the publishers and subscribers going.
func (l *load) start(ctx context.Context, running *errgroup.Group) error {
	begin := time.Now()
	for range l.subscribers() {
		client, err := l.dial(ctx)
		if err != nil {
			return err
		}
		s := &subscriber{client.Subscription(l.ground.sub), l.meter, l.options.Window, begin}
		running.Go(func() error { return s.run(ctx) })
	}
	var clients []*headrace.Client
	for range l.options.connections() {
		client, err := l.dial(ctx)
		if err != nil {
			return err
		}
		clients = append(clients, client)
	}
	for i := range l.options.Publishers {
		p := newPublisher(l.topicsOf(clients[i%len(clients)], i), l.meter, l.options, begin)
		running.Go(func() error { return p.run(ctx) })
	}
	return nil
}

// topicsOf are the topics in the order in which a publisher takes them: each one
// begins elsewhere.
func (l *load) topicsOf(c *headrace.Client, publisher int) []*headrace.Topic {
	n := len(l.ground.topics)
	topics := make([]*headrace.Topic, n)
	for i := range topics {
		topics[i] = c.Topic(l.ground.topics[(i+publisher*n/l.options.Publishers)%n])
	}
	return topics
}

func (l *load) subscribers() int {
	if l.options.Mode == Publish {
		return 0
	}
	return l.options.Subscribers
}

func (l *load) dial(ctx context.Context) (*headrace.Client, error) {
	client, err := l.target.dial(ctx, l.options)
	if err == nil {
		l.clients = append(l.clients, client)
	}
	return client, err
}

// watch waits for the warm-up, which ends when messages flow, and measures over
// the window.
func (l *load) watch(ctx context.Context) (window, error) {
	l.options.Say("warming up for %s", l.options.Warmup)
	if err := wait(ctx, l.options.Warmup); err != nil {
		return window{}, err
	}
	select {
	case <-l.meter.flows:
	case <-ctx.Done():
		return window{}, ctx.Err()
	}
	l.options.Say("measuring for %s", l.options.Duration)
	before, err := l.usage()
	if err != nil {
		return window{}, err
	}
	begin := time.Now()
	l.meter.open.Store(true)
	err = wait(ctx, l.options.Duration)
	l.meter.open.Store(false)
	elapsed := time.Since(begin)
	after, usageErr := l.usage()
	return window{
		elapsed:        elapsed,
		clientCPU:      after.clientCPU - before.clientCPU,
		serverCPU:      after.serverCPU - before.serverCPU,
		serverCPUKnown: before.serverCPUKnown,
	}, errors.Join(err, usageErr)
}

// usage reads the CPU times so far.
func (l *load) usage() (window, error) {
	client, err := measure.OwnCPU()
	if err != nil {
		return window{}, err
	}
	server, known, err := l.target.cpu()
	return window{clientCPU: client, serverCPU: server, serverCPUKnown: known}, err
}

func (l *load) close() {
	for _, c := range l.clients {
		_ = c.Close()
	}
}

// wait returns after d, or with the error of a context that ended before.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
