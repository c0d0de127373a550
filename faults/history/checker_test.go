package history

import (
	"slices"
	"testing"
	"time"
)

// What every script of these tests works with.
const (
	theTopic, theSubscription, thePublisher = 1, 1, 1
	size                                    = 100
)

var theBounds = Bounds{Late: 10 * time.Second, LargestBytes: size}

// script is a history that is made up.
type script struct {
	events []Event
	now    Instant
	// settles are the numbers given, sequences those received, charged the charges, by
	// session.
	settles, sequences, charged map[uint64]uint64
}

// begun is a script of a server that serves one subscription, with defaults.
func begun(exclusive uint64) *script {
	s := &script{settles: map[uint64]uint64{}, sequences: map[uint64]uint64{}, charged: map[uint64]uint64{}}
	s.serve(1)
	s.subscribe(theSubscription, theTopic, exclusive)
	return s
}

func (s *script) add(k Kind, f Fields) *script {
	s.now += Instant(time.Millisecond)
	s.events = append(s.events, Event{At: s.now, Kind: k, Fields: f})
	return s
}

func (s *script) wait(d time.Duration) *script {
	s.now += Instant(d)
	return s
}

func (s *script) serve(life uint64) *script {
	return s.add(ServerLaunched, Fields{Life: life}).add(ServerServing, Fields{Life: life})
}

// killServer ends the first life, killClient the client of the first session.
func (s *script) killServer() *script { return s.add(ServerKilled, Fields{Life: 1}) }

func (s *script) killClient() *script { return s.add(ClientKilled, Fields{Client: 1}) }

func (s *script) subscribe(subscription, topic, exclusive uint64) *script {
	return s.add(SubscriptionMade, Fields{
		Subscription: subscription, Topic: topic, Exclusive: exclusive,
		Lease: uint64(30 * time.Second), MinBackoff: uint64(time.Second), MaxBackoff: uint64(time.Minute),
	})
}

// publish stores the publisher's first messages at the offsets from 0 on.
func (s *script) publish(count uint64) *script {
	return s.attempt(1, count).add(Published, Fields{Topic: theTopic, Publisher: thePublisher, Number: 1, Count: count})
}

func (s *script) attempt(first, count uint64) *script {
	return s.add(Publishing, Fields{Topic: theTopic, Publisher: thePublisher, Number: first, Count: count})
}

// open opens a session, of a client of the same number, with a window.
func (s *script) open(session, messages, bytes uint64) *script {
	return s.add(SessionOpening, Fields{
		Session: session, Client: session, Subscription: theSubscription, Count: messages, Bytes: bytes,
	}).add(SessionOpened, Fields{Session: session})
}

func (s *script) openManual() *script {
	return s.add(SessionOpening, Fields{Session: 1, Client: 1, Subscription: theSubscription, Manual: 1}).
		add(SessionOpened, Fields{Session: 1})
}

// deliver delivers messages with the same number as their attempts are given.
func (s *script) deliver(session, number, attempt uint64) *script {
	return s.deliverOf(session, size, Fields{Topic: theTopic, Publisher: thePublisher, Number: number, Offset: number - 1, Attempt: attempt})
}

func (s *script) deliverOf(session, bytes uint64, f Fields) *script {
	s.sequences[session]++
	s.charged[session] += bytes
	f.Session, f.Sequence, f.Frame = session, s.sequences[session], s.sequences[session]
	f.Bytes, f.Charged = bytes, s.charged[session]
	return s.add(Delivered, f)
}

// settle sends a verdict for sequences, without a delay of its own.
func (s *script) settle(session, verdict, first, last uint64) *script {
	s.settles[session]++
	return s.add(Settling, Fields{
		Session: session, Settle: s.settles[session], Sequence: first, Last: last, Verdict: verdict,
	})
}

func (s *script) confirm(session uint64) *script {
	return s.add(Confirmed, Fields{Session: session, Settle: s.settles[session]})
}

func (s *script) ack(session, first, last uint64) *script {
	return s.settle(session, Ack, first, last).confirm(session)
}

func (s *script) head(offset uint64) *script {
	return s.add(HeadSeen, Fields{Topic: theTopic, Offset: offset})
}

func (s *script) drained(head uint64) *script { return s.add(Drained, Fields{}).head(head) }

func (s *script) check() []Violation {
	c := NewChecker(theBounds)
	for i := range s.events {
		c.Read(&s.events[i])
	}
	return c.Finish()
}

// broken is a history that no server may produce, with what is wrong in it.
type broken struct {
	name    string
	promise Promise
	script  *script
}

var illegal = []broken{
	{"acknowledged, never delivered", Lost, begun(0).publish(2).open(1, 10, 9999).deliver(1, 1, 1).ack(1, 1, 1).drained(2)},
	{
		"delivered, and gone with its session", Lost,
		begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).killClient().drained(1),
	},
	{
		"unknown outcome, seen on one subscription, lost on another", Lost,
		begun(0).subscribe(2, theTopic, 0).attempt(1, 1).open(1, 10, 9999).deliver(1, 1, 1).ack(1, 1, 1).drained(1),
	},
	{
		"gone unsettled, and one more than was told", Lost,
		begun(0).publish(2).open(1, 10, 9999).floor(2).wentUnsettled(1).drained(2),
	},
	{
		"gone unsettled, but not below the floor", Lost,
		begun(0).publish(1).open(1, 10, 9999).wentUnsettled(1).drained(1),
	},
	{"a count of what went unsettled that goes back", WentBack, begun(0).wentUnsettled(3).wentUnsettled(2)},
	{"acknowledged past the head", Lost, begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).ack(1, 1, 1).drained(0)},
	{
		"acked, confirmed, and again", Duplicated,
		begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).ack(1, 1, 1).deliver(1, 1, 1),
	},
	{
		"held by one, given to another", Duplicated,
		begun(0).publish(1).open(1, 10, 9999).open(2, 10, 9999).deliver(1, 1, 1).deliver(2, 1, 1),
	},
	{
		"an ack on its way, given to another", Duplicated,
		begun(0).publish(1).open(1, 10, 9999).open(2, 10, 9999).deliver(1, 1, 1).settle(1, Ack, 1, 1).deliver(2, 1, 1).confirm(1),
	},
	{
		"acked, and again after a restart", Resurrected,
		begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).ack(1, 1, 1).killServer().serve(2).open(2, 10, 9999).deliver(2, 1, 1),
	},
	{
		"the confirmation read after the message came again", Resurrected,
		begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).settle(1, Ack, 1, 1).killServer().serve(2).
			open(2, 10, 9999).deliver(2, 1, 1).confirm(1),
	},
	{
		"a deleted topic's message under its name", Resurrected,
		begun(0).publish(1).add(TopicDeleted, Fields{Topic: theTopic}).subscribe(2, 2, 0).
			add(SessionOpening, Fields{Session: 1, Client: 1, Subscription: 2, Count: 10, Bytes: 9999}).
			add(SessionOpened, Fields{Session: 1}).deliver(1, 1, 1),
	},
	{
		"a deleted subscription that serves", Resurrected,
		begun(0).publish(1).add(SubscriptionDeleted, Fields{Subscription: theSubscription}).open(1, 10, 9999).deliver(1, 1, 1),
	},
	{"stored in another order", Reordered, reorderedStore()},
	{"an exclusive session in another order", Reordered, begun(1).publish(2).open(1, 10, 9999).deliver(1, 2, 1).deliver(1, 1, 1)},
	{
		"an exclusive session in another order after a restart", Reordered,
		begun(1).publish(2).open(1, 10, 9999).deliver(1, 1, 1).deliver(1, 2, 1).killServer().serve(2).
			open(2, 10, 9999).deliver(2, 2, 1).deliver(2, 1, 1),
	},
	{"more messages than the window", OverCredited, begun(0).publish(2).open(1, 1, 9999).deliver(1, 1, 1).deliver(1, 2, 1)},
	{"more bytes than the window", OverCredited, begun(0).publish(2).open(1, 10, size+1).deliver(1, 1, 1).deliver(1, 2, 1)},
	{
		"more than a smaller window that was read", OverCredited,
		shrunk().deliver(1, 10, 1).deliver(1, 11, 1).deliver(1, 12, 1),
	},
	{
		"an oversize message beside others", OverCredited,
		begun(0).publish(2).open(1, 10, size-1).deliver(1, 1, 1).deliver(1, 2, 1),
	},
	{"more messages than granted", OverCredited, begun(0).publish(2).openManual().grant(1, 9999).deliver(1, 1, 1).deliver(1, 2, 1)},
	{"without any grant", OverCredited, begun(0).publish(1).openManual().deliver(1, 1, 1)},
	{"more bytes than granted", OverCredited, begun(0).publish(3).openManual().grant(9, size).deliver(1, 1, 1).deliver(1, 2, 1)},
	{
		"two oversize messages for one grant", OverCredited,
		begun(0).publish(2).openManual().grant(9, size/2).deliver(1, 1, 1).deliver(1, 2, 1),
	},
	{"a sequence left out", Miscounted, begun(0).publish(1).open(1, 10, 9999).skipSequence(1).deliver(1, 1, 1)},
	{"a charge that is none", Miscounted, begun(0).publish(1).open(1, 10, 9999).overcharge(1).deliver(1, 1, 1)},
	{
		"a retry at once", Early,
		begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).settle(1, Retry, 1, 1).confirm(1).wait(700*time.Millisecond).deliver(1, 1, 2),
	},
	{
		"a second retry after the wait of a first", Early,
		begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).settle(1, Retry, 1, 1).confirm(1).wait(time.Second).
			deliver(1, 1, 2).settle(1, Retry, 2, 2).confirm(1).wait(1200*time.Millisecond).deliver(1, 1, 3),
	},
	{
		"a retry at once after a restart", Early,
		begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).settle(1, Retry, 1, 1).confirm(1).killServer().serve(2).
			open(2, 10, 9999).deliver(2, 1, 2),
	},
	{"a message that waits beside credit", Late, begun(0).open(1, 10, 9999).publish(1).wait(11*time.Second).deliver(1, 1, 1)},
	{"a message that never comes", Late, begun(0).open(1, 10, 9999).publish(1).wait(11 * time.Second).head(1)},
	{"a retry that never comes", Late, begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).settle(1, Retry, 1, 1).confirm(1).
		wait(20 * time.Second).head(1)},
	{"a wait over several lives", Late, lateOverLives()},
	{"a failure that was not charged", WrongAttempt, begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).
		settle(1, Retry, 1, 1).confirm(1).wait(2*time.Second).deliver(1, 1, 1)},
	{"a failure that a restart forgot", WrongAttempt, begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).
		settle(1, Retry, 1, 1).confirm(1).killServer().serve(2).open(2, 10, 9999).wait(2*time.Second).deliver(2, 1, 1)},
	{"a release that was charged", WrongAttempt, begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).
		settle(1, Release, 1, 1).confirm(1).wait(time.Second).deliver(1, 1, 2)},
	{"a restart that was charged", WrongAttempt, begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).killServer().serve(2).
		open(2, 10, 9999).deliver(2, 1, 2)},
	{"a dead client that was not charged", WrongAttempt, begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).killClient().
		open(2, 10, 9999).deliver(2, 1, 1)},
	{"a dead client that was charged twice", WrongAttempt, begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).killClient().
		open(2, 10, 9999).deliver(2, 1, 3)},
	{"a dead client that was charged for what came later", WrongAttempt, begun(0).open(1, 10, 9999).killClient().wait(2*time.Second).
		publish(1).open(2, 10, 9999).deliver(2, 1, 2)},
	{"a first delivery that is not the first", WrongAttempt, begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 2)},
	{"a floor that goes back", WentBack, begun(0).floor(3).floor(2)},
	{"a floor that a restart takes back", WentBack, begun(0).publish(2).open(1, 10, 9999).deliver(1, 1, 1).deliver(1, 2, 1).
		ack(1, 1, 2).floor(2).killServer().serve(2).floor(1)},
	{"a head that goes back", WentBack, begun(0).head(3).head(2)},
	{"an offset that nobody has", Gapped, begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).ack(1, 1, 1).drained(2)},
	{"an offset in the middle that nobody has", Gapped, gapped()},
	{"an offset given twice", Shared, begun(0).publish(1).attempt(2, 1).
		add(Published, Fields{Topic: theTopic, Publisher: thePublisher, Number: 2, Count: 1})},
	{"a message at two offsets", Moved, begun(0).publish(1).
		add(Published, Fields{Topic: theTopic, Publisher: thePublisher, Number: 1, Count: 1, Offset: 1})},
	{"a body that was changed", Changed, begun(0).publish(1).open(1, 10, 9999).
		add(Damaged, Fields{Session: 1, Sequence: 1, Frame: 1, Bytes: size, Charged: size})},
	{"a message that nobody published", Invented, begun(0).open(1, 10, 9999).deliver(1, 1, 1)},
	{"another topic's message", Invented, begun(0).subscribe(2, 2, 0).publish(1).
		add(SessionOpening, Fields{Session: 1, Client: 1, Subscription: 2, Count: 10, Bytes: 9999}).deliver(1, 1, 1)},
	{"a refused message that is there", StoredThoughRefused, begun(0).attempt(1, 1).
		add(Refused, Fields{Publisher: thePublisher, Number: 1, Count: 1}).open(1, 10, 9999).deliver(1, 1, 1)},
	{"a session that was never opened", Unreadable, begun(0).add(SessionOpened, Fields{Session: 7})},
}

func (s *script) grant(through, bytes uint64) *script {
	return s.add(Granted, Fields{Session: 1, Last: through, Bytes: bytes})
}

func (s *script) floor(offset uint64) *script {
	return s.add(FloorSeen, Fields{Subscription: theSubscription, Offset: offset})
}

func (s *script) wentUnsettled(count uint64) *script {
	return s.add(WentUnsettled, Fields{Subscription: theSubscription, Count: count})
}

func (s *script) skipSequence(session uint64) *script {
	s.sequences[session]++
	return s
}

func (s *script) overcharge(session uint64) *script {
	s.charged[session]++
	return s
}

// reorderedStore has a publisher's second message before its first one.
func reorderedStore() *script {
	s := begun(0).attempt(1, 2)
	s.add(Published, Fields{Topic: theTopic, Publisher: thePublisher, Number: 1, Count: 1, Offset: 1})
	return s.add(Published, Fields{Topic: theTopic, Publisher: thePublisher, Number: 2, Count: 1, Offset: 0})
}

// gapped has nothing at offset 1.
func gapped() *script {
	s := begun(0).publish(1).attempt(2, 1)
	s.add(Published, Fields{Topic: theTopic, Publisher: thePublisher, Number: 2, Count: 1, Offset: 2})
	s.open(1, 10, 9999).deliver(1, 1, 1)
	s.deliverOf(1, size, Fields{Topic: theTopic, Publisher: thePublisher, Number: 2, Offset: 2, Attempt: 1})
	return s.ack(1, 1, 2).drained(3)
}

// shrunk has a session whose smaller window the server must have read: a settle after
// it is confirmed, and many frames have come since. Nothing is outstanding.
func shrunk() *script {
	s := begun(0).publish(20).open(1, 10, 9999)
	s.add(WindowSet, Fields{Session: 1, Count: 2, Bytes: 9999})
	for n := uint64(1); n <= 9; n++ {
		s.deliver(1, n, 1).ack(1, n, n)
	}
	return s
}

// lateOverLives has a message that waits 6 s in each of two lives.
func lateOverLives() *script {
	s := begun(0).open(1, 10, 9999).publish(1).wait(6 * time.Second).killServer().wait(time.Hour).serve(2)
	return s.open(2, 10, 9999).wait(6*time.Second).deliver(2, 1, 1)
}

func TestCheckerFindsEachBrokenPromise(t *testing.T) {
	for _, x := range illegal {
		t.Run(string(x.promise)+": "+x.name, func(t *testing.T) {
			found := x.script.check()
			if len(found) != 1 || found[0].Promise != x.promise {
				t.Errorf("found %v", found)
			}
		})
	}
}

// TestCheckerFindsEveryPromise: the table above leaves none out.
func TestCheckerFindsEveryPromise(t *testing.T) {
	for _, p := range []Promise{
		Lost, Duplicated, Resurrected, Reordered, OverCredited, Miscounted, Early, Late, WrongAttempt, WentBack,
		Gapped, Shared, Moved, Changed, Invented, StoredThoughRefused, Unreadable,
	} {
		if !slices.ContainsFunc(illegal, func(x broken) bool { return x.promise == p }) {
			t.Errorf("no history breaks %q", p)
		}
	}
}

// legal are histories that look wrong and are not.
var legal = map[string]*script{
	"gone unsettled, and told": begun(0).publish(3).open(1, 10, 9999).deliver(1, 1, 1).floor(2).wentUnsettled(2).
		killServer().serve(2).wentUnsettled(1).open(2, 10, 9999).deliver(2, 3, 1).ack(2, 1, 1).wentUnsettled(2).drained(3),
	"all is well": begun(0).publish(3).open(1, 10, 9999).deliver(1, 1, 1).deliver(1, 2, 1).deliver(1, 3, 1).ack(1, 1, 3).drained(3),
	"an unknown outcome that was stored": begun(0).attempt(1, 1).add(Unknown, Fields{Publisher: 1, Number: 1, Count: 1}).
		open(1, 10, 9999).deliver(1, 1, 1).ack(1, 1, 1).drained(1),
	"an unknown outcome that was not stored": begun(0).attempt(1, 1).add(Unknown, Fields{Publisher: 1, Number: 1, Count: 1}).drained(0),
	"a subscription that was made later":     begun(0).publish(1).subscribe(2, theTopic, 0).open(1, 10, 9999).deliver(1, 1, 1).ack(1, 1, 1).drained(1),
	"again after a restart, uncharged": begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).killServer().serve(2).
		open(2, 10, 9999).deliver(2, 1, 1).ack(2, 1, 1).drained(1),
	"again after an ack without an answer": begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).settle(1, Ack, 1, 1).killServer().
		serve(2).open(2, 10, 9999).deliver(2, 1, 1).ack(2, 1, 1).drained(1),
	"not again after an ack without an answer": begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).settle(1, Ack, 1, 1).
		killServer().serve(2).drained(1),
	"a retry without an answer, charged": begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).settle(1, Retry, 1, 1).killServer().
		serve(2).open(2, 10, 9999).deliver(2, 1, 2).ack(2, 1, 1).drained(1),
	"a retry without an answer, not charged": begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).settle(1, Retry, 1, 1).
		killServer().serve(2).open(2, 10, 9999).deliver(2, 1, 1).ack(2, 1, 1).drained(1),
	"a dead client, charged at once": begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).killClient().
		open(2, 10, 9999).deliver(2, 1, 2).ack(2, 1, 1).drained(1),
	"a dead client and a dead server, charged": begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).killClient().killServer().
		serve(2).open(2, 10, 9999).deliver(2, 1, 2).ack(2, 1, 1).drained(1),
	"a dead client and a dead server, not charged": begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).killClient().killServer().
		serve(2).open(2, 10, 9999).deliver(2, 1, 1).ack(2, 1, 1).drained(1),
	"a dead client was sent what it never wrote down": begun(0).publish(1).open(1, 10, 9999).killClient().
		open(2, 10, 9999).deliver(2, 1, 2).ack(2, 1, 1).drained(1),
	"a released message goes to a dead client first": begun(0).publish(1).open(1, 10, 9999).open(2, 10, 9999).killClient().
		deliver(2, 1, 1).settle(2, Release, 1, 1).confirm(2).wait(50*time.Millisecond).deliver(2, 1, 2).ack(2, 2, 2).drained(1),
	"a lease ended unseen before the server died": begun(0).open(1, 10, 9999).wait(31*time.Second).publish(1).killServer().serve(2).
		open(2, 10, 9999).deliver(2, 1, 2).ack(2, 1, 1).drained(1),
	"a dying server hears the last ack of what it sent last": begun(0).publish(1).open(1, 10, 9999).killServer().deliver(1, 1, 1).
		settle(1, Ack, 1, 1).serve(2).drained(1),
	"a dead client's last ack was heard": begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).killClient().settle(1, Ack, 1, 1).drained(1),
	"what an old server sent is read late": begun(0).publish(1).open(1, 10, 9999).killServer().serve(2).open(2, 10, 9999).
		deliver(2, 1, 1).ack(2, 1, 1).deliver(1, 1, 1).drained(1),
	"a lease that ended is told after the message came to another": begun(0).publish(1).open(1, 10, 9999).open(2, 10, 9999).
		deliver(1, 1, 1).wait(31*time.Second).deliver(2, 1, 2).add(Revoked, Fields{Session: 1, Sequence: 1, Last: 1, Charged: 1}).
		ack(2, 1, 1).drained(1),
	"a stale ack fails, the other's holds": begun(0).publish(1).open(1, 10, 9999).open(2, 10, 9999).deliver(1, 1, 1).
		wait(31*time.Second).settle(1, Ack, 1, 1).deliver(2, 1, 2).
		add(SettleFailed, Fields{Session: 1, Settle: 1, Sequence: 1, Last: 1}).confirm(1).ack(2, 1, 1).drained(1),
	"a takeover, told late": begun(1).publish(1).open(1, 10, 9999).deliver(1, 1, 1).open(2, 10, 9999).deliver(2, 1, 1).
		add(Revoked, Fields{Session: 1, Sequence: 1, Last: 1}).add(SessionEnded, Fields{Session: 1}).ack(2, 1, 1).drained(1),
	"closed in order, uncharged": begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).add(SessionClosing, Fields{Session: 1}).
		add(SessionEnded, Fields{Session: 1}).open(2, 10, 9999).deliver(2, 1, 1).ack(2, 1, 1).drained(1),
	"a retry in its time": begun(0).publish(1).open(1, 10, 9999).deliver(1, 1, 1).settle(1, Retry, 1, 1).confirm(1).
		wait(900*time.Millisecond).deliver(1, 1, 2).ack(1, 2, 2).drained(1),
	"a retry comes before its confirmation is read": begun(0).publish(1).open(1, 10, 9999).open(2, 10, 9999).deliver(1, 1, 1).
		settle(1, Retry, 1, 1).wait(time.Second).deliver(2, 1, 2).confirm(1).ack(2, 1, 1).drained(1),
	"an exclusive session gets a retry behind later ones": begun(1).publish(2).open(1, 10, 9999).deliver(1, 1, 1).
		settle(1, Retry, 1, 1).deliver(1, 2, 1).wait(2*time.Second).deliver(1, 1, 2).confirm(1).ack(1, 2, 3).drained(2),
	"an exclusive session gets what failed before a restart ahead of others": begun(1).publish(2).open(1, 10, 9999).deliver(1, 1, 1).
		deliver(1, 2, 1).settle(1, Retry, 2, 2).confirm(1).killServer().serve(2).wait(2*time.Second).open(2, 10, 9999).
		deliver(2, 2, 2).deliver(2, 1, 1).ack(2, 1, 2).drained(2),
	"an exclusive session begins anew after a restart": begun(1).publish(2).open(1, 10, 9999).deliver(1, 1, 1).deliver(1, 2, 1).
		killServer().serve(2).open(2, 10, 9999).deliver(2, 1, 1).deliver(2, 2, 1).ack(2, 1, 2).drained(2),
	"a smaller window that was not read yet": begun(0).publish(3).open(1, 3, 9999).add(WindowSet, Fields{Session: 1, Count: 1, Bytes: 9999}).
		deliver(1, 1, 1).deliver(1, 2, 1).deliver(1, 3, 1).ack(1, 1, 3).drained(3),
	"a full window": begun(0).publish(4).open(1, 2, 9999).deliver(1, 1, 1).deliver(1, 2, 1).settle(1, Ack, 1, 2).
		deliver(1, 3, 1).deliver(1, 4, 1).confirm(1).ack(1, 3, 4).drained(4),
	"an oversize message alone": begun(0).publish(2).open(1, 10, size-1).deliver(1, 1, 1).settle(1, Ack, 1, 1).deliver(1, 2, 1).
		confirm(1).ack(1, 2, 2).drained(2),
	"an oversize message for a grant": begun(0).publish(2).openManual().grant(9, size/2).deliver(1, 1, 1).grant(9, size+1).
		deliver(1, 2, 1).ack(1, 1, 2).drained(2),
	"a message that waits for credit": begun(0).open(1, 1, 9999).publish(2).deliver(1, 1, 1).wait(time.Minute).ack(1, 1, 1).
		deliver(1, 2, 1).ack(1, 2, 2).drained(2),
	"a message that is larger than what a smaller grant left": begun(0).publish(2).openManual().grant(9, 2*size).grant(9, size+1).
		deliver(1, 1, 1).wait(time.Minute).grant(9, 2*size).deliver(1, 2, 1).ack(1, 1, 2).drained(2),
	"a message that waits for a session": begun(0).publish(1).wait(time.Hour).open(1, 10, 9999).deliver(1, 1, 1).ack(1, 1, 1).drained(1),
	"a message that waits for the server": begun(0).open(1, 10, 9999).publish(1).killServer().wait(time.Hour).serve(2).
		open(2, 10, 9999).deliver(2, 1, 1).ack(2, 1, 1).drained(1),
	"a deleted topic's messages need not come": begun(0).publish(5).add(TopicDeleted, Fields{Topic: theTopic}).add(Drained, Fields{}),
	"a deleted subscription's session reads what was on its way": begun(0).publish(1).open(1, 10, 9999).
		add(SubscriptionDeleted, Fields{Subscription: theSubscription}).deliver(1, 1, 1).drained(1),
	"floors rise": begun(0).floor(1).floor(1).floor(4),
	"a floor that was not durable": begun(0).publish(2).open(1, 10, 9999).deliver(1, 1, 1).deliver(1, 2, 1).ack(1, 1, 1).
		settle(1, Ack, 2, 2).floor(2).killServer().serve(2).floor(1).open(2, 10, 9999).deliver(2, 2, 1).ack(2, 1, 1).drained(2),
}

func TestCheckerPassesWhatIsLegal(t *testing.T) {
	for name, script := range legal {
		t.Run(name, func(t *testing.T) {
			if found := script.check(); len(found) != 0 {
				t.Error(found)
			}
		})
	}
}

// TestOnlyFaultsRepeat: what comes again because something died is counted, what was
// retried or released is not.
func TestOnlyFaultsRepeat(t *testing.T) {
	for name, want := range map[string]int{
		"all is well": 0, "a retry in its time": 0, "again after a restart, uncharged": 1, "a dead client, charged at once": 1,
	} {
		c := NewChecker(theBounds)
		for i := range legal[name].events {
			c.Read(&legal[name].events[i])
		}
		if got := c.Counts().Repeated; got != want {
			t.Errorf("%s: %d repeated; want %d", name, got, want)
		}
	}
}
