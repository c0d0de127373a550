package starved

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

// TestWallClockIsSet sets the wall clock of a server ahead and back, while it runs and
// while it is dead: log times never go back, min_age counts from them, and retries do
// not feel it.
func TestWallClockIsSet(t *testing.T) {
	offset := filepath.Join(t.TempDir(), "offset")
	h := newHost(t, filepath.Join(t.TempDir(), "data"), "--clock-offset-file", offset)
	h.start()
	c := newClients(h, &headracev1.Topic{Retention: &headracev1.Retention{MinAge: durationpb.New(30 * time.Minute)}})
	set := func(off time.Duration) {
		t.Helper()
		if err := os.WriteFile(offset, []byte(off.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stop := c.consume(4)
	publish := func() {
		t.Helper()
		if err := c.publish(t.Context(), 10, 100); err != nil {
			t.Fatal(err)
		}
		c.awaitConfirmed(0)
	}
	restart := func() {
		t.Helper()
		h.Kill()
		h.start()
		c.reach()
	}
	began := time.Now()
	publish() // 0 to 9, now
	for _, off := range []time.Duration{time.Second, -time.Second, -time.Hour, 0} {
		set(off)
		publish() // 10 to 49, not before the last one
		restart()
	}
	c.startsAt("an hour ago", began.Add(-time.Hour), 0)
	set(time.Hour)
	publish() // 50 to 59, in an hour
	c.startsAt("in half an hour", began.Add(30*time.Minute), 50)
	eventually(t, "what is older than min_age goes", func() bool { return c.first() == 50 })
	set(0)
	restart()
	publish() // 60 to 69: not before the last one, so in an hour too
	if first := c.first(); first != 50 {
		t.Errorf("the topic begins at offset %d when the clock is back", first)
	}
	c.startsAt("in half an hour, once the clock is back", began.Add(30*time.Minute), 50)
	c.retryInASecond(func() { set(2 * time.Hour) })
	eventually(t, "what is older than min_age goes", func() bool { return c.first() == 70 })
	stop()
}

// reach waits until the client has found the server that came after another.
func (c *clients) reach() {
	c.t.Helper()
	eventually(c.t, "the client finds the server", func() bool {
		_, err := c.client.Topics().Stats(c.t.Context(), topicName)
		return err == nil
	})
}

// first is the first offset that the topic keeps.
func (c *clients) first() uint64 {
	c.t.Helper()
	stats, err := c.client.Topics().Stats(c.t.Context(), topicName)
	c.must(stats, err)
	return stats.GetPartitions()[0].GetFirstOffset()
}

// startsAt checks where a subscription begins that begins at a time.
func (c *clients) startsAt(what string, at time.Time, want uint64) {
	c.t.Helper()
	const name = "from-a-time"
	c.must(c.client.Subscriptions().Create(c.t.Context(), &headracev1.Subscription{
		Name: name, Topic: topicName, Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
	}, headrace.FromTime(at)))
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	came := false
	for d, err := range c.client.Subscription(name).Deliveries(ctx, headrace.WithWindow(1, 1<<20)) {
		if err != nil {
			c.t.Fatal(err)
		}
		came = true
		if d.Position().Offset != want {
			c.t.Errorf("%s begins at offset %d, want %d", what, d.Position().Offset, want)
		}
		d.Release()
		break
	}
	if !came {
		c.t.Errorf("%s: nothing came, offset %d is wanted", what, want)
	}
	if err := c.client.Subscriptions().Delete(c.t.Context(), name); err != nil {
		c.t.Fatal(err)
	}
}

// retryInASecond retries a message in a second, sets the clock, and waits for it.
func (c *clients) retryInASecond(set func()) {
	c.t.Helper()
	const name = "retries"
	c.must(c.client.Subscriptions().Create(c.t.Context(), &headracev1.Subscription{
		Name: name, Topic: topicName, Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
	}, headrace.FromEarliest()))
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	var retried time.Time
	for d, err := range c.client.Subscription(name).Deliveries(ctx, headrace.WithWindow(1, 1<<20)) {
		switch {
		case err != nil:
			c.t.Fatal(err)
		case retried.IsZero():
			retried = time.Now()
			d.Retry(headrace.RetryAfter(time.Second))
			set()
		case d.Attempt() == 1:
			d.Ack()
		default:
			if waited := time.Since(retried); waited < time.Second {
				c.t.Errorf("a retry in 1 s came after %v", waited)
			}
			d.Ack()
			cancel()
		}
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		c.t.Error("the retry never came")
	}
	if err := c.client.Subscriptions().Delete(c.t.Context(), name); err != nil {
		c.t.Fatal(err)
	}
}
