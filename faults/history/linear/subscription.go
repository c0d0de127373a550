package linear

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/headrace/headrace/faults/history"
)

// Subscription collects what a recorded history says of one subscription, message by
// message. Feed it every event in the order of their times.
type Subscription struct {
	number   uint64
	topic    uint64
	messages map[history.MessageID]*story
	sessions map[uint64]*session
	restarts []span
}

// NewSubscription makes a collector for the subscription with this number.
func NewSubscription(number uint64) *Subscription {
	return &Subscription{number: number, messages: map[history.MessageID]*story{}, sessions: map[uint64]*session{}}
}

// story is what happened to one message.
type story struct {
	operations []porcupine.Operation
	sessions   map[uint64]bool
	first      history.Instant
}

type span struct{ from, to history.Instant }

// session is one stream of the subscription.
type session struct {
	id, client uint64
	opened     history.Instant
	closing    history.Instant
	// end is when it ended, kind how: broken, or closed; 0: it has not.
	end        span
	kind       stepKind
	deliveries []received
	settles    []sent
}

// received is one delivery, by sequence - 1.
type received struct {
	message *story
	at      history.Instant
}

// sent is a part of a settle without an answer.
type sent struct {
	number, first, last, verdict uint64
	at                           history.Instant
	failed                       map[uint64]bool
}

// Read takes the next event.
func (s *Subscription) Read(e *history.Event) {
	switch e.Kind {
	case history.SubscriptionMade:
		if e.Subscription == s.number {
			s.topic = e.Topic
		}
	case history.Publishing, history.Published, history.Refused:
		if e.Topic == s.topic || e.Kind == history.Refused {
			s.publisher(e)
		}
	case history.SessionOpening:
		if e.Subscription == s.number {
			s.sessions[e.Session] = &session{id: e.Session, client: e.Client, opened: e.At}
		}
	case history.ServerKilled:
		s.restarts = append(s.restarts, span{e.At, never})
	case history.ServerServing:
		for i := range s.restarts {
			s.restarts[i].to = min(s.restarts[i].to, e.At)
		}
	case history.ClientKilled:
		for _, x := range s.sessions {
			if x.client == e.Client && x.kind == 0 {
				x.kind, x.end = broken, span{e.At, never}
			}
		}
	default:
		if x := s.sessions[e.Session]; x != nil {
			s.session(x, e)
		}
	}
}

func (s *Subscription) publisher(e *history.Event) {
	for i := range e.Count {
		id := history.MessageID{Publisher: e.Publisher, Number: e.Number + i}
		m := s.messages[id]
		switch {
		case e.Kind == history.Publishing:
			m = &story{sessions: map[uint64]bool{}, first: e.At}
			m.operations = append(m.operations, operation(step{kind: published, open: true}, e.At, never))
			s.messages[id] = m
		case m == nil:
		case e.Kind == history.Published:
			m.operations[0] = operation(step{kind: published}, m.first, e.At)
		default:
			m.operations = m.operations[1:]
		}
	}
}

func (m *story) add(x step, from, to history.Instant) {
	if m != nil {
		m.operations = append(m.operations, operation(x, from, to))
	}
}

func (s *Subscription) session(x *session, e *history.Event) {
	switch e.Kind {
	case history.Delivered:
		m := s.messages[history.MessageID{Publisher: e.Publisher, Number: e.Number}]
		if m == nil { // Nobody published it.
			m = &story{sessions: map[uint64]bool{}, first: e.At}
			s.messages[history.MessageID{Publisher: e.Publisher, Number: e.Number}] = m
		}
		m.sessions[x.id] = true
		m.add(step{kind: delivered, session: x.id, attempt: e.Attempt}, x.opened, e.At)
		x.deliveries = append(x.deliveries, received{m, e.At})
	case history.Settling:
		x.settles = append(x.settles, sent{e.Settle, e.Sequence, e.Last, e.Verdict, e.At, map[uint64]bool{}})
	case history.SettleFailed:
		for i := range x.settles {
			for n := e.Sequence; x.settles[i].number == e.Settle && n <= e.Last; n++ {
				x.settles[i].failed[n] = true
			}
		}
	case history.Confirmed:
		x.confirmed(e)
	case history.Revoked:
		for n := e.Sequence; n <= e.Last; n++ {
			kind := revoked
			if e.Charged == 1 {
				kind = expired
			}
			x.deliveries[n-1].message.add(step{kind: kind, session: x.id}, x.opened, e.At)
		}
	case history.SessionClosing:
		x.closing = e.At
	case history.SessionEnded:
		s.ended(x, e.At)
	default: // Credit and bodies are judged elsewhere.
	}
}

// ended takes the end of a session. That the server died is told apart.
func (s *Subscription) ended(x *session, at history.Instant) {
	n := len(s.restarts)
	switch {
	case x.kind != 0, n > 0 && s.restarts[n-1].from > x.opened:
	case x.closing > 0:
		x.kind, x.end = closed, span{x.closing, at}
	default:
		x.kind, x.end = broken, span{x.opened, never}
	}
}

// confirmed makes operations of the settles up to a number.
func (x *session) confirmed(e *history.Event) {
	n := 0
	for ; n < len(x.settles) && x.settles[n].number <= e.Settle; n++ {
		x.settle(&x.settles[n], e.At, false)
	}
	x.settles = x.settles[n:]
}

var verdicts = map[uint64]stepKind{history.Ack: acked, history.Retry: failed, history.Release: released}

func (x *session) settle(p *sent, told history.Instant, open bool) {
	for n := p.first; n <= min(p.last, uint64(len(x.deliveries))); n++ {
		kind := verdicts[p.verdict]
		if p.failed[n] {
			kind = stale
		}
		x.deliveries[n-1].message.add(step{kind: kind, session: x.id, open: open}, p.at, told)
	}
}

// Check checks every message's history and gives those for which there is no order,
// with how many were checked. Call it once, when everything was read.
func (s *Subscription) Check() (checked int, illegal []string) {
	for _, x := range s.sessions {
		for i := range x.settles {
			x.settle(&x.settles[i], never, true)
		}
	}
	for id, m := range s.messages {
		s.endings(m)
		checked++
		if verdict := message(m.operations); verdict != Legal {
			illegal = append(illegal, fmt.Sprintf("message %s: %s: %s", id, verdict, m))
		}
	}
	slices.Sort(illegal)
	return checked, illegal
}

// endings adds the ends of sessions, and of servers, that may concern a message.
func (s *Subscription) endings(m *story) {
	last := m.first
	for _, o := range m.operations {
		last = max(last, history.Instant(o.Call))
		if history.Instant(o.Return) != never {
			last = max(last, history.Instant(o.Return))
		}
	}
	for _, r := range s.restarts {
		if r.from < last && r.to > m.first {
			m.add(step{kind: restarted}, r.from, r.to)
		}
	}
	for id, x := range s.sessions {
		// A session that broke may have been sent what it never wrote down.
		near := x.kind == broken && x.end.to > m.first && x.opened < last && x.end.from+unseenWithin > m.first
		if x.kind != 0 && (m.sessions[id] || near) {
			m.add(step{kind: x.kind, session: id, open: x.kind == broken}, x.end.from, x.end.to)
		}
	}
}

// unseenWithin is how long after its death a client may be sent something.
const unseenWithin = history.Instant(1e9)

// String lists what happened, in the order of calls.
func (m *story) String() string {
	slices.SortFunc(m.operations, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	var text strings.Builder
	for _, o := range m.operations {
		fmt.Fprintf(&text, "\n\t%d..%d %+v", o.Call, o.Return, o.Input)
	}
	return text.String()
}
