package server

import (
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
)

// backlogActions are the actions at a cap, by their names in the contract.
var backlogActions = map[headracev1.BacklogAction]broker.BacklogAction{
	headracev1.BacklogAction_BACKLOG_ACTION_UNSPECIFIED:    broker.RejectPublish,
	headracev1.BacklogAction_BACKLOG_ACTION_REJECT_PUBLISH: broker.RejectPublish,
	headracev1.BacklogAction_BACKLOG_ACTION_DROP_OLDEST:    broker.DropOldest,
	headracev1.BacklogAction_BACKLOG_ACTION_DEAD_LETTER:    broker.BuryOldest,
}

func takeBacklogCap(c *broker.SubscriptionConfig, s *headracev1.Subscription, _ broker.SubscriptionConfig) error {
	limit := s.GetBacklogCap()
	c.BacklogCap = broker.BacklogCap{}
	if limit == nil {
		return nil
	}
	c.BacklogCap.Max, c.BacklogCap.Action = amountOf(limit.GetMax()), backlogActions[limit.GetAction()]
	if c.BacklogCap.Max == (broker.Amount{}) {
		return invalidField("backlog_cap.max", "at least 1 message or 1 byte")
	}
	return nil
}

func backlogCapProto(c broker.BacklogCap) *headracev1.BacklogCap {
	if c == (broker.BacklogCap{}) {
		return nil
	}
	out := &headracev1.BacklogCap{Max: amountProto(c.Max), Action: headracev1.BacklogAction_BACKLOG_ACTION_REJECT_PUBLISH}
	for action, is := range backlogActions {
		if is == c.Action && action != headracev1.BacklogAction_BACKLOG_ACTION_UNSPECIFIED {
			out.Action = action
		}
	}
	return out
}
