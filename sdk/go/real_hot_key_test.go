package headrace_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/internal/testscale"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/server/servertest"
)

var (
	// hotMessages are those of one key whose head is worked on all the time.
	hotMessages = testscale.Sizes{Full: 1_000_000, Ordinary: 20_000, Race: 5_000}
	// otherKeys are the keys beside it, each with messagesOfAKey.
	otherKeys = testscale.Sizes{Full: 100_000, Ordinary: 2_000, Race: 500}
)

const messagesOfAKey = 3

// TestRealOneHotKeyHoldsUpNoOther: while the head of one key is worked on, and all that is
// of the key waits, the messages of all other keys come, each key in order. How long that
// takes from the first of them on, beside how long it takes alone, is logged.
func TestRealOneHotKeyHoldsUpNoOther(t *testing.T) {
	s := servertest.Start(t, servertest.Options{Home: servertest.BadgerHome(t)})
	c, err := headrace.Dial(t.Context(), "real", headrace.WithDialer(s.DialContext))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // The server may have stopped.
	keys, hot := otherKeys.Now(), hotMessages.Now()
	publishKeys(t, s, c, "alone", keys, 0)
	publishKeys(t, s, c, "beside", keys, hot)
	var took [2]time.Duration
	for i, name := range []string{"alone", "beside"} {
		took[i] = receiveOthers(t, c, name, keys)
	}
	stats, err := c.Subscriptions().Stats(t.Context(), "beside")
	if err != nil || stats.GetBacklog().GetMessages() < uint64(hot-1) {
		t.Errorf("the hot key went on: %v, %v", stats.GetBacklog(), err)
	}
	t.Logf("%d messages of %d keys: alone %v, beside %d of one key %v: rate ×%.2f",
		keys*messagesOfAKey, keys, took[0], hot, took[1], took[0].Seconds()/took[1].Seconds())
}

// publishKeys makes a topic and its subscription, with some messages of each key, and
// those of a hot one before them.
func publishKeys(t *testing.T, s *servertest.Server, c *headrace.Client, name string, keys, hot int) {
	t.Helper()
	s.CreateTopic(name)
	s.CreateSubscriptionWith(&headracev1.Subscription{Name: name, Topic: name, Order: headracev1.DeliveryOrder_DELIVERY_ORDER_KEY})
	topic, others := c.Topic(name), keys*messagesOfAKey
	publish := func(key, text string) {
		topic.PublishAsync(t.Context(), headrace.Message{OrderingKey: key, Data: []byte(text)})
	}
	for range hot {
		publish("hot", "waits")
	}
	for i := range others {
		publish(fmt.Sprintf("key %d", i%keys), strconv.Itoa(i/keys))
	}
	if err := c.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if stats, err := c.Topics().Stats(t.Context(), name); err != nil || stats.GetPublished().GetMessages() != uint64(others+hot) {
		t.Fatalf("published %v, %v", stats, err)
	}
}

// receiveOthers receives all but what has the hot key, whose handler does not return
// before that, and says how long it took.
func receiveOthers(t *testing.T, c *headrace.Client, name string, keys int) time.Duration {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var mu sync.Mutex
	next, left := map[string]int{}, keys*messagesOfAKey
	var began time.Time
	var took time.Duration
	err := c.Subscription(name).Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
		if d.OrderingKey == "hot" {
			<-ctx.Done()
			return headrace.ErrRelease
		}
		mu.Lock()
		defer mu.Unlock()
		if began.IsZero() {
			began = time.Now()
		}
		if string(d.Data) != strconv.Itoa(next[d.OrderingKey]) {
			t.Errorf("%s: %s came, not %d", d.OrderingKey, d.Data, next[d.OrderingKey])
		}
		next[d.OrderingKey]++
		left--
		if left == 0 {
			took = time.Since(began)
			stop()
		}
		return nil
	}, headrace.WithConcurrency(8))
	if err != nil {
		t.Error(err)
	}
	return took
}
