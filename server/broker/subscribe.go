package broker

import (
	"context"
	"crypto/rand"
	"strconv"
	"sync"

	"github.com/headrace/headrace/server/broker/delivery"
)

// Subscribe opens a session. Errors: ErrSubscriptionNotFound, ErrSubscriptionDeleted,
// ErrInvalidField, ErrExclusiveSessionExists, ErrLimitReached, ErrDraining,
// ErrDataLoss, ErrStoreUnavailable, ctx's.
func (b *Broker) Subscribe(ctx context.Context, params SubscribeParams) (*Session, error) {
	s, err := b.catalog.subscription(params.Subscription)
	if err == nil {
		err = s.failed()
	}
	switch {
	case err != nil:
		return nil, err
	case params.MaxFrameBytes < 0:
		return nil, invalidField("max_frame_bytes", "at least 0")
	}
	return b.join(ctx, s, params)
}

// join opens a session of a subscription.
func (b *Broker) join(ctx context.Context, s *subscription, params SubscribeParams) (*Session, error) {
	switch {
	case b.life.drains():
		return nil, ErrDraining
	case !b.sessions.enter():
		return nil, ErrLimitReached
	case !s.usage.enter():
		b.sessions.leave()
		return nil, ErrSubscriptionDeleted
	}
	session := b.newSession(s, params)
	if err := session.attach(ctx, s.loop); err != nil {
		session.leave()
		return nil, err
	}
	return session, nil
}

// nextSession gives a session its handle and its short name.
func (b *Broker) nextSession() (handle delivery.SessionID, publicName string) {
	number := b.lastSession.Add(1)
	return delivery.SessionID(number), "s" + strconv.FormatUint(number, 36)
}

// newSession makes a session that is not yet attached.
func (b *Broker) newSession(of *subscription, params SubscribeParams) *Session {
	l := of.loop
	handle, publicName := b.nextSession()
	s := &Session{
		id:         rand.Text(),
		publicName: publicName,
		params:     params,
		openedAt:   b.clock.wall(),
		mailbox:    l.mailbox,
		admitted:   make(chan error, 1),
		leave: sync.OnceFunc(func() {
			b.sessions.leave()
			of.usage.leave(b.clock.now())
		}),
	}
	s.owned.handle = handle
	if params.pulls {
		s.secret = newSecret()
		s.id, s.publicName = s.secret.id(), "p"+publicName[1:]
	}
	s.out = newOutbound(b.clock, b.memory, func() { l.orders.notice(s) })
	return s
}

// attach asks the owner loop to admit the session, and waits for the answer.
func (s *Session) attach(ctx context.Context, l *loop) error {
	e := &delivery.Attach{
		ClientID:      s.params.ClientID,
		Replenish:     s.params.Replenish,
		Window:        s.params.Window,
		MaxFrameBytes: uint64(s.params.MaxFrameBytes),
		Lease:         s.params.Lease,
		Takeover:      s.params.Takeover,
		Features:      s.params.Features,
		Pull:          s.params.pulls,
	}
	var ranges int
	if r := s.params.Resume; r != nil {
		s.resumes, s.params.Resume, ranges = r.SessionID, nil, len(r.Holding)
		e.Resume = &delivery.Resume{ReceivedThrough: r.ReceivedThrough, Holding: r.Holding}
	}
	if err := s.put(letter{event: e, stamp: &e.Stamp, ranges: ranges}); err != nil {
		return err
	}
	select {
	case err := <-s.admitted:
		return err
	case <-l.done:
		return l.fate
	case <-ctx.Done():
		s.Close(s.howNeverOpened())
		return ctx.Err()
	}
}

// howNeverOpened is how a stream ended whose client did not wait for the answer. One
// that took a session up again must be able to try once more.
func (s *Session) howNeverOpened() CloseHow {
	if s.resumes != "" {
		return CloseBroken
	}
	return CloseGone
}
