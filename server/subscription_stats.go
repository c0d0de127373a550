package server

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
)

// subscriptionStatsProto gives the figures of a subscription. There may be more
// sessions than an answer can hold; those that do not fit are left out.
func subscriptionStatsProto(s broker.SubscriptionStats) *headracev1.SubscriptionStats {
	out := &headracev1.SubscriptionStats{
		Subscription:     string(s.Subscription),
		Backlog:          amountProto(s.Backlog),
		Outstanding:      amountProto(s.Outstanding),
		OldestUnackedAge: ageProto(s.OldestUnackedAge),
		Delivered:        s.Delivered,
		Redelivered:      s.Redelivered,
		Acked:            s.Acked,
		Retried:          s.Retried,
		Released:         s.Released,
		Expired:          s.Expired,
		Rejected:         s.Rejected,
		DeadLettered:     s.DeadLettered,
		DeadLetters:      s.DeadLetters,
		Removed:          s.Removed,
		Dropped:          s.Dropped,
		Forwarded:        s.Forwarded,
		NotForwarded:     s.NotForwarded,
		ParkedKeys:       s.ParkedKeys,

		WaitingBehindKeys: s.WaitingBehindKeys,
	}
	for _, p := range s.Partitions {
		out.Partitions = append(out.Partitions, &headracev1.SubscriptionPartitionStats{
			Partition:        uint32(p.Partition),
			Floor:            uint64(p.Floor),
			NextOffset:       uint64(p.Next),
			SettledPastFloor: p.SettledPastFloor,
			Backlog:          amountProto(p.Backlog),
		})
	}
	out.Sessions = fittingSessions(s.Sessions, stockFrameBytes-proto.Size(out))
	return out
}

// fittingSessions gives the sessions that fit into a number of bytes.
func fittingSessions(sessions []broker.SessionStats, room int) []*headracev1.SessionStats {
	// overheadBytes bounds the tags and lengths around one session, and its share
	// of those around all.
	const overheadBytes = 16
	var out []*headracev1.SessionStats
	for _, s := range sessions {
		session := sessionStatsProto(s)
		room -= proto.Size(session) + overheadBytes
		if room < 0 {
			return out
		}
		out = append(out, session)
	}
	return out
}

func sessionStatsProto(s broker.SessionStats) *headracev1.SessionStats {
	var resumableFor *durationpb.Duration
	if s.Away {
		s.Blocked = 0
		resumableFor = durationpb.New(s.ResumableFor)
	}
	return &headracev1.SessionStats{
		Session:     s.Session,
		ClientId:    s.ClientID,
		Labels:      s.Labels,
		OpenTime:    timestamppb.New(s.OpenedAt),
		Credit:      amountProto(s.Credit),
		Outstanding: amountProto(s.Outstanding),
		BlockedBy:   blockedProto(s.Blocked),
		Delivered:   s.Delivered,
		Acked:       s.Acked,

		ResumableFor: resumableFor,
	}
}
