package headrace_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/internal/scripted"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestWithoutAProducerABrokenStreamFailsWhatWasSentAndKeepsTheRest(t *testing.T) {
	for name, end := range map[string]error{
		"cut":           status.Error(codes.Unavailable, "a proxy's"),
		"a reason":      scripted.Status(codes.Unavailable, headracev1.ErrorReason_ERROR_REASON_STORE_UNAVAILABLE, nil),
		"frame refused": scripted.Status(codes.InvalidArgument, headracev1.ErrorReason_ERROR_REASON_MALFORMED_FRAME, nil),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := start(t, headrace.WithoutProducer(), headrace.WithPublishBatch(100, 1<<20, time.Hour))
				sent := publishAll(c, 1)[0]
				stream := openedPublish(t, s)
				scripted.NextBatch(t, stream)
				waiting := publishAll(c, 3)
				stream.End(end)
				_, err := sent.Get(t.Context())
				if !errors.Is(err, headrace.ErrUnknownOutcome) || status.Code(err) != status.Code(end) {
					t.Errorf("the message that was sent: %v", err)
				}
				again := openedPublish(t, s)
				batch := scripted.NextBatch(t, again)
				if batch.GetFirstSequence() != 1 || len(batch.GetMessages()) != 3 {
					t.Errorf("the new stream begins with %v", batch)
				}
				again.Send(t, scripted.Stored(batch, 0, 5))
				for i, r := range waiting {
					if _, err := r.Get(t.Context()); err != nil {
						t.Errorf("waiting message %d: %v", i, err)
					}
				}
			})
		})
	}
}

func TestAPublishWithoutAProducerIsNeverSentTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithoutProducer())
		publishAll(c, 1)
		stream := openedPublish(t, s)
		scripted.NextBatch(t, stream)
		stream.End(status.Error(codes.Unavailable, "cut"))
		synctest.Wait()
		publishAll(c, 1)
		again := openedPublish(t, s)
		if n := len(scripted.NextBatch(t, again).GetMessages()); n != 1 {
			t.Errorf("the new stream begins with %d messages", n)
		}
	})
}

func TestThePublishWindowIsObeyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		publishAll(c, 1_500)
		stream := openedPublish(t, s)
		received := 0
		for received < 1_000 {
			b := scripted.NextBatch(t, stream)
			received += len(b.GetMessages())
			stream.Send(t, scripted.Stored(b, 0, 0))
		}
		if received != 1_000 {
			t.Fatalf("%d messages came before the first window", received)
		}
		synctest.Wait() // Whatever could be sent is sent.
		stream.Send(t, scripted.PublishWindow(1_200, 1<<20))
		if n := len(scripted.NextBatch(t, stream).GetMessages()); n != 200 {
			t.Errorf("the window let %d messages through, want 200", n)
		}
	})
}

func TestTheWindowInBytesLetsOneLargerMessageThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		large := headrace.Message{Data: make([]byte, 3<<20)}
		for range 3 {
			c.Topic("orders").PublishAsync(t.Context(), large)
		}
		stream := <-s.Publishes
		scripted.OpenPublish(t, stream, nil)
		for range 2 { // 4 MiB: the second is larger than what is left.
			if n := len(scripted.NextBatch(t, stream).GetMessages()); n != 1 {
				t.Errorf("%d messages in a batch", n)
			}
		}
		synctest.Wait()
		began := time.Now()
		go func() {
			pass(time.Second)
			stream.Send(t, scripted.PublishWindow(1_000, 12<<20))
		}()
		scripted.NextBatch(t, stream)
		if time.Since(began) != time.Second {
			t.Errorf("the third was sent after %v", time.Since(began))
		}
	})
}

func TestBatchesKeepTheServersLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		results := publishAll(c, 9)
		tooLarge := c.Topic("orders").PublishAsync(t.Context(), headrace.Message{Data: make([]byte, 200<<10)})
		stream := <-s.Publishes
		scripted.OpenPublish(t, stream, &headracev1.PublishLimits{
			MaxMessageBytes: 100 << 10, MaxBatchMessages: 4, MaxBatchBytes: 3 * 3,
		})
		sizes := []int{3, 3, 3} // 3 bytes a message.
		for i, want := range sizes {
			b := scripted.NextBatch(t, stream)
			if len(b.GetMessages()) != want {
				t.Errorf("batch %d has %d messages, want %d", i, len(b.GetMessages()), want)
			}
			stream.Send(t, scripted.Stored(b, 0, 100*uint64(i)))
		}
		for i, want := range []headrace.MessageID{"0-0", "0-1", "0-2", "0-100", "0-101", "0-102", "0-200", "0-201", "0-202"} {
			if id, err := results[i].Get(t.Context()); id != want || err != nil {
				t.Errorf("message %d: %q, %v", i, id, err)
			}
		}
		var e *headrace.Error
		if _, err := tooLarge.Get(t.Context()); !errors.Is(err, headrace.ErrMessageTooLarge) || !errors.As(err, &e) || e.Limit != 100<<10 {
			t.Errorf("the large message: %v", err)
		}
		if err := c.Topic("orders").PublishOneWay(t.Context(), headrace.Message{Data: make([]byte, 200<<10)}); !errors.Is(err, headrace.ErrMessageTooLarge) {
			t.Errorf("a large message once the limit is known: %v", err)
		}
	})
}

func TestBrokenTextIsRefusedBeforeItHarmsOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := start(t)
		bad := string([]byte{0xff})
		if _, err := c.Topic("orders").Publish(t.Context(), headrace.Message{OrderingKey: bad}); !errors.Is(err, headrace.ErrMalformedMessage) {
			t.Errorf("a key that is not UTF-8: %v", err)
		}
		for _, name := range []string{"", bad} {
			if _, err := c.Topic(name).Publish(t.Context(), message("m")); !errors.Is(err, headrace.ErrInvalidName) {
				t.Errorf("topic %q: %v", name, err)
			}
		}
	})
}

func TestAPublisherBeatsAndNoticesSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithoutProducer())
		result := publishAll(c, 1)[0]
		began := time.Now()
		stream := openedPublish(t, s)
		scripted.NextBatch(t, stream)
		for i := range 2 {
			if f := stream.MustRecv(t); f.GetHeartbeat() == nil || time.Since(began) != time.Duration(i+1)*10*time.Second {
				t.Errorf("after %v: %v", time.Since(began), f)
			}
		}
		_, err := result.Get(t.Context())
		if !errors.Is(err, headrace.ErrUnknownOutcome) || time.Since(began) != 30*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func TestAHeartbeatOfTheServerKeepsThePublisher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		result := publishAll(c, 1)[0]
		stream := openedPublish(t, s)
		batch := scripted.NextBatch(t, stream)
		for range 10 {
			pass(10 * time.Second)
			stream.Send(t, scripted.PublishWindow(1_000, 1<<20))
		}
		stream.Send(t, scripted.Stored(batch, 0, 0))
		if _, err := result.Get(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestGoAwayEndsAPublishStreamInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		result := publishAll(c, 1)[0]
		stream := openedPublish(t, s)
		batch := scripted.NextBatch(t, stream)
		stream.Send(t, scripted.PublishGoAway(headracev1.GoAwayReason_GO_AWAY_REASON_SHUTDOWN))
		synctest.Wait()
		after := publishAll(c, 1)[0]
		synctest.Wait()
		stream.Send(t, scripted.Stored(batch, 0, 0))
		if _, err := result.Get(t.Context()); err != nil {
			t.Errorf("the message that was under way: %v", err)
		}
		scripted.WaitHalfClose(t, stream)
		stream.End(nil)
		again := comesBack(t, s, 0, 2)
		next := scripted.NextBatch(t, again)
		again.Send(t, scripted.Stored(next, 0, 1))
		if _, err := after.Get(t.Context()); err != nil {
			t.Errorf("the message after: %v", err)
		}
	})
}

func TestFlushSendsAtOnceAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithPublishBatch(100, 1<<20, time.Hour))
		publishAll(c, 1)
		stream := openedPublish(t, s)
		first := scripted.NextBatch(t, stream)
		publishAll(c, 2)
		began := time.Now()
		flushed := make(chan error, 1)
		go func() { flushed <- c.Flush(context.Background()) }()
		second := scripted.NextBatch(t, stream)
		if time.Since(began) != 0 || len(second.GetMessages()) != 2 {
			t.Errorf("flushed %v after %v", second, time.Since(began))
		}
		stream.Send(t, scripted.Stored(first, 0, 0))
		synctest.Wait()
		select {
		case err := <-flushed:
			t.Errorf("flush returned before the last result: %v", err)
		default:
		}
		stream.Send(t, scripted.Stored(second, 0, 1))
		if err := <-flushed; err != nil {
			t.Error(err)
		}
	})
}

func TestCloseWaitsForResultsAndHalfCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		result := publishAll(c, 1)[0]
		stream := openedPublish(t, s)
		batch := scripted.NextBatch(t, stream)
		closed := make(chan error, 1)
		go func() { closed <- c.Close() }()
		synctest.Wait()
		if _, err := c.Topic("orders").Publish(t.Context(), message("late")); !errors.Is(err, headrace.ErrClosed) {
			t.Errorf("publish after close: %v", err)
		}
		stream.Send(t, scripted.Stored(batch, 0, 0))
		scripted.WaitHalfClose(t, stream)
		stream.End(nil)
		if err := <-closed; err != nil {
			t.Errorf("close: %v", err)
		}
		if _, err := result.Get(t.Context()); err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("a second close: %v", err)
		}
	})
}

func TestCloseGivesUpAfterItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		sent := publishAll(c, 1)[0]
		stream := openedPublish(t, s)
		scripted.NextBatch(t, stream)
		stream.Send(t, scripted.PublishGoAway(headracev1.GoAwayReason_GO_AWAY_REASON_SHUTDOWN))
		synctest.Wait()
		unsent := publishAll(c, 1)[0]
		began := time.Now()
		if err := c.Close(); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("close after %v: %v", time.Since(began), err)
		}
		if _, err := sent.Get(t.Context()); !errors.Is(err, headrace.ErrUnknownOutcome) {
			t.Errorf("what was sent: %v", err)
		}
		if _, err := unsent.Get(t.Context()); !errors.Is(err, headrace.ErrClosed) {
			t.Errorf("what was not sent: %v", err)
		}
	})
}

func TestAPublisherThatIsRefusedFailsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		result := publishAll(c, 1)[0]
		(<-s.Publishes).End(status.Error(codes.PermissionDenied, "not yours"))
		var e *headrace.Error
		if _, err := result.Get(t.Context()); !errors.As(err, &e) || e.Code != "PERMISSION_DENIED" {
			t.Errorf("error %v", err)
		}
	})
}

func TestAServerThatSaysWhenIsObeyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		publishAll(c, 1)
		began := time.Now()
		(<-s.Publishes).End(scripted.RetryLater(headracev1.ErrorReason_ERROR_REASON_STARTING, 7*time.Second))
		openedPublish(t, s)
		if waited := time.Since(began); waited != 7*time.Second {
			t.Errorf("opened again after %v", waited)
		}
	})
}

func TestAnUnreachableServerIsAClearError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithConnectTimeout(3*time.Second))
		s.Stop()
		began := time.Now()
		_, err := c.Topic("orders").Publish(t.Context(), message("m"))
		if !errors.Is(err, headrace.ErrUnreachable) || time.Since(began) != 3*time.Second {
			t.Errorf("publish after %v: %v", time.Since(began), err)
		}
		if _, err := c.Topics().Get(t.Context(), "orders"); !errors.Is(err, headrace.ErrUnreachable) {
			t.Errorf("a call: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Topics().Get(ctx, "orders"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call whose context ends first: %v", err)
		}
	})
}

func TestAWindowWithRoomForAPartIsLeftToGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithPublishBatch(2_000, 1<<20, time.Hour))
		publishAll(c, 1)
		stream := openedPublish(t, s)
		scripted.NextBatch(t, stream)
		publishAll(c, 1_500)                              // 999 would fit now, but a result is due that may raise the window.
		go func() { _ = c.Flush(context.Background()) }() // Its error is another test's.
		batches := make(chan int, 10)
		go func() {
			for {
				frame, err := stream.Recv()
				if err != nil {
					return
				}
				if b := frame.GetPublishBatch(); b != nil {
					batches <- len(b.GetMessages())
				}
			}
		}()
		synctest.Wait()
		if n := len(batches); n != 0 {
			t.Errorf("%d batches were sent into the rest of the window", n)
		}
		stream.Send(t, scripted.PublishWindow(3_000, 4<<20))
		if n := <-batches; n != 1_500 {
			t.Errorf("the batch has %d messages", n)
		}
	})
}
