package broker

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

func exclusive(c *SubscriptionConfig) { c.Mode = Exclusive }

func TestSecondExclusiveSessionIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, exclusive)
		one := r.subscribe(func(p *SubscribeParams) { p.ClientID = "one" })
		for _, id := range []string{"", "two"} {
			_, err := r.trySubscribe(func(p *SubscribeParams) { p.ClientID = id })
			if !errors.Is(err, ErrExclusiveSessionExists) {
				t.Errorf("client %q: %v", id, err)
			}
		}
		one.Close(CloseClean)
		if err := one.end(); err == nil {
			t.Error("a closed session goes on")
		}
		r.subscribe(nil)
		if got := r.sessions.open; got != 1 {
			t.Errorf("%d sessions count as open", got)
		}
	})
}

// Who takes over gets what was held, at once and uncharged.
func TestTakeoverEndsTheOldSession(t *testing.T) {
	for name, change := range map[string]func(*SubscribeParams){
		"asked for":      func(p *SubscribeParams) { p.Takeover = true },
		"same client id": func(p *SubscribeParams) { p.ClientID = "one" },
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRoom(t, 1, exclusive)
			old := r.subscribe(func(p *SubscribeParams) { p.ClientID = "one" })
			r.publish("a")
			old.receive(1)
			begin := time.Now()
			successor := r.subscribe(change)
			if err := old.end(); !errors.Is(err, ErrTakenOver) {
				t.Errorf("%s: the old session ended with %v", name, err)
			}
			if len(old.revoked) != 1 || old.revoked[0].Reason != delivery.TakenOver {
				t.Errorf("%s: revoked %+v", name, old.revoked)
			}
			successor.receive(1)
			if successor.received[0].attempt != 1 || time.Since(begin) != 0 {
				t.Errorf("%s: came as attempt %d after %v", name, successor.received[0].attempt, time.Since(begin))
			}
		})
	}
}
