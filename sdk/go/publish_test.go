package headrace_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/internal/scripted"
)

// dial makes a client of a scripted server; it is closed at the end.
func dial(t *testing.T, s *scripted.Server, opts ...headrace.DialOption) *headrace.Client {
	t.Helper()
	c, err := headrace.Dial(t.Context(), "scripted", append([]headrace.DialOption{headrace.WithDialer(s.Dial), logged(t)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // What is still open fails; the test has seen what it wants.
	return c
}

// logged logs what happens until the test ends: handlers may end after that.
func logged(t *testing.T) headrace.DialOption {
	t.Helper()
	var mu sync.Mutex
	over := false
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
	})
	return headrace.WithEvents(func(e headrace.Event) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			t.Log(e.Kind, e.Err, e.Wait, e.Detail)
		}
	})
}

// start starts a server that the test plays and a client of it, for a test in a
// bubble, which has a fake clock. What they leave behind fails the test.
func start(t *testing.T, opts ...headrace.DialOption) (*scripted.Server, *headrace.Client) {
	t.Helper()
	s := scripted.Start(t)
	return s, dial(t, s, append([]headrace.DialOption{headrace.WithCloseTimeout(time.Second)}, opts...)...)
}

func message(text string) headrace.Message { return headrace.Message{Data: []byte(text)} }

func publishAll(c *headrace.Client, n int) []*headrace.PublishResult {
	results := make([]*headrace.PublishResult, n)
	for i := range results {
		results[i] = c.Topic("orders").PublishAsync(context.Background(), message(strconv.Itoa(i)))
	}
	return results
}

// openedPublish takes the next publish stream and answers its Open.
func openedPublish(t *testing.T, s *scripted.Server) *scripted.PublishStream {
	t.Helper()
	stream := <-s.Publishes
	scripted.OpenPublish(t, stream, &headracev1.PublishLimits{MaxMessageBytes: 1 << 20})
	return stream
}

func TestPublishReturnsTheIDOfTheStoredMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		result := c.Topic("orders").PublishAsync(t.Context(), headrace.Message{
			Data: []byte("d"), Attributes: map[string]string{"a": "b"}, OrderingKey: "k", ContentType: "text/plain",
		})
		stream := openedPublish(t, s)
		batch := scripted.NextBatch(t, stream)
		if batch.GetTopic() != "default/orders" || batch.GetFirstSequence() != 1 || len(batch.GetMessages()) != 1 {
			t.Errorf("batch %v", batch)
		}
		m := batch.GetMessages()[0]
		if string(m.GetData()) != "d" || m.GetAttributes()["a"] != "b" || m.GetOrderingKey() != "k" || m.GetContentType() != "text/plain" {
			t.Errorf("message %v", m)
		}
		stream.Send(t, scripted.Stored(batch, 7, 42))
		if id, err := result.Get(t.Context()); id != "7-42" || err != nil {
			t.Errorf("Get = %q, %v", id, err)
		}
		if p, err := result.Position(t.Context()); p != (headrace.Position{Partition: 7, Offset: 42}) || err != nil {
			t.Errorf("Position = %v, %v", p, err)
		}
	})
}

func TestALoneMessageIsSentAtOnceAndOthersShareABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		began := time.Now()
		results := publishAll(c, 1)
		stream := openedPublish(t, s)
		first := scripted.NextBatch(t, stream)
		if waited := time.Since(began); waited != 0 {
			t.Errorf("the first message waited %v", waited)
		}
		results = append(results, publishAll(c, 10)...)
		second := scripted.NextBatch(t, stream)
		if waited := time.Since(began); waited != headrace.DefaultBatchDelay {
			t.Errorf("the second batch was sent after %v", waited)
		}
		if n := len(second.GetMessages()); n != 10 || second.GetFirstSequence() != 2 {
			t.Errorf("the second batch has %d messages from sequence %d", n, second.GetFirstSequence())
		}
		stream.Send(t, scripted.Stored(first, 0, 0))
		stream.Send(t, scripted.Stored(second, 0, 1))
		for i, r := range results {
			if id, err := r.Get(t.Context()); id != headrace.MessageID(fmt.Sprintf("0-%d", i)) || err != nil {
				t.Errorf("message %d: %q, %v", i, id, err)
			}
		}
	})
}

func TestAResultLetsTheNextBatchGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithPublishBatch(100, 1<<20, time.Hour))
		publishAll(c, 1)
		stream := openedPublish(t, s)
		first := scripted.NextBatch(t, stream)
		publishAll(c, 2)
		began := time.Now()
		stream.Send(t, scripted.Stored(first, 0, 0))
		if b := scripted.NextBatch(t, stream); len(b.GetMessages()) != 2 || time.Since(began) != 0 {
			t.Errorf("%d messages after %v", len(b.GetMessages()), time.Since(began))
		}
	})
}

func TestABatchIsSentWhenItIsFull(t *testing.T) {
	for name, option := range map[string]headrace.DialOption{
		"of messages": headrace.WithPublishBatch(5, 1<<20, time.Hour),
		"of bytes":    headrace.WithPublishBatch(1_000, 5*5, time.Hour), // 5 bytes a message, framed.
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := start(t, option)
				publishAll(c, 1)
				stream := openedPublish(t, s)
				scripted.NextBatch(t, stream)
				publishAll(c, 7)
				if n := len(scripted.NextBatch(t, stream).GetMessages()); n != 5 {
					t.Errorf("the full batch has %d messages", n)
				}
			})
		})
	}
}

func TestResultsCompleteInRunsAndFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		results := publishAll(c, 6)
		stream := openedPublish(t, s)
		scripted.NextBatch(t, stream)
		stream.Send(t, scripted.Result(&headracev1.PublishStreamResponse_PublishResult{
			Topic: "default/orders", ThroughSequence: 6,
			Runs: []*headracev1.PublishedRun{
				{FirstSequence: 1, Partition: 2, FirstOffset: 100, Count: 2},
				{FirstSequence: 5, Partition: 3, FirstOffset: 9, Count: 2},
			},
			Failures: []*headracev1.PublishFailure{
				{FirstSequence: 3, Count: 1, Reason: headracev1.ErrorReason_ERROR_REASON_INVALID_FIELD, Field: "ordering_key", Limit: 1024},
				{FirstSequence: 4, Count: 1, Reason: headracev1.ErrorReason_ERROR_REASON_DISK_FULL},
			},
		}))
		for i, want := range map[int]headrace.MessageID{0: "2-100", 1: "2-101", 4: "3-9", 5: "3-10"} {
			if id, err := results[i].Get(t.Context()); id != want || err != nil {
				t.Errorf("message %d: %q, %v", i, id, err)
			}
		}
		var e *headrace.Error
		if _, err := results[2].Get(t.Context()); !errors.Is(err, headrace.ErrInvalidField) || !errors.As(err, &e) {
			t.Errorf("message 2: %v", err)
		} else if e.Field != "ordering_key" || e.Limit != 1024 || e.Retryable || e.Code != "INVALID_ARGUMENT" {
			t.Errorf("message 2: %+v", e)
		}
		if _, err := results[3].Get(t.Context()); !errors.Is(err, headrace.ErrDiskFull) || !errors.As(err, &e) || !e.Retryable {
			t.Errorf("message 3: %v", err)
		}
	})
}

func TestAResultForPartOfABatchCompletesItWhenTheRestCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		results := publishAll(c, 2)
		stream := openedPublish(t, s)
		scripted.NextBatch(t, stream)
		for i := range uint64(2) {
			stream.Send(t, scripted.Result(&headracev1.PublishStreamResponse_PublishResult{
				Topic: "default/orders", ThroughSequence: i + 1,
				Runs: []*headracev1.PublishedRun{{FirstSequence: i + 1, FirstOffset: i * 10, Count: 1}},
			}))
		}
		for i, want := range []headrace.MessageID{"0-0", "0-10"} {
			if id, err := results[i].Get(t.Context()); id != want || err != nil {
				t.Errorf("message %d: %q, %v", i, id, err)
			}
		}
	})
}

func TestAMessageWithoutAResultHasAnUnknownOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		result := publishAll(c, 1)[0]
		stream := openedPublish(t, s)
		scripted.NextBatch(t, stream)
		stream.Send(t, scripted.Result(&headracev1.PublishStreamResponse_PublishResult{
			Topic: "default/orders", ThroughSequence: 1,
		}))
		if _, err := result.Get(t.Context()); !errors.Is(err, headrace.ErrUnknownOutcome) {
			t.Errorf("error %v", err)
		}
	})
}

func TestConcurrentPublishersShareBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		const publishers, each = 64, 20
		var running sync.WaitGroup
		defer running.Wait()
		for range publishers {
			running.Go(func() {
				for range each {
					if _, err := c.Topic("orders").Publish(t.Context(), message("m")); err != nil {
						t.Error(err)
					}
				}
			})
		}
		stream := openedPublish(t, s)
		stream.Send(t, scripted.PublishWindow(publishers*each, 1<<20))
		stored, batches := 0, 0
		for stored < publishers*each {
			b := scripted.NextBatch(t, stream)
			batches++
			pass(2 * time.Millisecond) // A commit, on the fake clock.
			stream.Send(t, scripted.Stored(b, 0, uint64(stored)))
			stored += len(b.GetMessages())
		}
		if batches > publishers*each/16 {
			t.Errorf("%d messages took %d batches", stored, batches)
		}
	})
}

func TestOneWayMessagesHaveTheirFlagAndTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		topic := c.Topic("orders")
		result := topic.PublishAsync(t.Context(), message("1"))
		for _, text := range []string{"2", "3"} {
			if err := topic.PublishOneWay(t.Context(), message(text)); err != nil {
				t.Fatal(err)
			}
		}
		stream := openedPublish(t, s)
		first := scripted.NextBatch(t, stream)
		second := scripted.NextBatch(t, stream)
		if first.GetOneWay() || !second.GetOneWay() || second.GetFirstSequence() != 2 || len(second.GetMessages()) != 2 {
			t.Errorf("batches %v, %v", first, second)
		}
		if err := topic.Flush(canceled()); !errors.Is(err, context.Canceled) {
			t.Errorf("flush before the result: %v", err)
		}
		stream.Send(t, scripted.Stored(first, 0, 0))
		if err := topic.Flush(t.Context()); err != nil {
			t.Errorf("flush: %v", err)
		}
		if _, err := result.Get(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
