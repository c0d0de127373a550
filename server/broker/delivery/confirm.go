package delivery

import (
	"slices"
	"sort"
)

const (
	// repeatedNumbers is how far back failures are repeated.
	repeatedNumbers = 1024
	// maxFailures bounds the failures that a session keeps, and those in one result.
	maxFailures = 10_000
	// maxPendingSettles is how many unconfirmed settles saturate a State.
	maxPendingSettles = 1 << 16
)

// replies is what a session is owed for its settles.
type replies struct {
	// applied is the last number applied, confirmed the last one whose outcome is
	// durable, told the last one confirmed to the client.
	applied   uint64
	confirmed uint64
	told      uint64
	acked     uint64
	// failures ascend by number; those up to told are kept for repeats.
	failures    []Failure
	maxFailures int
	// said counts the changes of failures.
	said uint64
	// repeats are confirmed numbers that came again.
	repeats []uint64
	owed    bool // in State.owed
	flooded bool
}

// pendingSettle waits for a change set.
type pendingSettle struct {
	x      *session
	number uint64
	// set and position say which change set it needs, see journal.covers.
	set      uint64
	position uint64
	// pages is the same for the pages of an exactly-once session, see ledger.
	pages uint64
	// letter is the ticket of its last dead letter, 0 when it has none.
	letter uint64
}

// fail notes that a part of a settle came to nothing. Adjacent parts join; what is
// told already makes room for what is not.
func (x *session) fail(number, first, last uint64, reason FailureReason) {
	x.said++
	if n := len(x.failures); n > 0 {
		f := &x.failures[n-1]
		if f.Number == number && f.Reason == reason && f.Range.Last+1 == first && first != 0 {
			f.Range.Last = last
			return
		}
	}
	if len(x.failures) >= x.maxFailures {
		x.forgetTold()
	}
	if len(x.failures) >= x.maxFailures {
		x.flooded = true
		return
	}
	x.failures = append(x.failures, Failure{Number: number, Range: SequenceRange{first, last}, Reason: reason})
}

// forgetTold drops the failures that were told, all of them: the list is full.
func (x *session) forgetTold() {
	n := sort.Search(len(x.failures), func(i int) bool { return x.failures[i].Number > x.told })
	x.failures = x.failures[:copy(x.failures, x.failures[n:])]
}

// awaitCommit queues a settle up for its confirmation. One that changed nothing
// durable waits only for those of its session in front of it.
func (s *State) awaitCommit(o *outcome) {
	x := o.x
	if x.flooded {
		s.end(x, EndFailuresUnread, o.at)
		return
	}
	if s.exact {
		o.durable = true // the number is
		s.ledger.touch(&x.book.self)
	}
	if !o.durable && x.confirmed+1 == o.number {
		x.confirmed = o.number
		s.owe(x)
		return
	}
	p := pendingSettle{x: x, number: o.number}
	if o.durable {
		p.set, p.position, p.letter = s.journal.next, s.journal.position(), o.letter
		p.pages = s.ledger.position()
	}
	s.pending.push(p)
}

// confirm moves on the settles whose change set is committed.
func (s *State) confirm() {
	for s.pending.len() > 0 {
		p := s.pending.front()
		if !s.journal.covers(p.set, p.position) || p.letter > s.letters.durable || s.exact && !s.ledger.covers(p) {
			return
		}
		if !p.x.gone {
			p.x.confirmed = p.number
			s.owe(p.x)
		}
		s.pending.pop()
		if s.exact {
			s.ledger.stamped = max(s.ledger.stamped-1, 0) // one of a session that is gone may not be
		}
	}
}

// owe puts a session on the list of those that are owed a result.
func (s *State) owe(x *session) {
	if !x.owed {
		x.owed = true
		s.owed = append(s.owed, x)
	}
}

// repeat answers a number that was applied before: if it is confirmed, its
// failures are told again; if not, they will be.
func (s *State) repeat(x *session, number uint64) {
	if number > x.told {
		return
	}
	if number+repeatedNumbers > x.applied && len(x.repeats) < repeatedNumbers {
		x.repeats = append(x.repeats, number)
	}
	s.owe(x)
}

// reply sends the results that are owed.
func (s *State) reply() {
	for _, x := range s.owed {
		x.owed = false
		if !x.gone && !x.absent {
			s.replyTo(x)
		}
	}
	clear(s.owed)
	s.owed = s.owed[:0]
}

func (s *State) replyTo(x *session) {
	r := s.out.settleResult()
	r.Session, r.ConfirmedThrough = x.id, x.confirmed
	slices.Sort(x.repeats)
	for i, number := range x.repeats {
		if i == 0 || number != x.repeats[i-1] {
			r.Failures = append(r.Failures, x.failuresOf(number, number)...)
		}
	}
	x.repeats = x.repeats[:0]
	r.Failures = append(r.Failures, x.failuresOf(x.told+1, x.confirmed)...)
	x.told = x.confirmed
	s.sent(x)
	if x.draining || x.closing || x.hasLeft || s.closing || x.moving {
		s.finishLater(x)
	}
}

// failuresOf returns the failures of the numbers first..last.
func (x *session) failuresOf(first, last uint64) []Failure {
	from := sort.Search(len(x.failures), func(i int) bool { return x.failures[i].Number >= first })
	to := sort.Search(len(x.failures), func(i int) bool { return x.failures[i].Number > last })
	return x.failures[from:to]
}
