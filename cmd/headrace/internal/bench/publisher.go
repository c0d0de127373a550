package bench

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/headrace/headrace/sdk/go"
)

// noiseBytes is how much random data a publisher cuts its payloads from.
const noiseBytes = 1 << 20

// publisher sends messages with a bounded number in flight.
type publisher struct {
	// topics get a message each, in turn; next is whose turn it is.
	topics []*headrace.Topic
	next   int
	meter  *meter
	// timesResults says that the latency is the result's, not the delivery's.
	timesResults bool
	inFlight     int
	// interval is the time between two messages; 0: none.
	interval time.Duration
	// begin is what time stamps count from.
	begin time.Time

	payload, noise []byte
	random         *rand.Rand
}

func newPublisher(topics []*headrace.Topic, m *meter, o Options, begin time.Time) *publisher {
	p := &publisher{
		topics:       topics,
		meter:        m,
		timesResults: o.Mode == Publish,
		inFlight:     o.InFlight,
		begin:        begin,
		payload:      make([]byte, o.Size),
		noise:        make([]byte, noiseBytes+o.Size),
		random:       rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
	}
	if o.Rate > 0 {
		p.interval = time.Duration(float64(time.Second) * float64(o.Publishers) / o.Rate)
	}
	for i := range p.noise {
		p.noise[i] = byte(p.random.Uint32())
	}
	return p
}

// sent is a message in flight.
type sent struct {
	result *headrace.PublishResult
	at     time.Duration
}

// run publishes until ctx ends. What is in flight then has its result when the
// client is closed.
func (p *publisher) run(ctx context.Context) error {
	if p.inFlight == 1 {
		return p.runAlternating(ctx)
	}
	// The channel holds all but the message being sent and the one being waited
	// for: its capacity is the bound on what is in flight.
	flying := make(chan sent, max(p.inFlight-2, 0))
	collected := make(chan error, 1) // the collector's one result
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		err := p.collect(ctx, flying)
		stop()
		collected <- err
	}()
	for due := time.Since(p.begin); ctx.Err() == nil; {
		due = p.pace(ctx, due)
		flying <- p.send(ctx)
	}
	close(flying)
	return <-collected
}

// runAlternating sends one message, waits for its result, and so on: no second
// goroutine stands between.
func (p *publisher) runAlternating(ctx context.Context) error {
	for due := time.Since(p.begin); ctx.Err() == nil; {
		due = p.pace(ctx, due)
		if err := p.await(ctx, p.send(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// pace waits until a message is due and returns when the next one is.
func (p *publisher) pace(ctx context.Context, due time.Duration) time.Duration {
	if p.interval == 0 {
		return due
	}
	timer := time.NewTimer(due - time.Since(p.begin))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return due + p.interval
}

// send publishes the next payload. The client copies it, so it is used again.
func (p *publisher) send(ctx context.Context) sent {
	cut := int(p.random.Uint32N(noiseBytes))
	copy(p.payload, p.noise[cut:])
	at := time.Since(p.begin)
	if len(p.payload) >= stampBytes {
		binary.LittleEndian.PutUint64(p.payload, uint64(at))
	}
	topic := p.topics[p.next]
	p.next = (p.next + 1) % len(p.topics)
	return sent{topic.PublishAsync(ctx, headrace.Message{Data: p.payload}), at}
}

func (p *publisher) collect(ctx context.Context, flying <-chan sent) error {
	var first error
	for s := range flying {
		if err := p.await(ctx, s); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// await waits for a result. What comes of messages after the load has stopped is
// not of interest.
func (p *publisher) await(ctx context.Context, s sent) error {
	_, err := s.result.Position(ctx)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // The error is that of the stop.
	}
	if err != nil {
		return fmt.Errorf("publishing: %w", err)
	}
	p.meter.publishDone()
	if p.timesResults {
		p.meter.took(time.Since(p.begin) - s.at)
	}
	return nil
}
