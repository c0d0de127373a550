package headrace_test

import (
	"context"
	"errors"
	"testing"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/server/servertest"
)

// TestRealAUsersTestMovesTheClockAndHasCallsFail: what the README tells of testing.
func TestRealAUsersTestMovesTheClockAndHasCallsFail(t *testing.T) {
	s := servertest.StartControlled(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("billing", "orders")
	resumed := make(chan headrace.Event, 10)
	c, err := headrace.Dial(t.Context(), "in memory", headrace.WithDialer(s.DialContext), headrace.WithEvents(func(e headrace.Event) {
		if e.Kind == headrace.SessionResumed {
			resumed <- e
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // The server may have stopped.

	s.Refuse("TopicService/GetTopic", 1, headracev1.ErrorReason_ERROR_REASON_DISK_FULL)
	if _, err := c.Topics().Get(t.Context(), "orders"); !errors.Is(err, headrace.ErrDiskFull) {
		t.Errorf("a refused call: %v", err)
	}
	s.Delay("TopicService", time.Hour)
	hurry, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := c.Topics().Get(hurry, "orders"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a late call: %v", err)
	}
	s.ClearFaults()

	if _, err := c.Topic("orders").Publish(t.Context(), message("m")); err != nil {
		t.Fatal(err)
	}
	for d, err := range c.Subscription("billing").Deliveries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Attempt() == 1 {
			if dropped := s.DropStreams("SubscriberService/Subscribe"); dropped != 1 {
				t.Errorf("%d streams dropped", dropped)
			}
			<-resumed
			if d.Context().Err() != nil {
				t.Error("a dropped stream took the delivery away")
			}
			if err := d.RetryConfirm(t.Context(), headrace.RetryAfter(6*time.Hour)); err != nil {
				t.Error(err)
			}
			s.Advance(6 * time.Hour)
			continue
		}
		d.Ack()
		break
	}
}
