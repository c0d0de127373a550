package server_test

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

// TestASnapshotBringsBackWhatWasNotAcked: over a restart, on a topic that keeps nothing
// settled, and only what was not acked when it was taken, with what came since.
func TestASnapshotBringsBackWhatWasNotAcked(t *testing.T) {
	home := servertest.BadgerHome(t)
	t.Run("before the restart", func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{Home: home})
		s.CreateTopicWith(&headracev1.Topic{Name: "orders", Retention: &headracev1.Retention{MinAge: durationpb.New(0)}})
		s.CreateSubscription("billing", "orders")
		for range 3 {
			s.Publish("orders", &headracev1.Message{Data: []byte("order")})
		}
		c := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "billing"})
		for c.received < 3 {
			c.nextBatch()
		}
		c.send(settling(1, 2, headracev1.Verdict_VERDICT_ACK, "", ""))
		c.awaitConfirmed(1)
		taken, err := s.Subscriptions.CreateSnapshot(bounded(t), &headracev1.CreateSnapshotRequest{
			Snapshot: "before", Subscription: "billing", Keep: durationpb.New(time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		got := taken.GetSnapshot()
		if kept := got.GetExpireTime().AsTime().Sub(got.GetCreateTime().AsTime()); kept < 59*time.Minute || kept > time.Hour {
			t.Errorf("kept for %v", kept)
		}
		got.CreateTime, got.ExpireTime = nil, nil
		checkProto(t, &headracev1.Snapshot{
			Name: "default/before", Topic: "default/orders", Subscription: "default/billing", Unacked: 2,
			State: headracev1.ResourceState_RESOURCE_STATE_ACTIVE,
		}, got)
		c.send(settling(2, 1, headracev1.Verdict_VERDICT_ACK, "", ""))
		c.send(settling(3, 3, headracev1.Verdict_VERDICT_ACK, "", ""))
		c.awaitConfirmed(3)
		c.finish()
		s.Publish("orders", &headracev1.Message{Data: []byte("new")})
	})
	s := servertest.Start(t, servertest.Options{Home: home})
	to := &headracev1.SeekTarget{Target: &headracev1.SeekTarget_Snapshot{Snapshot: "before"}}
	for _, dryRun := range []bool{true, false} {
		done, err := seekTo(t, s, to, dryRun)
		if err != nil || done.GetUnacked() != 2 || done.GetAcked() != 0 {
			t.Errorf("%v, %v", done, err)
		}
	}
	offsets, _ := peekAll(t, s, &headracev1.PeekSubscriptionRequest{})
	if len(offsets) != 3 || offsets[0] != "0" || offsets[1] != "2" || offsets[2] != "3" {
		t.Errorf("%v", offsets)
	}
	list, err := s.Subscriptions.ListSnapshots(bounded(t), &headracev1.ListSnapshotsRequest{Topic: "orders"})
	if err != nil || len(list.GetSnapshots()) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	subscriptions, err := s.Subscriptions.ListSubscriptions(bounded(t), &headracev1.ListSubscriptionsRequest{})
	if err != nil || len(subscriptions.GetSubscriptions()) != 1 {
		t.Errorf("%v, %v", subscriptions, err)
	}
	if _, err := s.Subscriptions.DeleteSnapshot(bounded(t), &headracev1.DeleteSnapshotRequest{Snapshot: "before"}); err != nil {
		t.Fatal(err)
	}
	_, err = seekTo(t, s, to, true)
	checkStatus(t, err, codes.NotFound, "SNAPSHOT_NOT_FOUND", "")
}

func TestSnapshotsThatAreRefused(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateTopic("other")
	s.CreateSubscription("billing", "orders")
	s.CreateSubscription("other", "other")
	create := func(r *headracev1.CreateSnapshotRequest) error {
		_, err := s.Subscriptions.CreateSnapshot(bounded(t), r)
		return err
	}
	if err := create(&headracev1.CreateSnapshotRequest{Snapshot: "taken", Subscription: "other"}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		request       *headracev1.CreateSnapshotRequest
		code          codes.Code
		reason, field string
	}{
		"no name":         {&headracev1.CreateSnapshotRequest{Subscription: "billing"}, codes.InvalidArgument, "INVALID_NAME", "snapshot"},
		"no subscription": {&headracev1.CreateSnapshotRequest{Snapshot: "one"}, codes.InvalidArgument, "INVALID_NAME", "subscription"},
		"nobody":          {&headracev1.CreateSnapshotRequest{Snapshot: "one", Subscription: "nobody"}, codes.NotFound, "SUBSCRIPTION_NOT_FOUND", ""},
		"a name twice":    {&headracev1.CreateSnapshotRequest{Snapshot: "taken", Subscription: "billing"}, codes.AlreadyExists, "SNAPSHOT_EXISTS", ""},
		"8 days": {&headracev1.CreateSnapshotRequest{Snapshot: "one", Subscription: "billing", Keep: durationpb.New(8 * 24 * time.Hour)},
			codes.InvalidArgument, "INVALID_FIELD", "keep"},
		"no time": {&headracev1.CreateSnapshotRequest{Snapshot: "one", Subscription: "billing", Keep: durationpb.New(0)},
			codes.InvalidArgument, "INVALID_FIELD", "keep"},
	} {
		t.Run(name, func(t *testing.T) { checkStatus(t, create(c.request), c.code, c.reason, c.field) })
	}
	_, err := seekTo(t, s, &headracev1.SeekTarget{Target: &headracev1.SeekTarget_Snapshot{Snapshot: "taken"}}, false)
	checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", "target.snapshot")
	_, err = s.Subscriptions.GetSnapshot(bounded(t), &headracev1.GetSnapshotRequest{Snapshot: "nobody"})
	checkStatus(t, err, codes.NotFound, "SNAPSHOT_NOT_FOUND", "")
	_, err = s.Subscriptions.DeleteSnapshot(bounded(t), &headracev1.DeleteSnapshotRequest{Snapshot: "nobody"})
	checkStatus(t, err, codes.NotFound, "SNAPSHOT_NOT_FOUND", "")
}
