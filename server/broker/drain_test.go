package broker

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

func TestDrainedSessionSettlesAndHearsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		r.publish("a")
		s.receive(1)
		if err := s.Drain(time.Minute); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r.publish("b")
		s.settle(1, 1, Ack)
		s.until("drained", func() bool { return s.drained })
		if len(s.received) != 1 || s.result.ConfirmedThrough != 1 {
			t.Errorf("received %d, confirmed through %d", len(s.received), s.result.ConfirmedThrough)
		}
		s.Close(CloseClean)
		if err := s.end(); !errors.Is(err, io.EOF) {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestDrainReleasesUnchargedAfterItsGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		r.publish("a")
		s.receive(1)
		begin := time.Now()
		if err := s.Drain(3 * time.Second); err != nil {
			t.Fatal(err)
		}
		s.until("drained", func() bool { return s.drained })
		if got := time.Since(begin); got != 3*time.Second {
			t.Errorf("drained after %v", got)
		}
		other := r.subscribe(nil)
		other.receive(1)
		if other.received[0].attempt != 1 {
			t.Errorf("came again as attempt %d", other.received[0].attempt)
		}
	})
}

// Shutdown: what is held is worked off, and the streams end well.
func TestBrokerDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		busy, idle := r.subscribe(nil), r.subscribe(nil)
		r.publish("a")
		r.publish("b")
		busy.receive(1)
		idle.receive(1)
		idle.settle(1, 1, Ack)
		idle.confirm()
		p := r.openPublisher()
		drained := make(chan error, 1)
		go func() { drained <- r.Drain(context.Background(), time.Minute) }()
		if err := idle.end(); !errors.Is(err, io.EOF) || idle.goAway == nil || idle.goAway.Grace != time.Minute {
			t.Errorf("an idle session ended with %v after %+v", err, idle.goAway)
		}
		if _, err := r.trySubscribe(nil); !errors.Is(err, ErrDraining) {
			t.Errorf("a new session: %v", err)
		}
		if _, err := r.OpenPublisher(""); !errors.Is(err, ErrDraining) {
			t.Errorf("a new publisher: %v", err)
		}
		if _, err := r.CreateTopic(t.Context(), r.NewTopicConfig("shop/other")); !errors.Is(err, ErrDraining) {
			t.Errorf("a new topic: %v", err)
		}
		time.Sleep(10 * time.Second) //nolint:forbidigo // in a bubble
		select {
		case err := <-drained:
			t.Fatalf("drained (%v) while a session holds a message", err)
		default:
		}
		busy.settle(1, 1, Ack)
		if err := busy.end(); !errors.Is(err, io.EOF) || busy.result.ConfirmedThrough != 1 {
			t.Errorf("a busy session ended with %v, confirmed through %d", err, busy.result.ConfirmedThrough)
		}
		out, err := p.next()
		if err != nil || out.GoAway == nil {
			t.Errorf("the publisher got %+v, %v", out, err)
		}
		p.Close()
		if err := <-drained; err != nil {
			t.Error(err)
		}
	})
}

func TestBrokerDrainReleasesUnchargedAfterTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		r.publish("a")
		s.receive(1)
		p := r.openPublisher()
		begin := time.Now()
		if err := r.Drain(t.Context(), 5*time.Second); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(begin); got != 5*time.Second {
			t.Errorf("drained after %v", got)
		}
		if err := s.end(); !errors.Is(err, io.EOF) || len(s.revoked) != 1 {
			t.Errorf("the session ended with %v after %+v", err, s.revoked)
		}
		var err error
		for err == nil {
			_, err = p.next()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("the publisher ended with %v", err)
		}
		if err := p.Publish(t.Context(), NewPublishBatch()); !errors.Is(err, ErrDraining) {
			t.Errorf("published: %v", err)
		}
		r.reopen()
		again := r.subscribe(nil)
		again.receive(1)
		if again.received[0].attempt != 1 {
			t.Errorf("came again as attempt %d", again.received[0].attempt)
		}
	})
}

func TestDrainEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		r.publish("a")
		s.receive(1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for range 2 {
			if err := r.Drain(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("ended with %v", err)
			}
		}
		r.Close()
		if err := r.Drain(t.Context(), time.Hour); err != nil {
			t.Errorf("after Close: %v", err)
		}
		if err := s.end(); !errors.Is(err, ErrDraining) {
			t.Errorf("the session ended with %v", err)
		}
	})
}
