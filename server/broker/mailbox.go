package broker

import (
	"sync"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

const (
	// mailboxLetters and mailboxRanges bound a subscription's mailbox: enough for
	// thousands of sessions to speak at once, little enough to keep a turn short and
	// the memory of hostile settles within 2 MiB.
	mailboxLetters = 1024
	mailboxRanges  = 100_000
	// lettersPerTurn is how many letters a turn takes at most.
	lettersPerTurn = 256
)

// letter is one event of a session on its way to the loop.
type letter struct {
	event delivery.Event
	// stamp points into event.
	stamp *delivery.Stamp
	// session is whose stream it came from.
	session *Session
	// ranges is how many ranges the event names.
	ranges int
	// bundle is set when the event came by delivery tokens.
	bundle *tokenBundle
}

// mailbox is the bounded way from receive loops to an owner loop. Who finds it full
// waits; the loop lets waiting letters in, in their order, as it takes others out.
//
// A letter is stamped with the time of its put under the mutex that the loop takes
// letters under. So the loop knows for sure up to when it has seen all letters.
type mailbox struct {
	clock *clock
	// wake is the loop's, of capacity 1.
	wake chan<- struct{}

	mu      sync.Mutex
	letters []letter
	ranges  int
	waiting []*waitingLetter
	// fullSince is since when letters wait, as far as it was not yet reported.
	fullSince time.Duration
	// closed is why nothing is taken any more.
	closed error
}

// waitingLetter waits for room. admitted has capacity 1, so that the loop never
// waits for who waits: nil when the letter is in, else why the mailbox is closed.
type waitingLetter struct {
	letter   letter
	admitted chan error
}

// put stamps a letter and puts it in. It waits while the mailbox is full. The error
// is why the mailbox is closed.
func (m *mailbox) put(l letter) error {
	w := m.tryPut(l)
	if w == nil {
		signal(m.wake)
		return nil
	}
	return <-w.admitted
}

// tryPut puts a letter in, or in the line of those that wait.
func (m *mailbox) tryPut(l letter) *waitingLetter {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed != nil {
		w := &waitingLetter{admitted: make(chan error, 1)}
		w.admitted <- m.closed
		return w
	}
	l.stamp.At = m.clock.now()
	if len(m.waiting) == 0 && m.fits(l) {
		m.add(l)
		return nil
	}
	if len(m.waiting) == 0 {
		m.fullSince = m.clock.running()
	}
	w := &waitingLetter{letter: l, admitted: make(chan error, 1)}
	m.waiting = append(m.waiting, w)
	return w
}

// take moves up to limit letters to into. through is up to when every letter that
// was put has been taken now or before; more says that letters are left; waited is
// for how long letters have waited outside, which is time in which their streams
// were not read.
func (m *mailbox) take(into []letter, limit int) (letters []letter, through delivery.Instant, waited time.Duration, more bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := min(limit, len(m.letters))
	into = append(into, m.letters[:n]...)
	for i := range n {
		m.ranges -= m.letters[i].ranges
	}
	rest := copy(m.letters, m.letters[n:])
	clear(m.letters[rest:])
	m.letters = m.letters[:rest]
	waited = m.admit()
	if len(m.letters) == 0 {
		return into, m.clock.now(), waited, false
	}
	return into, m.letters[0].stamp.At, waited, true
}

// admit lets waiting letters in, as far as there is room.
func (m *mailbox) admit() (waited time.Duration) {
	if len(m.waiting) == 0 {
		return 0
	}
	now := m.clock.running()
	waited, m.fullSince = now-m.fullSince, now
	admitted := 0
	for admitted < len(m.waiting) && m.fits(m.waiting[admitted].letter) {
		m.add(m.waiting[admitted].letter)
		m.waiting[admitted].admitted <- nil
		admitted++
	}
	rest := copy(m.waiting, m.waiting[admitted:])
	clear(m.waiting[rest:])
	m.waiting = m.waiting[:rest]
	return waited
}

// close refuses everything from now on, with err.
func (m *mailbox) close(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = err
	m.letters = nil
	for _, w := range m.waiting {
		w.admitted <- err
	}
	m.waiting = nil
}

// fits says whether a letter may come in; a single one always may.
func (m *mailbox) fits(l letter) bool {
	return len(m.letters) == 0 ||
		len(m.letters) < mailboxLetters && m.ranges+l.ranges <= mailboxRanges
}

func (m *mailbox) add(l letter) {
	m.letters = append(m.letters, l)
	m.ranges += l.ranges
}

// signal wakes who listens to a channel of capacity 1. Signals merge.
func signal(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}
