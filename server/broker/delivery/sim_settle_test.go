package delivery_test

import (
	"strconv"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/server/broker/delivery/model"
)

func (s *sim) settle() {
	c := s.anyClient()
	if c == nil || len(c.holds) == 0 && !s.one(10) {
		return
	}
	if len(c.asked) > 0 {
		s.answerRecall(c)
		return
	}
	e := &delivery.Settle{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}, Ranges: s.ranges(c), Delay: -1}
	var verdict model.Verdict
	switch n := s.IntN(20); {
	case n < 13:
		e.Verdict, verdict = delivery.Ack, model.Ack
	case n < 16:
		e.Verdict, verdict = delivery.Retry, model.Retry
		if s.one(3) {
			e.Delay = time.Duration(s.IntN(1000)) * time.Millisecond
		}
	case n < 19:
		e.Verdict, verdict = delivery.Release, model.Release
	default:
		e.Verdict, verdict = delivery.Reject, model.Reject
	}
	if verdict == model.Retry || verdict == model.Reject {
		e.Code = strconv.Itoa(s.IntN(100))
	}
	e.Number = s.number(c)
	if (verdict != model.Reject || s.config.DeadLetters) && !s.one(30) {
		c.let(e.Ranges)
	}
	s.tellSettle(e, verdict)
}

// answerRecall releases what a client was asked for, or a part of it.
func (s *sim) answerRecall(c *simClient) {
	e := &delivery.Settle{
		Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}, Verdict: delivery.Release, Delay: -1,
		Ranges: c.asked[:1+s.IntN(len(c.asked))],
	}
	e.Ranges = append([]delivery.SequenceRange(nil), e.Ranges...)
	c.number++
	e.Number, c.asked = c.number, nil
	c.let(e.Ranges)
	s.tellSettle(e, model.Release)
}

func (s *sim) tellSettle(e *delivery.Settle, verdict model.Verdict) {
	s.model.Settle(model.Settle{
		Session: uint64(e.Session), At: e.At, Number: e.Number, Ranges: modelRanges(e.Ranges), Verdict: verdict, Delay: e.Delay, Code: e.Code,
	})
	s.emit(e)
	if c := s.client(e.Session); c != nil {
		c.unconfirmed = append(c.unconfirmed, e)
	}
}

func modelRanges(all []delivery.SequenceRange) (out []model.Range) {
	for _, r := range all {
		out = append(out, model.Range(r))
	}
	return out
}

// start tells of deliveries that a client begins to work on.
func (s *sim) start() {
	c := s.anyClient()
	if c == nil {
		return
	}
	e := &delivery.Started{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}, Ranges: s.ranges(c)}
	s.model.Started(uint64(c.id), e.At, modelRanges(e.Ranges))
	s.emit(e)
}

func (s *sim) extend() {
	c := s.anyClient()
	if c == nil {
		return
	}
	e := &delivery.Extend{
		Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}, Ranges: s.ranges(c), Number: s.number(c),
		Duration: time.Duration(s.IntN(40)) * time.Second,
	}
	c.unconfirmed = append(c.unconfirmed, e)
	s.tellExtend(e)
}

func (s *sim) tellExtend(e *delivery.Extend) {
	s.model.Settle(model.Settle{
		Session: uint64(e.Session), At: e.At, Number: e.Number, Ranges: modelRanges(e.Ranges),
		Verdict: model.Extension, Duration: e.Duration,
	})
	s.emit(e)
}
