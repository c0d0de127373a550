package broker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// How credit comes back.
const (
	OnSettle = delivery.OnSettle
	Manual   = delivery.Manual
)

// Verdicts.
const (
	Ack     = delivery.Ack
	Retry   = delivery.Retry
	Release = delivery.Release
	Reject  = delivery.Reject
)

// Settle ends deliveries; its Stamp is set by the session. A negative Delay means none.
type Settle = delivery.Settle

// Features is what a session's client can do.
type Features = delivery.Features

// What clients announce.
const (
	TellsStarted  = delivery.TellsStarted
	KeyBatches    = delivery.KeyBatches
	AnswersRecall = delivery.AnswersRecall
	Resumes       = delivery.Resumes
)

// CloseHow says how a session's stream ended.
type CloseHow = delivery.DetachHow

// How streams end.
const (
	// CloseClean: the client half-closed. What it holds is released uncharged, and
	// Next goes on until io.EOF.
	CloseClean = delivery.Clean
	// CloseBroken: the stream failed, or the client broke the protocol. Each
	// unsettled delivery counts as expired.
	CloseBroken = delivery.Broken
	// CloseGone: the server ended the stream for a reason of its own. Uncharged.
	CloseGone = delivery.Gone
)

// SubscribeParams is what a client asks for when it opens a session.
type SubscribeParams struct {
	Subscription Name
	// ClientID names the client; sessions with the same one share a ceiling, and one
	// takes the place of the other on an exclusive subscription. May be empty.
	ClientID string
	// Labels are free, for statistics. The broker keeps the map.
	Labels map[string]string
	// Replenish is OnSettle or Manual.
	Replenish Replenish
	// Window is the first window of an OnSettle session.
	Window Amount
	// Lease is the work lease, 1 s to 12 h; 0 means the subscription's.
	Lease time.Duration
	// MaxFrameBytes is the largest frame that the client accepts; 0 means
	// delivery.DefaultMaxFrameBytes.
	MaxFrameBytes int
	// Takeover asks to take the place of an exclusive subscription's session.
	Takeover bool
	// Features is what the client announced that it can do.
	Features Features
	// Resume asks to take a session up again; nil: a new one. The broker keeps it.
	Resume *Resume

	// pulls: the session has no stream; its Window is granted once. With Resume it takes
	// up what was pulled before the server started.
	pulls bool
}

// Resume names a session whose stream broke, or is to be left, and what the client
// has of it.
type Resume struct {
	SessionID string
	// ReceivedThrough is the last sequence that the client received, Holding all of
	// that whose settles are not confirmed; what is not in it is given back.
	ReceivedThrough uint64
	Holding         []SequenceRange
}

// Resumed tells what a session still has that was taken up again.
type Resumed = delivery.Resumed

// Session is one subscriber stream: a session of its own, or the next stream of one
// that is taken up again. Window to Close are for its receive loop: each
// counts as read when it is called, and waits while the subscription's mailbox is
// full; each returns nil, or why the session ended. Next is for its send loop.
type Session struct {
	// id, publicName and openedAt are those of the session that it takes up again,
	// when it does: set before admitted is.
	id         string
	publicName string
	// secret is in the delivery tokens of a session that pulls, and says its id.
	secret   sessionSecret
	openedAt time.Time
	params   SubscribeParams
	// resumes is the id of the session that it wants to take up again.
	resumes string

	mailbox *mailbox
	out     *outbound
	// admitted has capacity 1: the owner loop answers the Attach once and never waits.
	admitted chan error
	// limits, order, guarantee and resumed are set before admitted is.
	limits    SessionLimits
	order     Order
	guarantee Guarantee
	resumed   *Resumed
	// leave takes the session off the broker's count, once.
	leave func()
	owned ownedSession
}

// ownedSession is what the owner loop remembers of a session. Owner loop only.
type ownedSession struct {
	// handle and incarnation say which session's stream it is, and which one of them.
	handle      delivery.SessionID
	incarnation uint32
	member      *member
	// gone: the stream has ended; sentAway: it was told to end.
	gone, sentAway bool
	// admitted says that the state machine knows the session.
	admitted bool
	// room says that the outbound queue has room, writable what the state machine
	// was told.
	room, writable bool
	// changed says that the session is in the loop's list of those to look at.
	changed bool
	// told are the limits that the client knows.
	told  SessionLimits
	event delivery.Writable
	// number is that of the last settle by tokens, bundles are those not yet answered.
	number  uint64
	bundles []*tokenBundle
}

// ID is the session's unguessable id.
func (s *Session) ID() string { return s.id }

// PublicName is the session's short name for statistics and logs.
func (s *Session) PublicName() string { return s.publicName }

// Limits are the values in force when the session opened.
func (s *Session) Limits() SessionLimits { return s.limits }

// Order is the subscription's order.
func (s *Session) Order() Order { return s.order }

// Guarantee is the subscription's guarantee.
func (s *Session) Guarantee() Guarantee { return s.guarantee }

// Resumed is what the session still had when it was taken up again; nil when it is a
// new one.
func (s *Session) Resumed() *Resumed { return s.resumed }

// Window sets the credit of an OnSettle session.
func (s *Session) Window(window Amount) error {
	e := &delivery.Window{Credit: window}
	return s.put(letter{event: e, stamp: &e.Stamp})
}

// Grant sets the cumulative credit of a Manual session.
func (s *Session) Grant(throughSequence, throughBytes uint64) error {
	e := &delivery.Grant{ThroughSequence: throughSequence, ThroughBytes: throughBytes}
	return s.put(letter{event: e, stamp: &e.Stamp})
}

// Started tells which deliveries the client began to work on, of a session that
// announced TellsStarted. The broker keeps ranges.
func (s *Session) Started(ranges []SequenceRange) error {
	e := &delivery.Started{Ranges: ranges}
	return s.put(letter{event: e, stamp: &e.Stamp, ranges: len(ranges)})
}

// Settle ends deliveries. The broker keeps what it points to.
func (s *Session) Settle(settle Settle) error {
	e := &settle
	return s.put(letter{event: e, stamp: &e.Stamp, ranges: len(e.Ranges)})
}

// Extend prolongs leases to duration from now; 0 means the session's lease. The
// broker keeps ranges.
func (s *Session) Extend(number uint64, ranges []SequenceRange, duration time.Duration) error {
	e := &delivery.Extend{Number: number, Ranges: ranges, Duration: duration}
	return s.put(letter{event: e, stamp: &e.Stamp, ranges: len(ranges)})
}

// Drain asks for no more deliveries; Output.Drained answers when nothing is
// outstanding, or after grace.
func (s *Session) Drain(grace time.Duration) error {
	e := &delivery.Drain{Grace: grace}
	return s.put(letter{event: e, stamp: &e.Stamp})
}

// Heartbeat notes a sign of life.
func (s *Session) Heartbeat() error {
	e := &delivery.Heard{}
	return s.put(letter{event: e, stamp: &e.Stamp})
}

// Close tells how the stream ended. After CloseClean the send loop goes on until
// Next returns io.EOF; after the others Next returns ErrSessionClosed. Only the
// first call counts, but one that follows CloseClean gives up what is unsent. Every
// session must be closed by its stream's handler, however it ends.
func (s *Session) Close(how CloseHow) {
	e := &delivery.Detach{How: how}
	_ = s.put(letter{event: e, stamp: &e.Stamp}) // an ended session needs no Detach
	if how != CloseClean {
		s.out.fail(ErrSessionClosed)
	}
}

// put puts a letter into the subscription's mailbox, unless the session has ended.
func (s *Session) put(l letter) error {
	if err := s.out.err(); err != nil {
		return err
	}
	l.session = s
	err := s.mailbox.put(l)
	if ended := s.out.err(); err != nil && ended != nil {
		return ended
	}
	return err
}

// Done is closed when the session has ended: when Next would return an error, or
// has. A stream whose send loop is stuck in a write ends by it.
func (s *Session) Done() <-chan struct{} { return s.out.done }

// Err is why the session ended, nil before: io.EOF or an error of Next.
func (s *Session) Err() error { return s.out.err() }

// Next waits for what to write next. From its return to its next call, what it
// returned counts as being written, and must be written in time. A returned Frame is
// the caller's to release. Errors end the stream: io.EOF (status OK),
// ErrTakenOver, ErrSuperseded, ErrSessionSilent, ErrSettleNumberGap, ErrFrameOrder, ErrSlowReader,
// ErrResultsUnread, ErrSubscriptionDeleted, ErrDraining, ErrStoreUnavailable,
// ErrFenced, ErrDataLoss, ErrSessionClosed, or ctx's.
func (s *Session) Next(ctx context.Context) (Output, error) {
	for {
		out, err := s.out.take()
		if !errors.Is(err, errNothing) {
			return out, err
		}
		select {
		case <-s.out.wake:
		case <-ctx.Done():
			return Output{}, ctx.Err()
		}
	}
}

// EndSending says that the send loop has ended: what Next returned last is no longer
// being written. It must be called however the loop ends.
func (s *Session) EndSending() { s.out.leave() }

// leaver returns a function that takes one off a census, at the first call.
func leaver(c *census) func() { return sync.OnceFunc(c.leave) }
