package server

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/broker/delivery"
)

// standings are where a message stands, but for what the store alone knows.
var standings = map[broker.Standing]headracev1.MessageStanding{
	delivery.IsUnpublished:     headracev1.MessageStanding_MESSAGE_STANDING_NOT_PUBLISHED,
	delivery.IsSettled:         headracev1.MessageStanding_MESSAGE_STANDING_SETTLED,
	delivery.IsFresh:           headracev1.MessageStanding_MESSAGE_STANDING_FRESH,
	delivery.IsOutstanding:     headracev1.MessageStanding_MESSAGE_STANDING_OUTSTANDING,
	delivery.IsBackingOff:      headracev1.MessageStanding_MESSAGE_STANDING_RETRY_BACKOFF,
	delivery.IsUncommitted:     headracev1.MessageStanding_MESSAGE_STANDING_COMMITTING,
	delivery.IsReady:           headracev1.MessageStanding_MESSAGE_STANDING_READY,
	delivery.IsAvoiding:        headracev1.MessageStanding_MESSAGE_STANDING_AVOIDING,
	delivery.IsTooLarge:        headracev1.MessageStanding_MESSAGE_STANDING_TOO_LARGE,
	delivery.IsBehindKey:       headracev1.MessageStanding_MESSAGE_STANDING_BEHIND_KEY,
	delivery.IsBehindParkedKey: headracev1.MessageStanding_MESSAGE_STANDING_KEY_PARKED,
	delivery.IsDying:           headracev1.MessageStanding_MESSAGE_STANDING_DYING,
}

func standingProto(e *broker.MessageExplanation) headracev1.MessageStanding {
	switch {
	case e.DeadLetter > 0:
		return headracev1.MessageStanding_MESSAGE_STANDING_DEAD_LETTER
	case e.Trimmed:
		return headracev1.MessageStanding_MESSAGE_STANDING_TRIMMED
	}
	return standings[e.Standing]
}

func messageExplanationProto(e *broker.MessageExplanation) *headracev1.MessageExplanation {
	out := &headracev1.MessageExplanation{
		Position: &headracev1.Position{Partition: e.Partition, Offset: e.Offset},
		Standing: standingProto(e),
		Attempt:  e.Attempt, Failed: e.Failed, Expired: e.Expired, Lost: e.Lost,
		DueTime: timeProto(e.Due), Ahead: e.Ahead, DeadLetter: e.DeadLetter,
		Failures: failuresProto(e.Failures), MoreDeadLetters: e.MoreLetters,
	}
	if h := e.Holder; h != nil {
		out.Holder = &headracev1.Holder{
			Session: h.Session, ClientId: h.ClientID, Sequence: h.Sequence,
			Since: timeProto(h.Since), Started: h.Started, LeaseEnd: timeProto(h.LeaseEnd),
		}
	}
	if e.Key != nil {
		out.Key = keyExplanationProto(e.Key)
	}
	return out
}

func keyExplanationProto(e *broker.KeyExplanation) *headracev1.KeyExplanation {
	out := &headracev1.KeyExplanation{
		Partition: e.Partition, Busy: e.Busy, Parked: e.Parked, Session: e.Session,
		Outstanding: e.Outstanding, NextDueTime: timeProto(e.NextDue), Waiting: e.Waiting,
	}
	if e.HasNext {
		out.NextOffset = &e.Next
	}
	return out
}

func heldDeliveryProto(h *broker.HeldDelivery) *headracev1.HeldDelivery {
	return &headracev1.HeldDelivery{
		Sequence: h.Sequence, Position: &headracev1.Position{Partition: h.Partition, Offset: h.Offset},
		Since: timeProto(h.Since), Started: h.Started, LeaseEnd: timeProto(h.LeaseEnd),
	}
}

// timeProto is a time, absent when it is zero.
func timeProto(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
