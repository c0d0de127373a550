package headrace

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"net"
	"time"
)

// What a client does unless a DialOption says otherwise.
const (
	// DefaultConnectTimeout is the default of [WithConnectTimeout].
	DefaultConnectTimeout = 10 * time.Second
	// DefaultCloseTimeout is the default of [WithCloseTimeout].
	DefaultCloseTimeout = 30 * time.Second
	// DefaultBatchMessages is the default of [WithPublishBatch], in messages.
	DefaultBatchMessages = 1_000
	// DefaultBatchBytes is the default of [WithPublishBatch], in bytes.
	DefaultBatchBytes = 128 << 10
	// DefaultBatchDelay is the default of [WithPublishBatch]'s delay.
	DefaultBatchDelay = time.Millisecond
	// DefaultBufferMessages is the default of [WithPublishBuffer], in messages.
	DefaultBufferMessages = 10_000
	// DefaultBufferBytes is the default of [WithPublishBuffer], in bytes.
	DefaultBufferBytes = 64 << 20
)

// DialOption changes what [Dial] makes.
type DialOption func(*dialConfig)

// dialConfig is what the options of Dial set.
type dialConfig struct {
	clientID       string
	connectTimeout time.Duration
	closeTimeout   time.Duration
	dialer         func(ctx context.Context, addr string) (net.Conn, error)
	events         func(Event)
	observer       Observer
	tls            *tls.Config // nil: plaintext.
	token          string      // empty: none.
	outbox         outboxConfig
}

func newDialConfig(opts []DialOption) dialConfig {
	c := dialConfig{
		connectTimeout: DefaultConnectTimeout,
		closeTimeout:   DefaultCloseTimeout,
		events:         func(Event) {},
		outbox: outboxConfig{
			producer:       rand.Text(),
			batchMessages:  DefaultBatchMessages,
			batchBytes:     DefaultBatchBytes,
			batchDelay:     DefaultBatchDelay,
			bufferMessages: DefaultBufferMessages,
			bufferBytes:    DefaultBufferBytes,
		},
	}
	for _, o := range opts {
		o(&c)
	}
	return c
}

// WithClientID names the client in the server's statistics and logs. On an
// exclusive subscription a session takes the place of one with the same client
// id. At most 255 bytes; a longer one makes what opens a stream or pulls fail with
// [ErrInvalidField]. Default, and when it is empty: none for publishing, and a random name
// for each Receive, so that its next session can take the place of one that broke.
func WithClientID(id string) DialOption {
	return func(c *dialConfig) { c.clientID = id }
}

// WithConnectTimeout bounds how long the first use of a client tries to reach
// the server before it fails with [ErrUnreachable]. Once it was reached, a lost
// connection is made again without end. With 0 or less nothing is reached. Default: 10 s.
func WithConnectTimeout(d time.Duration) DialOption {
	return func(c *dialConfig) { c.connectTimeout = d }
}

// WithCloseTimeout bounds how long [Client.Close] waits for results of publishes
// and for receivers to stop. With 0 or less it waits for neither. Default: 30 s.
func WithCloseTimeout(d time.Duration) DialOption {
	return func(c *dialConfig) { c.closeTimeout = d }
}

// WithDialer makes connections with dial instead of TCP: a Unix socket, a
// tunnel, a connection in memory for tests. dial gets the address given to
// [Dial], unresolved; what it fails with counts as a server that cannot be reached. Default,
// and when it is nil: TCP.
func WithDialer(dial func(ctx context.Context, addr string) (net.Conn, error)) DialOption {
	return func(c *dialConfig) { c.dialer = dial }
}

// WithEvents calls hook when the state of a stream changes: opened, lost, opened
// again, out of credit. hook is called by the goroutines that serve the streams,
// several at once, and must not block. Default, and when it is nil: none, the client is
// silent.
func WithEvents(hook func(Event)) DialOption {
	return func(c *dialConfig) {
		if hook != nil {
			c.events = hook
		}
	}
}

// WithPublishBatch sets when a batch of messages for a topic is sent: when it has
// that many messages or bytes, or when its first message has waited for delay.
// While nothing is under way a batch is sent at once, whatever it has. Bytes are those of
// encoded messages; a larger message is sent alone. The server's own limits hold as well.
// Less than 1 message or byte counts as 1, less than no delay as none. Defaults: 1,000
// messages, 128 KiB, 1 ms.
func WithPublishBatch(messages, bytes int, delay time.Duration) DialOption {
	return func(c *dialConfig) {
		c.outbox.batchMessages = max(1, messages)
		c.outbox.batchBytes = max(1, bytes)
		c.outbox.batchDelay = max(0, delay)
	}
}

// WithProducer gives the producer that a client is a lasting name, of at most 255
// bytes, a longer one fails with [ErrInvalidField]: one program at a time. A second one with the same id takes its place, and
// publishing on the first fails with [ErrStaleProducer] from then on. Default, and
// when it is empty: a random name, for this client alone.
//
// What a producer is, the package's documentation tells under its guarantees.
func WithProducer(id string) DialOption {
	return func(c *dialConfig) {
		c.outbox.producer, c.outbox.lasting = id, id != ""
		if id == "" {
			c.outbox.producer = rand.Text()
		}
	}
}

// WithoutProducer publishes without a producer: messages without a key are spread over
// a topic's partitions and have no order between them, and what was sent and has no
// result when the stream breaks fails with [ErrUnknownOutcome]; nothing is ever sent
// again. Default: the client is a producer.
func WithoutProducer() DialOption {
	return func(c *dialConfig) { c.outbox.producer, c.outbox.lasting = "", false }
}

// WithPublishBuffer bounds what is accepted and has no result yet, in messages
// and in bytes of encoded messages. A larger message is accepted when there is no
// other. Publishing blocks at the bound, or fails with [WithPublishOverflowError]. Less
// than 1 of either counts as 1. Defaults: 10,000 messages, 64 MiB.
func WithPublishBuffer(messages, bytes int) DialOption {
	return func(c *dialConfig) {
		c.outbox.bufferMessages = max(1, messages)
		c.outbox.bufferBytes = max(1, bytes)
	}
}

// WithPublishOverflowError makes publishing fail with [ErrBufferFull] when the
// publish buffer is full. Default: it blocks.
func WithPublishOverflowError() DialOption {
	return func(c *dialConfig) { c.outbox.overflowError = true }
}
