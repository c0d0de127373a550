package broker

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

func newMailbox() *mailbox {
	return &mailbox{clock: newClock(time.Now), wake: make(chan struct{}, 1)}
}

// heard is a letter of a session.
func heard(session delivery.SessionID, ranges int) letter {
	e := &delivery.Heard{Stamp: delivery.Stamp{Session: session}}
	return letter{event: e, stamp: &e.Stamp, ranges: ranges}
}

func TestFullMailboxMakesReceiveLoopsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMailbox()
		for i := range mailboxLetters {
			if err := m.put(heard(delivery.SessionID(i), 0)); err != nil {
				t.Fatal(err)
			}
		}
		var entered atomic.Int32
		for i := range 3 {
			go func() {
				time.Sleep(time.Duration(i)) //nolint:forbidigo // in a bubble
				if err := m.put(heard(delivery.SessionID(mailboxLetters+i), 0)); err == nil {
					entered.Add(1)
				}
			}()
		}
		time.Sleep(time.Second) //nolint:forbidigo // in a bubble
		synctest.Wait()
		if n := entered.Load(); n != 0 {
			t.Fatalf("%d letters came into a full mailbox", n)
		}
		letters, through, waited, more := m.take(nil, 2)
		synctest.Wait()
		if entered.Load() != 2 || len(letters) != 2 || !more {
			t.Errorf("%d of 3 entered after 2 were taken", entered.Load())
		}
		if through != 0 || waited != time.Second {
			t.Errorf("seen through %v after waiting %v", through, waited)
		}
		letters, through, waited, more = m.take(letters[:0], 2*mailboxLetters)
		synctest.Wait()
		if len(letters) != mailboxLetters || entered.Load() != 3 || !more || through != 2 || waited != 0 {
			t.Errorf("took %d, %d entered, more %v, through %v, waited %v", len(letters), entered.Load(), more, through, waited)
		}
		letters, through, _, more = m.take(letters[:0], 10)
		if len(letters) != 1 || more || through != time.Second {
			t.Errorf("took %d at last, more %v, through %v", len(letters), more, through)
		}
	})
}

func TestMailboxIsBoundedByRanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMailbox()
		if err := m.put(heard(1, 2*mailboxRanges)); err != nil {
			t.Fatalf("one letter alone: %v", err)
		}
		entered := false
		go func() { entered = m.put(heard(2, 1)) == nil }()
		synctest.Wait()
		if entered {
			t.Error("a letter came into a mailbox full of ranges")
		}
		m.take(nil, 1)
		synctest.Wait()
		if !entered {
			t.Error("a letter did not come in though there is room")
		}
	})
}

// The loop may fire timers up to through only if no letter that was read before it
// can still come: letters are stamped under the mutex.
func TestMailboxKnowsThroughWhenItHasSeenAllLetters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMailbox()
		put := func(after time.Duration) {
			time.Sleep(after) //nolint:forbidigo // in a bubble
			if err := m.put(heard(1, 0)); err != nil {
				t.Fatal(err)
			}
		}
		put(time.Second)
		put(time.Second)
		time.Sleep(time.Second) //nolint:forbidigo // in a bubble
		letters, through, _, more := m.take(nil, 1)
		if letters[0].stamp.At != time.Second || through != 2*time.Second || !more {
			t.Errorf("stamped %v, through %v, more %v", letters[0].stamp.At, through, more)
		}
		if _, through, _, more = m.take(nil, 0); through != 2*time.Second || !more {
			t.Errorf("taking nothing: through %v, more %v", through, more)
		}
		if _, through, _, more = m.take(nil, 1); through != 3*time.Second || more {
			t.Errorf("empty: through %v, more %v", through, more)
		}
	})
}

func TestClosedMailboxRefusesAndReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMailbox()
		for range mailboxLetters {
			if err := m.put(heard(1, 0)); err != nil {
				t.Fatal(err)
			}
		}
		var waited error
		go func() { waited = m.put(heard(2, 0)) }()
		synctest.Wait()
		m.close(ErrSubscriptionDeleted)
		synctest.Wait()
		if !errors.Is(waited, ErrSubscriptionDeleted) {
			t.Errorf("who waited got %v", waited)
		}
		if err := m.put(heard(3, 0)); !errors.Is(err, ErrSubscriptionDeleted) {
			t.Errorf("who came later got %v", err)
		}
	})
}
