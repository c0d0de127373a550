package broker

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// silentAfter is how long nothing may be heard of a client.
const silentAfter = delivery.SilenceLimit

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

// Publisher is one publish stream's way into the store. Topic, Publish, Heard and
// CloseSend are for the receive loop, Next and ResultsWritten for the send loop.
type Publisher struct {
	clientID string
	store    Store
	clock    *clock
	life     *life
	memory   *publishMemory
	leave    func()
	// producers lists the openings of producers, fenced is closed when a newer stream
	// of this one's exists; nil without a producer.
	producers *producers
	fenced    <-chan struct{}

	line    *publishLine
	cache   topicCache
	writing *resultWrite

	// heard is when the client was last heard; waiting says that the receive loop
	// waits in Publish and cannot hear it.
	heard   atomic.Int64
	waiting atomic.Bool
	// finished says that the client half-closed.
	finished atomic.Bool

	mu     sync.Mutex
	window publishWindow
	// owed is what memory counts of this publisher.
	owed   int64
	closed bool

	// Of the send loop alone: when it last said something, the clock's stalls it has
	// seen, whether it told GoAway, the window that it told last, and why the store
	// or the broker ended the stream.
	spoke    time.Duration
	stalls   time.Duration
	goneAway bool
	told     PublishWindow
	over     error
	timer    *time.Timer
}

// OpenPublisher makes a publisher; clientID names the client in logs. Errors:
// ErrDraining, ErrStoreUnavailable.
func (b *Broker) OpenPublisher(clientID string) (*Publisher, error) {
	if b.life.drains() {
		return nil, ErrDraining
	}
	if b.store.Err() != nil {
		return nil, storeFailure(b.store)
	}
	b.publishers.enter()
	p := &Publisher{
		clientID: clientID,
		store:    b.store,
		clock:    b.clock,
		life:     b.life,
		memory:   b.publishing,
		leave:    leaver(b.publishers),
		line:     newPublishLine(b.store, b.clock),
		cache:    topicCache{catalog: b.catalog, known: map[string]*PublishTopic{}},
		writing:  newResultWrite(b.clock),
		window:   newPublishWindow(),
		spoke:    b.clock.running(),
		stalls:   b.clock.look(),
		timer:    time.NewTimer(HeartbeatInterval),
	}
	p.Heard()
	return p, nil
}

// ClientID is the client's name.
func (p *Publisher) ClientID() string { return p.clientID }

// Topic resolves a topic's name as the client wrote it, from a cache of the stream
// that notices deletion. Errors: ErrInvalidName, ErrTopicNotFound, ErrTopicDeleted
// (it was in use by this stream), ErrDataLoss.
func (p *Publisher) Topic(name string) (*PublishTopic, error) { return p.cache.resolve(name) }

// Publish hands a batch over; it comes back from Next when it is durable, or when
// its Err is set, in its turn. It blocks while the store's queue for this stream is
// full: that is the back-pressure. Errors end the stream, and the batch stays the
// caller's: ErrPublishWindowExceeded, ErrDraining, ErrStoreUnavailable,
// ErrSessionClosed, ctx's.
func (p *Publisher) Publish(ctx context.Context, batch *PublishBatch) error {
	p.Heard()
	if p.life.drains() && p.life.grace() == 0 {
		return ErrDraining
	}
	if err := p.charge(batch); err != nil {
		return err
	}
	p.waiting.Store(true)
	err := p.line.submit(ctx, batch)
	p.Heard()
	p.waiting.Store(false)
	return err
}

// charge takes a batch off the window.
func (p *Publisher) charge(batch *PublishBatch) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrSessionClosed
	}
	if err := p.window.take(batch.Sent, batch.LastSentBytes); err != nil {
		return err
	}
	p.owe(int64(batch.Sent.Bytes))
	return nil
}

// owe counts bytes between receipt and result.
func (p *Publisher) owe(bytes int64) {
	p.owed += bytes
	p.memory.used.Add(bytes)
}

// Heard notes a sign of life of the client that is no batch.
func (p *Publisher) Heard() { p.heard.Store(int64(p.clock.running())) }

// CloseSend says that the client half-closed: Next returns io.EOF after the last
// completed batch.
func (p *Publisher) CloseSend() {
	p.finished.Store(true)
	signal(p.line.wake)
}

// ResultsWritten says that the results of batches which together were sent as sent
// (PublishBatch.Sent) are written, or need not be; the window rises by them, and
// Next tells it.
func (p *Publisher) ResultsWritten(sent Amount) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.window.wrote(sent, p.memory.short())
	if !p.closed {
		p.owe(-int64(sent.Bytes))
	}
}

// Stuck is closed when what Next returned was not written in time: the client does
// not read its results. The stream is then to end with ErrSlowReader.
func (p *Publisher) Stuck() <-chan struct{} { return p.writing.late }

// Next waits for the next output. From its return to its next call, what it returned
// counts as being written, and must be written in time. Errors end the stream: io.EOF (all is done: status
// OK), ErrUnknownOutcome, ErrStoreUnavailable, ErrFenced, ErrDraining,
// ErrStaleProducer, ErrSessionSilent, ErrSessionClosed, or ctx's. Batches that were complete before
// the error have been handed out.
func (p *Publisher) Next(ctx context.Context) (PublisherOutput, error) {
	p.writing.end()
	for {
		out, err := p.output()
		if err != nil || out.Completed != nil || out.Window != nil || out.GoAway != nil {
			p.spoke = p.clock.running()
			p.writing.begin(messagesOf(out.Completed))
			return out, err
		}
		if err := p.wait(ctx); err != nil {
			return PublisherOutput{}, err
		}
	}
}

func messagesOf(batches []*PublishBatch) (n uint64) {
	for _, b := range batches {
		n += b.Sent.Messages
	}
	return n
}

// output is what there is to write now.
func (p *Publisher) output() (out PublisherOutput, err error) {
	out.Completed, err = p.line.take()
	if err != nil {
		return out, err
	}
	if p.life.drains() && !p.goneAway {
		p.goneAway = true
		out.GoAway = &GoAway{Grace: p.life.grace()}
	}
	out.Window = p.windowToTell(out.Completed)
	if len(out.Completed) > 0 || out.GoAway != nil {
		return out, nil
	}
	return out, p.ended()
}

// windowToTell notes the latency of batches and returns the window when it is to be
// told.
func (p *Publisher) windowToTell(completed []*PublishBatch) *PublishWindow {
	now := p.clock.running()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, batch := range completed {
		if !batch.refused {
			p.window.took(now - batch.handedAt)
		}
	}
	window, tell := p.window.tell(now-p.spoke >= HeartbeatInterval)
	if !tell {
		return nil
	}
	p.told = window
	return &p.told
}

// ended says how the stream ends when there is nothing to write, or nil.
func (p *Publisher) ended() error {
	over := p.life.drains() && p.life.grace() == 0
	switch {
	case p.isClosed():
		return ErrSessionClosed
	case errors.Is(p.over, ErrStaleProducer):
		return p.over
	case p.over != nil:
		return p.line.abandoned(p.over)
	case (p.finished.Load() || over) && !p.line.open():
		return io.EOF
	case p.silent():
		return ErrSessionSilent
	}
	return nil
}

func (p *Publisher) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// silent says that nothing was heard for too long, in time in which it could be.
func (p *Publisher) silent() bool {
	if stalls := p.clock.look(); stalls != p.stalls {
		p.stalls = stalls
		p.Heard()
	}
	return !p.waiting.Load() && !p.finished.Load() && p.clock.running()-time.Duration(p.heard.Load()) >= silentAfter
}

// wait waits until there may be something to write.
func (p *Publisher) wait(ctx context.Context) error {
	p.timer.Reset(p.rest())
	draining := p.life.draining
	if p.goneAway {
		draining = nil
	}
	select {
	case <-p.line.queue.Ready():
	case <-p.line.wake:
	case <-p.timer.C:
	case <-draining:
	case <-p.fenced:
		p.over = ErrStaleProducer
	case <-p.store.Failed():
		p.over = storeFailure(p.store)
	case <-p.life.closed:
		p.over = ErrDraining
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// rest is how long nothing needs to be said.
func (p *Publisher) rest() time.Duration {
	now := p.clock.running()
	rest := p.spoke + HeartbeatInterval - now
	if !p.waiting.Load() && !p.finished.Load() {
		rest = min(rest, time.Duration(p.heard.Load())+silentAfter-now)
	}
	if grace := p.life.grace(); p.goneAway && grace > 0 {
		rest = min(rest, grace)
	}
	return max(rest, 0)
}

// Close gives the publisher up. What is in the store's hands is still stored. It
// may be called twice, and while Publish waits, which then ends with its ctx.
func (p *Publisher) Close() {
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.closed = true
		p.owe(-p.owed)
	}
	p.mu.Unlock()
	p.writing.stop()
	if !closed {
		p.closeProducer()
	}
	p.line.close()
	p.leave()
	signal(p.line.wake)
}
