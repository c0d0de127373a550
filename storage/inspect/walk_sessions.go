package inspect

import (
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// sessions are the pages of a subscription's sessions: as counted, and as found.
type sessions struct {
	counted, found record.Sessions
	damaged        bool
}

// readSessions reads the pages of all sessions; they must be those that were counted.
func (w *walk) readSessions() {
	all := map[storage.SubscriptionID]*sessions{}
	w.each(record.KindSession, func(_ storage.Reader, key, value []byte) error {
		k, err := record.ParseSessionKey(key)
		if err != nil {
			return err
		}
		if all[k.Subscription] == nil {
			all[k.Subscription] = &sessions{}
		}
		err = w.sessionPage(all[k.Subscription], k, key, value)
		all[k.Subscription].damaged = all[k.Subscription].damaged || err != nil
		return err
	}, func(key []byte) Place {
		k, _ := record.ParseSessionKey(key) // A key that is none has no better name.
		return w.ofSessions(k.Subscription)
	}, adviceSubscribe)
	for id, s := range w.subscriptions {
		if x := all[id]; s.State == storage.Active && (x != nil || s.Sessions) {
			w.compareSessions(id, s, x)
		}
	}
}

func (w *walk) sessionPage(s *sessions, k record.SessionPageKey, key, value []byte) (err error) {
	if _, ok := w.subscriptions[k.Subscription]; !ok {
		return fmt.Errorf("%w: a page of a session without its subscription's record", storage.ErrDataLoss)
	}
	if k.Counts() {
		s.counted, err = record.DecodeSessions(key, value)
		return err
	}
	p, err := record.DecodeSessionPage(key, value)
	if err == nil {
		w.report.SessionPages++
		s.found.Count(k.Session, k.Slot, p.Version, 1)
	}
	return err
}

func (w *walk) compareSessions(id storage.SubscriptionID, s storage.Subscription, x *sessions) {
	switch {
	case x == nil || !s.Sessions:
		w.damagef(w.ofSessions(id), adviceSubscribe, "pages of sessions are missing, or nobody counts them")
	case !x.damaged && x.counted != x.found:
		w.damagef(w.ofSessions(id), adviceSubscribe, "%d pages of sessions with the sum %x were found, %d and %x are counted",
			x.found.Pages, x.found.Sum, x.counted.Pages, x.counted.Sum)
	}
}

// ofSessions is the place of a subscription's sessions.
func (w *walk) ofSessions(id storage.SubscriptionID) Place {
	return w.ofCursor(cursorID{subscription: id})
}

// checkSession checks a page of a session, or the page that counts them.
func checkSession(key, value []byte) error {
	if k, err := record.ParseSessionKey(key); err == nil && k.Counts() {
		return decodes(record.DecodeSessions)(key, value)
	}
	return decodes(record.DecodeSessionPage)(key, value)
}
