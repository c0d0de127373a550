package headrace

import (
	"maps"
	"time"
)

// What a subscriber does unless a ReceiveOption says otherwise.
const (
	// DefaultConcurrency is the default of [WithConcurrency].
	DefaultConcurrency = 1
	// DefaultWindowMessages is the default of [WithWindow], in messages.
	DefaultWindowMessages = 1_000
	// DefaultWindowBytes is the default of [WithWindow], in bytes.
	DefaultWindowBytes = 64 << 20
	// DefaultDrainTimeout is the default of [WithDrainTimeout].
	DefaultDrainTimeout = 30 * time.Second
)

// ReceiveOption changes how [Subscription.Receive] and
// [Subscription.Deliveries] receive.
type ReceiveOption func(*receiveConfig)

// receiveConfig is what the options of Receive set.
type receiveConfig struct {
	concurrency   int
	window        *Window
	windowSet     bool          // the window is not the default one.
	manual        bool          // credit is given by hand.
	ahead         int           // with it: how many deliveries may come before somebody waits for them.
	lease         time.Duration // 0: the subscription's.
	maxExtension  time.Duration // 0: as long as the server allows.
	drainTimeout  time.Duration
	releaseOnStop bool
	takeover      bool
	labels        map[string]string
	maxFrameBytes uint32 // 0: the server's default.
	iterated      bool   // by Deliveries, not by Receive.
}

func newReceiveConfig(opts []ReceiveOption) receiveConfig {
	c := receiveConfig{
		concurrency:  DefaultConcurrency,
		window:       NewWindow(DefaultWindowMessages, DefaultWindowBytes),
		drainTimeout: DefaultDrainTimeout,
	}
	for _, o := range opts {
		o(&c)
	}
	return c
}

// WithConcurrency lets up to n handlers run at the same time, those of one ordering key
// one after the other. Less than 1 counts as 1. Default: 1, in the order of the deliveries.
// [Subscription.Deliveries] is not concerned.
func WithConcurrency(n int) ReceiveOption {
	return func(c *receiveConfig) { c.concurrency = max(1, n) }
}

// WithWindow caps what this subscriber holds unsettled, in messages and in bytes
// of encoded messages: the server sends no more until something is settled. A
// message larger than the bytes comes alone. Less than 1 of either counts as 1. Defaults:
// 1,000 messages, 64 MiB.
func WithWindow(messages, bytes int) ReceiveOption {
	return func(c *receiveConfig) { c.window, c.windowSet = NewWindow(messages, bytes), true }
}

// WithResizableWindow is [WithWindow] with a window that can be resized while the
// subscriber uses it; of the two the later option counts. nil changes nothing. Default: a
// window that stays as it is.
func WithResizableWindow(w *Window) ReceiveOption {
	return func(c *receiveConfig) {
		if w != nil {
			c.window, c.windowSet = w, true
		}
	}
}

// WithManualCredit gives credit by hand, message by message: one delivery for each handler
// that has nothing to do, or for the loop when it asks for the next, and up to ahead more,
// which wait in the client. Nothing else comes, so with 0 the client hoards nothing, and
// each delivery costs the time to ask for it. Less than 0 counts as 0. Default: the server
// replenishes as deliveries are settled, within the window.
//
// What was asked for and is not begun never passes the window, in bytes, and where
// [WithWindow] or [WithResizableWindow] sets one also in messages. What is begun counts no
// more. When a window shrinks what has come stays.
//
// A subscription that delivers at most once is always received so, with 0 unless this
// says otherwise. What waits there in the client when the program dies is lost; a stop
// works it off. Ask for some hundreds where speed counts for more.
func WithManualCredit(ahead int) ReceiveOption {
	return func(c *receiveConfig) { c.manual, c.ahead = true, max(0, ahead) }
}

// WithLease sets how long a delivery that was begun is this subscriber's before it
// must be extended, 1 s to 12 h; the client extends by itself. A shorter lease finds a
// dead subscriber sooner. One out of these bounds fails with [ErrInvalidField]. Default,
// and with 0 or less: the subscription's.
func WithLease(d time.Duration) ReceiveOption {
	return func(c *receiveConfig) { c.lease = d }
}

// WithMaxExtension bounds how long after it was begun a delivery's lease is
// extended; then it runs out and the delivery goes to somebody else. Default, and with 0
// or less: as long as the server allows, the subscription's max_lease.
func WithMaxExtension(d time.Duration) ReceiveOption {
	return func(c *receiveConfig) { c.maxExtension = max(0, d) }
}

// WithDrainTimeout bounds how long running handlers may take to finish after a
// stop; then their contexts are cancelled and what they hold is released. Less than 0
// counts as 0, which cancels them at once; the server gives at most 12 h. Default: 30 s.
func WithDrainTimeout(d time.Duration) ReceiveOption {
	return func(c *receiveConfig) { c.drainTimeout = max(0, d) }
}

// WithReleaseOnStop makes a stop cancel running handlers at once and release what
// they hold; no attempt is charged. Default: they may finish.
func WithReleaseOnStop() ReceiveOption {
	return func(c *receiveConfig) { c.releaseOnStop = true }
}

// WithTakeover takes the place of the session of an exclusive subscription, which
// then ends with [ErrTakenOver]. Only the first stream of a Receive does so.
// Default: a second session fails with [ErrExclusiveSessionExists].
func WithTakeover() ReceiveOption {
	return func(c *receiveConfig) { c.takeover = true }
}

// WithLabels gives the session free labels for the server's statistics: at most
// 64 of the bounds of [Message.Attributes]; more, or others, fail with [ErrInvalidField].
// They are copied. Default: none.
func WithLabels(labels map[string]string) ReceiveOption {
	labels = maps.Clone(labels)
	return func(c *receiveConfig) { c.labels = labels }
}

// WithMaxFrameBytes sets the largest frame that the subscriber accepts, 4,096
// bytes to 64 MiB: more is cut there, less fails with [ErrInvalidField]. A message that
// does not fit one is not delivered to it. Default, and with 0 or less: 4,128,768 bytes;
// raise it for topics with larger messages.
func WithMaxFrameBytes(n int) ReceiveOption {
	return func(c *receiveConfig) { c.maxFrameBytes = uint32(min(max(0, n), 64<<20)) }
}
