package main

import (
	"context"
	"fmt"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

const (
	// pollInterval is how often the server is asked how far everybody is.
	pollInterval = 10 * time.Millisecond
	// victim is the worker that is killed.
	victim = "worker-1"
)

// follow watches until every subscription has acked every event. On the way it
// kills one of the two workers, once that one acked half of its share.
func (d *demo) follow(ctx context.Context) error {
	events := uint64(len(splitLines(d.input)))
	killAt := events / 2 / 2
	return d.poll(ctx, func(stats map[string]*headracev1.SubscriptionStats) bool {
		if p, alive := d.services[victim]; alive && ackedBy(stats[indexSub], victim) >= killAt {
			p.kill()
			delete(d.services, victim)
			d.progress.sayf("killed %s after it acked %d events", victim, ackedBy(stats[indexSub], victim))
		}
		d.progress.show(d.cast.subscriptions(), events, stats)
		return allDone(events, stats)
	})
}

// awaitSessions waits until every service has its session.
func (d *demo) awaitSessions(ctx context.Context) error {
	return d.poll(ctx, func(stats map[string]*headracev1.SubscriptionStats) bool {
		for name, s := range stats {
			if len(s.GetSessions()) != len(d.cast.of(name)) {
				return false
			}
		}
		return true
	})
}

// poll asks for the figures of all subscriptions until enough says so.
func (d *demo) poll(ctx context.Context, enough func(map[string]*headracev1.SubscriptionStats) bool) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		stats, err := d.stats(ctx)
		if err != nil {
			return err
		}
		if enough(stats) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("stopped before the end: %w", context.Cause(ctx))
		}
	}
}

func (d *demo) stats(ctx context.Context) (map[string]*headracev1.SubscriptionStats, error) {
	stats := map[string]*headracev1.SubscriptionStats{}
	for _, name := range d.cast.subscriptions() {
		s, err := d.client.Subscriptions().Stats(ctx, name)
		if err != nil {
			return nil, err
		}
		stats[name] = s
	}
	return stats, nil
}

func allDone(events uint64, stats map[string]*headracev1.SubscriptionStats) bool {
	for _, s := range stats {
		if s.GetAcked() < events || s.GetBacklog().GetMessages() > 0 {
			return false
		}
	}
	return true
}

// ackedBy is how many events the session of a client has acked.
func ackedBy(s *headracev1.SubscriptionStats, client string) uint64 {
	for _, session := range s.GetSessions() {
		if session.GetClientId() == client {
			return session.GetAcked()
		}
	}
	return 0
}
