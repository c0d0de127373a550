package standing

import (
	"fmt"
	"time"

	"github.com/headrace/headrace/faults/history"
)

// Bounds are those of a subscription that nobody settles anything of, on a topic of one
// partition; 0 is none.
type Bounds struct {
	Subscription, Topic uint64
	// MaxAge and MaxBytes are the topic's. MessageBytes is the size of each message.
	MaxAge       time.Duration
	MaxBytes     uint64
	MessageBytes uint64
	// MaxMessages is the cap on the subscription's backlog; Letters says that what is above
	// it becomes dead letters.
	MaxMessages uint64
	Letters     bool
}

const (
	// clockSlack is by how much less a message may have waited than it is old: the wall
	// clock is not the one of a history.
	clockSlack = 50 * time.Millisecond
	// commitBytes is how much goes at once.
	commitBytes = 128 << 10
)

// Idle follows a subscription that is kept within bounds by the server alone: nothing
// goes that may stay, and what went is told. Feed it every event of a history in the
// order of their times, and ask it at the end.
type Idle struct {
	bounds     Bounds
	violations []history.Violation

	// attempted counts messages that may be stored; asked is when each was, by the offset
	// that it got, handed says that it was delivered.
	attempted uint64
	asked     map[history.MessageID]history.Instant
	stored    map[uint64]history.MessageID
	handed    map[history.MessageID]bool
	sessions  map[uint64]bool
	// floor was told last; gone with it.
	floor, gone uint64
	letters     map[history.MessageID]int
}

// NewIdle makes an account of a subscription that is kept within bounds.
func NewIdle(b Bounds) *Idle {
	return &Idle{
		bounds: b, asked: map[history.MessageID]history.Instant{}, stored: map[uint64]history.MessageID{},
		handed: map[history.MessageID]bool{}, sessions: map[uint64]bool{},
	}
}

// Violations gives what was broken, Gone how much went.
func (a *Idle) Violations() []history.Violation { return a.violations }

// Gone is how many messages went.
func (a *Idle) Gone() uint64 { return a.floor }

func (a *Idle) brokenf(p history.Promise, format string, args ...any) {
	detail := fmt.Sprintf("subscription %d: ", a.bounds.Subscription) + fmt.Sprintf(format, args...)
	a.violations = append(a.violations, history.Violation{Promise: p, Detail: detail})
}

// Read takes the next event.
func (a *Idle) Read(e *history.Event) {
	switch {
	case e.Kind == history.Publishing && e.Topic == a.bounds.Topic:
		a.attempted += e.Count
		for i := range e.Count {
			a.asked[history.MessageID{Publisher: e.Publisher, Number: e.Number + i}] = e.At
		}
	case e.Kind == history.Published && e.Topic == a.bounds.Topic:
		for i := range e.Count {
			a.stored[e.Offset+i] = history.MessageID{Publisher: e.Publisher, Number: e.Number + i}
		}
	case e.Kind == history.HandsOpening && e.Subscription == a.bounds.Subscription:
		a.sessions[e.Session] = true
	case e.Kind == history.Handed && a.sessions[e.Session]:
		a.handed[history.MessageID{Publisher: e.Publisher, Number: e.Number}] = true
	case e.Kind == history.Drained:
		a.drained()
	case e.Kind >= history.SeekAiming && e.Subscription == a.bounds.Subscription:
		a.told(e)
	}
}

func (a *Idle) told(e *history.Event) {
	switch e.Kind {
	case history.FloorTold:
		a.floorTold(e)
	case history.GoneTold:
		a.gone = e.Count
		if !a.bounds.Letters && e.Count != a.floor {
			a.brokenf(history.Lost, "%d messages went, and %d are told of", a.floor, e.Count)
		}
	case history.LettersAsking:
		a.letters = map[history.MessageID]int{}
	case history.LetterSeen:
		a.letters[history.MessageID{Publisher: e.Publisher, Number: e.Number}]++
	default:
	}
}

// floorTold: what went since the last look was too old, or above a bound.
func (a *Idle) floorTold(e *history.Event) {
	before := a.floor
	a.floor = e.Offset
	for offset := before; offset < e.Offset; offset++ {
		id, known := a.stored[offset]
		if age := e.At.Sub(a.asked[id]); known && a.bounds.MaxAge > 0 && age+clockSlack < a.bounds.MaxAge {
			a.brokenf(history.OverTrimmed, "%s at offset %d, %v after it was published", id, offset, age)
		}
	}
	left := a.attempted - min(a.attempted, e.Offset)
	if e.Offset == 0 {
		return
	}
	if left < a.bounds.MaxMessages {
		a.brokenf(history.OverTrimmed, "at most %d messages are left of %d, where %d may be", left, a.attempted, a.bounds.MaxMessages)
	}
	if a.bounds.MaxBytes > 0 && left*a.bounds.MessageBytes+commitBytes < a.bounds.MaxBytes {
		a.brokenf(history.OverTrimmed, "at most %d messages are left of %d, where %d bytes may be", left, a.attempted, a.bounds.MaxBytes)
	}
}

// drained: what did not go was delivered, or is a dead letter; all of those that are to be.
func (a *Idle) drained() {
	for offset, id := range a.stored {
		switch {
		case offset >= a.floor:
			if !a.handed[id] {
				a.brokenf(history.Lost, "%s at offset %d, not below the floor %d", id, offset, a.floor)
			}
		case a.bounds.Letters && a.letters[id] != 1:
			a.brokenf(history.Lost, "%s at offset %d went, and is a dead letter %d times", id, offset, a.letters[id])
		}
	}
}
