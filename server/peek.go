package server

import (
	"context"
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
	"github.com/headrace/headrace/storage"
)

// PeekSubscription shows messages and takes none.
func (s *subscriptionService) PeekSubscription(
	ctx context.Context, r *headracev1.PeekSubscriptionRequest,
) (*headracev1.PeekSubscriptionResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	page, err := newPeekPage(r)
	if err != nil {
		return nil, err
	}
	from := broker.PeekFrom{
		Partition: r.GetPartition(), Offset: storage.Offset(r.GetFromOffset()), Settled: r.GetIncludeAcked(),
	}
	next, more, err := s.broker.Peek(ctx, name, from, page.show)
	if err != nil {
		return nil, err
	}
	if more {
		page.out.NextOffset = new(uint64(next))
	}
	return page.out, nil
}

// peekPage is an answer that is being filled.
type peekPage struct {
	out        *headracev1.PeekSubscriptionResponse
	left       int
	size, room int
}

// peekOverheadBytes bounds the tag and length around a message, and its share of what
// else is in an answer.
const peekOverheadBytes = 64

func newPeekPage(r *headracev1.PeekSubscriptionRequest) (*peekPage, error) {
	p := &peekPage{out: &headracev1.PeekSubscriptionResponse{}, left: broker.DefaultPageSize, size: stockFrameBytes}
	switch n := r.GetMaxMessages(); {
	case n > broker.MaxPageSize:
		return nil, invalidField("max_messages", "at most 1,000")
	case n > 0:
		p.left = int(n)
	}
	switch n := r.GetMaxBytes(); {
	case n > stockFrameBytes:
		return nil, invalidField("max_bytes", fmt.Sprintf("at most %d", stockFrameBytes))
	case n > 0:
		p.size = int(n)
	}
	if r.GetPartition() > math.MaxUint16 {
		return nil, invalidField("partition", "0 to 65,535")
	}
	p.room = p.size
	return p, nil
}

// show takes the next message in, unless the page is full.
func (p *peekPage) show(m *broker.Peeked) (more bool, err error) {
	if p.left == 0 {
		return false, nil
	}
	shown := &headracev1.PeekedMessage{
		Position:     &headracev1.Position{Partition: m.Partition, Offset: uint64(m.Offset)},
		MessageBytes: uint64(len(m.Message)), LogTime: timestamppb.New(m.LogTime), Acked: m.Settled,
	}
	if len(m.Message)+proto.Size(shown)+peekOverheadBytes <= p.size {
		if shown.Message, err = storedMessage(m.Message, m.Partition, m.Offset); err != nil {
			return false, err
		}
	}
	size := proto.Size(shown) + peekOverheadBytes
	if size > p.room && len(p.out.GetMessages()) > 0 {
		return false, nil
	}
	p.left--
	p.room -= size
	p.out.Messages = append(p.out.Messages, shown)
	return true, nil
}

// storedMessage reads a message that stands somewhere.
func storedMessage(stored []byte, partition uint32, offset storage.Offset) (*headracev1.Message, error) {
	message := new(headracev1.Message)
	if err := proto.Unmarshal(wire.StoredMessage(stored), message); err != nil {
		return nil, fmt.Errorf("%w: message %d-%d: %w", broker.ErrDataLoss, partition, offset, err)
	}
	if message.GetMessageId() == "" {
		message.MessageId = fmt.Sprintf("%d-%d", partition, offset)
	}
	return message, nil
}
