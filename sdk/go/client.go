package headrace

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// Client is a connection to a server, for any number of goroutines. Make one per
// process and close it at the end.
type Client struct {
	conn      *connection
	config    dialConfig
	outbox    *outbox
	receivers *receivers
	observed  *observed

	stopPublisher context.CancelFunc
	published     sync.WaitGroup // the publisher's loop.

	closing  atomic.Bool
	closed   chan struct{} // closed when Close is done; it carries nothing.
	closeErr error         // readable then.
}

// Dial makes a client of the server at addr, "host:port". The connection is
// plaintext unless [WithTLS] encrypts it. [DialEnv] takes all that from the environment.
//
// It returns without connecting; the first use connects, and fails with
// [ErrUnreachable] when the server cannot be reached within [WithConnectTimeout].
// ctx is for options that do more; it may end once Dial has returned. Errors: an
// address that is none; [ErrInvalidField] for a token that would be sent unencrypted.
func Dial(ctx context.Context, addr string, opts ...DialOption) (*Client, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	config := newDialConfig(opts)
	conn, err := newConnection(addr, config)
	if err != nil {
		return nil, err
	}
	c := &Client{
		conn: conn, config: config, outbox: newOutbox(config.outbox), receivers: newReceivers(), observed: newObserved(config.observer),
		closed: make(chan struct{}),
	}
	c.startPublisher()
	return c, nil
}

// Topic returns the topic with this name, to publish to. Whether the name is legal and the
// topic exists shows when it is used: [ErrInvalidName], [ErrTopicNotFound]. A name without
// a namespace is in "default".
func (c *Client) Topic(name string) *Topic {
	return &Topic{client: c, name: fullName(name)}
}

// Subscription returns the subscription with this name, to receive from. Whether the name
// is legal and the subscription exists shows when it is used: [ErrInvalidName],
// [ErrSubscriptionNotFound]. A name without a namespace is in "default".
func (c *Client) Subscription(name string) *Subscription {
	return &Subscription{client: c, name: fullName(name)}
}

// Topics returns what manages topics.
func (c *Client) Topics() *Topics {
	return &Topics{rpc: headracev1.NewTopicServiceClient(c.conn)}
}

// Subscriptions returns what manages subscriptions.
func (c *Client) Subscriptions() *Subscriptions {
	return &Subscriptions{rpc: headracev1.NewSubscriptionServiceClient(c.conn)}
}

// Flush is [Topic.Flush] for all topics. The error is nil or ctx's.
func (c *Client) Flush(ctx context.Context) error {
	return c.outbox.flush(ctx, "")
}

// Close stops the client: it accepts nothing more, waits for the results of what
// it accepted and for its receivers to stop, both at most for
// [WithCloseTimeout], and closes the connection. What has no result then fails:
// with [ErrClosed] if it was not sent, else with [ErrUnknownOutcome]. Close
// returns nil if everything had its result, else [context.DeadlineExceeded]. Calls after
// the first wait for it and return what it returned.
func (c *Client) Close() error {
	if c.closing.CompareAndSwap(false, true) {
		c.closeErr = c.close()
		close(c.closed)
	}
	<-c.closed
	return c.closeErr
}

func (c *Client) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), c.config.closeTimeout)
	defer cancel()
	c.receivers.stop(ctx)
	err := c.outbox.close(ctx)
	c.endPublisher(ctx)
	c.observed.wait()
	if closeErr := c.conn.Close(); err == nil {
		err = closeErr
	}
	return err
}

func (c *Client) startPublisher() {
	ctx, cancel := context.WithCancel(context.Background())
	c.stopPublisher = cancel
	p := &publisher{conn: c.conn, outbox: c.outbox, config: c.config}
	c.published.Go(func() { p.run(ctx) })
}

// endPublisher lets the publisher's loop end by itself, so that what is on its
// way arrives, and ends it when ctx does.
func (c *Client) endPublisher(ctx context.Context) {
	waiting := context.AfterFunc(ctx, c.stopPublisher)
	defer waiting()
	c.published.Wait()
	c.outbox.refused(&Error{Reason: "CLOSED", Message: "publish: the client was closed before the message was sent"})
	c.stopPublisher()
}

// fullName writes a name with its namespace, so that both ways to write one name
// are one sequence of publishes.
func fullName(name string) string {
	if name == "" || strings.Contains(name, "/") {
		return name
	}
	return "default/" + name
}
