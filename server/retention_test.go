package server_test

import (
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

// createBounded makes the topic clicks with bounds on what it keeps.
func createBounded(t *testing.T, s *servertest.Server, r *headracev1.Retention) {
	t.Helper()
	_, err := s.Topics.CreateTopic(t.Context(), &headracev1.CreateTopicRequest{Topic: &headracev1.Topic{Name: "clicks", Retention: r}})
	if err != nil {
		t.Fatal(err)
	}
}

// retain has what is kept no longer found, dropped, and trimmed.
func retain(s *servertest.Server) {
	for range 3 {
		s.Store.Tick()
		synctest.Wait()
	}
}

// What is older than max_age goes for every subscription, one with a session and one
// without; who lags sees how much and where it goes on; a delivery that is out may
// still be acked.
func TestWhatIsOlderThanMaxAgeGoesAndIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		createBounded(t, s, &headracev1.Retention{MinAge: durationpb.New(0), MaxAge: durationpb.New(time.Hour)})
		s.CreateSubscription("workers", "clicks")
		s.CreateSubscription("forgotten", "clicks")
		for range 3 {
			s.Publish("clicks", &headracev1.Message{Data: []byte("x")})
		}
		time.Sleep(59*time.Minute + 50*time.Second) //nolint:forbidigo // the bubble has its own clock
		session := openForHours(t, s, "workers")
		session.await(func(r *headracev1.SubscribeResponse) bool { return r.GetBatch() != nil })
		s.Publish("clicks", &headracev1.Message{Data: []byte("y")})
		retain(s)
		if n := topicStats(t, s, "clicks").GetRetained().GetMessages(); n != 4 {
			t.Fatalf("%d messages retained within their hour", n)
		}
		time.Sleep(10 * time.Second) //nolint:forbidigo // the bubble has its own clock
		retain(s)
		for _, name := range []string{"workers", "forgotten"} {
			stats := subscriptionStats(t, s, name)
			if stats.GetRemoved() != 3 || stats.GetBacklog().GetMessages() != 1 || stats.GetPartitions()[0].GetFloor() != 3 {
				t.Errorf("%s: %v", name, stats)
			}
		}
		if stats := topicStats(t, s, "clicks"); stats.GetPartitions()[0].GetFirstOffset() != 3 || stats.GetRetained().GetMessages() != 1 {
			t.Errorf("topic: %v", stats)
		}
		session.send(ack(1, 1, 3))
		result := session.await(func(r *headracev1.SubscribeResponse) bool { return r.GetSettleResult() != nil }).GetSettleResult()
		if result.GetConfirmedThrough() != 1 || len(result.GetFailures()) > 0 {
			t.Errorf("an ack of what is gone: %v", result)
		}
		s.Store.Crash()
		_ = session.end()
		_ = s.Wait()
		s.Store.Open()
		cursors, err := s.Store.Cursors(t.Context(), 2)
		if err != nil || cursors[0].Floor != 3 || cursors[0].Counters.Removed != 3 {
			t.Errorf("after a crash: %+v, %v", cursors, err)
		}
	})
}

// An update of the bounds counts at once, and a forgotten subscription does not hold
// what is beyond max_bytes.
func TestWhatIsBeyondMaxBytesGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		createBounded(t, s, nil)
		s.CreateSubscription("forgotten", "clicks")
		for range 64 {
			s.Publish("clicks", &headracev1.Message{Data: make([]byte, 64<<10)})
		}
		retain(s)
		if n := topicStats(t, s, "clicks").GetRetained().GetMessages(); n != 64 {
			t.Fatalf("%d messages retained without a bound", n)
		}
		updated, err := s.Topics.UpdateTopic(t.Context(), &headracev1.UpdateTopicRequest{
			Topic:      &headracev1.Topic{Name: "clicks", Retention: &headracev1.Retention{MaxBytes: 1 << 20}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"retention.max_bytes"}},
		})
		if err != nil || updated.GetTopic().GetRetention().GetMaxBytes() != 1<<20 {
			t.Fatal(updated, err)
		}
		retain(s)
		retained := topicStats(t, s, "clicks").GetRetained()
		if retained.GetMessages() != 15 || retained.GetBytes() > 1<<20 {
			t.Errorf("retained %v", retained)
		}
		if stats := subscriptionStats(t, s, "forgotten"); stats.GetRemoved() != 49 || stats.GetBacklog().GetMessages() != 15 {
			t.Errorf("forgotten: %v", stats)
		}
	})
}

func TestBoundsOfRetentionHaveBounds(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	for name, c := range map[string]struct {
		retention *headracev1.Retention
		field     string
	}{
		"max_age below min_age":      {&headracev1.Retention{MinAge: durationpb.New(time.Hour), MaxAge: durationpb.New(time.Minute)}, "retention.max_age"},
		"max_age of a hundred years": {&headracev1.Retention{MaxAge: durationpb.New(100 * 365 * 24 * time.Hour)}, "retention.max_age"},
		"max_bytes below 1 MiB":      {&headracev1.Retention{MaxBytes: 1<<20 - 1}, "retention.max_bytes"},
	} {
		_, err := s.Topics.CreateTopic(t.Context(), &headracev1.CreateTopicRequest{Topic: &headracev1.Topic{Name: "clicks", Retention: c.retention}})
		t.Run(name, func(t *testing.T) { checkStatus(t, err, codes.InvalidArgument, "INVALID_FIELD", c.field) })
	}
	// min_age follows a shorter max_age where it is not given.
	createBounded(t, s, &headracev1.Retention{MaxAge: durationpb.New(time.Minute)})
	got, err := s.Topics.GetTopic(t.Context(), &headracev1.GetTopicRequest{Topic: "clicks"})
	if err != nil || got.GetTopic().GetRetention().GetMinAge().AsDuration() != time.Minute {
		t.Error(got, err)
	}
}
