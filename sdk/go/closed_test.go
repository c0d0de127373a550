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
)

// silent is a service that never answers.
type silent struct {
	headracev1.UnimplementedTopicServiceServer

	asked chan struct{} // Capacity 10: more than are asked.
}

func (s *silent) GetTopic(ctx context.Context, _ *headracev1.GetTopicRequest) (*headracev1.GetTopicResponse, error) {
	s.asked <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

// A call says that the client is closed, and not that its context has ended.
func TestACallOfAClosedClientSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &silent{asked: make(chan struct{}, 10)}
		c := dial(t, scripted.Start(t, scripted.Services{Topics: s}))
		underWay := make(chan error, 1)
		go func() {
			_, err := c.Topics().Get(t.Context(), "orders")
			underWay <- err
		}()
		<-s.asked
		_ = c.Close()
		_, late := c.Topics().Get(t.Context(), "orders")
		_, pulled := c.Subscription("billing").Pull(t.Context())
		for when, err := range map[string]error{"under way": <-underWay, "later": late, "pulled later": pulled} {
			if !errors.Is(err, headrace.ErrClosed) || errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", when, err)
			}
		}
	})
}

func TestACallOfAClosedClientDoesNotLookForTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, scripted.Start(t))
		_ = c.Close()
		began := time.Now()
		if _, err := c.Topics().Get(t.Context(), "orders"); !errors.Is(err, headrace.ErrClosed) || time.Since(began) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
