package standing

import (
	"slices"
	"testing"
	"time"

	"github.com/headrace/headrace/faults/history"
)

// idleScript is a history that is made up of a subscription that nobody settles.
type idleScript struct {
	bounds Bounds
	script
}

func idle(b Bounds) *idleScript {
	b.Subscription, b.Topic, b.MessageBytes = theSubscription, theTopic, 1<<10
	return &idleScript{bounds: b, script: script{sequence: map[uint64]uint64{}}}
}

func (s *idleScript) with(f func(*script) *script) *idleScript {
	f(&s.script)
	return s
}

// look tells a floor and how many messages went.
func (s *idleScript) look(floor, gone uint64) *idleScript {
	s.floor(floor).of(history.GoneTold, history.Fields{Count: gone})
	return s
}

func (s *idleScript) drain() *idleScript {
	s.add(history.Drained, history.Fields{})
	return s
}

func (s *idleScript) check() []history.Violation {
	a := NewIdle(s.bounds)
	for i := range s.events {
		a.Read(&s.events[i])
	}
	return a.Violations()
}

func published(n uint64) func(*script) *script {
	return func(s *script) *script { return s.publish(n) }
}

func waited(d time.Duration) func(*script) *script {
	return func(s *script) *script { return s.wait(d) }
}

func TestBoundsThatTakeTooMuchAreFound(t *testing.T) {
	aged, sized := Bounds{MaxAge: time.Second}, Bounds{MaxBytes: 1 << 20}
	capped, buried := Bounds{MaxMessages: 40}, Bounds{MaxMessages: 40, Letters: true}
	for name, c := range map[string]struct {
		script  *idleScript
		promise history.Promise
	}{
		"too young":                {idle(aged).with(published(2)).with(waited(900*time.Millisecond)).look(1, 1), history.OverTrimmed},
		"too many bytes":           {idle(sized).with(published(2000)).look(1200, 1200), history.OverTrimmed},
		"too many messages":        {idle(capped).with(published(50)).look(11, 11), history.OverTrimmed},
		"not told":                 {idle(capped).with(published(50)).look(10, 9), history.Lost},
		"not delivered":            {idle(capped).with(published(1)).look(0, 0).drain(), history.Lost},
		"too many dead letters":    {idle(buried).with(published(50)).look(11, 0), history.OverTrimmed},
		"gone, and no dead letter": {idle(buried).with(published(41)).look(1, 0).drain(), history.Lost},
		"a dead letter twice": {
			idle(buried).with(published(41)).look(1, 0).with(func(s *script) *script { return s.letters(1, 1) }).drain(), history.Lost,
		},
	} {
		got := c.script.check()
		if !slices.ContainsFunc(got, func(v history.Violation) bool { return v.Promise == c.promise }) {
			t.Errorf("%s: %v, want %q", name, got, c.promise)
		}
	}
}

func TestBoundsThatAreKeptAreLegal(t *testing.T) {
	aged, sized := Bounds{MaxAge: time.Second}, Bounds{MaxBytes: 1 << 20}
	capped, buried := Bounds{MaxMessages: 1}, Bounds{MaxMessages: 1, Letters: true}
	taken := func(s *script) *script { return s.open(1).hand(1, 2, 1) }
	for name, s := range map[string]*idleScript{
		"old enough":     idle(aged).with(published(2)).with(waited(time.Second)).look(2, 2).drain(),
		"enough bytes":   idle(sized).with(published(2000)).look(1000, 1000),
		"enough":         idle(capped).with(published(2)).look(1, 1).with(taken).drain(),
		"a dead letter":  idle(buried).with(published(2)).look(1, 0).with(func(s *script) *script { return s.letters(1) }).with(taken).drain(),
		"nothing is old": idle(aged).with(published(1)).look(0, 0),
	} {
		if got := s.check(); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}
