package server

import (
	"context"
	"encoding/base64"
	"strconv"

	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/storage"
)

// ListDeadLetters returns a page of dead letters.
func (s *subscriptionService) ListDeadLetters(
	ctx context.Context, r *headracev1.ListDeadLettersRequest,
) (*headracev1.ListDeadLettersResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	page, err := newDeadLetterPage(r)
	if err != nil {
		return nil, err
	}
	page.describe = s.deadLetterProto
	for !page.full {
		letters, err := s.broker.DeadLetters(ctx, name, page.next)
		if err != nil {
			return page.upTo(err)
		}
		if len(letters) == 0 {
			return page.out, nil
		}
		for i := range letters {
			if err := page.take(&letters[i]); err != nil {
				return nil, err
			}
		}
	}
	page.out.NextPageToken = sequenceToken(page.next)
	return page.out, nil
}

// deadLetterPage is a page that is being filled.
type deadLetterPage struct {
	filter   deadLetterFilter
	messages bool
	limit    int
	room     int
	// describe describes a dead letter without its message.
	describe func(d *storage.DeadLetter) *headracev1.DeadLetter

	out *headracev1.ListDeadLettersResponse
	// next is the sequence that was not looked at yet; full says that the page ends.
	next uint64
	full bool
}

func newDeadLetterPage(r *headracev1.ListDeadLettersRequest) (*deadLetterPage, error) {
	p := &deadLetterPage{
		messages: !r.GetWithoutMessages(), limit: broker.DefaultPageSize, room: stockFrameBytes,
		out: &headracev1.ListDeadLettersResponse{}, next: r.GetFromSequence(),
	}
	var err error
	if p.filter, err = deadLetterFilterOf(r.GetFilter()); err != nil {
		return nil, err
	}
	if n := r.GetPageSize(); n > broker.MaxPageSize {
		return nil, invalidField("page_size", "at most 1,000")
	} else if n > 0 {
		p.limit = int(n)
	}
	if token := r.GetPageToken(); token != "" {
		if p.next, err = tokenSequence(token); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// take takes the next dead letter in, unless the page is full.
func (p *deadLetterPage) take(d *storage.DeadLetter) error {
	if p.full {
		return nil
	}
	if p.filter.matches(d) {
		letter, size, err := p.letter(d)
		if err != nil {
			return err
		}
		if size > p.room || len(p.out.GetDeadLetters()) == p.limit {
			p.full = true
			return nil
		}
		p.room -= size
		p.out.DeadLetters = append(p.out.DeadLetters, letter)
	}
	p.next = d.Sequence + 1
	return nil
}

// upTo gives what there is before something that cannot be read: the next page begins
// there, and says so.
func (p *deadLetterPage) upTo(err error) (*headracev1.ListDeadLettersResponse, error) {
	if len(p.out.GetDeadLetters()) == 0 {
		return nil, err
	}
	p.out.NextPageToken = sequenceToken(p.next)
	return p.out, nil
}

// letter describes a dead letter; its message is left out when no page could hold it.
func (p *deadLetterPage) letter(d *storage.DeadLetter) (letter *headracev1.DeadLetter, size int, err error) {
	// overheadBytes bounds the tag and length around one, and its share of the token.
	const overheadBytes = 64
	letter = p.describe(d)
	if p.messages && len(d.Message)+proto.Size(letter)+overheadBytes <= stockFrameBytes {
		if letter.Message, err = deadLetterMessage(d); err != nil {
			return nil, 0, err
		}
	}
	return letter, proto.Size(letter) + overheadBytes, nil
}

// sequenceToken writes where a page begins; clients see something opaque.
func sequenceToken(sequence uint64) string {
	return base64.RawURLEncoding.EncodeToString(strconv.AppendUint(nil, sequence, 10))
}

func tokenSequence(token string) (uint64, error) {
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		var sequence uint64
		if sequence, err = strconv.ParseUint(string(text), 10, 64); err == nil {
			return sequence, nil
		}
	}
	return 0, invalidField("page_token", "a token of the page before")
}

// DiscardDeadLetters deletes dead letters for good.
func (s *subscriptionService) DiscardDeadLetters(
	ctx context.Context, r *headracev1.DiscardDeadLettersRequest,
) (*headracev1.DiscardDeadLettersResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	gone, err := s.broker.DiscardDeadLetters(ctx, name, r.GetSequences())
	if err != nil {
		return nil, err
	}
	return &headracev1.DiscardDeadLettersResponse{Sequences: gone}, nil
}

// RedriveDeadLetters gives dead letters back to delivery.
func (s *subscriptionService) RedriveDeadLetters(
	ctx context.Context, r *headracev1.RedriveDeadLettersRequest,
) (*headracev1.RedriveDeadLettersResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	done, err := s.broker.RedriveDeadLetters(ctx, name, r.GetSequences(), redriven)
	if err != nil && len(done) == 0 {
		return nil, err
	}
	// What was redriven before a failure is told; the caller asks again for the rest.
	return &headracev1.RedriveDeadLettersResponse{Sequences: done}, nil
}
