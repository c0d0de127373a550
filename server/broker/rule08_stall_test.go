package broker

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// stallsOfOurs are the ways in which the server itself stands still for 40 s.
var stallsOfOurs = map[string]func(*room){
	"the disk": func(r *room) {
		r.store.hold()
		time.Sleep(40 * time.Second) //nolint:forbidigo // in a bubble
		r.store.release()
	},
	"the loop": func(r *room) {
		s, err := r.catalog.subscription(billingSub)
		must(r.t, err)
		must(r.t, r.ask(r.t.Context(), s, func(*loop) {
			time.Sleep(40 * time.Second) //nolint:forbidigo // in a bubble
		}))
	},
}

// A client that keeps its leases of 10 s loses nothing and is charged nothing while the
// server stands still, neither for what it started nor for what waits in its buffer.
func TestRule08AStallOfOursBurnsNoAttempt(t *testing.T) {
	for name, stall := range stallsOfOurs {
		for _, features := range []Features{0, TellsStarted, resumes} {
			synctest.Test(t, func(t *testing.T) {
				r := newRoom(t, 1, nil)
				s := r.subscribe(func(p *SubscribeParams) { p.Features, p.Lease = features, 10*time.Second })
				r.publishMany(4)
				s.receive(4)
				s.startThrough(2)
				var both sync.WaitGroup
				both.Go(func() { stall(r) })
				both.Go(func() {
					number := uint64(0)
					for range 13 {
						time.Sleep(3 * time.Second) //nolint:forbidigo // in a bubble
						last := uint64(2)
						if features == 0 {
							last = 4 // all of it counts as started
						}
						number++
						must(t, s.Extend(number, []SequenceRange{{First: 1, Last: last}}, 0))
					}
					must(t, s.Settle(Settle{Number: number + 1, Ranges: []SequenceRange{{First: 1, Last: 4}}, Verdict: Ack}))
				})
				s.until("confirmation", func() bool { return s.result.ConfirmedThrough == 14 })
				both.Wait()
				if stats := r.stats(); stats.Expired != 0 || stats.Redelivered != 0 || len(s.revoked) > 0 || len(s.result.Failures) > 0 {
					t.Errorf("%s, features %d: %+v, revoked %v, failures %v", name, features, stats, s.revoked, s.result.Failures)
				}
			})
		}
	}
}
