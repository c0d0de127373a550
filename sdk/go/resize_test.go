package headrace

import (
	"context"
	"testing"
	"time"
)

// resizing is a stream whose window is the one given, on which nothing else happens.
func resizing(w *Window, opts ...ReceiveOption) *subscribeStream {
	c := newReceiveConfig(append(opts, WithResizableWindow(w)))
	s := &subscribeStream{config: c, ledger: newLedger(context.Background(), c, nil), inbox: newInbox()}
	s.window, s.resized = w.look()
	if c.manual {
		s.inbox.giveByHand(int64(c.ahead))
	}
	s.setWindow(s.window)
	return s
}

func TestOfSeveralSizesTheNewestIsSent(t *testing.T) {
	w := NewWindow(10, 1000)
	s := resizing(w)
	if f := s.followWindow(); f != nil {
		t.Errorf("the size that the server knows is sent: %v", f)
	}
	for n := range 3 {
		w.Resize(20+n, 1000)
	}
	select {
	case <-s.resized:
	default:
		t.Error("the send loop is not woken")
	}
	if got := s.followWindow().GetWindow(); got.GetMessages() != 22 || got.GetBytes() != 1000 {
		t.Errorf("the window that is sent: %v", got)
	}
	if f := s.followWindow(); f != nil {
		t.Errorf("it is sent again: %v", f)
	}
}

func TestASizeThatIsEqualAgainIsNotSent(t *testing.T) {
	w := NewWindow(10, 1000)
	s := resizing(w)
	w.Resize(10, 1000)
	select {
	case <-s.resized:
		t.Error("the send loop is woken for nothing")
	default:
	}
	w.Resize(5, 1000)
	w.Resize(10, 1000)
	if f := s.followWindow(); f != nil {
		t.Errorf("sent: %v", f)
	}
}

func TestNoWindowIsSentOnAStreamThatEnds(t *testing.T) {
	w := NewWindow(10, 1000)
	draining, leaving := resizing(w), resizing(w)
	draining.stopBy = time.Unix(1, 0)
	leaving.leaving.Store(true)
	w.Resize(5, 500)
	for _, s := range []*subscribeStream{draining, leaving} {
		if f := s.followWindow(); f != nil {
			t.Errorf("sent: %v", f)
		}
		select {
		case <-s.resized:
			t.Error("the send loop would turn for ever")
		default:
		}
	}
}

func TestAWindowByHandIsToldByAGrant(t *testing.T) {
	w := NewWindow(10, 1000)
	s := resizing(w, WithManualCredit(20))
	through := func(messages, bytes uint64) {
		t.Helper()
		if f := s.followWindow(); f != nil {
			t.Errorf("a window is sent: %v", f)
		}
		if got := s.inbox.grant().GetGrant(); got.GetThroughSequence() != messages || got.GetThroughBytes() != bytes {
			t.Errorf("grant %v, want through %d, %d bytes", got, messages, bytes)
		}
	}
	through(10, 1000)
	w.Resize(5, 1000)
	through(5, 1000)
	w.Resize(7, 500)
	through(7, 499) // The byte is granted when somebody waits.
	w.Resize(100, 500)
	through(20, 500) // No more than was asked for ahead.
}
