package headrace

import (
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// What a publisher may send before the first PublishWindow.
const (
	firstWindowMessages = 1_000
	firstWindowBytes    = 4 << 20
)

// flight is what was sent on one publish stream and what may still be sent. It
// is the outbox's, under its lock.
type flight struct {
	limits          *headracev1.PublishLimits
	throughMessages uint64 // the window: what may be sent in all.
	throughBytes    uint64
	sentMessages    uint64
	sentBytes       uint64
	unresolved      int           // batches sent and without a result.
	lastOneWay      time.Time     // when the last one-way batch was sent.
	oneWay          *publishBatch // the one-way batch that is being sent, or nil.
	topics          map[string]*topicFlight
	toAsk           fifo[string] // with a producer: topics to look up.
	producing       bool
	lasting         bool
}

// topicFlight is what was sent to one topic.
type topicFlight struct {
	sequence uint64              // of the last message sent.
	batches  fifo[*publishBatch] // sent and without a result, in order.

	// Of a producer's, whose topics outlast the flight.
	known     bool   // where the server stands; until then nothing is sent.
	asked     bool   // where it stands.
	confirmed uint64 // the highest sequence that is surely done with.
	failedAt  uint64 // where a batch failed as a whole; 0: none did.
	unheard   bool   // one-way batches were sent, whose failures nobody tells.
}

func newFlight(limits *headracev1.PublishLimits) *flight {
	return &flight{
		limits:          limits,
		throughMessages: firstWindowMessages,
		throughBytes:    firstWindowBytes,
		topics:          make(map[string]*topicFlight),
	}
}

// raise takes a new window; it never goes down.
func (f *flight) raise(messages, bytes uint64) {
	f.throughMessages = max(f.throughMessages, messages)
	f.throughBytes = max(f.throughBytes, bytes)
}

// fits returns how many messages of b may be sent now, going by the server's
// limits and by the window. The first message is larger than what is left of the
// window at most once: it may be sent while bytes are left.
func (f *flight) fits(b *publishBatch) int {
	messages, bytes := f.throughMessages-f.sentMessages, f.throughBytes-min(f.sentBytes, f.throughBytes)
	if messages == 0 || bytes == 0 {
		return 0
	}
	n := b.fitting(int(min(messages, uint64(b.count))), bytes)
	return min(n, f.withinLimits(b))
}

// withinLimits returns how many messages of b one frame may have.
func (f *flight) withinLimits(b *publishBatch) int {
	n := b.count
	if most := int(f.limits.GetMaxBatchMessages()); most > 0 {
		n = min(n, most)
	}
	if most := f.limits.GetMaxBatchBytes(); most > 0 {
		n = b.fitting(n, most)
	}
	return n
}

// launch counts a batch as sent and gives it its sequence.
func (f *flight) launch(b *publishBatch, now time.Time) {
	t := f.topics[b.topic]
	if t == nil {
		t = &topicFlight{}
		f.topics[b.topic] = t
	}
	t.renumber()
	b.first, b.again = t.sequence+1, false
	t.sequence += uint64(b.count)
	f.sentMessages += uint64(b.count)
	f.sentBytes += uint64(b.bytes)
	if b.oneWay {
		f.oneWay, f.lastOneWay, t.unheard = b, now, true
		return
	}
	t.batches.push(b)
	f.unresolved++
}

// idle reports whether nothing is under way, so that waiting for company would
// only cost time. One-way batches have no result to tell; they are taken to be
// under way for delay.
func (f *flight) idle(now time.Time, delay time.Duration) bool {
	return f.unresolved == 0 && now.Sub(f.lastOneWay) >= delay
}

// pending returns the batches that are not done, in the order of each topic.
func (f *flight) pending() []*publishBatch {
	var all []*publishBatch
	for _, t := range f.topics {
		all = append(all, t.batches.all()...)
	}
	if f.oneWay != nil {
		all = append(all, f.oneWay)
	}
	return all
}

// resolve takes a result and returns the batches that are complete by it, and a
// producer's that are to be sent again, both in order.
func (f *flight) resolve(r *headracev1.PublishStreamResponse_PublishResult) (complete, again []*publishBatch) {
	t := f.topics[r.GetTopic()]
	if t == nil {
		return nil, nil
	}
	t.spread(r)
	for t.batches.len() > 0 && t.batches.front().last() <= r.GetThroughSequence() {
		b := t.batches.pop()
		f.unresolved--
		if !f.producing || f.judge(t, b) {
			complete = append(complete, b)
		} else {
			again = append(again, b)
		}
	}
	return complete, again
}

// spread gives the runs and failures of a result to the batches that they
// overlap. Both are in publish order, as the batches are.
func (t *topicFlight) spread(r *headracev1.PublishStreamResponse_PublishResult) {
	for _, run := range r.GetRuns() {
		p := publishedRun{
			first: run.GetFirstSequence(), count: uint64(run.GetCount()),
			at: Position{Partition: run.GetPartition(), Offset: run.GetFirstOffset()},
		}
		for _, b := range t.overlapping(p.first, p.count) {
			b.runs = append(b.runs, p)
		}
	}
	for _, failure := range r.GetFailures() {
		p := publishFailure{
			first: failure.GetFirstSequence(), count: uint64(failure.GetCount()),
			err: failureError(r.GetTopic(), failure),
		}
		for _, b := range t.overlapping(p.first, p.count) {
			b.failures = append(b.failures, p)
		}
	}
}

// overlapping returns the batches that have messages from the given sequences.
func (t *topicFlight) overlapping(first, count uint64) []*publishBatch {
	all := t.batches.all()
	from := 0
	for from < len(all) && all[from].last() < first {
		from++
	}
	to := from
	for to < len(all) && all[to].first < first+count {
		to++
	}
	return all[from:to]
}

func failureError(topic string, f *headracev1.PublishFailure) *Error {
	e := itemError(f.GetReason())
	e.Field, e.Limit = f.GetField(), f.GetLimit()
	e.Message = "publish to " + topic + ": " + e.text()
	if e.Field != "" {
		e.Message += ": " + e.Field
	}
	if e.Limit > 0 {
		e.Message += ": the limit is " + bytesText(e.Limit)
	}
	return e
}
