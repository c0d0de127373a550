package server

import (
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/broker/delivery"
)

// servedFeatures are what a session is told that the server serves.
var servedFeatures = []headracev1.Feature{
	headracev1.Feature_FEATURE_KEY_BATCHES,
	headracev1.Feature_FEATURE_RECALL,
	headracev1.Feature_FEATURE_STARTED,
	headracev1.Feature_FEATURE_RESUME,
	headracev1.Feature_FEATURE_DEAD_LETTERS,
}

// openedProto answers Open.
func openedProto(s *broker.Session) *headracev1.SubscribeResponse {
	return &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_Opened_{
		Opened: &headracev1.SubscribeResponse_Opened{
			SessionId:       s.ID(),
			Features:        servedFeatures,
			Limits:          sessionLimitsProto(s.Limits()),
			Resumed:         resumedProto(s.Resumed()),
			OrderedBy:       orderedBy(s.Order()),
			SettledWhenSent: s.Guarantee() == broker.AtMostOnce,
		},
	}}
}

func sessionLimitsProto(l broker.SessionLimits) *headracev1.SessionLimits {
	return &headracev1.SessionLimits{
		MaxFrameBytes:              uint32(l.MaxFrameBytes),
		MaxOutstanding:             ceilingProto(l.MaxOutstanding),
		ClientMaxOutstanding:       ceilingProto(l.ClientMaxOutstanding),
		SubscriptionMaxOutstanding: ceilingProto(l.SubscriptionMaxOutstanding),
		Lease:                      durationpb.New(l.Lease),
		MaxLease:                   durationpb.New(l.MaxLease),
		HeartbeatInterval:          durationpb.New(broker.HeartbeatInterval),
		ResumeWindow:               durationpb.New(l.ResumeWindow),
		MaxUnconfirmedSettles:      broker.MaxUnconfirmedSettles,
		MaxRanges:                  broker.MaxRanges,
	}
}

func settleResultProto(r *broker.SettleResult) *headracev1.SubscribeResponse {
	var failures []*headracev1.SubscribeResponse_SettleFailure
	for _, f := range r.Failures {
		failures = appendFailure(failures, f)
	}
	out := &headracev1.SubscribeResponse_SettleResult{ConfirmedThrough: r.ConfirmedThrough, Failures: failures}
	return &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_SettleResult_{SettleResult: out}}
}

// appendFailure puts ranges of one settle with one reason together.
func appendFailure(
	failures []*headracev1.SubscribeResponse_SettleFailure, f broker.SettleFailure,
) []*headracev1.SubscribeResponse_SettleFailure {
	reason := failureReasons[f.Reason]
	sequences := &headracev1.SequenceRange{First: f.Range.First, Last: f.Range.Last}
	if n := len(failures); n > 0 && failures[n-1].GetNumber() == f.Number && failures[n-1].GetReason() == reason {
		failures[n-1].Ranges = append(failures[n-1].Ranges, sequences)
		return failures
	}
	return append(failures, &headracev1.SubscribeResponse_SettleFailure{
		Number: f.Number,
		Ranges: []*headracev1.SequenceRange{sequences},
		Reason: reason,
	})
}

// failureReasons are why a settle or extend did not reach a delivery.
var failureReasons = map[delivery.FailureReason]headracev1.ErrorReason{
	delivery.Unknown:     reasonUnknownSequence,
	delivery.Stale:       reasonStaleDelivery,
	delivery.NotServed:   reasonNotServed,
	delivery.LeaseCapped: reasonLeaseCapped,
}

func flowStateProto(f *broker.FlowState) *headracev1.SubscribeResponse {
	out := &headracev1.SubscribeResponse_FlowState{
		Credit:      amountProto(f.Credit),
		Outstanding: amountProto(f.Outstanding),
		Backlog:     amountProto(f.Backlog),
		OldestAge:   ageProto(f.OldestAge),
		BlockedBy:   blockedProto(f.Blocked),
		NeedsBytes:  f.NeedsBytes,
	}
	if f.Limits != nil {
		out.Limits = sessionLimitsProto(*f.Limits)
	}
	return &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_FlowState_{FlowState: out}}
}

// blockedCauses are the reasons why nothing comes, the first cause first.
var blockedCauses = []struct {
	cause broker.Blocked
	proto headracev1.BlockedBy
}{
	{delivery.Draining, headracev1.BlockedBy_BLOCKED_BY_DRAINING},
	{delivery.Standby, headracev1.BlockedBy_BLOCKED_BY_STANDBY},
	{delivery.Paused, headracev1.BlockedBy_BLOCKED_BY_PAUSED},
	{delivery.RateLimited, headracev1.BlockedBy_BLOCKED_BY_RATE_LIMITED},
	{delivery.WriteStalled, headracev1.BlockedBy_BLOCKED_BY_WRITE_STALLED},
	{delivery.NoCreditMessages, headracev1.BlockedBy_BLOCKED_BY_NO_CREDIT_MESSAGES},
	{delivery.NoCreditBytes, headracev1.BlockedBy_BLOCKED_BY_NO_CREDIT_BYTES},
	{delivery.ClientCap, headracev1.BlockedBy_BLOCKED_BY_CLIENT_CAP},
	{delivery.SubscriptionCap, headracev1.BlockedBy_BLOCKED_BY_SUBSCRIPTION_CAP},
	{delivery.MessageTooLarge, headracev1.BlockedBy_BLOCKED_BY_MESSAGE_TOO_LARGE},
	{delivery.KeysBlocked, headracev1.BlockedBy_BLOCKED_BY_KEYS_BLOCKED},
	{delivery.RetryBackoff, headracev1.BlockedBy_BLOCKED_BY_RETRY_BACKOFF},
	{delivery.NoMessages, headracev1.BlockedBy_BLOCKED_BY_NO_MESSAGES},
}

func blockedProto(b broker.Blocked) []headracev1.BlockedBy {
	var out []headracev1.BlockedBy
	for _, c := range blockedCauses {
		if b&c.cause != 0 {
			out = append(out, c.proto)
		}
	}
	return out
}

func revokedProto(r *broker.Revoked) *headracev1.SubscribeResponse {
	out := &headracev1.SubscribeResponse_Revoked{Ranges: rangesProto(r.Ranges), Reason: revokeReasons[r.Reason]}
	return &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_Revoked_{Revoked: out}}
}

func recallProto(r *broker.Recall) *headracev1.SubscribeResponse {
	out := &headracev1.SubscribeResponse_Recall{Ranges: rangesProto(r.Ranges)}
	return &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_Recall_{Recall: out}}
}

func rangesProto(ranges []broker.SequenceRange) []*headracev1.SequenceRange {
	out := make([]*headracev1.SequenceRange, len(ranges))
	for i, r := range ranges {
		out[i] = &headracev1.SequenceRange{First: r.First, Last: r.Last}
	}
	return out
}

// revokeReasons are why deliveries are taken away.
var revokeReasons = map[broker.RevokeReason]headracev1.RevokeReason{
	delivery.LeaseExpired: headracev1.RevokeReason_REVOKE_REASON_LEASE_EXPIRED,
	delivery.KeyOrder:     headracev1.RevokeReason_REVOKE_REASON_KEY_ORDER,
	delivery.TakenOver:    headracev1.RevokeReason_REVOKE_REASON_TAKEOVER,
	delivery.Sought:       headracev1.RevokeReason_REVOKE_REASON_SEEK,
	delivery.DrainEnded:   headracev1.RevokeReason_REVOKE_REASON_GRACE_OVER,
}

// goAwayReasons are why clients are asked to go.
var goAwayReasons = map[broker.GoAwayReason]headracev1.GoAwayReason{
	delivery.GoAwayShutdown:  headracev1.GoAwayReason_GO_AWAY_REASON_SHUTDOWN,
	delivery.GoAwayRebalance: headracev1.GoAwayReason_GO_AWAY_REASON_REBALANCE,
	delivery.GoAwayStream:    headracev1.GoAwayReason_GO_AWAY_REASON_STREAM,
}

func goAwayProto(g *broker.GoAway) *headracev1.GoAway {
	return &headracev1.GoAway{
		Reason: goAwayReasons[g.Reason],
		Grace:  durationpb.New(g.Grace),
	}
}
