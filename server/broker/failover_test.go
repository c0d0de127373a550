package broker

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

func failover(c *SubscriptionConfig) {
	c.Mode, c.ResumeWindow = Failover, DefaultResumeWindow(Failover)
}

func TestFailoverStandbyIsToldAndTakesOverAtOnce(t *testing.T) {
	for name, end := range map[string]struct {
		features Features
		how      func(*reader)
		attempt  uint32
		after    time.Duration
	}{
		"half-closed": {0, func(s *reader) { s.Close(CloseClean) }, 1, 0},
		"broken":      {0, func(s *reader) { s.Close(CloseBroken) }, 2, 0},
		"resumable":   {resumes, func(s *reader) { s.Close(CloseBroken) }, 1, 0},
		"slow":        {resumes, func(s *reader) { s.out.fail(ErrSlowReader) }, 1, 0},
		"silent":      {0, func(s *reader) { go func() { _ = s.end() }() }, 2, 3 * HeartbeatInterval},
		"drained":     {0, func(s *reader) { must(t, s.Drain(0)) }, 1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRoom(t, 1, failover)
			active := r.subscribe(func(p *SubscribeParams) { p.Features, p.Lease = end.features, time.Hour })
			opened := time.Now()
			standby := r.subscribe(nil)
			r.publish("a")
			active.receive(1)
			standby.until("standby", func() bool { return standby.flow.Blocked&delivery.Standby != 0 })
			var beats sync.WaitGroup
			defer beats.Wait()
			beats.Go(func() {
				for range 6 {
					time.Sleep(HeartbeatInterval / 2) //nolint:forbidigo // in a bubble
					_ = standby.Heartbeat()
				}
			})
			end.how(active)
			began := opened
			if end.after == 0 {
				began = time.Now()
			}
			standby.receive(1)
			if took := time.Since(began); took != end.after || standby.received[0].attempt != end.attempt {
				t.Errorf("%s: after %v came %+v", name, took, standby.received[0])
			}
		})
	}
}

func TestFailoverOneThatTakesOverIsActiveAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, failover)
		active := r.subscribe(func(p *SubscribeParams) { p.ClientID = "one" })
		r.publish("a")
		active.receive(1)
		same := r.subscribe(func(p *SubscribeParams) { p.ClientID = "one" })
		usurper := r.subscribe(func(p *SubscribeParams) { p.Takeover = true })
		if err := active.end(); !errors.Is(err, ErrTakenOver) {
			t.Errorf("the active one ended with %v", err)
		}
		usurper.receive(1)
		if got := usurper.received[0].attempt; got != 1 || len(same.received) != 0 {
			t.Errorf("attempt %d; the one that stands by got %d", got, len(same.received))
		}
	})
}

func TestFailoverSurvivesARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, failover)
		r.reopen()
		s, err := r.Subscription(billingSub)
		if err != nil || s.Mode != Failover || s.ResumeWindow != 0 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
