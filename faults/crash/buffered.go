package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/headrace/headrace/faults/history"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

const (
	// bufferedName is the topic whose results come before its messages are durable, and
	// its subscription.
	bufferedName = "buffered"
	// bufferedTopic is the topic's number.
	bufferedTopic = 2
	// apartOffsets are at least between what one life of the server told and the next one:
	// 2^20 are left out behind what is durable, of which 2^19 at most were told.
	apartOffsets = 1 << 19
	// bufferedPublishers publish at a time, a message each.
	bufferedPublishers = 4
	// bufferedPause is the longest pause between two of them.
	bufferedPause = 2 * time.Millisecond
)

var bufferedSubscription = subscriptionRole{Number: 50, Name: bufferedName}

// bufferedWitness publishes to the buffered topic and receives from it, in the
// harness's own process. What it was told may be lost when the server is killed; but
// no offset may be told twice, and of each life only the end may be lost.
type bufferedWitness struct {
	publisher  headracev1.PublisherServiceClient
	subscriber headracev1.SubscriberServiceClient

	mu sync.Mutex
	// told and came are the messages' numbers by offset, as results said and as they
	// were delivered.
	told, came map[uint64]uint64
	// numbers counts the messages.
	numbers uint64
	broken  []history.Violation

	publishing, receiving       sync.WaitGroup
	stopPublishing, stopReceive context.CancelFunc
}

// BufferedCounts are what a campaign's buffered topic went through.
type BufferedCounts struct {
	Told, Lost, Lives int
}

func newBufferedWitness(conn *grpc.ClientConn) *bufferedWitness {
	return &bufferedWitness{
		publisher: headracev1.NewPublisherServiceClient(conn), subscriber: headracev1.NewSubscriberServiceClient(conn),
		told: map[uint64]uint64{}, came: map[uint64]uint64{},
	}
}

// begin sets everybody to work.
func (w *bufferedWitness) begin(ctx context.Context) {
	publishing, stopPublishing := context.WithCancel(ctx)
	receiving, stopReceive := context.WithCancel(ctx)
	w.stopPublishing, w.stopReceive = stopPublishing, stopReceive
	for range bufferedPublishers {
		w.publishing.Go(func() {
			for publishing.Err() == nil {
				w.publish(publishing)
			}
		})
	}
	w.receiving.Go(func() {
		for receiving.Err() == nil {
			_ = w.receive(receiving) // A broken session is what this is about.
			pause(receiving)
		}
	})
}

// publish sends one message. Where the server dies nobody knows whether it is stored.
func (w *bufferedWitness) publish(ctx context.Context) {
	number := w.next()
	r, err := w.publisher.Publish(ctx, &headracev1.PublishRequest{
		Topic: bufferedName, Messages: []*headracev1.Message{{Data: strconv.AppendUint(nil, number, 10)}},
	})
	if err != nil || len(r.GetRuns()) == 0 {
		pause(ctx)
		return
	}
	w.note(w.told, r.GetRuns()[0].GetFirstOffset(), number, "told")
	pauseFor(ctx, rand.N(bufferedPause))
}

func (w *bufferedWitness) next() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.numbers++
	return w.numbers
}

// note notes what stands at an offset.
func (w *bufferedWitness) note(in map[uint64]uint64, offset, number uint64, how string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, known := range []map[uint64]uint64{w.told, w.came} {
		if other, is := known[offset]; is && other != number {
			w.brokenf(history.Shared, "buffered offset %d is that of message %d and, %s, of message %d", offset, other, how, number)
		}
	}
	in[offset] = number
}

// receive acks all that comes in one session.
func (w *bufferedWitness) receive(ctx context.Context) error {
	stream, err := w.subscriber.Subscribe(ctx)
	if err != nil {
		return err
	}
	open := &headracev1.SubscribeRequest_Open{Subscription: bufferedName}
	if err := stream.Send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Open_{Open: open}}); err != nil {
		return err
	}
	for settles := uint64(1); ; {
		frame, err := stream.Recv()
		if err != nil {
			return err
		}
		answer := &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Heartbeat{Heartbeat: &headracev1.Heartbeat{}}}
		if b := frame.GetBatch(); b != nil {
			if err := w.take(b); err != nil {
				return err
			}
			last := b.GetFirstSequence() + uint64(len(b.GetMessages())) - 1
			answer.Frame = &headracev1.SubscribeRequest_Settle_{Settle: &headracev1.SubscribeRequest_Settle{
				Number: settles, Verdict: headracev1.Verdict_VERDICT_ACK,
				Ranges: []*headracev1.SequenceRange{{First: b.GetFirstSequence(), Last: last}},
			}}
			settles++
		} else if frame.GetFlowState() == nil {
			continue
		}
		if err := stream.Send(answer); err != nil {
			return err
		}
	}
}

// take notes what came.
func (w *bufferedWitness) take(b *headracev1.SubscribeResponse_Batch) error {
	next := 0
	for _, run := range b.GetRuns() {
		for i := range run.GetCount() {
			number, err := strconv.ParseUint(string(b.GetMessages()[next].GetData()), 10, 64)
			if err != nil {
				return err
			}
			w.note(w.came, run.GetFirstOffset()+uint64(i), number, "delivered")
			next++
		}
	}
	return nil
}

// endPublishing lets the publishers end: what is stored then is to be received.
func (w *bufferedWitness) endPublishing() {
	if w.stopPublishing != nil {
		w.stopPublishing()
		w.publishing.Wait()
	}
}

// seen gives the promises that were seen broken so far.
func (w *bufferedWitness) seen() []history.Violation {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.broken)
}

// end stops receiving and says what was lost, and which promises were broken.
func (w *bufferedWitness) end() (BufferedCounts, []history.Violation) {
	w.endPublishing()
	if w.stopReceive != nil {
		w.stopReceive()
		w.receiving.Wait()
	}
	counts := BufferedCounts{Told: len(w.told)}
	offsets := make([]uint64, 0, len(w.told)+len(w.came))
	for offset := range w.told {
		offsets = append(offsets, offset)
	}
	for offset := range w.came {
		if _, told := w.told[offset]; !told {
			offsets = append(offsets, offset)
		}
	}
	slices.Sort(offsets)
	before, lost := uint64(0), false
	for i, offset := range offsets {
		if i == 0 || offset-before >= apartOffsets {
			counts.Lives, lost = counts.Lives+1, false
		}
		before = offset
		_, kept := w.came[offset]
		switch {
		case !kept:
			counts.Lost, lost = counts.Lost+1, true
		case lost:
			w.brokenf(history.Lost, "a buffered message before offset %d, which the same life of the server stored", offset)
		}
	}
	return counts, w.broken
}

func (w *bufferedWitness) brokenf(p history.Promise, format string, args ...any) {
	w.broken = append(w.broken, history.Violation{Promise: p, Detail: fmt.Sprintf(format, args...)})
}
