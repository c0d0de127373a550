package headrace_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/internal/scripted"
)

func TestAFullBufferBlocksUntilThereIsRoom(t *testing.T) {
	for name, option := range map[string]headrace.DialOption{
		"in messages": headrace.WithPublishBuffer(3, 1<<20),
		"in bytes":    headrace.WithPublishBuffer(100, 3*3+1), // 3 bytes a message.
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := start(t, option)
				publishAll(c, 3)
				accepted := make(chan error, 1)
				go func() { accepted <- c.Topic("orders").PublishOneWay(context.Background(), message("4")) }()
				stream := openedPublish(t, s)
				batch := scripted.NextBatch(t, stream)
				synctest.Wait()
				select {
				case err := <-accepted:
					t.Fatalf("accepted beyond the bound: %v", err)
				default:
				}
				stream.Send(t, scripted.Stored(batch, 0, 0))
				if err := <-accepted; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestAContextEndsTheWaitForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithPublishBuffer(1, 1<<20))
		publishAll(c, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := c.Topic("orders").PublishAsync(ctx, message("2")).Get(context.Background())
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, headrace.ErrUnknownOutcome) || time.Since(began) != time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		stream := openedPublish(t, s)
		batch := scripted.NextBatch(t, stream)
		stream.Send(t, scripted.Stored(batch, 0, 0))
		if err := c.Topic("orders").PublishOneWay(t.Context(), message("3")); err != nil {
			t.Errorf("when there is room again: %v", err)
		}
	})
}

func TestAFullBufferCanBeAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := start(t, headrace.WithPublishBuffer(2, 1<<20), headrace.WithPublishOverflowError())
		publishAll(c, 2)
		if _, err := c.Topic("orders").Publish(t.Context(), message("3")); !errors.Is(err, headrace.ErrBufferFull) {
			t.Errorf("error %v", err)
		}
	})
}

func TestAMessageLargerThanTheBufferGoesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithPublishBuffer(10, 100))
		result := c.Topic("orders").PublishAsync(t.Context(), headrace.Message{Data: make([]byte, 1000)})
		stream := openedPublish(t, s)
		stream.Send(t, scripted.Stored(scripted.NextBatch(t, stream), 0, 0))
		if _, err := result.Get(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestCloseWakesPublishersThatWaitForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := start(t, headrace.WithPublishBuffer(1, 1<<20))
		publishAll(c, 1)
		refused := make(chan error, 1)
		go func() { refused <- c.Topic("orders").PublishOneWay(context.Background(), message("2")) }()
		synctest.Wait()
		go func() { _ = c.Close() }() // Its error is another test's.
		if err := <-refused; !errors.Is(err, headrace.ErrClosed) {
			t.Errorf("error %v", err)
		}
	})
}

func TestGetEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		result := publishAll(c, 1)[0]
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := result.Get(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, headrace.ErrUnknownOutcome) {
			t.Errorf("error %v", err)
		}
		stream := openedPublish(t, s)
		stream.Send(t, scripted.Stored(scripted.NextBatch(t, stream), 0, 0))
		if _, err := result.Get(t.Context()); err != nil {
			t.Errorf("asked again: %v", err)
		}
	})
}
