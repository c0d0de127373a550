package standing

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/headrace/headrace/faults/history"
)

// Guarantee is a subscription's.
type Guarantee uint8

// The guarantees.
const (
	AtLeastOnce Guarantee = iota
	AtMostOnce
	ExactlyOnce
)

// Rules are those of a subscription that is there before anything is published.
type Rules struct {
	Subscription, Topic uint64
	Guarantee           Guarantee
	// Lease is how long somebody holds a delivery at least.
	Lease time.Duration
	// Resumes: whoever holds deliveries says what it begins, extends its leases, and takes
	// its session up again, so that only a failure and its own death charge an attempt.
	Resumes bool
	// KeyOf is the ordering key of a message among its publisher's, 0: none; nil: no order
	// is kept. Parks: a rejected message parks its key.
	KeyOf func(history.MessageID) uint64
	Parks bool
}

// Counts are what an account has in it.
type Counts struct {
	Handed, Acked, Retried, Rejected, Stale                int
	Seeks, Snapshots, Pauses, Redriven, Releases, CaughtUp int
	// Again are deliveries of what had been handed out before.
	Again int
}

// Account follows one subscription. Feed it every event of a history in the order of
// their times, and ask it at the end.
type Account struct {
	rules      Rules
	counts     Counts
	violations []history.Violation

	messages map[history.MessageID]*message
	sessions map[uint64]*session
	hands    map[handID]*hand
	keys     map[keyID]*key
	// deaths are those of clients, and sessions that were given up.
	deaths uint64

	operator operator
	floors   map[uint64]*floor
	// asked is when somebody began to ask what waits.
	asked history.Instant
	// lives counts servers.
	lives uint64
}

// New makes an account.
func New(r Rules) *Account {
	return &Account{
		rules: r, messages: map[history.MessageID]*message{}, sessions: map[uint64]*session{},
		hands: map[handID]*hand{}, keys: map[keyID]*key{}, floors: map[uint64]*floor{}, operator: newOperator(),
	}
}

// Violations gives what was broken, Counts what was read.
func (a *Account) Violations() []history.Violation { return a.violations }

// Counts gives what was read so far.
func (a *Account) Counts() Counts { return a.counts }

func (a *Account) brokenf(p history.Promise, format string, args ...any) {
	detail := fmt.Sprintf("subscription %d: ", a.rules.Subscription) + fmt.Sprintf(format, args...)
	a.violations = append(a.violations, history.Violation{Promise: p, Detail: detail})
}

// Read takes the next event.
func (a *Account) Read(e *history.Event) {
	switch e.Kind {
	case history.Publishing, history.Published:
		if e.Topic == a.rules.Topic {
			a.published(e)
		}
	case history.HandsOpening:
		if e.Subscription == a.rules.Subscription {
			a.sessions[e.Session] = &session{id: e.Session, client: e.Client, opened: e.At}
		}
	case history.Handed, history.Answering, history.Answered, history.AnswerFailed, history.HandsEnding:
		if s := a.sessions[e.Session]; s != nil {
			a.user(s, e)
		}
	case history.ServerLaunched:
		a.lives++
	case history.ClientKilled:
		a.clientKilled(e)
	case history.Drained:
		a.caughtUp(e.At, "in the end")
	default:
		if e.Kind >= history.SeekAiming && e.Subscription == a.rules.Subscription {
			a.readOperator(e)
		}
	}
}

// published notes messages that are about to be sent, or are stored.
func (a *Account) published(e *history.Event) {
	for i := range e.Count {
		m := a.message(history.MessageID{Publisher: e.Publisher, Number: e.Number + i})
		if e.Kind == history.Published {
			a.stored(m, history.Place{Topic: e.Topic, Partition: e.Partition, Offset: e.Offset + i}, e.At)
		}
	}
}

// message is the record of a message; it is made when there is none.
func (a *Account) message(id history.MessageID) *message {
	m := a.messages[id]
	if m == nil {
		m = &message{id: id, where: live}
		m.charges.begin(a.deaths)
		a.messages[id] = m
	}
	return m
}

// stored notes where a message stands, the first time that it is known.
func (a *Account) stored(m *message, at history.Place, when history.Instant) {
	if m.stored > 0 {
		return
	}
	m.at, m.stored = at, when
	a.floor(at.Partition).add(m)
	a.line(m)
}

// inOrder gives the values of a map in the order of their keys.
func inOrder[K comparable, V any](m map[K]V, compare func(a, b K) int) []V {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compare)
	values := make([]V, len(keys))
	for i, k := range keys {
		values[i] = m[k]
	}
	return values
}

// all gives every message in one order.
func (a *Account) all() []*message {
	return inOrder(a.messages, func(x, y history.MessageID) int {
		return cmp.Or(cmp.Compare(x.Publisher, y.Publisher), cmp.Compare(x.Number, y.Number))
	})
}
