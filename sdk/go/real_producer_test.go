package headrace_test

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/server/servertest"
)

// cutter makes connections that a test can cut.
type cutter struct {
	dial func(context.Context, string) (net.Conn, error)
	mu   sync.Mutex
	last net.Conn
}

func (c *cutter) connect(ctx context.Context, addr string) (net.Conn, error) {
	conn, err := c.dial(ctx, addr)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = conn
	return conn, err
}

func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.last.Close()
}

func TestAProducerOnCutConnectionsStoresEverythingOnceInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		s.CreateTopic("orders")
		line := &cutter{dial: s.DialContext}
		c, err := headrace.Dial(t.Context(), "real", headrace.WithDialer(line.connect),
			headrace.WithPublishBatch(7, 1<<20, time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := c.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
		const messages = 3000
		var results []*headrace.PublishResult
		for i := range messages {
			results = append(results, c.Topic("orders").PublishAsync(t.Context(), message(strconv.Itoa(i))))
			if i%500 == 250 {
				wantStored(t, results[i-50], headrace.MessageID(fmt.Sprintf("0-%d", i-50)))
				line.cut()
			}
		}
		for i, r := range results {
			wantStored(t, r, headrace.MessageID(fmt.Sprintf("0-%d", i)))
		}
	})
}
