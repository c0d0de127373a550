package broker

import (
	"context"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// MoveSessions asks the session with a public name, or all when it is empty, to leave
// their streams within grace, and says how many have one. A client that resumes opens
// another stream that takes the session up; a stream that is not left ends after grace.
// Nothing is charged. Errors: ErrSubscriptionNotFound, ErrSessionNotFound, ErrDraining,
// ErrDataLoss, ctx's.
func (b *Broker) MoveSessions(ctx context.Context, name Name, session string, grace time.Duration) (int, error) {
	s, err := b.catalog.subscription(name)
	if err == nil {
		err = s.failed()
	}
	if err != nil {
		return 0, err
	}
	moved := 0
	if err := b.ask(ctx, s, func(l *loop) { moved = l.move(session, grace) }); err != nil {
		return 0, err
	}
	if moved == 0 && session != "" {
		return 0, ErrSessionNotFound
	}
	return moved, nil
}

// move has the next turn ask sessions to leave, and says how many. Loop only.
func (l *loop) move(session string, grace time.Duration) int {
	e := &delivery.Move{At: l.now, Grace: grace, Reason: delivery.GoAwayRebalance}
	moved := len(l.sessions)
	if session != "" {
		s := l.sessionNamed(session)
		if s == nil || s.owned.gone {
			return 0
		}
		e.Session, e.Reason, moved = s.owned.handle, delivery.GoAwayStream, 1
	}
	l.own = append(l.own, e)
	return moved
}
