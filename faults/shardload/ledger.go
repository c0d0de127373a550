package shardload

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/headrace/headrace/storage"
)

const (
	topicName  = "cut"
	partitions = 4
)

// subscriptionNames have the ledger's numbers as their indexes. The first moves its
// floor alone, the second scatters what it acknowledges.
var subscriptionNames = [...]string{"floor", "scatter"}

// scattered says whether a subscription has ack chunks.
func scattered(subscription int) bool { return subscription == 1 }

// ErrPromiseBroken is returned when a store does not hold after a cut what it
// promised before, or cannot be opened.
var ErrPromiseBroken = errors.New("shardload: a promise is broken")

// stored is an append that the store said is durable.
type stored struct {
	publisher, number uint32
	base              storage.Offset
	count             uint32
	// lost: it was accepted, and found lost after a cut.
	lost bool
}

func (s *stored) end() storage.Offset { return s.base + storage.Offset(s.count) }

// acks is what one subscription was promised for each partition.
type acks struct {
	confirmed [partitions]ackState
	// pending are the change sets that were handed over and not confirmed before the
	// cut, the oldest first. There is more than one when some were confirmed after it.
	pending []changeSet
	// recovered is what a new life found, as far as it was told.
	recovered [partitions]ackState
}

// changeSet has a state for each partition that it touches, nil for the others.
type changeSet struct {
	sequence uint64
	states   [partitions]*ackState
}

// after is what is there when the first n pending change sets are.
func (a *acks) after(n int) [partitions]ackState {
	states := a.confirmed
	for _, c := range a.pending[:n] {
		for p, s := range c.states {
			if s != nil {
				states[p] = *s
			}
		}
	}
	return states
}

// Ledger is what a store promised, as its user wrote it down. A line of it is one
// of
//
//	ready                                      topic and subscriptions are durable
//	pub publisher number partition base count  an append is durable
//	buf publisher number base count            an append to the buffered topic is accepted
//	dur publisher head                         of its appends there all below the head are durable
//	try subscription partition sequence floor head   … is about to be handed over
//	ok subscription                            all that was tried is durable
//	at subscription partition sequence floor head    is what a new life found, for
//	                                           each partition in turn
//
// Tell, Cut, Restored, Ready and Counts are safe for concurrent use; the rest is for when nobody
// tells.
type Ledger struct {
	mu sync.Mutex
	// off: the power is gone. What is promised now is no promise: in the moment of
	// the cut the file system itself may say that it synced what it did not.
	off bool

	ready   bool
	appends [partitions][]stored
	// firsts are the first retained offsets that were last seen.
	firsts [partitions]storage.Offset
	acks   [len(subscriptionNames)]acks
	// buffered is of the topic whose publishes are done before they are durable.
	buffered bufferedLedger
	counts   Counts
}

// Counts are those of a ledger's lines, over all cuts.
type Counts struct {
	// Published counts acknowledged appends, Confirmed change sets.
	// Late counts promises after a cut, which are none.
	// Accepted are appends to the buffered topic, Lost those of them that were gone.
	Published, Confirmed, Late, Accepted, Lost int
}

// Counts says what was told up to now.
func (l *Ledger) Counts() Counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counts
}

// Ready says whether topic and subscriptions were promised.
func (l *Ledger) Ready() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ready
}

// Cut says that the power goes now.
func (l *Ledger) Cut() { l.setOff(true) }

// Restored says that the power is back.
func (l *Ledger) Restored() { l.setOff(false) }

func (l *Ledger) setOff(off bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.off = off
}

// Tell writes down one line.
func (l *Ledger) Tell(line string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "ready":
		l.ready = l.ready || !l.off
	case "pub":
		err = l.tellPublished(rest)
	case "buf":
		err = l.tellAccepted(rest)
	case "dur":
		err = l.tellDurable(rest)
	case "try":
		err = l.tellTried(rest)
	case "at":
		err = l.tellRecovered(rest)
	case "ok":
		err = l.tellConfirmed(rest)
	default:
		err = fmt.Errorf("unknown kind")
	}
	if err != nil {
		return fmt.Errorf("ledger: %q: %w", line, err)
	}
	return nil
}

func (l *Ledger) tellPublished(fields string) error {
	var s stored
	var p int
	if _, err := fmt.Sscan(fields, &s.publisher, &s.number, &p, &s.base, &s.count); err != nil {
		return err
	}
	if l.off {
		l.counts.Late++
		return nil
	}
	l.appends[p] = append(l.appends[p], s)
	l.counts.Published++
	return nil
}

// tellRecovered learns which of the last life's change sets were applied: without
// it they would be taken for some of the new life's, which has other ones of the
// same sequence. It counts whenever it comes: what was found was durable.
func (l *Ledger) tellRecovered(fields string) error {
	subscription, p, s, err := scanState(fields)
	if err != nil {
		return err
	}
	a := &l.acks[subscription]
	a.recovered[p] = s
	if p < partitions-1 {
		return nil
	}
	for n := range len(a.pending) + 1 {
		if a.after(n) == a.recovered {
			a.confirmed, a.pending = a.recovered, nil
			return nil
		}
	}
	return fmt.Errorf("%w: recovered %+v, confirmed %+v, then %d change sets", ErrPromiseBroken, a.recovered, a.confirmed, len(a.pending))
}

func scanState(fields string) (subscription, p int, s ackState, err error) {
	_, err = fmt.Sscan(fields, &subscription, &p, &s.sequence, &s.floor, &s.head)
	return subscription, p, s, err
}

func (l *Ledger) tellTried(fields string) error {
	subscription, p, s, err := scanState(fields)
	if err != nil {
		return err
	}
	a := &l.acks[subscription]
	if n := len(a.pending); n == 0 || a.pending[n-1].sequence != s.sequence {
		a.pending = append(a.pending, changeSet{sequence: s.sequence})
	}
	a.pending[len(a.pending)-1].states[p] = &s
	return nil
}

func (l *Ledger) tellConfirmed(fields string) error {
	var subscription int
	if _, err := fmt.Sscan(fields, &subscription); err != nil {
		return err
	}
	if l.off {
		l.counts.Late++
		return nil
	}
	a := &l.acks[subscription]
	a.confirmed, a.pending = a.after(len(a.pending)), nil
	l.counts.Confirmed++
	return nil
}

// Forget drops all promises: another store takes the place of this one.
func (l *Ledger) Forget() {
	l.ready = false
	l.appends = [partitions][]stored{}
	l.firsts = [partitions]storage.Offset{}
	l.acks = [len(subscriptionNames)]acks{}
	l.buffered = bufferedLedger{}
}

// Adopt takes what was found after a cut, and checked, as what is promised now.
func (l *Ledger) Adopt(f *Found) {
	if f.Buffered != nil {
		l.counts.Lost += l.buffered.adopt(f.Buffered)
	}
	for p := range f.Partitions {
		first := f.Partitions[p].First
		l.firsts[p] = first
		kept := l.appends[p][:0]
		for _, s := range l.appends[p] {
			if s.end() > first {
				kept = append(kept, s)
			}
		}
		l.appends[p] = kept
	}
	for i := range f.Cursors {
		l.acks[i] = acks{}
		for p := range f.Cursors[i] {
			l.acks[i].confirmed[p] = stateOf(&f.Cursors[i][p])
		}
	}
}
