package server_test

import (
	"testing"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/storagetest"
)

// skippedOffsets are left out of a buffered partition after a crash.
const skippedOffsets = 1 << 20

func bufferedTopic(name string) *headracev1.Topic {
	return &headracev1.Topic{Name: name, Durability: headracev1.Durability_DURABILITY_BUFFERED}
}

// crashing is a place in memory for servers that come one after the other.
func crashing(t *testing.T) storagetest.StoreHome {
	t.Helper()
	disk := storagetest.NewDisk()
	return func(tb testing.TB) storage.Engine {
		tb.Helper()
		engine, err := storagetest.OpenMemory(disk)
		if err != nil {
			tb.Fatal(err)
		}
		return engine
	}
}

// TestABufferedTopicAnswersBeforeItsCommit: a call and a stream; the results say so, and
// nothing is delivered before it is durable.
func TestABufferedTopicAnswersBeforeItsCommit(t *testing.T) {
	s := servertest.Start(t, servertest.Options{Home: crashing(t)})
	if got := s.CreateTopicWith(bufferedTopic("metrics")).GetDurability(); got != headracev1.Durability_DURABILITY_BUFFERED {
		t.Errorf("the topic's durability is %v", got)
	}
	s.CreateSubscription("workers", "metrics")
	reached, release := s.Store.Engine.(*storagetest.Memory).Block()
	want := &headracev1.PublishResponse{
		Runs:       []*headracev1.PublishedRun{{FirstSequence: 1, Count: 2}},
		Durability: headracev1.Durability_DURABILITY_BUFFERED,
	}
	checkProto(t, want, s.Publish("metrics", numberedMessages(1, 2)...))
	<-reached
	stub := openPublish(t, s)
	stub.send(batch("metrics", 1, numberedMessages(3, 2)...))
	if r := stub.nextResult(); r.GetDurability() != headracev1.Durability_DURABILITY_BUFFERED || r.GetRuns()[0].GetFirstOffset() != 2 {
		t.Errorf("the result is %v", r)
	}
	if stats := subscriptionStats(t, s, "workers"); stats.GetBacklog().GetMessages() != 0 {
		t.Errorf("seen before it is durable: %v", stats)
	}
	release()
	stub.finish()
	session := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
	for received := 0; received < 4; {
		received += len(session.nextBatch().GetMessages())
	}
	session.finish()
}

// TestSubscriptionsStepOverWhatACrashLeftOut: no offset is given twice, and nothing
// waits for those that never were.
func TestSubscriptionsStepOverWhatACrashLeftOut(t *testing.T) {
	home := crashing(t)
	first := servertest.Start(t, servertest.Options{Home: home})
	first.CreateTopicWith(bufferedTopic("metrics"))
	first.CreateSubscription("workers", "metrics")
	first.Publish("metrics", numberedMessages(1, 1)...)
	session := openSubscribe(t, first, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
	session.nextBatch()
	session.send(ack(1, 1, 1))
	session.awaitConfirmed(1)
	engine := first.Store.Engine.(*storagetest.Memory)
	reached, release := engine.Block()
	if got := first.Publish("metrics", numberedMessages(2, 1)...).GetRuns()[0].GetFirstOffset(); got != 1 {
		t.Errorf("at %d", got)
	}
	<-reached
	engine.Crash()
	release()
	_ = first.Wait() // It says why it ended.

	second := servertest.Start(t, servertest.Options{Home: home})
	if got := second.Publish("metrics", numberedMessages(3, 1)...).GetRuns()[0].GetFirstOffset(); got != 1+skippedOffsets {
		t.Errorf("at %d after a crash", got)
	}
	session = openSubscribe(t, second, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
	b := session.nextBatch()
	if got := string(b.GetMessages()[0].GetData()); got != "message 3" || b.GetRuns()[0].GetFirstOffset() != 1+skippedOffsets {
		t.Errorf("received %q at %v", got, b.GetRuns())
	}
	session.send(ack(1, 1, 1))
	session.awaitConfirmed(1)
	session.finish()
	if stats := subscriptionStats(t, second, "workers"); stats.GetBacklog().GetMessages() != 0 {
		t.Errorf("stats = %v", stats)
	}
	if _, err := second.Subscriptions.CreateSubscription(bounded(t), &headracev1.CreateSubscriptionRequest{
		Subscription: &headracev1.Subscription{Name: "late", Topic: "metrics", Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE},
		Start:        &headracev1.StartPosition{Position: &headracev1.StartPosition_Earliest{Earliest: true}},
	}); err != nil {
		t.Fatal(err)
	}
	session = openSubscribe(t, second, &headracev1.SubscribeRequest_Open{Subscription: "late"})
	for _, want := range []string{"message 1", "message 3"} {
		if got := string(session.nextBatch().GetMessages()[0].GetData()); got != want {
			t.Errorf("from the start: received %q, want %q", got, want)
		}
	}
	session.finish()
}
