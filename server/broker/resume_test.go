package broker

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/server/broker/delivery"
)

// resumes is what a client announces that does all that clients can about sessions.
const resumes = TellsStarted | AnswersRecall | Resumes

func announcing(f Features) func(*SubscribeParams) {
	return func(p *SubscribeParams) { p.Features = f }
}

// comeBack opens the next stream of a session whose client received and holds all up
// to a sequence but those before from.
func (r *room) comeBack(s *reader, from, through uint64) *reader {
	r.t.Helper()
	next := r.subscribe(func(p *SubscribeParams) {
		p.Features = resumes
		p.Resume = &Resume{SessionID: s.ID(), ReceivedThrough: through, Holding: []SequenceRange{{First: from, Last: through}}}
	})
	next.settles = s.settles
	return next
}

// startThrough tells that the deliveries 1..last are worked on.
func (r *reader) startThrough(last uint64) {
	r.t.Helper()
	must(r.t, r.Started([]SequenceRange{{First: 1, Last: last}}))
}

func TestRule13ABrokenSessionIsTakenUpAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(announcing(resumes))
		r.publishMany(5)
		s.receive(5)
		s.startThrough(2)
		s.settle(1, 1, Ack)
		s.confirm()
		s.Close(CloseBroken)
		time.Sleep(29 * time.Second) //nolint:forbidigo // in a bubble
		away := r.stats().Sessions
		if len(away) != 1 || !away[0].Away || away[0].ResumableFor != time.Second || away[0].Outstanding.Messages != 4 {
			t.Errorf("while it is away: %+v", away)
		}
		next := r.comeBack(s, 2, 4)
		want := &Resumed{Kept: []SequenceRange{{First: 2, Last: 4}}, NextSequence: 6, ChargedBytes: next.Resumed().ChargedBytes, Applied: 1}
		if diff := cmp.Diff(want, next.Resumed()); diff != "" || next.ID() != s.ID() || next.PublicName() != s.PublicName() {
			t.Errorf("session %s resumed as %s: %s", s.ID(), next.ID(), diff)
		}
		next.receive(1)
		if got := next.received[0]; got != (received{sequence: 6, offset: 4, attempt: 1, body: "m4"}) {
			t.Errorf("what was not received came again as %+v", got)
		}
		next.settle(2, 4, Ack)
		next.settle(6, 6, Ack)
		next.confirm()
		if stats := r.stats(); stats.Backlog.Messages != 0 || stats.Expired != 0 || stats.Redelivered != 1 || stats.Sessions[0].Away {
			t.Errorf("in the end: %+v", stats)
		}
	})
}

// What was settled and not confirmed is sent again; it was applied once, and what
// failed is told again.
func TestRule13UnconfirmedSettlesAreSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(announcing(resumes))
		r.publishMany(3)
		s.receive(3)
		s.settle(9, 9, Ack) // fails
		s.settle(1, 2, Ack)
		synctest.Wait()
		s.Close(CloseBroken)
		next := r.comeBack(s, 1, 3)
		if diff := cmp.Diff([]SequenceRange{{First: 3, Last: 3}}, next.Resumed().Kept); diff != "" {
			t.Error(diff)
		}
		next.settles = 0
		next.settle(9, 9, Ack)
		next.settle(1, 2, Ack)
		next.settle(3, 3, Ack)
		next.confirm()
		// The failure was not read before the stream broke, and is told on the next.
		for _, f := range next.result.Failures {
			if f.Number != 1 || f.Reason != delivery.Unknown {
				t.Errorf("failure %+v", f)
			}
		}
		if len(next.result.Failures) == 0 || r.stats().Acked != 3 {
			t.Errorf("failures %+v, acked %d", next.result.Failures, r.stats().Acked)
		}
	})
}

func TestRule13WhoComesTooLateBeginsANewSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, func(c *SubscriptionConfig) { c.ResumeWindow = 5 * time.Second })
		s := r.subscribe(announcing(resumes))
		if got := s.Limits().ResumeWindow; got != 5*time.Second {
			t.Errorf("told a window of %v", got)
		}
		r.publishMany(2)
		s.receive(2)
		s.startThrough(1)
		synctest.Wait()
		s.Close(CloseBroken)
		time.Sleep(5*time.Second + 1) //nolint:forbidigo // in a bubble
		next := r.comeBack(s, 1, 2)
		if next.Resumed() != nil || next.ID() == s.ID() {
			t.Errorf("%s resumed: %+v", next.ID(), next.Resumed())
		}
		next.receive(2)
		for _, d := range next.received {
			if want := uint32(2) - uint32(d.offset); d.attempt != want || d.sequence > 2 {
				t.Errorf("%+v, want attempt %d", d, want)
			}
		}
	})
}

// After a restart nobody is known: a new session begins, uncharged.
func TestRule13ARestartEndsSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(announcing(resumes))
		r.publishMany(2)
		s.receive(2)
		s.startThrough(2)
		r.reopen()
		next := r.comeBack(s, 1, 2)
		next.receive(2)
		if next.Resumed() != nil || next.received[0].attempt != 1 || r.stats().Expired != 0 {
			t.Errorf("resumed %+v, attempt %d", next.Resumed(), next.received[0].attempt)
		}
	})
}

// A stream that looks alive still, because its end was not noticed, is fenced: it ends,
// and what it says late counts for nothing.
func TestRule13AHalfOpenPredecessorIsFenced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		old := r.subscribe(announcing(resumes))
		r.publishMany(2)
		old.receive(2)
		next := r.comeBack(old, 1, 2)
		if err := old.end(); !errors.Is(err, ErrSuperseded) {
			t.Errorf("the old stream ended with %v", err)
		}
		if err := old.Settle(Settle{Number: 1, Ranges: []SequenceRange{{First: 1, Last: 2}}, Verdict: Ack}); !errors.Is(err, ErrSuperseded) {
			t.Errorf("a late settle: %v", err)
		}
		old.Close(CloseBroken)
		synctest.Wait()
		if stats := r.stats(); stats.Acked != 0 || stats.Expired != 0 || stats.Outstanding.Messages != 2 || len(stats.Sessions) != 1 {
			t.Errorf("after the late frames: %+v", stats)
		}
		if got := r.sessions.open; got != 1 {
			t.Errorf("%d streams count as open", got)
		}
		next.settle(1, 2, Ack)
		next.confirm()
	})
}

// Frames of the old stream that lie in the mailbox when the new one is admitted are
// judged by the stream that they came from.
func TestRule13LateFramesInTheMailboxAreTheOldStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		old := r.subscribe(announcing(resumes))
		r.publishMany(2)
		old.receive(2)
		r.store.hold() // the loop's turns go on, commits do not
		next := r.comeBack(old, 1, 2)
		e := &delivery.Settle{Number: 1, Ranges: []SequenceRange{{First: 1, Last: 2}}, Verdict: Ack}
		must(t, old.mailbox.put(letter{event: e, stamp: &e.Stamp, session: old.Session, ranges: 1}))
		r.store.release()
		synctest.Wait()
		if stats := r.stats(); stats.Acked != 0 || stats.Outstanding.Messages != 2 {
			t.Errorf("%+v", stats)
		}
		next.settle(1, 2, Ack)
		next.confirm()
	})
}

// A session belongs to its client: another one that knows the id does not get it.
func TestRule13AnotherClientDoesNotGetTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(announcing(resumes))
		_, err := r.trySubscribe(func(p *SubscribeParams) {
			p.ClientID, p.Resume = "other", &Resume{SessionID: s.ID()}
		})
		var field *FieldError
		if !errors.As(err, &field) || field.Field != "resume.session_id" {
			t.Errorf("another client: %v", err)
		}
		if got := r.sessions.open; got != 1 {
			t.Errorf("%d streams count as open", got)
		}
		must(t, s.Heartbeat())
	})
}

// The session of a reader that was too slow, or silent, waits like that of a broken
// stream; who did not announce that it resumes is charged at once.
func TestRule13WhoWaitsAndWhoDoesNot(t *testing.T) {
	for name, c := range map[string]struct {
		features Features
		mode     Mode
		how      func(*reader)
		waits    bool
	}{
		"silent":          {resumes, Shared, func(s *reader) { _ = s.end() }, true},
		"slow reader":     {resumes, Shared, func(s *reader) { s.out.fail(ErrSlowReader) }, true},
		"broken":          {resumes, Shared, func(s *reader) { s.Close(CloseBroken) }, true},
		"not announced":   {TellsStarted, Shared, func(s *reader) { s.Close(CloseBroken) }, false},
		"exclusive":       {resumes, Exclusive, func(s *reader) { s.Close(CloseBroken) }, false},
		"clean":           {resumes, Shared, func(s *reader) { s.Close(CloseClean) }, false},
		"ended by us":     {resumes, Shared, func(s *reader) { s.Close(CloseGone) }, false},
		"number left out": {resumes, Shared, func(s *reader) { s.settles++; s.settle(1, 1, Ack); _ = s.end() }, false},
		"wrong credit":    {resumes, Shared, func(s *reader) { _ = s.Grant(1, 1); _ = s.end() }, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRoom(t, 1, func(config *SubscriptionConfig) {
				config.Mode, config.ResumeWindow = c.mode, DefaultResumeWindow(c.mode)
			})
			s := r.subscribe(announcing(c.features))
			r.publish("a")
			s.receive(1)
			c.how(s)
			synctest.Wait()
			if got := r.stats().Outstanding.Messages == 1; got != c.waits {
				t.Errorf("%s: it waits: %v, want %v", name, got, c.waits)
			}
			if got := len(r.stats().Sessions); got != int(r.stats().Outstanding.Messages) {
				t.Errorf("%s: %d sessions are known", name, got)
			}
			if got := r.sessions.open; got != 0 {
				t.Errorf("%s: %d streams count as open", name, got)
			}
			if n := r.store.watching.Load(); n != 0 {
				t.Errorf("%s: %d watches without a stream", name, n)
			}
		})
	}
}

// A client whose resume did not get through may try again.
func TestRule13AResumeThatBreaksDoesNotLoseTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(announcing(resumes))
		r.publish("a")
		s.receive(1)
		s.Close(CloseBroken)
		for range 3 {
			next := r.comeBack(s, 1, 1)
			next.Close(next.howNeverOpened())
		}
		synctest.Wait()
		if next := r.comeBack(s, 1, 1); next.Resumed() == nil || len(next.Resumed().Kept) != 1 {
			t.Errorf("resumed %+v", next.Resumed())
		}
	})
}

func TestRule13TheWindowCanBeChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(announcing(resumes))
		_, err := r.UpdateSubscription(t.Context(), billingSub, func(c *SubscriptionConfig) error {
			c.ResumeWindow = 0
			return nil
		})
		must(t, err)
		s.until("limits", func() bool { return s.flow.Limits != nil })
		if got := s.flow.Limits.ResumeWindow; got != 0 {
			t.Errorf("told a window of %v", got)
		}
		r.publish("a")
		s.receive(1)
		s.Close(CloseBroken)
		synctest.Wait()
		if stats := r.stats(); stats.Outstanding.Messages != 0 {
			t.Errorf("outstanding %+v", stats.Outstanding)
		}
	})
}

func TestResumeWindowHasBounds(t *testing.T) {
	for _, window := range []time.Duration{-1, 12*time.Hour + 1} {
		c := NewSubscriptionConfig(billingSub, ordersTopic)
		c.ResumeWindow = window
		var field *FieldError
		if err := c.validate(); !errors.As(err, &field) || field.Field != "resume_window" {
			t.Errorf("%v: %v", window, err)
		}
	}
}
