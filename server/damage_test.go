package server_test

import (
	"testing"

	"google.golang.org/grpc/codes"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/storagetest"
)

// damaged starts a server, damages its records while it is stopped, and starts
// another one over them.
func damaged(t *testing.T, damage func(*storagetest.Disk, *servertest.Server)) *servertest.Server {
	t.Helper()
	disk := storagetest.NewDisk()
	home := func(tb testing.TB) storage.Engine {
		tb.Helper()
		engine, err := storagetest.OpenMemory(disk)
		if err != nil {
			tb.Fatal(err)
		}
		return engine
	}
	first := servertest.Start(t, servertest.Options{Home: home})
	first.CreateTopic("orders")
	first.CreateTopic("parcels")
	first.CreateSubscription("workers", "orders")
	first.CreateSubscription("others", "orders")
	first.CreateSubscription("carriers", "parcels")
	first.Publish("orders", numberedMessages(1, 1)...)
	first.Publish("parcels", numberedMessages(1, 1)...)
	first.BeginDrain()
	if err := first.Wait(); err != nil {
		t.Fatal(err)
	}
	first.Store.Stop()
	damage(disk, first)
	second := servertest.Start(t, servertest.Options{Home: home})
	first.Store.Damaged, second.Store.Damaged = true, true
	return second
}

// checkServes expects a subscription to be served as if nothing had happened.
func checkServes(t *testing.T, s *servertest.Server, subscription string) {
	t.Helper()
	session := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: subscription})
	if got := session.nextBatch().GetMessages()[0].GetData(); string(got) != "message 1" {
		t.Errorf("%s received %q", subscription, got)
	}
	session.send(ack(1, 1, 1))
	session.awaitConfirmed(1)
	session.finish()
}

func TestADamagedSubscriptionLeavesTheOthersServed(t *testing.T) {
	s := damaged(t, func(disk *storagetest.Disk, first *servertest.Server) {
		for _, sub := range first.Store.Subscriptions() {
			if sub.Name == "default/workers" {
				disk.Drop(record.AppendCursorKey(nil, sub.ID, 0))
			}
		}
	})
	stub := dialSubscribe(t, s)
	stub.send(open)
	checkStatus(t, stub.end(), codes.DataLoss, "DATA_LOSS", "")
	_, err := s.Subscriptions.GetSubscriptionStats(bounded(t), &headracev1.GetSubscriptionStatsRequest{Subscription: "workers"})
	checkStatus(t, err, codes.DataLoss, "DATA_LOSS", "")
	got, err := s.Subscriptions.GetSubscription(bounded(t), &headracev1.GetSubscriptionRequest{Subscription: "workers"})
	if state := got.GetSubscription().GetState(); err != nil || state != headracev1.ResourceState_RESOURCE_STATE_DAMAGED {
		t.Errorf("the damaged subscription is %v, %v", state, err)
	}
	checkServes(t, s, "others")
	checkServes(t, s, "carriers")
	s.Publish("orders", numberedMessages(2, 1)...)
}

func TestADamagedTopicLeavesTheOthersServed(t *testing.T) {
	s := damaged(t, func(disk *storagetest.Disk, first *servertest.Server) {
		for _, topic := range first.Store.Topics() {
			if topic.Name == "default/orders" {
				disk.Drop(record.AppendPartitionKey(nil, storage.PartitionID{Topic: topic.ID}))
			}
		}
	})
	_, err := s.Publisher.Publish(bounded(t), &headracev1.PublishRequest{Topic: "orders", Messages: numberedMessages(2, 1)})
	checkStatus(t, err, codes.DataLoss, "DATA_LOSS", "")
	stub := openPublish(t, s)
	stub.send(batch("orders", 1, numberedMessages(2, 1)...))
	failures := stub.nextResult().GetFailures()
	if len(failures) != 1 || failures[0].GetReason() != headracev1.ErrorReason_ERROR_REASON_DATA_LOSS {
		t.Errorf("failures = %v", failures)
	}
	stub.send(batch("parcels", 1, numberedMessages(2, 1)...))
	stub.await(1)
	stub.finish()
	got, err := s.Topics.GetTopic(bounded(t), &headracev1.GetTopicRequest{Topic: "orders"})
	if state := got.GetTopic().GetState(); err != nil || state != headracev1.ResourceState_RESOURCE_STATE_DAMAGED {
		t.Errorf("the damaged topic is %v, %v", state, err)
	}
	checkServes(t, s, "carriers")
}
