package broker

import (
	"context"
	"sync"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// Broker owns the catalog in memory and one owner loop for each active subscription.
// Its methods may be called by any goroutine.
type Broker struct {
	config Config
}

// New makes a broker over a store: it loads topics and subscriptions and starts an
// owner loop for each active subscription. A damaged one is kept and answers
// ErrDataLoss. The store stays the caller's, to be closed after the broker.
// Errors: those of Config.Validate, ErrStoreUnavailable.
func New(store Store, config Config) (*Broker, error) { panic("not built yet") }

// Drain stops what is new, sends every stream a GoAway, waits until sessions hold
// nothing and publishers have gone, at most for grace, and then ends the rest; what
// is unsettled is released without being charged. It returns nil when all ended,
// or ctx's error. A second call waits for the same end.
func (b *Broker) Drain(ctx context.Context, grace time.Duration) error { panic("not built yet") }

// Close ends every stream at once with ErrDraining, charging nothing, and waits for
// the loops. It may be called at any time, by many, more than once.
func (b *Broker) Close() { panic("not built yet") }

// ListRequest asks for a page of topics or subscriptions, in order of their names.
type ListRequest struct {
	// Namespace is the namespace to list; empty means DefaultNamespace,
	// AllNamespaces all.
	Namespace string
	// Topic, when set, lists subscriptions of this topic only.
	Topic Name
	// PageSize is the most to return, 1 to MaxPageSize; 0 means DefaultPageSize.
	PageSize int
	// PageToken is what came with the page before; empty for the first.
	PageToken string
}

// Page sizes of lists.
const (
	DefaultPageSize = 100
	MaxPageSize     = 1000
)

// CreateTopic creates a topic; it is durable when the call returns. Errors:
// ErrInvalidField, ErrTopicExists, ErrLimitReached, ErrDiskFull, and those of a
// store that fails.
func (b *Broker) CreateTopic(ctx context.Context, config TopicConfig) (Topic, error) {
	panic("not built yet")
}

// Topic returns a topic. Errors: ErrTopicNotFound.
func (b *Broker) Topic(name Name) (Topic, error) { panic("not built yet") }

// ListTopics returns a page of topics and the token of the next page, empty on the
// last one. Errors: ErrInvalidField.
func (b *Broker) ListTopics(request ListRequest) ([]Topic, string, error) { panic("not built yet") }

// UpdateTopic applies change to a copy of the configuration and stores it; changes
// do not interleave. Errors: what change returns, ErrInvalidField (also when a
// fixed field changed), ErrTopicNotFound.
func (b *Broker) UpdateTopic(ctx context.Context, name Name, change func(*TopicConfig) error) (Topic, error) {
	panic("not built yet")
}

// DeleteTopic deletes a topic; it accepts nothing any more when the call returns.
// Errors: ErrTopicNotFound, ErrTopicHasSubscriptions.
func (b *Broker) DeleteTopic(ctx context.Context, name Name) error { panic("not built yet") }

// TopicStats returns figures of a topic. Errors: ErrTopicNotFound, ErrDataLoss.
func (b *Broker) TopicStats(name Name) (TopicStats, error) { panic("not built yet") }

// CreateSubscription creates a subscription with a durable cursor on every
// partition: what is published after the call is delivered to it. Errors:
// ErrInvalidField, ErrTopicNotFound, ErrSubscriptionExists, ErrPositionOutOfRange,
// ErrLimitReached, ErrDiskFull, and those of a store that fails.
func (b *Broker) CreateSubscription(ctx context.Context, config SubscriptionConfig, start storage.Start) (Subscription, error) {
	panic("not built yet")
}

// Subscription returns a subscription. Errors: ErrSubscriptionNotFound.
func (b *Broker) Subscription(name Name) (Subscription, error) { panic("not built yet") }

// ListSubscriptions returns a page of subscriptions and the token of the next page,
// empty on the last one. Errors: ErrInvalidField.
func (b *Broker) ListSubscriptions(request ListRequest) ([]Subscription, string, error) {
	panic("not built yet")
}

// UpdateSubscription applies change to a copy of the configuration and stores it;
// open sessions learn of it. Errors: what change returns, ErrInvalidField (also
// when a fixed field changed), ErrSubscriptionNotFound.
func (b *Broker) UpdateSubscription(ctx context.Context, name Name, change func(*SubscriptionConfig) error) (Subscription, error) {
	panic("not built yet")
}

// DeleteSubscription deletes a subscription and ends its sessions with
// ErrSubscriptionDeleted. Errors: ErrSubscriptionNotFound.
func (b *Broker) DeleteSubscription(ctx context.Context, name Name) error { panic("not built yet") }

// SubscriptionStats returns figures of a subscription as of now; when its loop does
// not answer before ctx ends, the last ones it published. Errors:
// ErrSubscriptionNotFound, ErrDataLoss.
func (b *Broker) SubscriptionStats(ctx context.Context, name Name) (SubscriptionStats, error) {
	panic("not built yet")
}

// Publisher is one publish stream's way into the store. Topic and Publish are for
// the receive loop, Next and ResultsWritten for the send loop.
type Publisher struct{}

// OpenPublisher makes a publisher; clientID names the client in logs. Errors:
// ErrDraining, ErrStoreUnavailable.
func (b *Broker) OpenPublisher(clientID string) (*Publisher, error) { panic("not built yet") }

// PublishTopic is a topic as a publisher resolved it.
type PublishTopic struct{}

// MaxMessageBytes is the largest encoded message that the topic takes, now.
func (t *PublishTopic) MaxMessageBytes() int { panic("not built yet") }

// Topic resolves a topic's name as the client wrote it, from a cache of the stream
// that notices deletion. Errors: ErrInvalidName, ErrTopicNotFound, ErrTopicDeleted
// (it was in use by this stream), ErrDataLoss.
func (p *Publisher) Topic(name string) (*PublishTopic, error) { panic("not built yet") }

// Publish hands a batch over; it comes back from Next when it is durable, or when
// its Err is set, in its turn. It blocks while the store's queue for this stream is
// full: that is the back-pressure. Errors end the stream, and the batch stays the
// caller's: ErrPublishWindowExceeded, ErrDraining, ErrStoreUnavailable,
// ErrSessionClosed.
func (p *Publisher) Publish(batch *PublishBatch) error { panic("not built yet") }

// Heard notes a sign of life of the client that is no batch.
func (p *Publisher) Heard() { panic("not built yet") }

// CloseSend says that the client half-closed: Next returns io.EOF after the last
// completed batch.
func (p *Publisher) CloseSend() { panic("not built yet") }

// PublishWindow is how much the client may send, counted from the start of the
// stream: Messages and Bytes in all. It never goes down.
type PublishWindow = Amount

// PublisherOutput is what a publish stream's send loop writes next; any of its
// fields may be set.
type PublisherOutput struct {
	// Completed are batches in the order in which they were handed over. They are
	// the caller's; the slice is used again by the next call of Next.
	Completed []*PublishBatch
	// Window, when not nil, is to be told: it rose, or it is time for a heartbeat.
	Window *PublishWindow
	// GoAway, when not nil, asks the client to end the stream.
	GoAway *GoAway
}

// Next waits for the next output. Errors end the stream: io.EOF (all is done: status
// OK), ErrUnknownOutcome, ErrStoreUnavailable, ErrFenced, ErrDraining,
// ErrSessionSilent, ErrSessionClosed, or ctx's. Batches that were complete before
// the error have been handed out.
func (p *Publisher) Next(ctx context.Context) (PublisherOutput, error) { panic("not built yet") }

// ResultsWritten says that the results of batches which together were sent as
// messages and bytes (PublishBatch.Sent) are written, or need not be; the window
// rises by them, and Next tells it.
func (p *Publisher) ResultsWritten(sent Amount) { panic("not built yet") }

// Close gives the publisher up. What is in the store's hands is still stored. It
// may be called twice.
func (p *Publisher) Close() { panic("not built yet") }

// Publish stores one batch and returns when it is durable, or with ctx: the outcome
// is in batch.Err and batch.Runs. When it returns an error the batch must not be
// released or used again. Errors: ErrDraining, ErrStoreUnavailable,
// ErrUnknownOutcome, ErrFenced, ctx's.
func (b *Broker) Publish(ctx context.Context, batch *PublishBatch) error { panic("not built yet") }

// PublishTopic resolves a topic for Publish. Errors: as Publisher.Topic.
func (b *Broker) PublishTopic(name string) (*PublishTopic, error) { panic("not built yet") }

var batches = sync.Pool{New: func() any { return new(PublishBatch) }}

type batchPart struct{}

func (b *PublishBatch) reset() { panic("not built yet") }

// SubscribeParams is what a client asks for when it opens a session.
type SubscribeParams struct {
	Subscription Name
	// ClientID names the client; sessions with the same one share a ceiling, and one
	// takes the place of the other on an exclusive subscription. May be empty.
	ClientID string
	// Labels are free, for statistics.
	Labels map[string]string
	// Replenish is OnSettle or Manual.
	Replenish Replenish
	// Window is the first window of an OnSettle session.
	Window Amount
	// Lease is the work lease, 1 s to 12 h; 0 means the subscription's.
	Lease time.Duration
	// MaxFrameBytes is the largest frame that the client accepts; 0 means
	// delivery.DefaultMaxFrameBytes.
	MaxFrameBytes int
	// Takeover asks to take the place of an exclusive subscription's session.
	Takeover bool
}

// How credit comes back.
const (
	OnSettle = delivery.OnSettle
	Manual   = delivery.Manual
)

// Verdicts.
const (
	Ack     = delivery.Ack
	Retry   = delivery.Retry
	Release = delivery.Release
)

// CloseHow says how a session's stream ended.
type CloseHow = delivery.DetachHow

// How streams end.
const (
	// CloseClean: the client half-closed. What it holds is released uncharged, and
	// Next goes on until io.EOF.
	CloseClean = delivery.Clean
	// CloseBroken: the stream failed, or the client broke the protocol. Each
	// unsettled delivery counts as expired.
	CloseBroken = delivery.Broken
	// CloseGone: the server ended the stream for a reason of its own. Uncharged.
	CloseGone = delivery.Gone
)

// Session is one subscriber stream. Window to Close are for its receive loop: each
// counts as read when it is called, and waits while the subscription's mailbox is
// full; each returns nil, or why the session ended. Next is for its send loop.
type Session struct{}

// Subscribe opens a session. Errors: ErrSubscriptionNotFound, ErrSubscriptionDeleted,
// ErrInvalidField, ErrExclusiveSessionExists, ErrLimitReached, ErrDraining,
// ErrDataLoss, ErrStoreUnavailable, ctx's.
func (b *Broker) Subscribe(ctx context.Context, params SubscribeParams) (*Session, error) {
	panic("not built yet")
}

// ID is the session's unguessable id.
func (s *Session) ID() string { panic("not built yet") }

// PublicName is the session's short name for statistics and logs.
func (s *Session) PublicName() string { panic("not built yet") }

// Limits are the values in force when the session opened.
func (s *Session) Limits() SessionLimits { panic("not built yet") }

// Window sets the credit of an OnSettle session.
func (s *Session) Window(window Amount) error { panic("not built yet") }

// Grant sets the cumulative credit of a Manual session.
func (s *Session) Grant(throughSequence, throughBytes uint64) error { panic("not built yet") }

// Settle ends deliveries. The broker keeps ranges. A negative delay means none.
func (s *Session) Settle(number uint64, ranges []SequenceRange, verdict Verdict, delay time.Duration) error {
	panic("not built yet")
}

// Extend prolongs leases to duration from now; 0 means the session's lease. The
// broker keeps ranges.
func (s *Session) Extend(number uint64, ranges []SequenceRange, duration time.Duration) error {
	panic("not built yet")
}

// Drain asks for no more deliveries; Output.Drained answers.
func (s *Session) Drain(grace time.Duration) error { panic("not built yet") }

// Heartbeat notes a sign of life.
func (s *Session) Heartbeat() error { panic("not built yet") }

// Close tells how the stream ended. After CloseClean the send loop goes on until
// Next returns io.EOF; after the others Next returns ErrSessionClosed. Only the
// first call counts, but one that follows CloseClean gives up what is unsent. Every
// session must be closed by its stream's handler, however it ends.
func (s *Session) Close(how CloseHow) { panic("not built yet") }

// Done is closed when the session has ended by itself, that is when Next would
// return an error: a stream whose send loop is stuck in a write ends by it.
func (s *Session) Done() <-chan struct{} { panic("not built yet") }

// Err is why the session ended, nil before: io.EOF or an error of Next.
func (s *Session) Err() error { panic("not built yet") }

// Next waits for what to write next. From its return to its next call, what it
// returned counts as being written, and must be written in time. A returned Frame is
// the caller's to release. Errors end the stream: io.EOF (status OK),
// ErrTakenOver, ErrSessionSilent, ErrSettleNumberGap, ErrFrameOrder, ErrSlowReader,
// ErrResultsUnread, ErrSubscriptionDeleted, ErrDraining, ErrStoreUnavailable,
// ErrUnknownOutcome, ErrFenced, ErrDataLoss, ErrSessionClosed, or ctx's.
func (s *Session) Next(ctx context.Context) (Output, error) { panic("not built yet") }

// Release gives the frame's references back. Once.
func (f *Frame) Release() { panic("not built yet") }
