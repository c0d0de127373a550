package headrace

import (
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	// settleMessages is how many settled deliveries are sent at once, if half of
	// the window is not less.
	settleMessages = 1_000
	// settleDelay is how long a settled delivery waits for others.
	settleDelay = 10 * time.Millisecond
	// maxUnconfirmedSettles is how many settles and extends may be unconfirmed,
	// unless the server says otherwise.
	maxUnconfirmedSettles = 1_024
	// maxRanges is how many ranges a frame may have, unless the server says
	// otherwise.
	maxRanges = 10_000
)

// settleQueue gathers settles of one session until they are worth a frame. It is
// the ledger's, under its lock.
type settleQueue struct {
	groups   map[verdict]*settleGroup
	order    fifo[*settleGroup] // those that have something, the oldest first.
	messages int
	bytes    int
	since    time.Time // when the oldest was queued.
	urgent   bool      // somebody waits: send at once.

	enoughMessages int
	enoughBytes    int
}

// settleGroup is the settles of one verdict.
type settleGroup struct {
	verdict verdict
	spans   spans
	waiters []settleWaiter
	stopped []*keyLine // one for each delivery of a key.
}

// settleWaiter waits until the settle of a delivery is durable.
type settleWaiter struct {
	sequence uint64
	result   chan error // Capacity 1: one result, taken or not.
}

func newSettleQueue() settleQueue { return settleQueue{groups: make(map[verdict]*settleGroup)} }

// resize says what half of the window is.
func (q *settleQueue) resize(window windowSize) {
	q.enoughMessages = int(max(1, min(settleMessages, window.messages/2)))
	q.enoughBytes = int(max(1, window.bytes/2))
}

// add queues a settle and reports whether the send loop should look.
func (q *settleQueue) add(sequence uint64, size int, v verdict, result chan error, now time.Time) bool {
	g := q.groups[v]
	if g == nil {
		g = &settleGroup{verdict: v}
		q.groups[v] = g
		q.order.push(g)
	}
	g.spans.add(sequence)
	if result != nil {
		g.waiters = append(g.waiters, settleWaiter{sequence, result})
		q.urgent = true
	}
	q.messages++
	q.bytes += size
	first := q.messages == 1
	if first {
		q.since = now
	}
	return first || q.due(now)
}

// stop notes that the settle that was queued last, of a verdict, stops a key.
func (q *settleQueue) stop(v verdict, k *keyLine) {
	g := q.groups[v]
	g.stopped = append(g.stopped, k)
}

func (q *settleQueue) empty() bool { return q.order.len() == 0 }

// due reports whether a frame should go now.
func (q *settleQueue) due(now time.Time) bool {
	return q.urgent || q.messages >= q.enoughMessages || q.bytes >= q.enoughBytes ||
		q.messages > 0 && now.Sub(q.since) >= settleDelay
}

// wait returns how long until a frame is due, or never.
func (q *settleQueue) wait(now time.Time) time.Duration {
	if q.empty() {
		return never
	}
	return max(1, settleDelay-now.Sub(q.since))
}

// take removes and returns what one frame can hold. The queue is not empty. Once
// it began it goes on until nothing is left.
func (q *settleQueue) take(ranges int) settleGroup {
	g := q.order.front()
	g.spans.merge()
	taken := settleGroup{verdict: g.verdict, spans: g.spans.cut(ranges)}
	if len(g.spans) == 0 {
		taken.waiters, taken.stopped = g.waiters, g.stopped
		delete(q.groups, g.verdict)
		q.order.pop()
	} else {
		taken.waiters, g.waiters = splitWaiters(g.waiters, taken.spans)
	}
	q.urgent = true
	if q.empty() {
		q.messages, q.bytes, q.urgent = 0, 0, false
	}
	return taken
}

// splitWaiters divides waiters into those of the given deliveries and the rest.
func splitWaiters(all []settleWaiter, of spans) (in, out []settleWaiter) {
	for _, w := range all {
		if of.contains(w.sequence) {
			in = append(in, w)
		} else {
			out = append(out, w)
		}
	}
	return in, out
}

// frame returns the settle as a frame.
func (g *settleGroup) frame(number uint64) *headracev1.SubscribeRequest {
	settle := &headracev1.SubscribeRequest_Settle{Number: number, Ranges: g.spans.ranges(), Verdict: g.verdict.kind}
	settle.Code, settle.Reason = g.verdict.code, g.verdict.reason
	if g.verdict.delayed {
		settle.Delay = durationpb.New(g.verdict.delay)
	}
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Settle_{Settle: settle}}
}

func extendFrame(number uint64, s spans) *headracev1.SubscribeRequest {
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Extend_{
		Extend: &headracev1.SubscribeRequest_Extend{Number: number, Ranges: s.ranges()},
	}}
}
