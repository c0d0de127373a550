package broker

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A clock that is moved forward ends what runs by it, at once: a lease that nobody
// extended ends, and the message comes again; the session, which said nothing, is there
// still.
func TestAdvancedClockEndsLeasesAndKeepsSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wall := &steppedClock{}
		r := newRoom(t, 1, nil)
		r.Close()
		r.open(Config{Clock: wall.now})
		began := time.Now()
		s := r.subscribe(func(p *SubscribeParams) { p.Lease = time.Minute })
		r.publishMany(1)
		s.receive(1)
		must(t, r.Advance(t.Context(), time.Hour, wall.step))
		s.receive(2)
		if got := s.received[1].attempt; got != 2 {
			t.Errorf("attempt %d after the lease was over, want 2", got)
		}
		if got := wall.now().Sub(began); got != time.Hour {
			t.Errorf("the wall clock moved by %v, want an hour", got)
		}
		if sessions := r.stats().Sessions; len(sessions) != 1 || sessions[0].Away {
			t.Errorf("sessions %+v, want the one there was", sessions)
		}
	})
}

// What waits for a retry comes when the clock has reached it, and not before.
func TestAdvancedClockRipensRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		r.publishMany(1)
		s.receive(1)
		must(t, s.Settle(Settle{
			Number: 1, Ranges: []SequenceRange{{First: 1, Last: 1}}, Verdict: Retry, Delay: 30 * time.Minute,
		}))
		s.until("confirmation", func() bool { return s.result.ConfirmedThrough == 1 })
		must(t, r.Advance(t.Context(), 29*time.Minute, func(time.Duration) {}))
		synctest.Wait()
		if got := len(s.received); got != 1 {
			t.Fatalf("%d deliveries before the delay was over, want 1", got)
		}
		must(t, r.Advance(t.Context(), time.Minute, func(time.Duration) {}))
		s.receive(2)
	})
}

// The steps that the wall clock makes are no longer than a heartbeat, and none is made
// when nobody waits for it.
func TestAdvanceGoesStepByStepAndEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		var steps []time.Duration
		must(t, r.Advance(t.Context(), 25*time.Second, func(d time.Duration) { steps = append(steps, d) }))
		if want := []time.Duration{advanceStep, advanceStep, 5 * time.Second}; !slices.Equal(steps, want) {
			t.Errorf("steps %v, want %v", steps, want)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		err := r.Advance(ended, time.Hour, func(time.Duration) { t.Error("a step was made") })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
}
