package broker

import (
	"context"
	"errors"
	"math"

	"github.com/headrace/headrace/server/broker/delivery"
)

// What was pulled from a subscription that delivers exactly once is still held when the
// server was started anew. There is no stream that would take such a session up again, so
// the first token that comes does:
//
//	Pull ─► session ─✕ restart ─► stored, absent ─── Settle or Extend ─► session ─► settled
//
// Elsewhere a restart gives back what was pulled, and its tokens are stale.

// askAgain asks once more what was said to be stale, when the session could be taken up.
func (b *Broker) askAgain(
	ctx context.Context, s *subscription, u *tokenBundle, write func([]SequenceRange) letter,
) (tokenAnswer, error) {
	there, err := b.takeUpPull(ctx, s, u.session.id())
	if err != nil || !there {
		return tokenAnswer{stale: true}, err
	}
	if err := u.ask(s.loop, write); err != nil {
		return tokenAnswer{}, err
	}
	return u.await(ctx, s.loop)
}

// errPullThere refuses to take up what was taken up just before.
var errPullThere = errors.New("broker: the session is there")

// takeUpPull takes a session that pulled up again, with all that it holds, and says
// whether it is there. Errors: those of join.
func (b *Broker) takeUpPull(ctx context.Context, s *subscription, id string) (there bool, err error) {
	if s.config.Load().Guarantee != ExactlyOnce {
		return false, nil
	}
	session, err := b.join(ctx, s, SubscribeParams{
		Replenish: Manual, pulls: true,
		Resume: &Resume{
			SessionID: id, ReceivedThrough: math.MaxUint64,
			Holding: []SequenceRange{{First: 1, Last: math.MaxUint64}},
		},
	})
	switch {
	case err == nil:
		session.EndSending() // nothing is sent to it
		return true, nil
	case errors.Is(err, errPullThere):
		return true, nil
	case errors.Is(err, ErrSessionNotFound), errors.Is(err, ErrSessionSilent):
		return false, nil
	}
	return false, err
}

// takesUpPull says that a session is to take up what was pulled.
func (s *Session) takesUpPull() bool { return s.params.pulls && s.resumes != "" }

// pulled is the session that pulls and has an id, nil when it is not there. Owner loop
// only.
func (l *loop) pulled(id string) *Session {
	m := l.members.find(id)
	if m == nil {
		return nil
	}
	return l.sessions[m.handle]
}

// memberOfPull gives s the session m that pulled, which it is to take up; nil: there is
// none. Owner loop only.
func (l *loop) memberOfPull(s *Session, m *member) (*member, error) {
	switch {
	case m == nil:
		return nil, ErrSessionNotFound
	case l.sessions[m.handle] != nil:
		return nil, errPullThere
	}
	s.params.ClientID = m.clientID
	return m, nil
}

// numberOn goes on with the numbers of settles by tokens where the session stands.
func (s *Session) numberOn(r *delivery.Resumed) {
	if s.params.pulls {
		s.owned.number = r.Applied
	}
}
