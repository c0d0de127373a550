package shardlog

import (
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// readSessions reads which pages of sessions there are; they must be those that each
// subscription counted.
func (r *recovery) readSessions() error {
	counted := map[storage.SubscriptionID]record.Sessions{}
	broken := map[storage.SubscriptionID]error{}
	prefix := record.AppendPrefix(nil, record.KindSession)
	err := scan(r.engine, prefix, nil, func(key []byte, value storage.Value) error {
		k, err := record.ParseSessionKey(key)
		if err != nil {
			return err
		}
		if r.shard.subscriptions[k.Subscription] == nil {
			r.damagedSubscription(k.Subscription, fmt.Errorf("%w: its record is missing", storage.ErrDataLoss))
		}
		s := r.shard.subscriptions[k.Subscription]
		err = value.Read(func(value []byte) (err error) {
			if k.Counts() {
				counted[k.Subscription], err = record.DecodeSessions(key, value)
				return err
			}
			p, err := record.DecodeSessionPage(key, value)
			if err == nil {
				s.sessions.note(pageID{k.Session, k.Slot}, p.Version)
			}
			return err
		})
		if err != nil {
			broken[k.Subscription] = err
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id, s := range r.shard.subscriptions {
		count, found := counted[id]
		r.checkSessions(s, count, found == s.Sessions, broken[id])
	}
	return nil
}

// checkSessions compares what was found of a subscription's sessions with what it
// counted; whole says that there is a count if there must be one.
func (r *recovery) checkSessions(s *subscription, counted record.Sessions, whole bool, broken error) {
	switch {
	case s.State == storage.Deleting:
	case broken != nil:
		r.fenceSessions(s, broken)
	case whole && s.sessions.Sessions == counted:
	case r.mends():
		r.logger.Error("Pages of sessions were lost with the batches that are missing: messages may be delivered again.",
			"subscription", s.Name, "pages", s.sessions.Pages, "counted", counted.Pages)
		s.Sessions = true
		r.repairs = append(r.repairs, func(b *batch) {
			b.rewriteSubscription(s)
			b.rewriteSessions(s)
		})
	default:
		r.fenceSessions(s, fmt.Errorf("%w: %d pages with sum %x; %d, %x expected",
			storage.ErrDataLoss, s.sessions.Pages, s.sessions.Sum, counted.Pages, counted.Sum))
	}
}

// fenceSessions fences a subscription whose sessions are not whole. It holds everything.
func (r *recovery) fenceSessions(s *subscription, why error) {
	for _, c := range s.allCursors() {
		c.Floor = 0
	}
	r.fenceSubscriptionf(s, "sessions: %v", why)
}
