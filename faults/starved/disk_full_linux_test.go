package starved

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

// TestDiskFull fills the disk beneath a server, by publishes and then by a foreign
// file, takes it away and brings it back, and kills the server in between.
func TestDiskFull(t *testing.T) {
	d := newSmallDisk(t, 1024)
	h := newHost(t, d.store())
	h.start()
	c := newClients(h, &headracev1.Topic{})
	c.subscribe(auditName)
	if !*long {
		const early = 192 << 20 // Less to write.
		d.fill("early", d.free()-early)
	}

	c.publishUntilRefused(t)
	c.refused(t)
	if got := h.metric("headrace_accepts_publishes"); got != 0 {
		t.Errorf("headrace_accepts_publishes is %v", got)
	}
	stop := c.consume(16)
	c.awaitConfirmed(100) // Acks go on, and so do reads.
	stop()

	d.fill("foreign", 0)
	stop = c.consume(4)
	eventually(t, "waiting for the disk", func() bool { return h.metric("headrace_waits_for_disk") == 1 })
	c.refused(t)
	c.peek(10)
	if !strings.Contains(h.log.String(), "The disk is full") {
		t.Error("the log does not say why nothing is stored")
	}
	if code, text := h.probe("/livez"); code != 200 {
		t.Errorf("livez on a full disk: %d %s: a restart would not help", code, text)
	}
	d.remove("foreign")
	c.awaitConfirmed(20) // What waited is confirmed, by itself.
	stop()
	eventually(t, "no longer waiting", func() bool { return h.metric("headrace_waits_for_disk") == 0 })

	if !d.hasBallast() {
		t.Fatal("the ballast is gone before a restart needs it")
	}
	d.fill("foreign", 0)
	h.Kill()
	d.fill("rest", 0)
	h.start()
	if d.hasBallast() {
		t.Error("the restart did without the ballast: the disk was not full")
	}
	c.refused(t)
	c.peek(10)

	if !*long {
		d.remove("early")
	}
	d.remove("foreign")
	d.remove("rest")
	stop = c.consume(16)
	c.awaitConfirmed(100)
	stop()
	if !*long { // Else the disk is as full as publishes made it.
		c.publishUntilStored(t)
	}
	c.audit()
}

// publishUntilRefused fills the disk.
func (c *clients) publishUntilRefused(t *testing.T) {
	t.Helper()
	const size = 256 << 10
	err := c.publish(t.Context(), 2<<30/size, size)
	if !errors.Is(err, headrace.ErrDiskFull) {
		t.Fatalf("publish on a disk that fills: %v", err)
	}
}

// refused publishes in vain, by a stream and by a call, which also says when to try
// again.
func (c *clients) refused(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := c.publish(ctx, 1, 100)
	e, ok := errors.AsType[*headrace.Error](err)
	if !ok || !errors.Is(err, headrace.ErrDiskFull) || e.Code != "RESOURCE_EXHAUSTED" || !e.Retryable {
		t.Errorf("publish on a full disk: %+v", err)
	}
	n := c.next()
	_, err = c.publisher.Publish(ctx, &headracev1.PublishRequest{
		Topic: topicName, Messages: []*headracev1.Message{{Data: n.body(100)}},
	})
	c.notStored(n)
	if s := status.Convert(err); s.Code() != codes.ResourceExhausted || retryDelay(s) <= 0 {
		t.Errorf("a call on a full disk: %v", err)
	}
}

func retryDelay(s *status.Status) time.Duration {
	for _, detail := range s.Details() {
		if d, ok := detail.(*errdetails.RetryInfo); ok {
			return d.GetRetryDelay().AsDuration()
		}
	}
	return 0
}

// publishUntilStored publishes until the server takes it again.
func (c *clients) publishUntilStored(t *testing.T) {
	t.Helper()
	eventually(t, "publishes are taken again", func() bool { return c.publish(t.Context(), 1, 100) == nil })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := c.publish(ctx, 100, 1000); err != nil {
		t.Errorf("publish when there is room: %v", err)
	}
}
