package broker

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// wallSteps are what an administrator, or a time service, does to a wall clock.
var wallSteps = []time.Duration{
	time.Second, -time.Second, time.Hour, -time.Hour, 365 * 24 * time.Hour, -365 * 24 * time.Hour,
}

// steppedClock is a wall clock that is off by what a test says.
type steppedClock struct{ off atomic.Int64 }

func (c *steppedClock) now() time.Time { return time.Now().Add(time.Duration(c.off.Load())) }

func (c *steppedClock) step(d time.Duration) { c.off.Add(int64(d)) }

// Rules 8 and 9: leases, their extension, retries, backoffs and heartbeats run by the
// monotonic clock. A wall clock that is set again and again meanwhile changes no
// moment at which anything happens.
func TestWallClockThatIsSetChangesNothingThatRuns(t *testing.T) {
	want := timeline(t, 0)
	if !slices.Contains(want, "10s: m0 attempt 1 revoked") {
		t.Errorf("no lease ended: %q", want)
	}
	t.Logf("%q", want)
	for _, step := range wallSteps {
		if got := timeline(t, step); !slices.Equal(got, want) {
			t.Errorf("a wall clock that is set by %v:\n%q\nalone:\n%q", step, got, want)
		}
	}
}

// timeline says what happens when to a session: one message is left to its lease, one
// extended, one retried, one retried with a delay; then there is silence.
func timeline(t *testing.T, step time.Duration) (lines []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		clock := &steppedClock{}
		r := newRoom(t, 1, nil)
		r.Close()
		r.open(Config{Clock: clock.now})
		began := time.Now()
		say := func(format string, args ...any) {
			lines = append(lines, time.Since(began).Round(time.Second).String()+": "+fmt.Sprintf(format, args...))
		}
		r.publishMany(4)
		s := r.subscribe(func(p *SubscribeParams) { p.Lease = 10 * time.Second })
		s.receive(4)
		names := map[uint64]string{}
		for _, d := range s.received {
			names[d.sequence] = fmt.Sprintf("%s attempt %d", d.body, d.attempt)
		}
		clock.step(step)
		s.settles++
		must(t, s.Extend(s.settles, []SequenceRange{{First: 2, Last: 2}}, 25*time.Second))
		s.settles++
		must(t, s.Settle(Settle{Number: s.settles, Ranges: []SequenceRange{{First: 3, Last: 3}}, Verdict: Retry, Delay: 5 * time.Second}))
		s.settles++
		must(t, s.Settle(Settle{Number: s.settles, Ranges: []SequenceRange{{First: 4, Last: 4}}, Verdict: Retry, Delay: 40 * time.Second}))
		seen, revoked, beat := 4, 0, s.flow
		for time.Since(began) < 2*time.Minute {
			if err := s.step(); err != nil {
				say("ended: %v", err)
				return
			}
			clock.step(step)
			for ; seen < len(s.received); seen++ {
				d := s.received[seen]
				names[d.sequence] = fmt.Sprintf("%s attempt %d", d.body, d.attempt)
				say("%s", names[d.sequence])
				s.settle(d.sequence, d.sequence, Ack)
			}
			for ; revoked < len(s.revoked); revoked++ {
				for _, x := range s.revoked[revoked].Ranges {
					say("%s revoked", names[x.First])
				}
			}
			if s.flow.Blocked != beat.Blocked || time.Since(began) > time.Minute {
				beat = s.flow
				say("flow %v", beat.Blocked)
			}
			must(t, s.Heartbeat())
		}
	})
	return lines
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A wall clock that went back while the server was down makes a retry late, by as much
// and by no more than it could have waited at all; one that went ahead makes it come
// at once. It is never lost, and nothing else waits for it.
func TestRetryOverARestartWithAWallClockThatWasSet(t *testing.T) {
	for step, want := range map[time.Duration]time.Duration{
		0: 60 * time.Second, time.Second: 59 * time.Second, -time.Second: 61 * time.Second,
		time.Hour: 0, -time.Hour: time.Hour + time.Minute, -365 * 24 * time.Hour: maxRecoveredWait,
	} {
		t.Run(step.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock := &steppedClock{}
				r := newRoom(t, 1, nil)
				r.Close()
				r.open(Config{Clock: clock.now})
				r.publishMany(2)
				s := r.subscribe(nil)
				s.receive(2)
				s.settles++
				must(t, s.Settle(Settle{Number: s.settles, Ranges: []SequenceRange{{First: 1, Last: 1}}, Verdict: Retry, Delay: time.Minute}))
				s.confirm()
				r.Close()
				clock.step(step)
				r.open(Config{Clock: clock.now})
				began := time.Now()
				again := r.subscribe(nil)
				again.receive(1)
				if want > 0 {
					again.settle(1, 1, Ack) // m1, for m0 has to wait.
				}
				for len(again.received) < 2 && time.Since(began) < want+time.Minute {
					must(t, again.step())
					must(t, again.Heartbeat())
				}
				if d := again.received[0]; want > 0 && d.body != "m1" {
					t.Errorf("first came %s", d.body)
				}
				if waited := time.Since(began); waited < want-2*time.Second || waited > want+2*time.Second {
					t.Errorf("it came after %v, want %v", waited, want)
				}
			})
		})
	}
}
