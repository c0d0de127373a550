package delivery_test

import (
	"math"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/server/broker/delivery/model"
)

// resume has a client take up its session again: one that is away, or one whose stream
// still looks alive.
func (s *sim) resume() {
	c, wasAway := s.anyClient(), false
	if s.now-s.lastAt > 20*time.Second {
		return // it might be silent in the same turn
	}
	if len(s.away) > 0 && !s.one(10) {
		i := s.IntN(len(s.away))
		c = s.away[i]
		if !c.admitted {
			return
		}
		s.away = append(s.away[:i], s.away[i+1:]...)
		s.clients = append(s.clients, c)
		wasAway = true
	}
	if c == nil || !c.admitted || c.pulls && !wasAway {
		return
	}
	c.admitted = false // until it is told so again
	old := delivery.Stamp{Session: c.id, Incarnation: c.incarnation}
	c.incarnation++
	e := s.randomAttach()
	e.Pull = c.pulls
	e.Stamp = delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}
	e.Resume = &delivery.Resume{ReceivedThrough: c.sent}
	if s.config.Guarantee == delivery.AtMostOnce {
		e.Replenish = delivery.Manual
	}
	if s.one(3) { // what was on its way is lost
		e.Resume.ReceivedThrough -= uint64(s.IntN(int(min(c.sent, 20)) + 1))
	}
	for _, sequence := range c.holds {
		if !s.one(5) {
			e.Resume.Holding = appendSequence(e.Resume.Holding, sequence)
		}
	}
	if c.pulls { // its tokens may be anywhere
		e.Replenish, e.Features = delivery.Manual, 0
		e.Resume = &delivery.Resume{ReceivedThrough: math.MaxUint64, Holding: []delivery.SequenceRange{{First: 1, Last: math.MaxUint64}}}
	}
	c.manual, c.asked = e.Replenish == delivery.Manual, nil
	s.model.Resume(&model.Resumption{
		Attach: modelAttach(e), ReceivedThrough: e.Resume.ReceivedThrough, Holding: modelRanges(e.Resume.Holding),
	})
	s.emit(e)
	s.sendAgain(c)
	if s.one(2) { // late frames of the old stream
		old.At = s.at()
		s.emit(&delivery.Settle{
			Stamp: old, Number: c.number + 1, Verdict: delivery.Ack, Ranges: []delivery.SequenceRange{{First: 1, Last: 100}},
		})
		s.emit(&delivery.Detach{Stamp: old, How: delivery.Broken})
	}
}

// attached has the model judge that a session was admitted, and tells its client.
func (s *sim) attached(e *delivery.Attached) error {
	c := s.client(e.Session)
	if c != nil {
		c.admitted = true
	}
	if e.Resumed == nil {
		if c != nil {
			*c = simClient{id: c.id, incarnation: c.incarnation, manual: c.manual, pulls: c.pulls, admitted: true, unconfirmed: c.unconfirmed}
		}
		return s.model.Attached(uint64(e.Session))
	}
	if c != nil {
		c.holds, c.sent, c.charged = nil, e.Resumed.NextSequence-1, e.Resumed.ChargedBytes
		for _, r := range e.Resumed.Kept {
			for sequence := r.First; sequence <= r.Last; sequence++ {
				c.holds = append(c.holds, sequence)
			}
		}
	}
	return s.model.Resumed(uint64(e.Session), modelRanges(e.Resumed.Kept), e.Resumed.NextSequence, e.Resumed.ChargedBytes)
}

// ended has the model judge that a stream or a session was ended, and tells its client.
func (s *sim) ended(e *delivery.EndSession) error {
	if c := s.client(e.Session); c != nil && e.Reason != delivery.EndSuperseded {
		if e.Waits {
			s.away = append(s.away, c)
		}
		s.forgetClient(e.Session)
	}
	return s.model.Ended(uint64(e.Session), endReasons[e.Reason])
}
