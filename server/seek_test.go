package server_test

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

// seekTo asks for billing to be moved.
func seekTo(t *testing.T, s *servertest.Server, target *headracev1.SeekTarget, dryRun bool) (*headracev1.SeekSubscriptionResponse, error) {
	t.Helper()
	return s.Subscriptions.SeekSubscription(bounded(t), &headracev1.SeekSubscriptionRequest{
		Subscription: "billing", Target: target, DryRun: dryRun,
	})
}

func seekToOffset(partition uint32, offset uint64) *headracev1.SeekTarget {
	return &headracev1.SeekTarget{Target: &headracev1.SeekTarget_Offsets{Offsets: &headracev1.StartOffsets{
		Positions: []*headracev1.Position{{Partition: partition, Offset: offset}},
	}}}
}

var (
	seekToStart = &headracev1.SeekTarget{Target: &headracev1.SeekTarget_Start{Start: true}}
	seekToEnd   = &headracev1.SeekTarget{Target: &headracev1.SeekTarget_End{End: true}}
)

// TestASeekOnTheWire: what is out is revoked with its reason, a settle for it is stale,
// the sequences count on, and what is unacked comes again.
func TestASeekOnTheWire(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("billing", "orders")
	for range 3 {
		s.Publish("orders", &headracev1.Message{Data: []byte("order")})
	}
	c := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "billing"})
	for c.received < 3 {
		c.nextBatch()
	}
	c.send(settling(1, 1, headracev1.Verdict_VERDICT_ACK, "", ""))
	c.awaitConfirmed(1)
	dry, err := seekTo(t, s, seekToStart, true)
	if err != nil {
		t.Fatal(err)
	}
	checkProto(t, &headracev1.SeekSubscriptionResponse{Generation: 1, Unacked: 1}, dry)
	done, err := seekTo(t, s, seekToStart, false)
	if err != nil {
		t.Fatal(err)
	}
	checkProto(t, &headracev1.SeekSubscriptionResponse{Generation: 2, Unacked: 1}, done)
	var revoked *headracev1.SubscribeResponse_Revoked
	for c.received < 6 || revoked == nil {
		f := c.next()
		if r := f.GetRevoked(); r != nil {
			revoked = r
		}
		if b := f.GetBatch(); b != nil {
			c.received += uint64(len(b.GetMessages()))
		}
	}
	checkProto(t, &headracev1.SubscribeResponse_Revoked{
		Ranges: sequences(2, 3), Reason: headracev1.RevokeReason_REVOKE_REASON_SEEK,
	}, revoked)
	c.send(settling(2, 2, headracev1.Verdict_VERDICT_ACK, "", ""))
	c.awaitConfirmed(2)
	got, err := s.Subscriptions.GetSubscription(bounded(t), &headracev1.GetSubscriptionRequest{Subscription: "billing"})
	if err != nil || got.GetSubscription().GetGeneration() != 2 {
		t.Errorf("%v, %v", got, err)
	}
	if done, err = seekTo(t, s, seekToEnd, false); err != nil || done.GetAcked() != 3 || done.GetGeneration() != 3 {
		t.Errorf("%v, %v", done, err)
	}
	c.finish()
}

func TestSeeksThatAreRefused(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopicWith(&headracev1.Topic{Name: "orders", Retention: &headracev1.Retention{MinAge: durationpb.New(0)}})
	s.CreateSubscription("billing", "orders")
	s.Publish("orders", &headracev1.Message{Data: []byte("order")})
	if _, err := seekTo(t, s, seekToEnd, false); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		subscription  string
		target        *headracev1.SeekTarget
		code          codes.Code
		reason, field string
	}{
		"no name":        {"", seekToEnd, codes.InvalidArgument, "INVALID_NAME", "subscription"},
		"nobody":         {"nobody", seekToEnd, codes.NotFound, "SUBSCRIPTION_NOT_FOUND", ""},
		"no target":      {"billing", nil, codes.InvalidArgument, "INVALID_FIELD", "target"},
		"start not true": {"billing", &headracev1.SeekTarget{Target: &headracev1.SeekTarget_Start{}}, codes.InvalidArgument, "INVALID_FIELD", "target.start"},
		"end not true":   {"billing", &headracev1.SeekTarget{Target: &headracev1.SeekTarget_End{}}, codes.InvalidArgument, "INVALID_FIELD", "target.end"},
		"no time": {"billing", &headracev1.SeekTarget{Target: &headracev1.SeekTarget_Time{Time: &timestamppb.Timestamp{Nanos: -1}}},
			codes.InvalidArgument, "INVALID_FIELD", "target.time"},
		"no positions":      {"billing", &headracev1.SeekTarget{Target: &headracev1.SeekTarget_Offsets{}}, codes.InvalidArgument, "INVALID_FIELD", "target.offsets"},
		"partition 256":     {"billing", seekToOffset(256, 0), codes.InvalidArgument, "INVALID_FIELD", "target.offsets"},
		"no such partition": {"billing", seekToOffset(1, 0), codes.OutOfRange, "POSITION_OUT_OF_RANGE", ""},
		"past the end":      {"billing", seekToOffset(0, 2), codes.OutOfRange, "POSITION_OUT_OF_RANGE", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, dryRun := range []bool{true, false} {
				_, err := s.Subscriptions.SeekSubscription(bounded(t), &headracev1.SeekSubscriptionRequest{
					Subscription: c.subscription, Target: c.target, DryRun: dryRun,
				})
				checkStatus(t, err, c.code, c.reason, c.field)
			}
		})
	}
}

// TestASeekBackWhereNothingIsKept: the status says what the topic lacks, or that the
// place is gone, as soon as it is.
func TestASeekBackWhereNothingIsKept(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopicWith(&headracev1.Topic{Name: "orders", Retention: &headracev1.Retention{MinAge: durationpb.New(0)}})
	s.CreateSubscription("slow", "orders") // It keeps what billing has acked.
	s.CreateSubscription("billing", "orders")
	s.Publish("orders", &headracev1.Message{Data: []byte("order")})
	if _, err := seekTo(t, s, seekToEnd, false); err != nil {
		t.Fatal(err)
	}
	_, err := seekTo(t, s, seekToStart, false)
	checkStatus(t, err, codes.FailedPrecondition, "NOTHING_KEPT", "")
	long := &headracev1.SeekTarget{Target: &headracev1.SeekTarget_Time{Time: timestamppb.New(time.Now().Add(-time.Hour))}}
	_, err = seekTo(t, s, long, true)
	checkStatus(t, err, codes.FailedPrecondition, "NOTHING_KEPT", "")
}
