package broker

import (
	"context"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// advanceStep is the most that the clock is moved forward at once: less than what
// would make a session that is connected count as silent.
const advanceStep = HeartbeatInterval

// Advance moves the clock forward for a test, in steps small enough that every session
// with a stream counts as heard all the while; what a client does not extend or settle
// in that time ends. Before each step advanceWall is called with its length, to move the
// wall clock of the broker and of the store. When Advance returns, every subscription's
// loop has seen the new time. Calls come one after the other. Errors: ctx's; then the
// clock stands somewhere between.
func (b *Broker) Advance(ctx context.Context, by time.Duration, advanceWall func(time.Duration)) error {
	for by > 0 {
		step := min(by, advanceStep)
		if err := b.hearAll(ctx); err != nil {
			return err
		}
		advanceWall(step)
		b.clock.ahead.Add(int64(step))
		by -= step
	}
	return b.hearAll(ctx)
}

// hearAll has every loop see the time, and count its sessions as heard.
func (b *Broker) hearAll(ctx context.Context) error {
	for _, s := range b.catalog.allSubscriptions() {
		if err := b.hearSessions(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// hearSessions asks a loop until it has seen the time: one that waits for the disk
// lets time stand still for a moment. A subscription that is gone hears nobody.
func (b *Broker) hearSessions(ctx context.Context, s *subscription) error {
	for now := b.clock.now(); ; {
		var seen delivery.Instant
		err := b.ask(ctx, s, func(l *loop) {
			l.hearSessions()
			seen = l.now
		})
		if err != nil {
			return ctx.Err()
		}
		if seen >= now {
			return nil
		}
	}
}

// hearSessions notes that every session is heard. Loop only.
func (l *loop) hearSessions() {
	for _, s := range l.sessions {
		l.own = append(l.own, &delivery.Heard{Stamp: l.stamp(s)})
	}
}
