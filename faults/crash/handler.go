package crash

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/headrace/headrace/faults/history"
	"github.com/headrace/headrace/sdk/go"
)

const (
	// firstConnection is how long a new client waits for a server.
	firstConnection = 10 * time.Second
	// handlers work at once, on at most handledMessages that came.
	handlers        = 16
	handledMessages = 64
	// A handler takes up to quickHandler; one in slowOneIn from slowLeast to slowMost, in
	// which servers die and connections break. Where keys are kept in order it is one in
	// slowKeyOneIn: others of its key wait for it.
	quickHandler            = 8 * time.Millisecond
	slowOneIn, slowKeyOneIn = 20, 25
	slowLeast, slowMost     = 2500 * time.Millisecond, 4 * time.Second
	// confirmTimeout bounds the wait for a settle's end.
	confirmTimeout = 20 * time.Second
)

// handler receives with the Go SDK, over connections that break.
type handler struct {
	recorder *history.Recorder
	client   *headrace.Client
	id       uint64
	calm     *calm

	mu     sync.Mutex
	random *rand.Rand
	// hands count what was handed out, by session.
	hands map[uint64]uint64
	// broken is when a subscription's stream broke, by its name.
	broken map[string]time.Time
}

// runHandler receives from all subscriptions that have handlers until ctx ends.
func runHandler(ctx context.Context, calm *calm, r *role, recorder *history.Recorder, random *rand.Rand) error {
	cuts := &cutter{conns: map[*cutConn]bool{}}
	h := &handler{recorder: recorder, id: r.Client, random: random, calm: calm, hands: map[uint64]uint64{}, broken: map[string]time.Time{}}
	var err error
	h.client, err = headrace.Dial(ctx, r.Address, headrace.WithDialer(cuts.dial), headrace.WithEvents(h.event),
		headrace.WithConnectTimeout(firstConnection), headrace.WithCloseTimeout(lastResults))
	if err != nil {
		return err
	}
	var receiving sync.WaitGroup
	for i := range accounts {
		if a := &accounts[i]; a.receiver == bySDK {
			receiving.Go(func() { h.receive(ctx, a) })
		}
	}
	cuts.run(ctx, calm, rand.New(rand.NewPCG(r.Seed, r.Client+1)))
	receiving.Wait()
	return h.client.Close()
}

func (h *handler) session(a uint64) uint64 { return h.id*streamsPerClient + a }

func (h *handler) record(k history.Kind, f history.Fields) {
	h.recorder.Record(history.Event{Kind: k, Fields: f})
}

func (h *handler) receive(ctx context.Context, a *account) {
	session := h.session(a.number)
	h.record(history.HandsOpening, history.Fields{Session: session, Client: h.id, Subscription: a.number})
	for ctx.Err() == nil {
		// It ends by itself when no server is there at first.
		_ = h.client.Subscription(a.name).Receive(ctx, func(handling context.Context, d *headrace.Delivery) error {
			h.handle(handling, a, d)
			return nil // It is settled.
		}, headrace.WithConcurrency(handlers), headrace.WithWindow(handledMessages, windowBytes))
		pause(ctx)
	}
	h.record(history.HandsEnding, history.Fields{Session: session})
}

// event notes sessions that were given up: those of which a stream was away for long.
func (h *handler) event(e headrace.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch e.Kind {
	case headrace.SessionBroken:
		if h.broken[e.Subscription].IsZero() {
			h.broken[e.Subscription] = time.Now()
		}
	case headrace.SessionResumed:
		delete(h.broken, e.Subscription)
	case headrace.SessionOpened:
		since := h.broken[e.Subscription]
		delete(h.broken, e.Subscription)
		if since.IsZero() || time.Since(since) < resumeWindow/2 {
			return
		}
		for i := range accounts {
			if strings.HasSuffix(e.Subscription, "/"+accounts[i].name) {
				h.record(history.HandsEnding, history.Fields{Session: h.session(accounts[i].number)})
			}
		}
	default:
	}
}

// handle works on a delivery and settles it.
func (h *handler) handle(ctx context.Context, a *account, d *headrace.Delivery) {
	session := h.session(a.number)
	topic, id, whole := decodeBody(d.Data)
	if !whole {
		id = history.MessageID{}
	}
	at := d.Position()
	h.mu.Lock()
	h.hands[session]++
	hand := history.Fields{Session: session, Sequence: h.hands[session]}
	took, verdict := h.choose(a, d)
	h.mu.Unlock()
	handed := hand
	handed.Topic, handed.Publisher, handed.Number = topic, id.Publisher, id.Number
	handed.Partition, handed.Offset, handed.Attempt = uint64(at.Partition), at.Offset, uint64(d.Attempt())
	h.record(history.Handed, handed)
	pauseFor(ctx, took)
	hand.Verdict = verdict
	h.record(history.Answering, hand)
	switch err := settle(d, verdict); {
	case err == nil:
		h.record(history.Answered, hand)
	case errors.Is(err, headrace.ErrStaleDelivery):
		h.record(history.AnswerFailed, hand)
	}
}

// choose says how long a delivery takes, and what becomes of it.
func (h *handler) choose(a *account, d *headrace.Delivery) (took time.Duration, verdict uint64) {
	took, verdict = time.Duration(h.random.Int64N(int64(quickHandler))), history.Ack
	if h.calm.Load() {
		return took, verdict
	}
	oneIn := slowOneIn
	if a.ordered && d.OrderingKey != "" {
		oneIn = slowKeyOneIn
	}
	if h.random.IntN(oneIn) == 0 {
		took = slowLeast + time.Duration(h.random.Int64N(int64(slowMost-slowLeast)))
	}
	switch {
	case d.Attempt() >= lastAttempt:
	case h.random.IntN(retryOneIn) == 0:
		verdict = history.Retry
	case h.random.IntN(releaseOneIn) == 0:
		verdict = history.Release
	}
	return took, verdict
}

// settle gives a verdict, and says whether it is durable.
func settle(d *headrace.Delivery, verdict uint64) error {
	ctx, cancel := context.WithTimeout(context.Background(), confirmTimeout)
	defer cancel()
	switch verdict {
	case history.Retry:
		return d.RetryConfirm(ctx)
	case history.Release:
		return d.ReleaseConfirm(ctx)
	default:
		return d.AckConfirm(ctx)
	}
}
