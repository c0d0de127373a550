package server_test

import (
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage/storagetest"
)

// keyedMessages are messages whose data is "key:n", n counting from 1 in each key.
func keyedMessages(keys ...string) []*headracev1.Message {
	counts := map[string]int{}
	messages := make([]*headracev1.Message, len(keys))
	for i, key := range keys {
		counts[key]++
		messages[i] = &headracev1.Message{OrderingKey: key, Data: fmt.Appendf(nil, "%s:%d", key, counts[key])}
	}
	return messages
}

// keyedServer has a topic orders and on it a subscription workers that keeps keys in
// order, unless change says otherwise.
func keyedServer(t *testing.T, home storagetest.StoreHome, change func(*headracev1.Subscription)) *servertest.Server {
	t.Helper()
	s := servertest.Start(t, servertest.Options{Home: home})
	s.CreateTopic("orders")
	sub := &headracev1.Subscription{Name: "workers", Topic: "orders", Order: headracev1.DeliveryOrder_DELIVERY_ORDER_KEY}
	if change != nil {
		change(sub)
	}
	s.CreateSubscriptionWith(sub)
	return s
}

// openKeyed opens a session, of a client that keeps the order of several messages of
// a key if batches is set.
func openKeyed(t *testing.T, s *servertest.Server, batches bool) *subscribeStub {
	t.Helper()
	open := &headracev1.SubscribeRequest_Open{Subscription: "workers"}
	if batches {
		open.Features = []headracev1.Feature{headracev1.Feature_FEATURE_KEY_BATCHES}
	}
	return openSubscribe(t, s, open)
}

// wantData awaits messages with these data, in this order.
func (c *subscribeStub) wantData(want ...string) (first uint64) {
	c.t.Helper()
	var got []string
	for len(got) < len(want) {
		b := c.nextBatch()
		if first == 0 {
			first = b.GetFirstSequence()
		}
		for _, m := range b.GetMessages() {
			got = append(got, string(m.GetData()))
		}
	}
	if !slices.Equal(got, want) {
		c.t.Fatalf("got %v, want %v", got, want)
	}
	return first
}

func TestRule12KeyIsTheDefaultOrder(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	r, err := s.Subscriptions.CreateSubscription(bounded(t), &headracev1.CreateSubscriptionRequest{
		Subscription: &headracev1.Subscription{Name: "workers", Topic: "orders"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.GetSubscription(); got.GetOrder() != headracev1.DeliveryOrder_DELIVERY_ORDER_KEY ||
		got.GetKeyFailurePolicy() != headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_BLOCK {
		t.Errorf("order %v, policy %v", got.GetOrder(), got.GetKeyFailurePolicy())
	}
}

// TestRule12AClientWithoutKeyBatchesGetsOneMessageOfAKey at a time; one that announced
// the feature gets what there is.
func TestRule12AClientWithoutKeyBatchesGetsOneMessageOfAKey(t *testing.T) {
	s := keyedServer(t, nil, nil)
	s.Publish("orders", keyedMessages("a", "a", "b", "", "a")...)
	c := openKeyed(t, s, false)
	c.wantData("a:1", "b:1", ":1")
	c.send(ack(1, 1, 1))
	c.wantData("a:2")
	c.finish()
	c = openKeyed(t, s, true)
	c.wantData("a:2", "b:1", ":1", "a:3")
	c.send(ack(1, 1, 4))
	c.awaitConfirmed(1)
	c.finish()
}

func TestRule12ARetryRevokesWhatIsBehindItInItsKey(t *testing.T) {
	s := keyedServer(t, nil, nil)
	s.Publish("orders", keyedMessages("a", "a", "b", "a")...)
	c := openKeyed(t, s, true)
	c.wantData("a:1", "a:2", "b:1", "a:3")
	c.send(settling(1, 1, headracev1.Verdict_VERDICT_RETRY, "", ""))
	revoked := c.await(func(r *headracev1.SubscribeResponse) bool { return r.GetRevoked() != nil }).GetRevoked()
	checkProto(t, &headracev1.SubscribeResponse_Revoked{
		Reason: headracev1.RevokeReason_REVOKE_REASON_KEY_ORDER,
		Ranges: []*headracev1.SequenceRange{{First: 2, Last: 2}, {First: 4, Last: 4}},
	}, revoked)
	first := c.wantData("a:1")
	c.send(ack(2, first, first))
	first = c.wantData("a:2")
	c.send(ack(3, first, first))
	c.wantData("a:3")
	c.finish()
}

// TestRule12PoliciesOfAKeyWhoseHeadFails: with BLOCK the key waits for its head for
// ever, with SKIP it goes on behind it, also after a restart.
func TestRule12PoliciesOfAKeyWhoseHeadFails(t *testing.T) {
	for name, c := range map[string]struct {
		policy headracev1.KeyFailurePolicy
		next   string
		dead   int
	}{
		"block": {headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_BLOCK, "a:1", 0},
		"skip":  {headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_SKIP, "a:2", 1},
	} {
		t.Run(name, func(t *testing.T) {
			home := storagetest.MemoryHome()
			t.Run("before the restart", func(t *testing.T) {
				s := keyedServer(t, home, func(sub *headracev1.Subscription) {
					sub.KeyFailurePolicy, sub.Retry = c.policy, &headracev1.RetryPolicy{MaxAttempts: proto.Uint32(1)}
				})
				s.Publish("orders", keyedMessages("a", "a")...)
				stub := openKeyed(t, s, true)
				stub.wantData("a:1", "a:2")
				stub.send(settling(1, 1, headracev1.Verdict_VERDICT_RETRY, "", ""))
				stub.wantData(c.next)
				if got := len(listDeadLetters(t, s, &headracev1.ListDeadLettersRequest{})); got != c.dead {
					t.Errorf("%d dead letters, want %d", got, c.dead)
				}
				stub.finish()
			})
			s := servertest.Start(t, servertest.Options{Home: home})
			openKeyed(t, s, false).wantData(c.next)
		})
	}
}

func TestRule12APartitionIsAKeyOfAnExclusiveSubscription(t *testing.T) {
	s := keyedServer(t, nil, func(sub *headracev1.Subscription) {
		sub.Mode, sub.Order = headracev1.SubscriptionMode_SUBSCRIPTION_MODE_EXCLUSIVE, headracev1.DeliveryOrder_DELIVERY_ORDER_PARTITION
	})
	s.Publish("orders", keyedMessages("", "", "")...)
	c := openKeyed(t, s, false)
	c.wantData(":1")
	c.send(ack(1, 1, 1))
	c.wantData(":2")
	c.finish()
	c = openKeyed(t, s, true)
	c.wantData(":2", ":3")
	c.send(settling(1, 1, headracev1.Verdict_VERDICT_RELEASE, "", ""))
	c.wantData(":2")
	c.finish()
}
