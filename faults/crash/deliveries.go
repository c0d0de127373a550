package crash

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/headrace/headrace/faults/history"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// messagesField is the number of Batch.messages, which the charge counts with.
const messagesField = 15

// batch records deliveries, settles what is to be settled at once, and gives new
// credit.
func (x *session) batch(b *headracev1.SubscribeResponse_Batch) error {
	events := make([]history.Event, 0, len(b.GetMessages()))
	positions, attempts := positionsOf(b), attemptsOf(b)
	charged := b.GetChargedBytes()
	for i := len(b.GetMessages()) - 1; i >= 0; i-- {
		m := b.GetMessages()[i]
		size := uint64(protowire.SizeTag(messagesField) + protowire.SizeBytes(proto.Size(m)))
		e := history.Event{Kind: history.Delivered, Fields: positions[i]}
		e.Session, e.Sequence, e.Frame = x.id, b.GetFirstSequence()+uint64(i), b.GetFirstSequence()
		e.Attempt, e.Bytes, e.Charged = attempts[i], size, charged
		topic, id, whole := decodeBody(m.GetData())
		if !whole {
			e.Kind = history.Damaged
		}
		e.Topic, e.Publisher, e.Number = topic, id.Publisher, id.Number
		events = append(events, e)
		charged -= size
	}
	for i, j := 0, len(events)-1; i < j; i, j = i+1, j-1 {
		events[i], events[j] = events[j], events[i]
	}
	x.charged = b.GetChargedBytes()
	x.recorder.Record(events...)
	x.received = b.GetFirstSequence() + uint64(len(events)) - 1
	if err := x.settleAll(x.choose(b.GetFirstSequence(), attempts)); err != nil {
		return err
	}
	return x.newCredit()
}

// positionsOf gives each message's position.
func positionsOf(b *headracev1.SubscribeResponse_Batch) []history.Fields {
	positions := make([]history.Fields, 0, len(b.GetMessages()))
	for _, run := range b.GetRuns() {
		for i := range uint64(run.GetCount()) {
			positions = append(positions, history.Fields{Partition: uint64(run.GetPartition()), Offset: run.GetFirstOffset() + i})
		}
	}
	return positions
}

// attemptsOf gives each message's attempt.
func attemptsOf(b *headracev1.SubscribeResponse_Batch) []uint64 {
	attempts := make([]uint64, len(b.GetMessages()))
	for i := range attempts {
		attempts[i] = 1
	}
	for _, run := range b.GetAttempts() {
		for i := range uint64(run.GetCount()) {
			attempts[run.GetFirstSequence()-b.GetFirstSequence()+i] = uint64(run.GetAttempt())
		}
	}
	return attempts
}

// settleAll sends each decision as a settle.
func (x *session) settleAll(decisions []decision) error {
	for _, d := range decisions {
		x.settles++
		settle := &headracev1.SubscribeRequest_Settle{
			Number: x.settles, Ranges: []*headracev1.SequenceRange{{First: d.first, Last: d.last}}, Verdict: wireVerdicts[d.verdict],
		}
		fields := history.Fields{Settle: x.settles, Sequence: d.first, Last: d.last, Verdict: d.verdict}
		if d.delay > 0 {
			settle.Delay = durationpb.New(d.delay)
			fields.Delay = uint64(d.delay) + 1
		}
		x.record(history.Settling, fields)
		if err := x.send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Settle_{Settle: settle}}); err != nil {
			return err
		}
	}
	return nil
}

var wireVerdicts = map[uint64]headracev1.Verdict{
	history.Ack: headracev1.Verdict_VERDICT_ACK, history.Retry: headracev1.Verdict_VERDICT_RETRY,
	history.Release: headracev1.Verdict_VERDICT_RELEASE,
}

// newCredit changes the window now and then, or grants anew.
func (x *session) newCredit() error {
	if x.role.Manual {
		return x.grant()
	}
	messages, bytes, change := x.changeWindow()
	if !change {
		return nil
	}
	return x.setWindow(messages, bytes)
}

func (x *session) setWindow(messages, bytes uint64) error {
	x.record(history.WindowSet, history.Fields{Count: messages, Bytes: bytes})
	return x.send(&headracev1.SubscribeRequest{
		Frame: &headracev1.SubscribeRequest_Window_{Window: &headracev1.SubscribeRequest_Window{Messages: &messages, Bytes: &bytes}},
	})
}

// grant gives something ahead of what came.
func (x *session) grant() error {
	sequences, bytes := x.ahead()
	x.record(history.Granted, history.Fields{Last: x.received + sequences, Bytes: x.charged + bytes})
	return x.send(&headracev1.SubscribeRequest{
		Frame: &headracev1.SubscribeRequest_Grant_{Grant: &headracev1.SubscribeRequest_Grant{
			ThroughSequence: x.received + sequences, ThroughBytes: x.charged + bytes,
		}},
	})
}
