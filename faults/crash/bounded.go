package crash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/headrace/headrace/faults/history"
	"github.com/headrace/headrace/faults/history/standing"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

const (
	// agedName and sizedName are topics that keep messages for a time, and so many bytes.
	agedName, sizedName   = "aged", "sized"
	agedTopic, sizedTopic = 5, 6
	maxAge                = 2 * time.Second
	maxBytes              = 1 << 20
	// maxWaiting is the cap of the subscriptions that have one.
	maxWaiting = 40
	// boundedBytes is the size of a message there, but for what it has around its body.
	boundedBytes, aroundBytes = 8 << 10, 64
	// boundedPause is the longest pause between two of a topic, lookPause between two looks.
	boundedPause, lookPause = 12 * time.Millisecond, 150 * time.Millisecond
	// heldBack is longer than the last pulls of a campaign take.
	heldBack = time.Minute
)

// idle is a subscription that nobody receives from, until the end.
type idle struct {
	name   string
	bounds standing.Bounds
	action headracev1.BacklogAction
}

var idles = []idle{
	{name: agedName, bounds: standing.Bounds{Subscription: 21, Topic: agedTopic, MaxAge: maxAge}},
	{
		name:   sizedName,
		bounds: standing.Bounds{Subscription: 22, Topic: sizedTopic, MaxBytes: maxBytes, MessageBytes: boundedBytes + aroundBytes},
	},
	{
		name: "dropped", action: headracev1.BacklogAction_BACKLOG_ACTION_DROP_OLDEST,
		bounds: standing.Bounds{Subscription: 23, Topic: sizedTopic, MaxMessages: maxWaiting},
	},
	{
		name: "buried", action: headracev1.BacklogAction_BACKLOG_ACTION_DEAD_LETTER,
		bounds: standing.Bounds{Subscription: 24, Topic: sizedTopic, MaxMessages: maxWaiting, Letters: true},
	},
}

// setUpIdles makes topics and subscriptions that have bounds.
func (a *administrator) setUpIdles(ctx context.Context) error {
	for number, topic := range map[uint64]*headracev1.Topic{
		agedTopic:  {Name: agedName, Retention: &headracev1.Retention{MaxAge: durationpb.New(maxAge)}},
		sizedTopic: {Name: sizedName, Retention: &headracev1.Retention{MaxBytes: maxBytes}},
	} {
		topic.MaxMessageBytes = maxBytes
		if err := a.createTopic(ctx, topic, number); err != nil {
			return err
		}
	}
	for i := range idles {
		one := &idles[i]
		s := &headracev1.Subscription{Name: one.name, Topic: sizedName, Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE}
		if one.bounds.Topic == agedTopic {
			s.Topic = agedName
		}
		if one.bounds.MaxMessages > 0 {
			s.BacklogCap = &headracev1.BacklogCap{Max: &headracev1.Amount{Messages: one.bounds.MaxMessages}, Action: one.action}
		}
		if err := a.createSubscribed(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// publishes sends to what has bounds, in turn.
func (o *operators) publishes(ctx context.Context) error {
	random := rand.New(rand.NewPCG(o.seed, operatorClient))
	p := &producer{client: o.client, recorder: o.recorder, told: io.Discard}
	all, ended := make(chan sent, maxUnanswered), make(chan struct{})
	go func() {
		defer close(ended)
		p.collect(all)
	}()
	defer func() { <-ended }()
	defer close(all)
	for number := uint64(1); ; number++ {
		select {
		case <-o.stop:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(random.Int64N(int64(boundedPause)))):
		}
		for topic, name := range map[uint64]string{agedTopic: agedName, sizedTopic: sizedName} {
			s := sent{id: history.MessageID{Publisher: operatorClient*streamsPerClient + topic, Number: number}, topic: topic}
			p.record(history.Publishing, &s, headrace.Position{})
			body := encodeFilled(topic, s.id, boundedBytes-bodyHeadBytes-bodyCRCBytes, rand.NewPCG(s.id.Publisher, number))
			s.result = o.client.Topic(name).PublishAsync(ctx, headrace.Message{Data: body})
			all <- s
		}
	}
}

// watches looks at what has bounds until it is time to stop.
func (o *operators) watches(ctx context.Context) error {
	for {
		select {
		case <-o.stop:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookPause):
			_, _ = o.lookAtIdles(ctx) // A server that is gone is no news.
		}
	}
}

// lookAtIdles records what went of each subscription with bounds, and gives how many
// messages are there that are to go yet.
func (o *operators) lookAtIdles(ctx context.Context) (left uint64, err error) {
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	for i := range idles {
		number := idles[i].bounds.Subscription
		o.note(number, history.BacklogAsking, history.Fields{})
		stats, err := o.client.Subscriptions().Stats(calling, idles[i].name)
		if err != nil {
			return 0, err
		}
		for _, p := range stats.GetPartitions() {
			if p.GetPartition() == 0 {
				o.note(number, history.FloorTold, history.Fields{Offset: p.GetFloor()})
			}
		}
		o.note(number, history.GoneTold, history.Fields{Count: stats.GetRemoved() + stats.GetDropped()})
		if idles[i].bounds.MaxAge > 0 {
			left += stats.GetBacklog().GetMessages()
		}
	}
	return left, nil
}

func (o *operators) note(subscription uint64, k history.Kind, f history.Fields) {
	f.Subscription = subscription
	o.recorder.Record(history.Event{Kind: k, Fields: f})
}

// emptyIdles takes out what is left where there is a bound, and lists what is dead.
func (o *operators) emptyIdles(ctx context.Context) error {
	if _, err := o.lookAtIdles(ctx); err != nil {
		return err
	}
	for i := range idles {
		one := &operator{operators: o, account: &account{number: idles[i].bounds.Subscription, name: idles[i].name}}
		if _, err := one.letters(ctx); err != nil {
			return err
		}
		if err := one.take(ctx); err != nil {
			return err
		}
	}
	return nil
}

// take pulls all that is there, and keeps it.
func (o *operator) take(ctx context.Context) error {
	session := uint64(operatorClient)*streamsPerClient + o.account.number
	o.record(history.HandsOpening, history.Fields{Session: session, Client: operatorClient})
	for sequence := uint64(0); ; {
		calling, cancel := context.WithTimeout(ctx, callTimeout)
		got, err := o.client.Subscription(o.account.name).Pull(calling, headrace.PullWait(pullWait), headrace.PullLease(heldBack))
		cancel()
		if err != nil {
			return fmt.Errorf("pull what is left of %s: %w", o.account.name, err)
		}
		if len(got) == 0 {
			return nil
		}
		for _, m := range got {
			sequence++
			topic, id, whole := decodeBody(m.Data)
			if !whole {
				return errors.Join(ErrPromiseBroken, fmt.Errorf("%s: a body was changed", o.account.name))
			}
			o.recorder.Record(history.Event{Kind: history.Handed, Fields: history.Fields{
				Session: session, Sequence: sequence, Topic: topic, Publisher: id.Publisher, Number: id.Number,
				Partition: uint64(m.Position.Partition), Offset: m.Position.Offset, Attempt: uint64(m.Attempt),
			}})
		}
	}
}
