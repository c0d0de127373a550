package delivery_test

import (
	"flag"
	"fmt"
	"slices"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/server/broker/delivery/model"
)

var guaranteeFlag = flag.Int("guarantee", -1, "the guarantee of the episodes of TestSimulation; -1: each has its own")

// guarantee gives an episode one; half of them deliver at least once.
func (s *sim) guarantee(seed uint64) {
	g := delivery.Guarantee(0)
	switch {
	case *guaranteeFlag >= 0:
		g = delivery.Guarantee(*guaranteeFlag)
	case seed%8 == 5:
		g = delivery.AtMostOnce
	case seed%8 > 5:
		g = delivery.ExactlyOnce
	}
	if s.config.Guarantee = g; g == delivery.AtMostOnce {
		s.config.Order = delivery.OrderNone
	}
	if s.config.Order == delivery.OrderNone {
		s.pages = int(seed / 8 % 6)
	}
}

// simSession is what is stored of a session.
type simSession struct {
	stored bool
	record delivery.SessionRecord
	pages  map[uint32]delivery.StoredBlock
}

func (st *simStore) commitSessions(all []delivery.SessionChange) {
	st.version++
	for i := range all {
		c := &all[i]
		x := st.sessions[c.Session]
		if x == nil {
			x = &simSession{pages: make(map[uint32]delivery.StoredBlock)}
			if st.sessions == nil {
				st.sessions = make(map[delivery.SessionID]*simSession)
			}
			st.sessions[c.Session] = x
		}
		if c.Written {
			failures := x.record.Failures
			if x.record = c.Record; !c.FailuresChanged {
				x.record.Failures = failures
			}
			x.stored = true
		}
		for _, b := range c.Blocks {
			b.Runs = append([]delivery.HeldRun(nil), b.Runs...)
			b.Sizes = append([]uint32(nil), b.Sizes...)
			b.Keys = append([]delivery.KeyHash(nil), b.Keys...)
			x.pages[b.Slot] = delivery.StoredBlock{HeldBlock: b, Version: st.version}
		}
		for _, slot := range c.Freed {
			delete(x.pages, slot)
			if slot == 0 {
				x.stored, x.record = false, delivery.SessionRecord{}
			}
		}
		if !x.stored && len(x.pages) == 0 {
			delete(st.sessions, c.Session)
		}
	}
}

// recover makes a state of what is stored.
func (st *simStore) recover(config delivery.Config, now time.Duration) *delivery.State {
	var sessions []delivery.StoredSession
	for id := delivery.SessionID(0); len(sessions) < len(st.sessions); id++ {
		x := st.sessions[id]
		if x == nil {
			continue
		}
		in := delivery.StoredSession{Session: id, Record: x.record, Stored: x.stored}
		for slot := uint32(1); len(in.Blocks) < len(x.pages); slot++ {
			if b, ok := x.pages[slot]; ok {
				in.Blocks = append(in.Blocks, b)
			}
		}
		sessions = append(sessions, in)
	}
	return delivery.Recover(config, st.cursors(), now, sessions)
}

// recovered makes a state of what is stored, which in some episodes writes little of
// what sessions hold in a change set.
func (s *sim) recovered() *delivery.State {
	state := s.store.recover(s.config, s.now)
	if s.pages > 0 {
		delivery.LimitPages(state, s.pages)
	}
	return state
}

// clientsAfterRestart: those of an exactly-once subscription may take up their sessions.
func (s *sim) clientsAfterRestart() {
	all := slices.Concat(s.clients, s.away)
	s.clients, s.away, s.looked = nil, nil, 0
	if s.config.Guarantee != delivery.ExactlyOnce {
		return
	}
	for _, c := range all {
		c.admitted = true
		s.away = append(s.away, c)
	}
}

// dispatched has the model judge the frames that were decided in this turn and wait for
// their commit.
func (s *sim) dispatched() error {
	frames, left := delivery.Unsent(s.state)
	for i, frame := range frames {
		at := left + uint64(i)
		if at < s.looked {
			continue
		}
		s.looked = at + 1
		d, err := s.modelDelivery(frame)
		if err != nil {
			return err
		}
		if err := s.model.Delivered(d); err != nil {
			return err
		}
	}
	return nil
}

// confirmed forgets what need not be sent again.
func (c *simClient) confirmed(through uint64) {
	kept := c.unconfirmed[:0]
	for _, e := range c.unconfirmed {
		if numberOf(e) > through {
			kept = append(kept, e)
		}
	}
	c.unconfirmed = kept
}

func numberOf(e delivery.Event) uint64 {
	if settle, ok := e.(*delivery.Settle); ok {
		return settle.Number
	}
	return e.(*delivery.Extend).Number
}

// sendAgain has a client that took its session up again send what was not confirmed.
func (s *sim) sendAgain(c *simClient) {
	if s.config.Guarantee != delivery.ExactlyOnce && !s.one(2) {
		return
	}
	for _, e := range c.unconfirmed {
		stamp := delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}
		switch e := e.(type) {
		case *delivery.Settle:
			again := *e
			again.Stamp = stamp
			s.model.Settle(modelSettle(&again))
			s.emit(&again)
		case *delivery.Extend:
			again := *e
			again.Stamp = stamp
			s.tellExtend(&again)
		}
	}
}

func modelSettle(e *delivery.Settle) model.Settle {
	verdicts := map[delivery.Verdict]model.Verdict{
		delivery.Ack: model.Ack, delivery.Retry: model.Retry, delivery.Release: model.Release, delivery.Reject: model.Reject,
	}
	return model.Settle{
		Session: uint64(e.Session), At: e.At, Number: e.Number, Ranges: modelRanges(e.Ranges),
		Verdict: verdicts[e.Verdict], Delay: e.Delay, Code: e.Code,
	}
}

func modelSessions(all []delivery.SessionChange) (out []model.SessionChange) {
	for i := range all {
		c := &all[i]
		to := model.SessionChange{
			Session: uint64(c.Session), Written: c.Written, Client: c.Record.ClientID,
			Sent: c.Record.Sent, Charged: c.Record.Charged, Applied: c.Record.Applied, Freed: append([]uint32(nil), c.Freed...),
		}
		for j := range c.Blocks {
			to.Pages = append(to.Pages, modelPage(&c.Blocks[j]))
		}
		out = append(out, to)
	}
	return out
}

func modelPage(b *delivery.HeldBlock) model.HeldPage {
	page := model.HeldPage{Slot: b.Slot, First: b.First, Last: b.First + uint64(b.Messages) - 1, Until: b.Until}
	at := uint64(0)
	for _, r := range b.Runs {
		for i := range uint64(r.Count) {
			if b.Live>>at&1 != 0 {
				page.Held = append(page.Held, model.HeldMessage{
					Sequence: b.First + at, Partition: r.Partition, Offset: r.First + i, Started: b.Started>>at&1 != 0,
				})
			}
			at++
		}
	}
	return page
}

// sent has the model judge the frames that Apply let go, before it fired timers.
func (s *sim) sent() error {
	s.model.Now(s.now)
	for _, effect := range delivery.Decided(s.state) {
		if !isDeliver(effect) {
			continue
		}
		if err := s.perform(effect); err != nil {
			return fmt.Errorf("at %v: %w\n\tin %T %+v", s.now, err, effect, effect)
		}
	}
	return nil
}

func isDeliver(effect delivery.Effect) bool {
	_, ok := effect.(*delivery.Deliver)
	return ok
}
