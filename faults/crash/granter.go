package crash

import (
	"context"
	"io"
	"math/rand/v2"

	"google.golang.org/grpc"

	"github.com/headrace/headrace/faults/history"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// fleetingMessages is the most that a granter grants ahead.
const fleetingMessages = 20

// granter takes what comes at most once, through one stream after the other.
type granter struct {
	account  *account
	conn     *grpc.ClientConn
	recorder *history.Recorder
	client   uint64
	random   *rand.Rand
	// told gets a line when something came.
	told    io.Writer
	streams uint64
}

func (g *granter) run(ctx context.Context) {
	for ctx.Err() == nil {
		g.streams++
		_ = g.stream(ctx) // It breaks: that is what this is about.
		pause(ctx)
	}
}

func (g *granter) stream(ctx context.Context) error {
	stream, err := headracev1.NewSubscriberServiceClient(g.conn).Subscribe(ctx)
	if err != nil {
		return err
	}
	session := g.client*streamsPerClient + g.account.number*sessionsPerAccount + g.streams
	g.recorder.Record(history.Event{Kind: history.HandsOpening, Fields: history.Fields{
		Session: session, Client: g.client, Subscription: g.account.number,
	}})
	open := &headracev1.SubscribeRequest_Open{Subscription: g.account.name, Replenish: headracev1.Replenish_REPLENISH_MANUAL}
	if err := stream.Send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Open_{Open: open}}); err != nil {
		return err
	}
	for received := uint64(0); ; {
		frame, err := stream.Recv()
		if err != nil {
			return err
		}
		if b := frame.GetBatch(); b != nil {
			g.take(session, b)
			received = b.GetFirstSequence() + uint64(len(b.GetMessages())) - 1
		} else if frame.GetOpened() == nil && frame.GetFlowState() == nil {
			continue
		}
		grant := &headracev1.SubscribeRequest_Grant{
			ThroughSequence: received + 1 + uint64(g.random.IntN(fleetingMessages)), ThroughBytes: 1 << 50,
		}
		if err := stream.Send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Grant_{Grant: grant}}); err != nil {
			return err
		}
	}
}

// take records what came.
func (g *granter) take(session uint64, b *headracev1.SubscribeResponse_Batch) {
	positions, attempts := positionsOf(b), attemptsOf(b)
	events := make([]history.Event, len(b.GetMessages()))
	for i, m := range b.GetMessages() {
		topic, id, whole := decodeBody(m.GetData())
		if !whole {
			id = history.MessageID{}
		}
		e := history.Event{Kind: history.Handed, Fields: positions[i]}
		e.Session, e.Sequence, e.Attempt = session, b.GetFirstSequence()+uint64(i), attempts[i]
		e.Topic, e.Publisher, e.Number = topic, id.Publisher, id.Number
		events[i] = e
	}
	g.recorder.Record(events...)
	_, _ = io.WriteString(g.told, "told\n")
}
