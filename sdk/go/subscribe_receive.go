package headrace

import (
	"slices"
	"strings"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go/internal/wire"
)

// receive takes frames until the stream ends. It never waits for the send side,
// nor for handlers: credit bounds what it takes.
func (s *subscribeStream) receive() {
	defer close(s.received)
	var blocked []headracev1.BlockedBy
	for {
		var frame wire.SubscribeFrame
		err := s.stream.RecvMsg(&frame)
		if err == nil {
			s.silence.heard()
			err = s.take(&frame, &blocked)
		}
		if err != nil {
			s.failure = err
			return
		}
	}
}

// take takes one frame. blocked is why deliveries did not come so far.
func (s *subscribeStream) take(frame *wire.SubscribeFrame, blocked *[]headracev1.BlockedBy) error {
	if s.superseded.Load() {
		return nil
	}
	if frame.Batch != nil {
		deliveries, err := s.ledger.deliver(frame.Batch)
		if err == nil && !s.inbox.push(deliveries) {
			s.lost(s.ledger.forget(len(deliveries)))
		}
		return err
	}
	switch f := frame.Response.GetFrame().(type) {
	case *headracev1.SubscribeResponse_SettleResult_:
		if stale := s.ledger.confirm(f.SettleResult); stale > 0 {
			s.event(Event{Kind: SettlesFailed, Count: stale})
		}
	case *headracev1.SubscribeResponse_Recall_:
		s.recalled(f.Recall)
	case *headracev1.SubscribeResponse_Revoked_:
		s.revoked(f.Revoked)
	case *headracev1.SubscribeResponse_FlowState_:
		s.flow(f.FlowState, blocked)
	case *headracev1.SubscribeResponse_GoAway:
		s.away(f.GoAway)
	case *headracev1.SubscribeResponse_Drained_:
		s.drained.Store(true)
		s.ledger.leave()
	}
	return nil
}

func (s *subscribeStream) recalled(r *headracev1.SubscribeResponse_Recall) {
	if given := s.ledger.recall(spansOf(r.GetRanges())); given > 0 {
		s.event(Event{Kind: DeliveriesRecalled, Count: given})
	}
}

func (s *subscribeStream) revoked(r *headracev1.SubscribeResponse_Revoked) {
	ranges := spansOf(r.GetRanges())
	why := strings.TrimPrefix(r.GetReason().String(), "REVOKE_REASON_")
	s.event(Event{Kind: DeliveriesLost, Count: ranges.count(), Detail: why})
	s.ledger.revoke(ranges, Reason(why))
}

func (s *subscribeStream) flow(f *headracev1.SubscribeResponse_FlowState, blocked *[]headracev1.BlockedBy) {
	if limits := f.GetLimits(); limits != nil {
		s.ledger.limit(limits)
	}
	if slices.Equal(f.GetBlockedBy(), *blocked) {
		return
	}
	*blocked = f.GetBlockedBy()
	names := make([]string, len(*blocked))
	for i, b := range *blocked {
		names[i] = strings.TrimPrefix(b.String(), "BLOCKED_BY_")
	}
	s.event(Event{Kind: FlowChanged, Detail: strings.Join(names, ", ")})
}

func (s *subscribeStream) away(g *headracev1.GoAway) {
	s.goAway, s.grace = g.GetReason(), g.GetGrace().AsDuration()
	s.leaving.Store(true)
	s.ledger.leave()
	s.event(Event{Kind: GoAwayReceived, Detail: goAwayName(g.GetReason())})
}

// lost tells of deliveries that are dropped and come to nobody.
func (s *subscribeStream) lost(count int) {
	if count > 0 {
		s.event(Event{Kind: DeliveriesLost, Count: count, Detail: lostByStop})
	}
}

func (s *subscribeStream) event(e Event) {
	e.Subscription = s.subscription
	s.events(e)
}
